import { type DeviceLike, getDevice } from '../device/registry.js';
import type { DType } from '../tensor/dtype.js';
import { type AnyStrategy, canonical, isOfferedOn, known } from './catalogue.js';
import { decideFor } from './decision.js';
import type { StrategyKind } from './types.js';

/** A strategy as {@link strategies.list} shows it. */
export interface StrategyInfo {
  readonly op: string;
  readonly name: string;
  readonly kind: StrategyKind;
  /** Whether it takes any of the operation's sample calls; only where a device was named. */
  readonly ok?: boolean;
  /** What it says of the first sample that it takes, or else of the first one. */
  readonly reasons?: readonly string[];
}

const FLOATS: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

/**
 * The strategies of an operation that every device may have. With a device, also those that it alone
 * offers (`fused:fft`), and whether each one can run there at all: asked for small calls of the
 * operation's usual kinds. `explain` tells about one call.
 */
export function list(op: string, device?: DeviceLike): StrategyInfo[] {
  const { operation, strategies } = known(op);
  const name = canonical(op);
  const infoOf = (s: AnyStrategy): StrategyInfo => ({ op: name, name: s.name, kind: s.kind });
  if (device === undefined)
    return strategies.filter(({ offeredOn }) => offeredOn === undefined).map(infoOf);
  const target = getDevice(device);
  const plain = strategies.filter((s) => isOfferedOn(s, target)).map(infoOf);
  const computed = FLOATS.filter((d) => target.capabilities.computes.has(d));
  const dtypes = computed.length > 0 ? computed : (['float32'] as const);
  const samples = dtypes.flatMap((dtype) => operation.samples?.(dtype) ?? []);
  return plain.map((info) => {
    let first: readonly string[] | undefined;
    for (const call of samples) {
      const { chosen, reasons } = decideFor(name, info.name, call, target);
      if (chosen) return { ...info, ok: true, reasons };
      first ??= reasons;
    }
    if (first) return { ...info, ok: false, reasons: first };
    return { ...info, ok: true, reasons: ['depends on the call: see strategies.explain'] };
  });
}

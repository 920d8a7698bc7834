import { type DeviceLike, getDevice } from '../device/registry.js';
import type { DType } from '../tensor/dtype.js';
import { canonical, known } from './catalogue.js';
import { decideFor } from './decision.js';
import type { StrategyKind } from './types.js';

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
 * The strategies of an operation. With a device, also whether each one can run there at all: asked for
 * small calls of the operation's usual kinds. `explain` tells about one call.
 */
export function list(op: string, device?: DeviceLike): StrategyInfo[] {
  const { operation, strategies } = known(op);
  const name = canonical(op);
  const plain = strategies.map((s): StrategyInfo => ({ op: name, name: s.name, kind: s.kind }));
  if (device === undefined) return plain;
  const target = getDevice(device);
  const dtype = FLOATS.find((d) => target.capabilities.computes.has(d)) ?? 'float32';
  const samples = operation.samples?.(dtype) ?? [];
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

// How long each pattern takes: forward, a training step (forward and backward) by the strategy that the
// registry chooses, and by the device's own single backward call.

import {
  conv3d,
  type Device,
  type DType,
  noGrad,
  numelOf,
  outputShape,
  scope,
  strategies,
  type Tensor,
  tensor,
} from '@voxgrad/core';
import { interleaved } from './measure.js';
import { type Pattern, scaled } from './patterns.js';
import { CRASH, choicesFor, geometryOf } from './strategies.js';

export interface PerfRow {
  readonly pattern: string;
  readonly dtype: DType;
  readonly input: readonly number[];
  /** What ran the backward. */
  readonly strategy: string | null;
  readonly forwardMs: number;
  readonly forwardBackwardMs: number;
  /** Forward and backward by the native call, in milliseconds, or that it is refused. */
  readonly native: number | typeof CRASH;
  readonly nativeRefusal: string | null;
  /** The native time over that of the chosen strategy; 1 where it is the chosen one, null where it is refused. */
  readonly speedup: number | null;
  /** Every strategy's forward and backward, where all were asked for. */
  readonly strategies?: Readonly<Record<string, number>>;
}

export interface PerfOptions {
  readonly device: Device;
  readonly dtype: DType;
  readonly scale: number;
  readonly rounds: number;
  /** Time every strategy that runs, and not the chosen and the native one alone. */
  readonly all?: boolean;
}

/** A comparison of two takes this many turns even where one takes long. */
const LEAST_ROUNDS = 3;

/** Numbers from −1 to 1, made quickly: a hundred million from PyTorch's generator take longer than the suite. */
function numbers(shape: readonly number[], dtype: DType, device: Device): Tensor {
  const values = new Float32Array(numelOf(shape));
  // Lehmer's generator with the multiplier of MINSTD.
  let state = 1;
  for (let i = 0; i < values.length; i++) {
    state = (state * 48271) % 2147483647;
    values[i] = state / 1073741823.5 - 1;
  }
  return tensor(values, { shape: [...shape], device: 'cpu' })
    .to(dtype)
    .to(device)
    .detach();
}

const outputOf = (pattern: Pattern): number[] => outputShape(geometryOf(pattern));

export async function measurePerf(
  pattern: Pattern,
  { device, dtype, scale, rounds, all = false }: PerfOptions,
): Promise<PerfRow> {
  const small = scaled(pattern, scale);
  // What is refused and chosen is asked at full size; what is timed may be scaled down.
  const { chosen, native, nativeRefusal } = choicesFor(pattern, dtype, device);
  const { runnable } = choicesFor(small, dtype, device);
  const { stride, padding, dilation, groups } = small;
  const options = { stride, padding, dilation, groups };
  const x = numbers(small.input, dtype, device).requiresGrad_();
  const w = numbers(small.weight, dtype, device).requiresGrad_();
  const gradOutput = numbers(outputOf(small), dtype, device);
  const forward = () => scope(() => void noGrad(() => conv3d(x, w, null, options)));
  const step = (backward: string) => () =>
    scope(() => {
      // Who names an algorithm means the forward too.
      const forwardBy: Record<string, string> = backward.includes(':')
        ? { 'conv3d.forward': backward }
        : {};
      const y: Tensor = strategies.with(forwardBy, () =>
        conv3d(x, w, null, { ...options, backward }),
      );
      y.backward(gradOutput);
      x.grad = null;
      w.grad = null;
    });
  const wanted = all ? runnable : [...new Set([chosen, native])];
  // A strategy that splits the full size may have nothing to split in a small one.
  const names = wanted.filter((name) => name !== null && runnable.includes(name)) as string[];
  const runs = Object.fromEntries(names.map((name) => [name, step(name)]));
  const slowMs = names.length > 1 ? Number.POSITIVE_INFINITY : undefined;
  const turns = names.length > 1 ? Math.max(rounds, LEAST_ROUNDS) : rounds;
  const { ms: forwards } = await interleaved({ forward }, { rounds });
  const { ms, ratio } = await interleaved(runs, { rounds: turns, ...(slowMs && { slowMs }) });
  return {
    pattern: pattern.name,
    dtype,
    input: small.input,
    strategy: chosen,
    forwardMs: forwards.forward,
    forwardBackwardMs: (chosen === null ? undefined : ms[chosen]) ?? Number.NaN,
    native: native === null ? CRASH : (ms[native] ?? Number.NaN),
    nativeRefusal,
    speedup:
      native === null || chosen === null ? null : native === chosen ? 1 : ratio(native, chosen),
    ...(all && { strategies: ms }),
  };
}

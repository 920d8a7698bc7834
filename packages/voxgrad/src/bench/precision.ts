// How exact each strategy is: its gradients against those of float64, whether they are finite, and how
// far composite and native are apart on one device.

import {
  conv3d,
  type Device,
  type DType,
  grad,
  manualSeed,
  noGrad,
  randn,
  type Tensor,
} from '@voxgrad/core';
import { relativeError } from './error.js';
import { type Pattern, scaled } from './patterns.js';
import { CRASH, choicesFor } from './strategies.js';

export interface Errors {
  readonly dx: number;
  readonly dw: number;
}

export interface StrategyPrecision extends Errors {
  readonly strategy: string;
  readonly finite: boolean;
}

export interface PrecisionRow {
  readonly pattern: string;
  readonly dtype: DType;
  /** The sizes that were computed. */
  readonly input: readonly number[];
  /** Of the pattern at full size. */
  readonly chosen: string | null;
  readonly native: 'ok' | typeof CRASH;
  /** Why it is refused, at full size. */
  readonly nativeRefusal: string | null;
  /** Error of the forward. */
  readonly y: number;
  readonly strategies: readonly StrategyPrecision[];
  /** Composite against native, both on this device; null where one of them does not run. */
  readonly compositeAgainstNative: Errors | null;
}

interface Gradients {
  readonly y: Float64Array;
  readonly dx: Float64Array;
  readonly dw: Float64Array;
}

const values = async (t: Tensor): Promise<Float64Array> =>
  Float64Array.from((await t.to('cpu').to('float64').data()) as Float64Array);

interface Inputs {
  readonly x: Tensor;
  readonly w: Tensor;
  readonly g: Tensor;
}

/** On the CPU in float32, whose values every dtype of the comparison starts from. */
function inputsOf(pattern: Pattern): Inputs {
  manualSeed(0);
  const x = randn([...pattern.input], { device: 'cpu' });
  const [, perGroup, ...kernel] = pattern.weight;
  const spread = Math.sqrt(perGroup * kernel.reduce((a, b) => a * b, 1));
  const w = randn([...pattern.weight], { device: 'cpu' }).div(spread);
  const y = noGrad(() => conv3d(x.to('float32'), w, null, options(pattern)));
  return { x, w, g: randn(y.shape, { device: 'cpu' }) };
}

const options = ({ stride, padding, dilation, groups }: Pattern) => ({
  stride,
  padding,
  dilation,
  groups,
});

/** Gradients on `device` of inputs that were rounded to `dtype`, computed in `as`. */
async function gradients(
  { x, w, g }: Inputs,
  pattern: Pattern,
  at: {
    readonly dtype: DType;
    readonly as: DType;
    readonly device: Device | string;
    readonly strategy?: string;
  },
): Promise<Gradients> {
  const [a, b, c] = [x, w, g].map((t) => t.to(at.dtype).to(at.as).to(at.device).detach());
  a.requiresGrad_();
  b.requiresGrad_();
  const { strategy: backward } = at;
  const y = conv3d(a, b, null, {
    ...options(pattern),
    ...(backward !== undefined && { backward }),
  });
  const [dx, dw] = grad([y], [a, b], { gradOutputs: [c] });
  if (!dx || !dw) throw new Error('bench: a gradient is missing');
  return { y: await values(y), dx: await values(dx), dw: await values(dw) };
}

const errorsOf = (got: Gradients, wanted: Gradients): Errors => ({
  dx: relativeError(got.dx, wanted.dx),
  dw: relativeError(got.dw, wanted.dw),
});

const isFinite = ({ dx, dw }: Gradients): boolean =>
  dx.every(Number.isFinite) && dw.every(Number.isFinite);

export interface PrecisionOptions {
  readonly device: Device;
  readonly dtype: DType;
  readonly scale: number;
}

/** One pattern. What is refused and chosen is asked at full size; what is computed is scaled down. */
export async function measurePrecision(
  pattern: Pattern,
  { device, dtype, scale }: PrecisionOptions,
): Promise<PrecisionRow> {
  const full = choicesFor(pattern, dtype, device);
  const small = scaled(pattern, scale);
  const inputs = inputsOf(small);
  // float64 itself is held against the plain loops of the reference.
  const reference = await gradients(inputs, small, { dtype, as: 'float64', device: 'cpu' });
  const { runnable, native } = choicesFor(small, dtype, device);
  const all = new Map<string, Gradients>();
  for (const strategy of runnable)
    all.set(strategy, await gradients(inputs, small, { dtype, as: dtype, device, strategy }));
  const [composite, fused] = [all.get('composite'), native === null ? undefined : all.get(native)];
  const [first] = all.values();
  return {
    pattern: pattern.name,
    dtype,
    input: small.input,
    chosen: full.chosen,
    native: full.native === null ? CRASH : 'ok',
    nativeRefusal: full.nativeRefusal,
    y: first ? relativeError(first.y, reference.y) : Number.NaN,
    strategies: [...all].map(([strategy, got]) => ({
      strategy,
      ...errorsOf(got, reference),
      finite: isFinite(got),
    })),
    compositeAgainstNative: composite && fused ? errorsOf(composite, fused) : null,
  };
}

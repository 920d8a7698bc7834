// Fast algorithms of convolution, held against plain loops in float64: the errors that `precision`
// promises, over distributions of numbers, and devices of each precision.

import {
  type ConvGeometry,
  cpuKernels,
  fromHost,
  inputShape,
  type Kernels,
  numelOf,
  outputShape,
  type Storage,
  type View,
  weightShape,
} from '@voxgrad/core';
import { expect } from 'vitest';
import { defined } from '../../../core/test/support/numbers.js';
import { createWasmDevice } from '../../src/index.js';

export type Precision = 'balanced' | 'fast';

/** Of the largest magnitude of an output. */
export const BOUND: Record<Precision, number> = { balanced: 1e-5, fast: 3e-4 };

export const make = (precision: 'exact' | Precision, threads = 1) =>
  createWasmDevice({ threads, precision, fma: false, smallBytes: 0 });

/** Numbers of some distribution, without chance from run to run. */
type Distribution = (random: () => number) => number;
export const DISTRIBUTIONS: Record<string, Distribution> = {
  'around 0': (random) => 2 * random() - 1,
  'above 0': (random) => random(),
  'mostly 0': (random) => (random() < 0.9 ? 0 : 2 * random() - 1),
  'of many sizes': (random) => (random() - 0.5) * 10 ** (4 * random()),
  'very small': (random) => (random() - 0.5) * 1e-16,
  'very large': (random) => (random() - 0.5) * 1e15,
};

function numbers(
  length: number,
  distribution: Distribution,
  seed: number,
): Float32Array<ArrayBuffer> {
  let state = seed;
  // Lehmer's generator with the multiplier of MINSTD.
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return Float32Array.from({ length }, () => distribution(random));
}

export const view = (
  array: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  shape: readonly number[],
): View =>
  fromHost(array, array instanceof Float32Array ? 'float32' : 'float64', shape, { device: 'cpu' });

export function operands(g: ConvGeometry, distribution: Distribution) {
  const shapes = [inputShape(g), weightShape(g), outputShape(g)];
  return shapes.map((shape, i) => ({
    shape,
    array: numbers(numelOf(shape), i === 1 ? DISTRIBUTIONS['around 0'] : distribution, 7 + i),
  }));
}

export function gradients(
  kernels: Kernels,
  g: ConvGeometry,
  [x, w, gy]: readonly View[],
): Storage[] {
  const [dx, dw] = defined(kernels.convBackward)(gy, x, w, g, [true, true, false]);
  return [defined(kernels.convForward)(x, w, g), defined(dx), defined(dw)];
}

/** |got − right|, as a part of the largest magnitude that is right. */
export function errorOf(got: Storage, right: Storage): number {
  const [a, b] = [got.array as Float32Array, right.array as Float64Array];
  let [worst, largest] = [0, 0];
  b.forEach((value, i) => {
    const difference = Math.abs(a[i] - value);
    worst = Math.max(worst, Number.isNaN(difference) ? Infinity : difference);
    largest = Math.max(largest, Math.abs(value));
  });
  return largest === 0 ? worst : worst / largest;
}

/** Asserts that all passes of `kernels` keep the bound of `precision`. */
export function expectBound(
  kernels: Kernels,
  precision: Precision,
  g: ConvGeometry,
  distribution: Distribution = DISTRIBUTIONS['around 0'],
): void {
  const given = operands(g, distribution);
  const got = gradients(
    kernels,
    g,
    given.map(({ array, shape }) => view(array, shape)),
  );
  const right = gradients(
    cpuKernels,
    g,
    given.map(({ array, shape }) => view(Float64Array.from(array), shape)),
  );
  got.forEach((storage, i) => {
    expect(errorOf(storage, right[i]), JSON.stringify(g)).toBeLessThan(BOUND[precision]);
  });
}

/** Asserts that what is not finite spreads no further than in direct convolution. */
export function expectDirectWhere(
  value: number,
  kernels: Kernels,
  exact: Kernels,
  g: ConvGeometry,
) {
  const given = operands(g, DISTRIBUTIONS['around 0']);
  given[0].array[1234 % given[0].array.length] = value;
  given[2].array[77 % given[2].array.length] = value;
  const views = given.map(({ array, shape }) => view(array, shape));
  const got = gradients(kernels, g, views).map((storage) => storage.array as Float32Array);
  const right = gradients(exact, g, views).map((storage) => storage.array as Float32Array);
  // Large but finite sums may come through; then they keep the bound.
  got.forEach((array, i) => {
    if (right[i].every(Number.isFinite)) expect(array.every(Number.isFinite)).toBe(true);
    else expect(array).toEqual(right[i]);
  });
}

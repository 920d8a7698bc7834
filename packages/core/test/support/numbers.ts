// Numbers for tests: made without chance, read back, compared.

import { expect } from 'vitest';
import { fromHost, numelOf, type Tensor } from '../../src/index.js';

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/**
 * `length` distinct numbers of (from, to), equally spaced and scattered: no ties, no zeros by
 * accident, and neighbours in memory are far apart in value.
 */
export function scattered(length: number, from: number, to: number): number[] {
  let step = Math.max(1, Math.round(length * 0.618));
  while (gcd(step, length) > 1) step++;
  const gap = (to - from) / length;
  return Array.from({ length }, (_, i) => from + (((i * step) % length) + 0.37) * gap);
}

/** A float64 tensor on the cpu of {@link scattered} numbers. */
export const filled = (shape: readonly number[], from = -2, to = 2): Tensor =>
  fromHost(Float64Array.from(scattered(numelOf(shape), from, to)), 'float64', shape, {
    device: 'cpu',
  });

/** The elements in row-major order, as float64. */
export const numbersOf = (x: Tensor): Float64Array =>
  x.detach().to('float64').dataSync() as Float64Array;

/** The same, on devices that are read asynchronously too. */
const readNumbers = async (x: Tensor): Promise<Float64Array> =>
  (await x.detach().to('float64').data()) as Float64Array;

/** max|a − b| / max(1, max|b|), this project's relative error; Infinity where NaNs differ. */
export function relativeError(a: Tensor, b: Tensor): number {
  expect(a.shape).toEqual(b.shape);
  return errorOf(numbersOf(a), numbersOf(b));
}

function errorOf(x: Float64Array, y: Float64Array): number {
  let [worst, scale] = [0, 1];
  for (let i = 0; i < y.length; i++) {
    if (Object.is(x[i], y[i])) continue;
    const difference = Math.abs(x[i] - y[i]);
    worst = Math.max(worst, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference);
    scale = Math.max(scale, Math.abs(y[i]));
  }
  return worst / scale;
}

/** Fails unless `a` is within `tolerance` of `b`; see {@link relativeError}. */
export const expectClose = (a: Tensor, b: Tensor, tolerance: number, what = 'relative error') =>
  expect(relativeError(a, b), what).toBeLessThanOrEqual(tolerance);

/** {@link expectClose} on devices that are read asynchronously too. */
export async function expectReadClose(
  a: Tensor,
  b: Tensor,
  tolerance: number,
  what = 'relative error',
): Promise<void> {
  expect(a.shape).toEqual(b.shape);
  const error = errorOf(await readNumbers(a), await readNumbers(b));
  expect(error, what).toBeLessThanOrEqual(tolerance);
}

/** `value`, or an error that names it: tests read no optional twice. */
export function defined<T>(value: T | null | undefined, what = 'a value'): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** What `fn` throws; fails when it does not throw. */
export function thrownBy(fn: () => unknown): Error {
  try {
    fn();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('expected an error, but nothing was thrown');
}

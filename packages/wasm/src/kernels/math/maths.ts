import type { Local } from '../../emit/code.js';
import { bits, type Lanes, lanes, type Vector } from '../../emit/lanes.js';

/**
 * What the elementary functions are written with: float64 lanes, for float32 too, whose results are
 * then all but correctly rounded. `short`: for float32, which needs fewer terms.
 */
export interface Maths {
  readonly short: boolean;
  /** A number in every lane, set up before the loop. */
  constant(x: number): Vector;
  /** Integers of 64 bits. */
  whole(x: bigint): Vector;
  /** A value that is used more than once. */
  hold(x: Vector): Local<'v128'>;
}

export const d: Lanes = lanes('float64');

/** ln 2 in two parts; the last 21 bits of the first are zeros, so that small integers times it are exact. */
export const LN2_HIGH = 0.6931471803691238;
export const LN2_LOW = 1.9082149292705877e-10;

/** Added to a number below 2⁵¹, it leaves the nearest integer in the lowest bits. */
export const ROUNDER = 1.5 * 2 ** 52;

export const SIGN = 1n << 63n;

/** Σ coefficients[i] · xⁱ; the even and the odd powers apart, which halves the wait for results. */
export function polynomial(m: Maths, coefficients: readonly number[], x: Vector): Vector {
  const square = m.hold(d.mul(x, x));
  const horner = (terms: readonly number[]): Vector =>
    terms.map((c) => m.constant(c)).reduceRight((sum, c) => d.add(c, d.mul(sum, square)));
  const even = coefficients.filter((_, i) => i % 2 === 0);
  const odd = coefficients.filter((_, i) => i % 2 === 1);
  return odd.length === 0 ? horner(even) : d.add(horner(even), d.mul(horner(odd), x));
}

export const magnitude = (x: Vector): Vector => d.abs(x);

/** `x`, which is not negative or is zero, with the sign of `of`. */
export const withSign = (m: Maths, x: Vector, of: Vector): Vector =>
  bits.or(x, bits.and(of, m.whole(SIGN)));

// A transform along an axis, in place: forward it leaves the frequencies out of order (`sizes.ts`), and
// the inverse takes them so, so that nothing is moved about.

import { type Code, type IntLike, i32, type Local, load } from '../../../emit/code.js';
import type { Lanes, Vector } from '../../../emit/lanes.js';
import { type Complex, dft, type Sign } from './dft.js';
import type { Size } from './sizes.js';

export interface Along {
  readonly f: Code;
  readonly v: Lanes;
  readonly size: Size;
  /** Bytes from point to point. */
  readonly step: number;
  /** Bytes from the real parts to the imaginary ones. */
  readonly imaginary: number;
  /** Where the twiddle factors of the size are. */
  readonly twiddles: Local<'i32'>;
}

const readAt = ({ f, imaginary }: Along, at: Local<'i32'>, offset: number): Complex => ({
  re: f.local('v128', load.v128(at, offset)),
  im: f.local('v128', load.v128(at, offset + imaginary)),
});

function writeAt({ f, imaginary }: Along, at: Local<'i32'>, offset: number, x: Complex): void {
  f.store('v128', at, x.re, offset);
  f.store('v128', at, x.im, offset + imaginary);
}

/** x · w, or x times the conjugate of w for the inverse. */
function times({ f, v }: Along, sign: Sign, x: Complex, re: Vector, im: Vector): Complex {
  const [c, s] = [f.local('v128', re), f.local('v128', im)];
  const [a, b] = [v.mul(x.re, c), v.mul(x.im, s)];
  const [d, e] = [v.mul(x.im, c), v.mul(x.re, s)];
  return sign === -1 ? { re: v.sub(a, b), im: v.add(d, e) } : { re: v.add(a, b), im: v.sub(d, e) };
}

/** The r₁ values at distance r₂ from each other, for each place among the first r₂. */
function first(along: Along, sign: Sign, base: IntLike): void {
  const { f, v, step, size } = along;
  const [a, b] = size.radices;
  const at = f.int();
  const end = f.int();
  const w = f.int();
  f.setInt(at, base);
  f.setInt(end, i32.add(base, b * step));
  f.set(w, along.twiddles);
  f.for(at, end, step, () => {
    let x = Array.from({ length: a }, (_, i) => readAt(along, at, i * b * step));
    const twiddled = (values: readonly Complex[]) =>
      values.map((value, k) =>
        k === 0
          ? value
          : times(along, sign, value, v.loadSplat(w, 8 * (k - 1)), v.loadSplat(w, 8 * k - 4)),
      );
    if (sign === 1) x = twiddled(x).map(({ re, im }) => kept(f, re, im));
    const y = dft(f, v, sign, x);
    (sign === -1 ? twiddled(y) : y).forEach((value, k) => {
      writeAt(along, at, k * b * step, value);
    });
    f.advance(w, 8 * (a - 1));
  });
}

const kept = (f: Code, re: Vector, im: Vector): Complex => ({
  re: f.local('v128', re),
  im: f.local('v128', im),
});

/** The r₂ neighbours of each of r₁ blocks. */
function second(along: Along, sign: Sign, base: IntLike): void {
  const { f, v, step, size } = along;
  const [a, b] = size.radices;
  const at = f.int();
  const end = f.int();
  f.setInt(at, base);
  f.setInt(end, i32.add(base, a * b * step));
  f.for(at, end, b * step, () => {
    const x = Array.from({ length: b }, (_, i) => readAt(along, at, i * step));
    dft(f, v, sign, x).forEach((value, k) => {
      writeAt(along, at, k * step, value);
    });
  });
}

/** Transforms the points at `base`. */
export function transformAlong(along: Along, sign: Sign, base: IntLike): void {
  const passes = along.size.radices[0] === 1 ? [second] : [first, second];
  for (const pass of sign === -1 ? passes : passes.reverse()) pass(along, sign, base);
}

// Discrete Fourier transforms of a few complex vectors in straight code, put together from those of
// 2, 3, 4 and 5 points (Cooley and Tukey, Mathematics of Computation 19, 1965).

import type { Code } from '../../../emit/code.js';
import type { Lanes, Vector } from '../../../emit/lanes.js';

export interface Complex {
  readonly re: Vector;
  readonly im: Vector;
}

/** −1 for the transform e^(−2πi·nk/N), 1 for its inverse, which is not divided by N. */
export type Sign = -1 | 1;

class Writer {
  constructor(
    readonly f: Code,
    readonly v: Lanes,
    readonly sign: Sign,
  ) {}

  keep({ re, im }: Complex): Complex {
    return { re: this.f.local('v128', re), im: this.f.local('v128', im) };
  }

  add(a: Complex, b: Complex): Complex {
    return this.keep({ re: this.v.add(a.re, b.re), im: this.v.add(a.im, b.im) });
  }

  sub(a: Complex, b: Complex): Complex {
    return this.keep({ re: this.v.sub(a.re, b.re), im: this.v.sub(a.im, b.im) });
  }

  scale(a: Complex, factor: number): Complex {
    const c = this.v.constant(factor);
    return this.keep({ re: this.v.mul(a.re, c), im: this.v.mul(a.im, c) });
  }

  /** a + sign·i·b and a − sign·i·b */
  rotated(a: Complex, b: Complex): [Complex, Complex] {
    const { v } = this;
    const plus = this.keep({ re: v.sub(a.re, b.im), im: v.add(a.im, b.re) });
    const minus = this.keep({ re: v.add(a.re, b.im), im: v.sub(a.im, b.re) });
    return this.sign === 1 ? [plus, minus] : [minus, plus];
  }

  /** a · e^(sign·2πi·part) */
  turn(a: Complex, part: number): Complex {
    const angle = this.sign * 2 * Math.PI * part;
    const { v } = this;
    if (part === 0) return a;
    const [c, s] = [v.constant(Math.cos(angle)), v.constant(Math.sin(angle))];
    if (part % 1 === 0.125) {
      // cos = |sin|: one product less each.
      const sum = v.mul(v.add(a.re, a.im), c);
      const difference = v.mul(v.sub(a.re, a.im), c);
      return this.sign === 1
        ? this.keep({ re: difference, im: sum })
        : this.keep({ re: sum, im: v.mul(v.sub(a.im, a.re), c) });
    }
    return this.keep({
      re: v.sub(v.mul(a.re, c), v.mul(a.im, s)),
      im: v.add(v.mul(a.re, s), v.mul(a.im, c)),
    });
  }
}

function dft2(w: Writer, [a, b]: readonly Complex[]): Complex[] {
  return [w.add(a, b), w.sub(a, b)];
}

function dft3(w: Writer, [a, b, c]: readonly Complex[]): Complex[] {
  const sum = w.add(b, c);
  const middle = w.sub(a, w.scale(sum, 0.5));
  const side = w.scale(w.sub(b, c), Math.sqrt(3) / 2);
  return [w.add(a, sum), ...w.rotated(middle, side)];
}

function dft4(w: Writer, [a, b, c, d]: readonly Complex[]): Complex[] {
  const [even, odd] = [w.add(a, c), w.add(b, d)];
  const [x, y] = w.rotated(w.sub(a, c), w.sub(b, d));
  return [w.add(even, odd), x, w.sub(even, odd), y];
}

function dft5(w: Writer, [a, b, c, d, e]: readonly Complex[]): Complex[] {
  const [outer, inner] = [w.add(b, e), w.add(c, d)];
  const [far, near] = [w.sub(b, e), w.sub(c, d)];
  const cos = (k: number) => Math.cos((2 * Math.PI * k) / 5);
  const sin = (k: number) => Math.sin((2 * Math.PI * k) / 5);
  const real = (k: number, l: number) =>
    w.add(a, w.add(w.scale(outer, cos(k)), w.scale(inner, cos(l))));
  const [first, last] = w.rotated(real(1, 2), w.add(w.scale(far, sin(1)), w.scale(near, sin(2))));
  const [second, third] = w.rotated(real(2, 1), w.sub(w.scale(far, sin(2)), w.scale(near, sin(1))));
  return [w.add(a, w.add(outer, inner)), first, second, third, last];
}

const SMALL: Record<number, (w: Writer, x: readonly Complex[]) => Complex[]> = {
  1: (_, x) => [...x],
  2: dft2,
  3: dft3,
  4: dft4,
  5: dft5,
};

/** How a larger transform is split. */
const SPLIT: Record<number, readonly [number, number]> = {
  6: [2, 3],
  8: [2, 4],
  9: [3, 3],
  10: [2, 5],
  12: [4, 3],
  16: [4, 4],
};

/** Sizes that {@link dft} takes. */
export const RADICES: readonly number[] = [2, 3, 4, 5, 6, 8, 9, 10, 12, 16];

function transform(w: Writer, x: readonly Complex[]): Complex[] {
  const n = x.length;
  const small = SMALL[n];
  if (small) return small(w, x);
  const [a, b] = SPLIT[n];
  const columns = Array.from({ length: b }, (_, j) =>
    transform(
      w,
      Array.from({ length: a }, (_, i) => x[b * i + j]),
    ).map((value, k) => w.turn(value, (j * k) / n)),
  );
  const result = new Array<Complex>(n);
  for (let k = 0; k < a; k++)
    transform(
      w,
      columns.map((column) => column[k]),
    ).forEach((value, l) => {
      result[k + a * l] = value;
    });
  return result;
}

/** The transform of complex variables, in order. */
export const dft = (f: Code, v: Lanes, sign: Sign, x: readonly Complex[]): Complex[] =>
  transform(new Writer(f, v, sign), x);

// Winograd's minimal filtering along one axis: m outputs of a kernel of 3 from m + 2 products
// (Lavin and Gray, arXiv:1509.09308). With the matrices A, B and G of an axis, the outputs are
// Aᵀ((G w) ⊙ (Bᵀ x)), and by the trilinear form of a convolution the gradient of the weight is
// Gᵀ((A gy) ⊙ (Bᵀ x)). Matrices follow from the points of interpolation (Toom and Cook).

import type { Code } from '../../../emit/code.js';
import type { Lanes, Vector } from '../../../emit/lanes.js';

/** Straight code over vectors; sums that are needed twice become variables of `f`. */
type Transform = (f: Code, v: Lanes, x: readonly Vector[]) => Vector[];

export interface AxisAlgorithm {
  /** Positions of the kernel: 3, or 1 where there is nothing to transform. */
  readonly taps: number;
  readonly outputs: number;
  /** Products, and also inputs of a tile. */
  readonly points: number;
  /** Bᵀ: `points` inputs to `points`. */
  readonly input: Transform;
  /** Aᵀ: `points` to `outputs`. */
  readonly output: Transform;
  /** A: `outputs` to `points`. */
  readonly gradient: Transform;
  /** G: `points` rows of `taps` factors. */
  readonly weight: readonly (readonly number[])[];
}

const same: Transform = (_f, _v, x) => [...x];

/** A kernel of one position. */
export const POINTWISE: AxisAlgorithm = {
  taps: 1,
  outputs: 1,
  points: 1,
  input: same,
  output: same,
  gradient: same,
  weight: [[1]],
};

/** F(2, 3) at the points 0, 1, −1 and ∞. */
export const TWO: AxisAlgorithm = {
  taps: 3,
  outputs: 2,
  points: 4,
  input: (_f, v, [a, b, c, d]) => [v.sub(c, a), v.add(c, b), v.sub(c, b), v.sub(d, b)],
  output: (_f, v, [a, b, c, d]) => [v.add(a, v.add(b, c)), v.add(v.sub(b, c), d)],
  gradient: (_f, v, [a, b]) => [a, v.add(a, b), v.sub(a, b), b],
  weight: [
    [-1, 0, 0],
    [1 / 2, 1 / 2, 1 / 2],
    [1 / 2, -1 / 2, 1 / 2],
    [0, 0, 1],
  ],
};

/**
 * F(4, 3) at the points 0, 1, −1, 1/2, −2 and ∞. The usual ±2 in place of 1/2 and −2 saves two
 * additions, and costs a factor of three in accuracy (Barabasz and others, arXiv:1803.10986).
 */
export const FOUR: AxisAlgorithm = {
  taps: 3,
  outputs: 4,
  points: 6,
  input: (f, v, [d0, d1, d2, d3, d4, d5]) => {
    const times = (x: Vector, factor: number) => v.mul(x, v.constant(factor));
    const even = f.local('v128', v.sub(d3, d1));
    const odd = f.local('v128', v.sub(d4, d2));
    const low = f.local('v128', v.add(even, times(d2, 1.5)));
    const high = f.local('v128', v.add(odd, times(d3, 1.5)));
    return [
      v.add(v.add(v.sub(d0, d2), odd), times(even, 1.5)),
      v.add(high, low),
      v.sub(high, low),
      v.add(odd, v.add(even, even)),
      v.sub(odd, times(even, 0.5)),
      v.add(v.sub(v.sub(d5, d3), even), times(odd, 1.5)),
    ];
  },
  output: (f, v, [m0, m1, m2, m3, m4, m5]) => {
    const times = (x: Vector, factor: number) => v.mul(x, v.constant(factor));
    const sum = f.local('v128', v.add(m1, m2));
    const difference = f.local('v128', v.sub(m1, m2));
    return [
      v.add(v.add(m0, sum), v.add(m3, m4)),
      v.add(difference, v.sub(times(m3, 0.5), v.add(m4, m4))),
      v.add(sum, v.add(times(m3, 0.25), times(m4, 4))),
      v.add(v.add(difference, m5), v.sub(times(m3, 0.125), times(m4, 8))),
    ];
  },
  gradient: (f, v, [y0, y1, y2, y3]) => {
    const horner = (x: number) =>
      [y2, y1, y0].reduce((sum, y) => v.add(v.mul(sum, v.constant(x)), y), y3);
    const even = f.local('v128', v.add(y0, y2));
    const odd = f.local('v128', v.add(y1, y3));
    return [y0, v.add(even, odd), v.sub(even, odd), horner(0.5), horner(-2), y3];
  },
  weight: [
    [1, 0, 0],
    [1 / 3, 1 / 3, 1 / 3],
    [-1 / 3, 1 / 3, -1 / 3],
    [-16 / 15, -8 / 15, -4 / 15],
    [1 / 15, -2 / 15, 4 / 15],
    [0, 0, 1],
  ],
};

/** The algorithms along D, H and W. Along W it is always {@link FOUR}: a vector holds four tiles. */
export interface Winograd {
  readonly name: string;
  readonly depth: AxisAlgorithm;
  readonly height: AxisAlgorithm;
}

export const WIDTH = FOUR;

/** Tiles in a vector, and outputs of them along W. */
export const UNIT_OUTPUTS = 4 * WIDTH.outputs;

export const pointsOf = ({ depth, height }: Winograd): number =>
  depth.points * height.points * WIDTH.points;

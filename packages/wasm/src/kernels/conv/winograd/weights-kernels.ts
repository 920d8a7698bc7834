// G·w, and its adjoint Gᵀu: between the taps of a weight and the points of its transform.

import { type Code, type IntLike, i32, type Local, load } from '../../../emit/code.js';
import { type Lanes, lanes, type Vector } from '../../../emit/lanes.js';
import type { Kernel } from '../../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { type AxisAlgorithm, WIDTH, type Winograd } from './algorithms.js';
import { transpose } from './lanes.js';
import { TOGETHER } from './products-kernels.js';

export interface WeightShape {
  readonly winograd: Winograd;
  /** Bytes from point to point. */
  readonly point: number;
  /** Whether the taps are taken from the last to the first, as an adjoint does. */
  readonly flipped: boolean;
}

export const WEIGHT_POINTS_ARGUMENTS = [
  'weights', // of the pass: [tap] for each pair of channels
  'points', // [point][block of output channels][input channel][4]
  'outChannels',
  'inChannels',
  'paddedInChannels',
  'outStride', // bytes from output channel to output channel of the weights
  'inStride',
] as const;

export type WeightPointsArguments = Record<(typeof WEIGHT_POINTS_ARGUMENTS)[number], number>;

type Matrix = readonly (readonly number[])[];

/** The rows of a matrix times a vector of variables. */
const multiply = (v: Lanes, matrix: Matrix, x: readonly Vector[]): Vector[] =>
  matrix.map((row) => {
    const terms = row.flatMap((factor, i) => {
      if (factor === 0) return [];
      return [factor === 1 ? x[i] : v.mul(x[i], v.constant(factor))];
    });
    return terms.length === 0 ? v.zero : terms.reduce((a, b) => v.add(a, b));
  });

const transposed = (matrix: Matrix): Matrix =>
  matrix[0].map((_, column) => matrix.map((row) => row[column]));

/** The vectors at `steps` from `at`, multiplied in place. */
function inPlace(
  f: Code,
  v: Lanes,
  at: Local<'i32'>,
  step: number,
  from: number,
  matrix: Matrix,
): void {
  const x = Array.from({ length: from }, (_, i) => f.local('v128', load.v128(at, i * step)));
  multiply(v, matrix, x).forEach((y, i) => {
    f.store('v128', at, y, i * step);
  });
}

/** Calls `body` with `base`, `base + step`, … */
function over(
  f: Code,
  base: IntLike,
  step: number,
  count: number,
  body: (at: Local<'i32'>) => void,
): void {
  const at = f.int();
  const end = f.int();
  f.setInt(at, base);
  f.setInt(end, i32.add(base, step * count));
  f.for(at, end, step, () => body(at));
}

const tapBytes = (
  { depth, height }: Winograd,
  flipped: boolean,
  [d, h, w]: readonly [number, number, number],
): number => {
  const turn = (axis: AxisAlgorithm, tap: number) => (flipped ? axis.taps - 1 - tap : tap);
  const tap = (turn(depth, d) * height.taps + turn(height, h)) * WIDTH.taps + turn(WIDTH, w);
  return 4 * tap;
};

/** An item is an input channel of a block of output channels; there are `paddedInChannels` of them. */
export function weightPointsKernel(engine: Engine, shape: WeightShape): Kernel {
  const { winograd, point, flipped } = shape;
  const { depth, height } = winograd;
  const key = `winograd ${winograd.name} weights ${point} ${flipped}`;
  return kernelOf(engine, key, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, WEIGHT_POINTS_ARGUMENTS);
    const line = WIDTH.points * point;
    const plane = height.points * line;
    forItems(builder, (item) => {
      const [block, channel] = unravel(f, item, [0, a.paddedInChannels]);
      const base = f.int(i32.add(a.points, i32.shl(item, 4)));
      // Channels of the padding get the numbers of the last one: no output is made of them.
      const input = i32.mul(i32.min(channel, i32.sub(a.inChannels, 1)), a.inStride);
      const from = Array.from({ length: TOGETHER }, (_, i) => {
        const out = i32.min(i32.add(i32.mul(block, TOGETHER), i), i32.sub(a.outChannels, 1));
        return f.int(i32.add(i32.add(a.weights, input), i32.mul(out, a.outStride)));
      });
      for (let d = 0; d < depth.taps; d++)
        for (let h = 0; h < height.taps; h++) {
          const taps = [0, 1, 2].map((w) => {
            const offset = tapBytes(winograd, flipped, [d, h, w]);
            const numbers = from.map((at) => f.local('v128', load.zero32(at, offset)));
            return transpose(f, numbers)[0];
          });
          multiply(v, WIDTH.weight, taps).forEach((y, i) => {
            f.store('v128', base, y, d * plane + h * line + i * point);
          });
        }
      if (height.taps > 1)
        for (let d = 0; d < depth.taps; d++)
          over(f, i32.add(base, d * plane), point, WIDTH.points, (at) =>
            inPlace(f, v, at, line, height.taps, height.weight),
          );
      if (depth.taps > 1)
        over(f, base, point, height.points * WIDTH.points, (at) =>
          inPlace(f, v, at, plane, depth.taps, depth.weight),
        );
    });
  });
}

export const WEIGHT_TAPS_ARGUMENTS = [
  'points', // as those of the weights; overwritten
  'weights', // where the gradient goes
  'outChannels',
  'inChannels',
  'paddedInChannels',
  'outStride', // bytes from output channel to output channel of the gradient
  'inStride',
] as const;

export type WeightTapsArguments = Record<(typeof WEIGHT_TAPS_ARGUMENTS)[number], number>;

/** Gᵀu; items as for {@link weightPointsKernel}. */
export function weightTapsKernel(engine: Engine, shape: Omit<WeightShape, 'flipped'>): Kernel {
  const { winograd, point } = shape;
  const { depth, height } = winograd;
  return kernelOf(engine, `winograd ${winograd.name} taps ${point}`, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, WEIGHT_TAPS_ARGUMENTS);
    const line = WIDTH.points * point;
    const plane = height.points * line;
    forItems(builder, (item) => {
      const [block, channel] = unravel(f, item, [0, a.paddedInChannels]);
      const base = f.int(i32.add(a.points, i32.shl(item, 4)));
      if (depth.taps > 1)
        over(f, base, point, height.points * WIDTH.points, (at) =>
          inPlace(f, v, at, plane, depth.points, transposed(depth.weight)),
        );
      if (height.taps > 1)
        for (let d = 0; d < depth.taps; d++)
          over(f, i32.add(base, d * plane), point, WIDTH.points, (at) =>
            inPlace(f, v, at, line, height.points, transposed(height.weight)),
          );
      const first = f.int(i32.mul(block, TOGETHER));
      const to = f.int(
        i32.add(i32.add(a.weights, i32.mul(channel, a.inStride)), i32.mul(first, a.outStride)),
      );
      const left = f.int(i32.sub(a.outChannels, first));
      f.if(i32.ltU(channel, a.inChannels), () => {
        for (let d = 0; d < depth.taps; d++)
          for (let h = 0; h < height.taps; h++) {
            const x = Array.from({ length: WIDTH.points }, (_, i) =>
              f.local('v128', load.v128(base, d * plane + h * line + i * point)),
            );
            multiply(v, transposed(WIDTH.weight), x).forEach((y, w) => {
              const tap = f.local('v128', y);
              const offset = tapBytes(winograd, false, [d, h, w]);
              const at = f.int(to);
              for (let lane = 0; lane < TOGETHER; lane++) {
                f.if(i32.ltU(lane, left), () => f.storeLane(4, at, tap, lane, offset));
                f.advance(at, a.outStride);
              }
            });
          }
      });
    });
  });
}

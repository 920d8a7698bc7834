// How transformed numbers lie in memory, and transforms along H and D in place.
//
// `[point][pair of units][channel][2 vectors]`: a unit is four tiles, a vector. The product over
// channels reads two units of all channels in a row. Points lie a little more than they need apart,
// so that those of one unit do not fall into the same cache sets.

import { type Code, i32, type Local, load } from '../../../emit/code.js';
import type { Lanes, Vector } from '../../../emit/lanes.js';
import { type AxisAlgorithm, pointsOf, WIDTH, type Winograd } from './algorithms.js';

export interface PointLayout {
  /** Bytes of two units of all channels. */
  readonly pair: number;
  /** Bytes from one point to the next. */
  readonly point: number;
}

export function pointLayout(channels: number, units: number): PointLayout {
  const pair = 32 * channels;
  return { pair, point: (units / 2) * pair + 64 };
}

/** Where the points of one unit and channel are: that of point 0, and bytes from point to point. */
export interface Points {
  readonly base: Local<'i32'>;
  readonly point: number;
}

/**
 * The points of a unit while they are transformed: one after the other, in the first cache, where the
 * rows of {@link PointLayout} lie pages apart. Each item has its own.
 */
export const scratchBytes = (winograd: Winograd): number => 16 * pointsOf(winograd) + 64;

/** A step of a transform: `from` to `to`, which may be the same. */
export interface Step {
  readonly f: Code;
  readonly v: Lanes;
  readonly from: Points;
  readonly to: Points;
}

type Transform = AxisAlgorithm['input'];

/**
 * Along H: `count` vectors at the rows of each depth and column become as many as `transform` gives.
 * There are `depths` depths.
 */
export function alongHeight(
  step: Step,
  { height }: Winograd,
  transform: Transform,
  { count, depths }: { count: number; depths: number },
): void {
  const { f } = step;
  f.times(depths, (depth) => {
    const plane = (points: Points): Local<'i32'> =>
      f.int(i32.add(points.base, i32.mul(depth, height.points * WIDTH.points * points.point)));
    overRow(step, [plane(step.from), plane(step.to)], { count, stride: WIDTH.points }, transform);
  });
}

/** Along D: `count` vectors at the depths of each row and column; there are `rows` rows. */
export function alongDepth(
  step: Step,
  { height }: Winograd,
  transform: Transform,
  { count, rows }: { count: number; rows: number },
): void {
  const { f } = step;
  f.times(rows, (row) => {
    const line = (points: Points): Local<'i32'> =>
      f.int(i32.add(points.base, i32.mul(row, WIDTH.points * points.point)));
    const stride = height.points * WIDTH.points;
    overRow(step, [line(step.from), line(step.to)], { count, stride }, transform);
  });
}

/** The columns of a row, each with `count` vectors that are `stride` points apart. */
function overRow(
  { f, v, from, to }: Step,
  [at, target]: [Local<'i32'>, Local<'i32'>],
  { count, stride }: { count: number; stride: number },
  transform: Transform,
): void {
  f.times(WIDTH.points, () => {
    const inputs: Vector[] = Array.from({ length: count }, (_, i) =>
      f.local('v128', load.v128(at, i * stride * from.point)),
    );
    transform(f, v, inputs).forEach((output, i) => {
      f.store('v128', target, output, i * stride * to.point);
    });
    f.advance(at, from.point);
    f.advance(target, to.point);
  });
}

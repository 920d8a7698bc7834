// How transformed numbers lie in memory, and transforms along H and D in place.
//
// `[point][pair of units][channel][2 vectors]`: a unit is four tiles, a vector. The product over
// channels reads two units of all channels in a row. Points lie a little more than they need apart,
// so that those of one unit do not fall into the same cache sets.

import { type Code, i32, type Local, load } from '../../../emit/code.js';
import type { Lanes, Vector } from '../../../emit/lanes.js';
import { type AxisAlgorithm, WIDTH, type Winograd } from './algorithms.js';

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

/** Transforms along H, then D (or the other way round), at `base`, the place of point 0. */
export interface InPlace {
  readonly f: Code;
  readonly v: Lanes;
  readonly base: Local<'i32'>;
  /** {@link PointLayout.point} */
  readonly point: number;
}

type Transform = AxisAlgorithm['input'];

/**
 * Along H: `from` vectors at the rows of each depth and column become as many as `transform` gives.
 * There are `depths` depths.
 */
export function alongHeight(
  { f, v, base, point }: InPlace,
  { height }: Winograd,
  transform: Transform,
  from: number,
  depths: number,
): void {
  const column = WIDTH.points * point;
  const at = f.int();
  const end = f.int();
  f.times(depths, (depth) => {
    f.setInt(at, i32.add(base, i32.mul(depth, height.points * column)));
    f.setInt(end, i32.add(at, column));
    f.for(at, end, point, () => apply(f, v, at, column, from, transform));
  });
}

/** Along D: `from` vectors at the depths of each row and column. */
export function alongDepth(
  { f, v, base, point }: InPlace,
  { height }: Winograd,
  transform: Transform,
  from: number,
): void {
  const plane = height.points * WIDTH.points * point;
  const at = f.int();
  const end = f.int();
  f.setInt(at, base);
  f.setInt(end, i32.add(base, plane));
  f.for(at, end, point, () => apply(f, v, at, plane, from, transform));
}

function apply(
  f: Code,
  v: Lanes,
  at: Local<'i32'>,
  step: number,
  from: number,
  transform: Transform,
): void {
  const inputs: Vector[] = Array.from({ length: from }, (_, i) =>
    f.local('v128', load.v128(at, i * step)),
  );
  const outputs = transform(f, v, inputs);
  outputs.forEach((output, i) => {
    f.store('v128', at, output, i * step);
  });
}

import { argumentError, describe } from '@voxgrad/core';
import { type Draws, type RandomOptions, RandomTransform } from './random.js';
import { mapGeometry, type Sample, type Triple } from './sample.js';

/** Depth (0), height (1) or width (2). */
export type SpatialAxis = 0 | 1 | 2;

const ALL: readonly SpatialAxis[] = [0, 1, 2];

export function checkAxes(name: string, axes: readonly number[], least: number): void {
  const known = axes.every((axis) => ALL.some((one) => one === axis));
  if (!known || axes.length < least || new Set(axes).size !== axes.length)
    throw argumentError(
      `${name}: expected axes as a list of ${least} or more of 0 (depth), 1 (height) and 2 (width), but got ` +
        describe(axes),
    );
}

/** Mirrors image and label: each of `axes` by itself with probability `p`, 0.5 by default. */
export class RandomFlip extends RandomTransform {
  readonly axes: readonly SpatialAxis[];

  /** @param options.axes 0 (depth), 1 (height), 2 (width); all of them by default */
  constructor(options: RandomOptions & { axes?: readonly SpatialAxis[] } = {}) {
    super(options, ['axes'], 0.5);
    this.axes = options.axes ?? ALL;
    checkAxes(this.name, this.axes, 1);
  }

  /** The axes decide one by one. */
  protected override applies(): boolean {
    return true;
  }

  protected override apply<S extends Sample>(sample: S, _sizes: Triple, draws: Draws): S {
    const dims = this.axes.filter(() => draws.chance(this.p)).map((axis) => axis + 1);
    return dims.length === 0 ? sample : mapGeometry(sample, (x) => x.flip(dims));
  }
}

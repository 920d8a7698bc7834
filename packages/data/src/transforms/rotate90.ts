import { rot90 } from '@voxgrad/core';
import { checkAxes, type SpatialAxis } from './flip.js';
import { type Draws, type RandomOptions, RandomTransform } from './random.js';
import { mapGeometry, type Sample, type Triple } from './sample.js';

/**
 * Turns image and label by 0, 90, 180 or 270 degrees (equally likely) in the plane of two of `axes`,
 * exactly. An odd number of quarter turns exchanges the sizes of these axes.
 */
export class RandomRotate90 extends RandomTransform {
  readonly axes: readonly SpatialAxis[];

  /** @param options.axes from which the plane is drawn; all three by default */
  constructor(options: RandomOptions & { axes?: readonly SpatialAxis[] } = {}) {
    super(options, ['axes']);
    this.axes = options.axes ?? [0, 1, 2];
    checkAxes(this.name, this.axes, 2);
  }

  protected override apply<S extends Sample>(sample: S, _sizes: Triple, draws: Draws): S {
    const left = [...this.axes];
    const plane = [draws.integer(left.length), draws.integer(left.length - 1)]
      .map((at) => left.splice(at, 1)[0] + 1)
      .sort((a, b) => a - b);
    const turns = draws.integer(4);
    return turns === 0 ? sample : mapGeometry(sample, (x) => rot90(x, turns, plane));
  }
}

import {
  argumentError,
  checkOptions,
  describe,
  noGrad,
  onesLike,
  shapeError,
  type Tensor,
  tensor,
  where,
} from '@voxgrad/core';
import type { Transform } from './random.js';
import { requireFloatImage, type Sample, sizesOf } from './sample.js';

/** Options of {@link Normalize}. */
export interface NormalizeOptions {
  /** One for all channels or one each; those of the channel itself unless given. */
  mean?: number | readonly number[];
  /** Standard deviation: one for all channels or one each; those of the channel itself unless given. */
  std?: number | readonly number[];
  /** Measure and change only voxels other than 0, such as a brain without its background. */
  nonzero?: boolean;
}

/**
 * (image - mean) / std, channel by channel, of a floating-point image. A standard deviation of 0
 * counts as 1. Measured ones divide by the number of voxels.
 */
export class Normalize implements Transform {
  constructor(readonly options: NormalizeOptions = {}) {
    checkOptions('Normalize', options, ['mean', 'std', 'nonzero']);
    const { std } = options;
    if (std !== undefined && ![std].flat().every((value) => value > 0))
      throw argumentError(`Normalize: expected std to be positive, but got ${describe(std)}`);
  }

  call<S extends Sample>(sample: S): S {
    sizesOf('Normalize', sample);
    requireFloatImage('Normalize', sample);
    return noGrad(() => ({ ...sample, image: this.#normalized(sample.image) }));
  }

  #normalized(image: Tensor): Tensor {
    const { nonzero = false } = this.options;
    const counts = image.ne(0);
    const weight = nonzero ? counts.to(image.dtype) : onesLike(image);
    const voxels = weight.sum([1, 2, 3], { keepdim: true }).clampMin(1);
    const meanOf = (x: Tensor) => x.mul(weight).sum([1, 2, 3], { keepdim: true }).div(voxels);
    const mean = given('mean', this.options.mean, image) ?? meanOf(image);
    const centred = image.sub(mean);
    const std = given('std', this.options.std, image) ?? meanOf(centred.mul(centred)).sqrt();
    const result = centred.div(where(std.eq(0), 1, std));
    return nonzero ? where(counts, result, 0) : result;
  }
}

/** `[C, 1, 1, 1]` or a scalar tensor of what the user gave. */
function given(
  name: string,
  value: number | readonly number[] | undefined,
  { shape, dtype, device }: Tensor,
): Tensor | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return tensor(value, { dtype, device });
  if (value.length !== shape[0])
    throw shapeError(
      `Normalize: expected one ${name} per channel (${shape[0]}), but got ${value.length}`,
    );
  return tensor(value, { dtype, device }).reshape(-1, 1, 1, 1);
}

// Dropout in its forms. The draws are those of PyTorch's CPU generator (builds without MKL).

import { argumentError, requireTensors, shapeError, type Tensor } from '@voxgrad/core';
import { DROPOUT } from './option-tables.js';
import { type InPlaceOptions, inPlaceIf, optionsOf } from './options.js';
import { bernoulliMask } from './random.js';

/** Options of {@link dropout}. */
export interface DropoutOptions extends InPlaceOptions {
  /** Probability of an element, or of a channel, to be dropped. */
  p?: number;
  /** False returns the input. */
  training?: boolean;
}

type Mask = (x: Tensor, keep: number) => Tensor;

/** One draw for each element. */
const elements: Mask = (x, keep) => bernoulliMask(x.shape, keep, x);

/** One draw for each channel of each sample of `[N, C, …]`. */
const channels: Mask = (x, keep) => {
  if (x.ndim < 2) throw shapeError('Feature dropout requires at least 2 dimensions in the input');
  return bernoulliMask(
    x.shape.map((size, axis) => (axis < 2 ? size : 1)),
    keep,
    x,
  );
};

function checkProbability(p: number): void {
  if (!(p >= 0 && p <= 1))
    throw argumentError(`dropout probability has to be between 0 and 1, but got ${p}`);
}

/** Zeroes what the mask drops and scales the rest up, so that the expectation stays. */
function drop(operation: string, x: Tensor, mask: Mask, options: DropoutOptions): Tensor {
  const { p = 0.5, training = true, inplace } = options;
  checkProbability(p);
  if (p === 0 || !training || x.numel === 0) return x;
  return inPlaceIf(inplace, operation, x, (v) =>
    p === 1 ? v.mul(0) : v.mul(mask(v, 1 - p).div(1 - p)),
  );
}

/** What SELU tends to on the left is minus this: its scale times its alpha. */
const SATURATION = 1.7580993408473766;

/**
 * Drops to the saturation value of SELU and corrects mean and variance (Klambauer et al. 2017,
 * "Self-Normalizing Neural Networks", arXiv:1706.02515).
 */
function alphaDrop(operation: string, x: Tensor, mask: Mask, options: DropoutOptions): Tensor {
  const { p = 0.5, training = false, inplace } = options;
  checkProbability(p);
  if (p === 0 || !training || x.numel === 0) return x;
  return inPlaceIf(inplace, operation, x, (v) => {
    if (p === 1) return v.mul(0);
    const a = 1 / Math.sqrt((SATURATION * SATURATION * p + 1) * (1 - p));
    const kept = mask(v, 1 - p);
    const shift = kept
      .sub(1)
      .mul(SATURATION * a)
      .add(SATURATION * a * p);
    return v.mul(kept.mul(a)).add(shift);
  });
}

type Dropout = (
  x: Tensor,
  options?: number | DropoutOptions,
  more?: Omit<DropoutOptions, 'p'>,
) => Tensor;

/** `(x, p, options)`, `(x, options)` and `(x)` as one record, checked. */
function merge(
  operation: string,
  x: Tensor,
  options: number | DropoutOptions = {},
  more?: Omit<DropoutOptions, 'p'>,
): DropoutOptions {
  requireTensors(operation, { input: x });
  return optionsOf(operation, DROPOUT, 'p', options, more);
}

/** Zeroes elements with probability `p` (0.5) and divides the others by 1 − p. */
export const dropout: Dropout = (x, options, more) =>
  drop('dropout_', x, elements, merge('dropout', x, options, more));

/** Dropout of whole channels of `[N, C, L]` or `[C, L]`. */
export const dropout1d: Dropout = (x, options, more) => {
  const settings = merge('dropout1d', x, options, more);
  checkProbability(settings.p ?? 0.5);
  if (x.ndim !== 2 && x.ndim !== 3)
    throw shapeError(
      `dropout1d: Expected 2D or 3D input, but received a ${x.ndim}D input. Note that dropout1d exists to ` +
        'provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an ' +
        'optional batch dimension (i.e. 2D or 3D inputs).',
    );
  return perChannel(x, 3, settings);
};

/** Dropout of whole channels of `[N, C, H, W]`. A 3-D input counts as `[N, C, L]`, as in PyTorch. */
export const dropout2d: Dropout = (x, options, more) =>
  drop('dropout2d_', x, channels, merge('dropout2d', x, options, more));

/** Dropout of whole channels of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const dropout3d: Dropout = (x, options, more) =>
  perChannel(x, 5, merge('dropout3d', x, options, more));

/** Channels are dim 1 of an input of `batched` dims, dim 0 of any other. */
function perChannel(x: Tensor, batched: number, settings: DropoutOptions): Tensor {
  const mask: Mask = (v, keep) => channels(v.unsqueeze(0), keep).squeeze(0);
  return drop('dropout_', x, x.ndim === batched ? channels : mask, settings);
}

/** Dropout that keeps the mean 0 and variance 1 of SELU networks. Off unless `training`. */
export const alphaDropout: Dropout = (x, options, more) =>
  alphaDrop('alpha_dropout_', x, elements, merge('alphaDropout', x, options, more));

/** Alpha dropout of whole channels of `[N, C, …]`. Off unless `training`. */
export const featureAlphaDropout: Dropout = (x, options, more) =>
  alphaDrop('feature_alpha_dropout_', x, channels, merge('featureAlphaDropout', x, options, more));

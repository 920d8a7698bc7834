import { requireTensors } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { formatShape, numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { permute, reshape, transpose } from './views.js';

function checkShuffle(operation: string, x: Tensor, name: string, factor: number): void {
  if (x.ndim < 3)
    throw shapeError(
      `${operation} expects input to have at least 3 dimensions, but got input with ${x.ndim} dimension(s)`,
    );
  if (!Number.isInteger(factor) || factor <= 0)
    throw argumentError(`${operation} expects a positive ${name}, but got ${factor}`);
}

/** Channels become space: `[…, C·r², H, W] → […, C, H·r, W·r]`. */
export function pixelShuffle(x: Tensor, upscaleFactor: number): Tensor {
  requireTensors('pixelShuffle', { x });
  const r = upscaleFactor;
  checkShuffle('pixel_shuffle', x, 'upscale_factor', r);
  const [channels, height, width] = x.shape.slice(-3);
  if (channels % (r * r) !== 0)
    throw shapeError(
      "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of " +
        `upscale_factor, but input.size(-3)=${channels} is not divisible by ${r * r}`,
    );
  const c = channels / (r * r);
  const lead = x.shape.slice(0, -3);
  const y = permute(reshape(x, numelOf(lead), c, r, r, height, width), 0, 1, 4, 2, 5, 3);
  return reshape(y, [...lead, c, height * r, width * r]);
}

/** Space becomes channels: `[…, C, H·r, W·r] → […, C·r², H, W]`. */
export function pixelUnshuffle(x: Tensor, downscaleFactor: number): Tensor {
  requireTensors('pixelUnshuffle', { x });
  const r = downscaleFactor;
  checkShuffle('pixel_unshuffle', x, 'downscale_factor', r);
  const [c, height, width] = x.shape.slice(-3);
  for (const [name, dim, size] of [
    ['height', -2, height],
    ['width', -1, width],
  ] as const)
    if (size % r !== 0)
      throw shapeError(
        `pixel_unshuffle expects ${name} to be divisible by downscale_factor, but input.size(${dim})=${size} ` +
          `is not divisible by ${r}`,
      );
  const lead = x.shape.slice(0, -3);
  const y = permute(reshape(x, numelOf(lead), c, height / r, r, width / r, r), 0, 1, 3, 5, 2, 4);
  return reshape(y, [...lead, c * r * r, height / r, width / r]);
}

/** Interleaves the channels of `groups` groups: `[N, g·k, …]` read as `[N, k·g, …]`. */
export function channelShuffle(x: Tensor, groups: number): Tensor {
  requireTensors('channelShuffle', { x });
  if (x.ndim <= 2)
    throw shapeError(
      `channel_shuffle expects input with > 2 dims, but got input with sizes ${formatShape(x.shape)}`,
    );
  if (!Number.isInteger(groups) || groups <= 0)
    throw argumentError(
      `Number of groups to divide channels in must be positive. Value of groups:${groups}`,
    );
  const [batch, channels, ...rest] = x.shape;
  if (channels % groups !== 0)
    throw shapeError(
      `Number of channels must be divisible by groups. Got ${channels} channels and ${groups} groups.`,
    );
  return reshape(transpose(reshape(x, [batch, groups, channels / groups, ...rest]), 1, 2), x.shape);
}

// im2col and col2im of images: windows over both axes by `sliding.ts`, an axis at a time.
// Source: PyTorch aten/src/ATen/native/im2col_shape_check.h

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { formatShape, perAxis } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { convOutputSize } from './conv/geometry.js';
import { pad } from './pad.js';
import type { PerAxis } from './pool-geometry.js';
import { overlapAdd, slidingWindows } from './sliding.js';
import { permute, reshape, unsqueeze } from './views.js';

/** Options of {@link unfold} and {@link fold}. */
export interface UnfoldOptions {
  dilation?: PerAxis;
  padding?: PerAxis;
  stride?: PerAxis;
}

const UNFOLD_OPTIONS: OptionTable<UnfoldOptions> = { dilation: true, padding: true, stride: true };

interface Blocks {
  readonly kernel: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly stride: readonly number[];
  /** Windows along each axis. */
  readonly count: readonly number[];
}

const tuple = (list: readonly number[]): string => `(${list.join(', ')})`;

function pair(operation: string, name: string, value: PerAxis): number[] {
  if (Array.isArray(value) && value.length !== 2)
    throw argumentError(`It is expected ${name} equals to 2, but got size ${value.length}`);
  return perAxis(value, 2, name, operation);
}

/** The checked windows of a call over an image of `size`. */
function blocksOf(
  operation: string,
  size: readonly number[],
  kernelSize: PerAxis,
  options: UnfoldOptions,
): Blocks {
  const kernel = pair(operation, 'kernel_size', kernelSize);
  const dilation = pair(operation, 'dilation', options.dilation ?? 1);
  const padding = pair(operation, 'padding', options.padding ?? 0);
  const stride = pair(operation, 'stride', options.stride ?? 1);
  const atLeast = (least: number, name: string, short: string, [h, w]: readonly number[]) => {
    if (h < least || w < least)
      throw argumentError(
        `${name} should be ${least > 0 ? 'greater than zero' : 'non-negative'}, but got ${short}_height: ${h} ${short}_width: ${w}`,
      );
  };
  atLeast(1, 'kernel size', 'kernel', kernel);
  atLeast(1, 'dilation', 'dilation', dilation);
  atLeast(0, 'padding', 'pad', padding);
  atLeast(1, 'stride', 'stride', stride);
  const count = size.map((n, i) =>
    convOutputSize(n, kernel[i], stride[i], [padding[i], padding[i]], dilation[i]),
  );
  if (count.some((n) => n < 1))
    throw shapeError(
      `Given input with spatial size ${tuple(size)}, kernel_size=${tuple(kernel)}, dilation=${tuple(dilation)}, ` +
        `padding=${tuple(padding)}, calculated shape of the array of sliding blocks as ${tuple(count)}, ` +
        'but its components must be at least one.',
    );
  return { kernel, dilation, padding, stride, count };
}

function checkInput(operation: string, x: Tensor, rank: number): void {
  if (!isFloat(x.dtype))
    throw dtypeError(`"${operation}" not implemented for '${torchName(x.dtype)}'`);
  const fits = x.ndim === rank || x.ndim === rank + 1;
  if (!fits || x.shape.slice(1 - rank).includes(0) || (x.ndim === rank && x.shape[0] === 0))
    throw shapeError(
      `Expected ${rank}D or ${rank + 1}D (batch mode) tensor with possibly 0 batch size and other non-zero ` +
        `dimensions for input, but got: ${formatShape(x.shape)}`,
    );
}

/**
 * Every window of an image as a column: `[N, C, H, W] → [N, C·kH·kW, windows]`, or both without N.
 */
export function unfold(x: Tensor, kernelSize: PerAxis, options: UnfoldOptions = {}): Tensor {
  checkCall('unfold', { x }, options, UNFOLD_OPTIONS);
  checkInput('im2col', x, 3);
  const b = blocksOf('unfold', x.shape.slice(-2), kernelSize, options);
  const batched = x.ndim === 4 ? x : unsqueeze(x, 0);
  const [n, c] = batched.shape;
  const [pH, pW] = b.padding;
  const padded = pad(batched, [pW, pW, pH, pH]);
  const rows = slidingWindows(padded, 2, b.kernel[0], b.stride[0], b.dilation[0]);
  const windows = slidingWindows(rows, 3, b.kernel[1], b.stride[1], b.dilation[1]);
  const columns = [c * b.kernel[0] * b.kernel[1], b.count[0] * b.count[1]];
  const y = permute(windows, 0, 1, 4, 5, 2, 3); // [n, c, oH, oW, kH, kW] → [n, c, kH, kW, oH, oW]
  return reshape(y, x.ndim === 4 ? [n, ...columns] : columns);
}

/**
 * Columns added up to an image, overlaps included: the adjoint of {@link unfold},
 * `[N, C·kH·kW, windows] → [N, C, H, W]`, or both without N.
 */
export function fold(
  x: Tensor,
  outputSize: PerAxis,
  kernelSize: PerAxis,
  options: UnfoldOptions = {},
): Tensor {
  checkCall('fold', { x }, options, UNFOLD_OPTIONS);
  checkInput('col2im', x, 2);
  const size = pair('fold', 'output_size', outputSize);
  const [kH, kW] = pair('fold', 'kernel_size', kernelSize);
  const batched = x.ndim === 3 ? x : unsqueeze(x, 0);
  const [n, rows, columns] = batched.shape;
  if (kH > 0 && kW > 0 && rows % (kH * kW) !== 0)
    throw shapeError(
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got " +
        `input.size(1)=${rows} and kernel_size=${tuple([kH, kW])}.`,
    );
  const { dilation, padding, stride, count } = blocksOf('fold', size, kernelSize, options);
  const [oH, oW] = count;
  if (oH * oW !== columns)
    throw shapeError(
      `Given output_size=${tuple(size)}, kernel_size=${tuple([kH, kW])}, dilation=${tuple(dilation)}, ` +
        `padding=${tuple(padding)}, stride=${tuple(stride)}, expected size of input's dimension 2 to match ` +
        `the calculated number of sliding blocks ${oH} * ${oW} = ${oH * oW}, but got input.size(2)=${columns}.`,
    );
  const c = rows / (kH * kW);
  const [pH, pW] = padding;
  const windows = permute(reshape(x, n, c, kH, kW, oH, oW), 0, 1, 4, 5, 2, 3);
  const wide = overlapAdd(windows, 3, size[1] + 2 * pW, stride[1], dilation[1]);
  const padded = overlapAdd(wide, 2, size[0] + 2 * pH, stride[0], dilation[0]);
  const y = pad(padded, [-pW, -pW, -pH, -pH]);
  return x.ndim === 3 ? y : reshape(y, y.shape.slice(1));
}

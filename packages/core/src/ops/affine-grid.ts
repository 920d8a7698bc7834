import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { checkShape, formatShape, numelOf } from '../tensor/shape.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { bmm } from './matmul.js';
import { expand, reshape, transpose } from './views.js';

/** Centres of `size` cells (or, aligned, their outermost points) over [-1, 1]. */
function centres(size: number, alignCorners: boolean): number[] {
  if (size === 1) return [0];
  const half = (size - 1) / 2;
  return Array.from({ length: size }, (_, i) => (i - half) / (alignCorners ? half : size / 2));
}

/**
 * Sampling positions for `gridSample` from affine maps.
 * @param theta `[N, 2, 3]`, or `[N, 3, 4]` for volumes
 * @param size of the output, `[N, C, H, W]` or `[N, C, D, H, W]`
 * @returns `[N, H, W, 2]` or `[N, D, H, W, 3]`: x first
 */
export function affineGrid(
  theta: Tensor,
  size: readonly number[],
  options: { alignCorners?: boolean } = {},
): Tensor {
  checkCall('affineGrid', { theta }, options, { alignCorners: true });
  if (!isFloat(theta.dtype))
    throw dtypeError(
      `Expected theta to have floating point type, but got ${torchName(theta.dtype)}`,
    );
  checkShape(size, 'affineGrid');
  const text = `(${size.join(', ')})`;
  const rank = size.length - 2;
  if (rank !== 2 && rank !== 3)
    throw shapeError(
      'affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. ' +
        `Got size ${text}.`,
    );
  if (theta.ndim !== 3 || theta.shape[1] !== rank || theta.shape[2] !== rank + 1)
    throw shapeError(
      `Expected a batch of ${rank}D affine matrices of shape Nx${rank}x${rank + 1} for size ${text}. ` +
        `Got ${formatShape(theta.shape)}.`,
    );
  if (!size.every((n) => Number.isInteger(n) && n > 0))
    throw argumentError(`Expected non-zero, positive output size. Got ${text}`);
  const [batch, , ...spatial] = size;
  const points = numelOf(spatial);
  const axes = spatial.map((n) => centres(n, options.alignCorners ?? false));
  // Homogeneous coordinates of every point, (x, y, [z,] 1): the last axis of the image comes first.
  const base = new Float64Array(points * (rank + 1)).fill(1);
  for (let p = 0; p < points; p++)
    for (let axis = rank - 1, rest = p; axis >= 0; rest = Math.floor(rest / spatial[axis--]))
      base[p * (rank + 1) + rank - 1 - axis] = axes[axis][rest % spatial[axis]];
  const storage = new Storage('float64', base);
  const wide = new Tensor({ device: theta.device, shape: [1, points, rank + 1], storage });
  const grid = expand(cast(wide, theta.dtype), [batch, points, rank + 1]);
  return reshape(bmm(grid, transpose(theta, 1, 2)), [batch, ...spatial, rank]);
}

// What depends on where a mask is true. The number of elements found is part of a result's shape,
// so the mask is read on the host.

import { checkCall, requireTensors } from '../arguments.js';
import { dtypeError, shapeError } from '../errors.js';
import { torchName } from '../tensor/dtype.js';
import { broadcastShapes, formatShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { gather } from './indexing.js';
import { stack } from './join.js';
import { commonDevice, type Scalar, scalarTensor } from './operands.js';
import { scatter } from './scatter.js';
import { expand, reshape } from './views.js';

function requireMask(operation: string, mask: Tensor): void {
  if (mask.dtype !== 'bool')
    throw dtypeError(
      `${operation}: expected BoolTensor for mask, but got ${torchName(mask.dtype)}Tensor`,
    );
}

/** Flat positions of the elements that are not 0, int64 `[n]`. */
export const flatNonzero = (x: Tensor): Tensor => {
  const storage = x.device.kernels.nonzero(x);
  return new Tensor({ device: x.device, shape: [storage.length], storage });
};

/**
 * Positions of the elements that are not 0 (NaN included), int64 `[n, ndim]`; with `asTuple`, one
 * list per dim as an index takes them.
 */
export function nonzero(x: Tensor, options?: { asTuple?: false }): Tensor;
export function nonzero(x: Tensor, options: { asTuple: true }): Tensor[];
export function nonzero(x: Tensor, options: { asTuple?: boolean } = {}): Tensor | Tensor[] {
  checkCall('nonzero', { x }, options, { asTuple: true });
  const source = options.asTuple && x.ndim === 0 ? reshape(x, 1) : x;
  let flat = flatNonzero(source.detach());
  const columns: Tensor[] = [];
  for (const size of source.shape.toReversed()) {
    columns.unshift(flat.remainder(Math.max(size, 1)));
    flat = flat.floorDivide(Math.max(size, 1));
  }
  if (options.asTuple) return columns;
  return columns.length > 0 ? stack(columns, 1) : reshape(flat, flat.numel, 1).narrow(1, 0, 0);
}

/** Positions of the elements that are not zero, one in each row: int64 `[count, dims]`. */
export const argwhere = (x: Tensor): Tensor => nonzero(x);

/** `value` (a number or a 0-d tensor) where `mask` (bool) is true; x and mask broadcast. */
export function maskedFill(x: Tensor, mask: Tensor, value: Tensor | Scalar): Tensor {
  requireTensors('maskedFill', { x, mask });
  requireMask('masked_fill', mask);
  if (value instanceof Tensor && value.ndim > 0)
    throw shapeError(
      `masked_fill only supports a 0-dimensional value tensor, but got tensor with ${value.ndim} dimension(s).`,
    );
  const filling =
    value instanceof Tensor ? cast(value, x.dtype) : scalarTensor(value, x.dtype, x.device);
  return where(mask, filling, x);
}

function broadcastWith(operation: string, x: Tensor, mask: Tensor): [Tensor, Tensor] {
  commonDevice(operation, [x, mask]);
  requireMask(operation, mask);
  const shape = broadcastShapes(x.shape, mask.shape);
  return [expand(x, shape), expand(mask, shape)];
}

/** The elements where `mask` (bool) is true, `[n]`; x and mask broadcast. */
export function maskedSelect(x: Tensor, mask: Tensor): Tensor {
  requireTensors('maskedSelect', { x, mask });
  const [whole, chosen] = broadcastWith('masked_select', x, mask);
  return gather(reshape(whole, -1), 0, flatNonzero(chosen));
}

/** The elements of `source` in order, put where `mask` (bool) is true; x and mask broadcast. */
export function maskedScatter(x: Tensor, mask: Tensor, source: Tensor): Tensor {
  requireTensors('maskedScatter', { x, mask, source });
  const [whole, chosen] = broadcastWith('masked_scatter', x, mask);
  if (source.dtype !== x.dtype)
    throw dtypeError(
      `masked_scatter: expected self and source to have same dtypes but got ${x.dtype} and ${source.dtype}`,
    );
  const positions = flatNonzero(chosen);
  if (source.numel < positions.numel)
    throw shapeError(
      `Number of elements of source < number of ones in mask (${source.numel} < ${positions.numel}, ` +
        `mask ${formatShape(chosen.shape)})`,
    );
  const values = reshape(source, source.numel).narrow(0, 0, positions.numel);
  return reshape(scatter(reshape(whole, whole.numel), 0, positions, values), whole.shape);
}

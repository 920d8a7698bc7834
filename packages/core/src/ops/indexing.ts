import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { alongDimension, dtypeError, shapeError } from '../errors.js';
import { formatShape, normalizeDim, numelOf } from '../tensor/shape.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { commonDevice } from './operands.js';
import { expand, reshape } from './views.js';

/** Kernels see `[outer, size, inner]` around the axis. */
export function aroundAxis(x: Tensor, axis: number): Tensor {
  const outer = numelOf(x.shape.slice(0, axis));
  return reshape(x, outer, x.shape[axis], numelOf(x.shape.slice(axis + 1)));
}

const gatherOp: Op<{ axis: number }> = defineOp({
  name: 'gather',
  forward: ([x, index], { axis }) =>
    new Tensor({
      device: x.device,
      shape: index.shape,
      storage: alongDimension(axis, () =>
        x.device.kernels.gather(aroundAxis(x, axis), aroundAxis(index, axis)),
      ),
    }),
  saves: { inputs: [1] },
  backward: ([g], context) => [
    g &&
      scatterAddOp([g, context.input(1)], {
        axis: context.options.axis,
        size: context.inputs[0].shape[context.options.axis],
      }),
    null,
  ],
});

/** The adjoint of gather: zeros with `x` added at `index`. */
export const scatterAddOp: Op<{ axis: number; size: number }> = defineOp({
  name: 'scatterAdd',
  forward: ([x, index], { axis, size }) =>
    new Tensor({
      device: x.device,
      shape: x.shape.map((n, d) => (d === axis ? size : n)),
      storage: alongDimension(axis, () =>
        x.device.kernels.scatterAdd(aroundAxis(x, axis), aroundAxis(index, axis), size),
      ),
    }),
  saves: { inputs: [1] },
  backward: ([g], context) => [g && gatherOp([g, context.input(1)], context.options), null],
});

/**
 * `out[…, j, …] = x[…, index[…, j, …], …]` along `dim`. Here `index` (int64) must have the sizes
 * of `x` in every other dim.
 */
export function gather(x: Tensor, dim: number, index: Tensor): Tensor {
  requireTensors('gather', { x, index });
  commonDevice('gather', [x, index]);
  if (index.dtype !== 'int64')
    throw dtypeError(`gather(): Expected dtype int64 for index, but got ${index.dtype}`);
  if (index.ndim !== x.ndim)
    throw shapeError(
      'Index tensor must have the same number of dimensions as input tensor, but got ' +
        `${formatShape(index.shape)} for input ${formatShape(x.shape)}`,
    );
  const axis = normalizeDim(dim, x.ndim);
  if (x.ndim === 0) return x;
  let source = x;
  index.shape.forEach((size, d) => {
    if (d === axis || size === x.shape[d]) return;
    if (size > x.shape[d])
      throw shapeError(
        `Size does not match at dimension ${d} expected index ${formatShape(index.shape)} to be smaller ` +
          `than self ${formatShape(x.shape)} apart from dimension ${axis}`,
      );
    source = source.narrow(d, 0, size);
  });
  return gatherOp([source, index], { axis });
}

/** The slices of `x` along `dim` that a 1-d int64 `index` names, in its order. */
export function indexSelect(x: Tensor, dim: number, index: Tensor): Tensor {
  requireTensors('indexSelect', { x, index });
  if (index.ndim > 1) throw shapeError('index_select(): Index is supposed to be a vector');
  if (index.ndim === 0) return indexSelect(x, dim, reshape(index, 1));
  if (index.dtype === 'int32') return indexSelect(x, dim, cast(index, 'int64'));
  const axis = normalizeDim(dim, x.ndim);
  if (x.ndim === 0) return repeated(x, index);
  const column = x.shape.map((_, d) => (d === axis ? index.shape[0] : 1));
  const full = x.shape.map((size, d) => (d === axis ? index.shape[0] : size));
  return gather(x, axis, expand(reshape(index, column), full));
}

/** Positions in a single element can only be 0; there is one result, however many they are. */
function repeated(x: Tensor, index: Tensor): Tensor {
  if (index.numel === 0)
    throw shapeError('index_select(): Index to scalar can have only 1 value, got 0 value(s)');
  return reshape(gather(reshape(x, 1), 0, index).narrow(0, index.numel - 1, 1), []);
}

/** A 1-d int64 tensor of `positions` on the device of `like`. */
export const indexTensor = (positions: readonly number[], like: Tensor): Tensor =>
  new Tensor({
    device: like.device,
    shape: [positions.length],
    storage: new Storage('int64', BigInt64Array.from(positions, BigInt)),
  });

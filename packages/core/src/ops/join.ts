import { onTensors, requireTensorList } from '../arguments.js';
import { defineOp } from '../autograd/op.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { resultType } from '../tensor/dtype.js';
import { broadcastShapes, formatShape, normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { commonDevice } from './operands.js';
import { embed, expand, narrow, reshape, transpose, unsqueeze } from './views.js';

const catOp = defineOp<{ axis: number; shape: readonly number[] }>({
  name: 'cat',
  forward: (parts, { axis, shape }) => {
    const { device, dtype } = parts[0];
    const out = Tensor.filled(shape, 0, dtype, device);
    let at = 0;
    for (const part of parts) {
      device.kernels.assign(narrow(out, axis, at, part.shape[axis]), part);
      at += part.shape[axis];
    }
    return out;
  },
  backward: ([g], { inputs, options: { axis }, needs }) => {
    let at = 0;
    return inputs.map(({ shape }, i) => {
      const from = at;
      at += shape[axis];
      return g && needs[i] ? narrow(g, axis, from, shape[axis]) : null;
    });
  },
});

/** Joins tensors along an existing axis; all other sizes must agree. */
export function cat(tensors: readonly Tensor[], dim = 0): Tensor {
  requireTensorList('cat', 'tensors', tensors);
  if (tensors.length === 0)
    throw argumentError('torch.cat(): expected a non-empty list of Tensors');
  commonDevice('cat', tensors);
  const dtype = resultType(...tensors);
  // A tensor of shape [0] joins with anything, as in PyTorch.
  const empty = (x: Tensor) => x.ndim === 1 && x.shape[0] === 0;
  const rank = tensors.find((x) => !empty(x))?.ndim ?? 1;
  const parts = tensors.filter((x) => rank === 1 || !empty(x));
  const [first] = parts;
  if (first.ndim === 0)
    throw shapeError('zero-dimensional tensor (at position 0) cannot be concatenated');
  const axis = normalizeDim(dim, first.ndim);
  parts.forEach((part, i) => {
    if (part.ndim !== first.ndim)
      throw shapeError(
        `Tensors must have same number of dimensions: got ${first.ndim} and ${part.ndim}`,
      );
    part.shape.forEach((size, d) => {
      if (d !== axis && size !== first.shape[d])
        throw shapeError(
          `Sizes of tensors must match except in dimension ${axis}. Expected size ${first.shape[d]} but got ` +
            `size ${size} for tensor number ${i} in the list (shapes ${formatShape(first.shape)} and ${formatShape(part.shape)}).`,
        );
    });
  });
  const shape = first.shape.map((size, d) =>
    d === axis ? parts.reduce((n, part) => n + part.shape[axis], 0) : size,
  );
  return catOp(
    parts.map((part) => cast(part, dtype)),
    { axis, shape },
  );
}

/** Joins tensors of one shape along a new axis. */
export function stack(tensors: readonly Tensor[], dim = 0): Tensor {
  requireTensorList('stack', 'tensors', tensors);
  if (tensors.length === 0) throw argumentError('stack expects a non-empty list of Tensors');
  const [first] = tensors;
  const odd = tensors.find((x) => formatShape(x.shape) !== formatShape(first.shape));
  if (odd)
    throw shapeError(
      `stack expects each tensor to be equal size, but got ${formatShape(first.shape)} at entry 0 and ` +
        `${formatShape(odd.shape)} at entry ${tensors.indexOf(odd)}`,
    );
  return cat(
    tensors.map((x) => unsqueeze(x, dim)),
    dim,
  );
}

/** Leading dims of size 1, up to one dim. */
export const atleast1d = onTensors(
  'atleast1d',
  ['x'],
  (x: Tensor): Tensor => (x.ndim === 0 ? reshape(x, 1) : x),
);
/** Leading dims of size 1, up to two dims. */
export const atleast2d = onTensors(
  'atleast2d',
  ['x'],
  (x: Tensor): Tensor => (x.ndim < 2 ? unsqueeze(atleast1d(x), 0) : x),
);
/** Dims of size 1, a last and then leading ones, up to three dims. */
export const atleast3d = onTensors(
  'atleast3d',
  ['x'],
  (x: Tensor): Tensor => (x.ndim < 3 ? unsqueeze(atleast2d(x), -1) : x),
);

/** Joined along the columns: the second dim, or the only one. */
export const hstack = (tensors: readonly Tensor[]): Tensor => {
  requireTensorList('hstack', 'tensors', tensors);
  const parts = tensors.map(atleast1d);
  return cat(parts, parts[0]?.ndim === 1 ? 0 : 1);
};
/** Joined along the rows: the first of at least two dims. */
export const vstack = (tensors: readonly Tensor[]): Tensor => {
  requireTensorList('vstack', 'tensors', tensors);
  return cat(tensors.map(atleast2d), 0);
};
/** Joined in depth: along the third of at least three dims. */
export const dstack = (tensors: readonly Tensor[]): Tensor => {
  requireTensorList('dstack', 'tensors', tensors);
  return cat(tensors.map(atleast3d), 2);
};
/** Vectors as columns and matrices, side by side. */
export const columnStack = (tensors: readonly Tensor[]): Tensor => {
  requireTensorList('columnStack', 'tensors', tensors);
  return hstack(tensors.map((x) => (x.ndim < 2 ? reshape(x, x.numel, 1) : x)));
};

/** All tensors expanded to their common shape. */
export function broadcastTensors(...tensors: Tensor[] | [readonly Tensor[]]): Tensor[] {
  const list = tensors.flat();
  requireTensorList('broadcastTensors', 'tensors', list);
  const shape = broadcastShapes(...list.map((x) => x.shape));
  return list.map((x) => expand(x, shape));
}

/**
 * Coordinates of a grid, one tensor per axis: of shape `[n0, n1, …]` for vectors of those lengths,
 * with the first two dims exchanged for indexing 'xy'.
 */
export function meshgrid(
  tensors: readonly Tensor[],
  options: { indexing?: 'ij' | 'xy' } = {},
): Tensor[] {
  checkOptions('meshgrid', options, { indexing: true });
  requireTensorList('meshgrid', 'tensors', tensors);
  const { indexing = 'ij' } = options;
  if (indexing !== 'ij' && indexing !== 'xy')
    throw argumentError(
      `torch.meshgrid: indexing must be one of "xy" or "ij", but received: ${indexing}`,
    );
  for (const x of tensors) {
    if (x.ndim > 1)
      throw shapeError(
        `torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ${formatShape(x.shape)}`,
      );
    if (x.dtype !== tensors[0].dtype)
      throw dtypeError('meshgrid expects all tensors to have the same dtype');
  }
  commonDevice('meshgrid', tensors);
  const shape = tensors.map((x) => x.numel);
  const grids = tensors.map((x, axis) =>
    expand(
      reshape(
        x,
        shape.map((size, d) => (d === axis ? size : 1)),
      ),
      shape,
    ),
  );
  return indexing === 'xy' && tensors.length > 1 ? grids.map((x) => transpose(x, 0, 1)) : grids;
}

/** Matrices along the diagonal of one, zeros elsewhere. */
export function blockDiag(...tensors: Tensor[] | [readonly Tensor[]]): Tensor {
  const list = tensors.flat();
  requireTensorList('blockDiag', 'tensors', list);
  const blocks = list.map((x, i) => {
    if (x.ndim > 2)
      throw shapeError(
        `torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ${i} has ${x.ndim} dimensions`,
      );
    return atleast2d(x);
  });
  const width = blocks.reduce((n, x) => n + x.shape[1], 0);
  const dtype = resultType(...blocks);
  let column = 0;
  const bands = blocks.map((x) => {
    const band = embed(cast(x, dtype), [x.shape[0], width], [0, column]);
    column += x.shape[1];
    return band;
  });
  return cat(bands, 0);
}

import { defineOp } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import { resultType } from '../tensor/dtype.js';
import { formatShape, normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { commonDevice } from './operands.js';
import { narrow, unsqueeze } from './views.js';

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

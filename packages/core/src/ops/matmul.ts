import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { dtypeError, shapeError } from '../errors.js';
import { broadcastShapes, formatShape, numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { otherFactors } from './binary-rule.js';
import { commonDevice, requireCompute } from './operands.js';
import { expand, reshape, squeeze, transpose, unsqueeze } from './views.js';

const bmmOp: Op<undefined> = defineOp({
  name: 'bmm',
  forward: ([a, b]) =>
    new Tensor({
      device: a.device,
      shape: [a.shape[0], a.shape[1], b.shape[2]],
      storage: a.device.kernels.matmul(a, b),
    }),
  saves: { inputs: otherFactors },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    return [
      context.needs[0] ? bmmOp([g, transpose(context.input(1), 1, 2)], undefined) : null,
      context.needs[1] ? bmmOp([transpose(context.input(0), 1, 2), g], undefined) : null,
    ];
  },
});

/** `[batch, m, k] × [batch, k, n] → [batch, m, n]` */
export function bmm(a: Tensor, b: Tensor): Tensor {
  requireTensors('bmm', { a, b });
  if (a.ndim !== 3 || b.ndim !== 3)
    throw shapeError(
      `bmm: expected two 3D tensors, but got ${formatShape(a.shape)} and ${formatShape(b.shape)}`,
    );
  if (a.shape[0] !== b.shape[0] || a.shape[2] !== b.shape[1])
    throw shapeError(
      `Expected size for first two dimensions of batch2 tensor to be: ${formatShape([a.shape[0], a.shape[2]])} ` +
        `but got: ${formatShape(b.shape.slice(0, 2))}.`,
    );
  const device = commonDevice('bmm', [a, b]);
  const dtype = sameDtype('bmm', a, b);
  requireCompute('bmm', device, dtype);
  return bmmOp([a, b], undefined);
}

function sameDtype(operation: string, a: Tensor, b: Tensor) {
  if (a.dtype === b.dtype) return a.dtype;
  throw dtypeError(
    `${operation}: expected both tensors to have the same dtype, but got ${a.dtype} and ${b.dtype}`,
  );
}

/**
 * Matrix product with PyTorch's rules: vectors count as a row (left) or column (right) that
 * disappears again, batch dims broadcast.
 */
export function matmul(a: Tensor, b: Tensor): Tensor {
  requireTensors('matmul', { a, b });
  if (a.ndim === 0 || b.ndim === 0)
    throw shapeError(
      `both arguments to matmul need to be at least 1D, but they are ${a.ndim}D and ${b.ndim}D`,
    );
  const left = a.ndim === 1 ? unsqueeze(a, 0) : a;
  const right = b.ndim === 1 ? unsqueeze(b, 1) : b;
  const [m, k] = left.shape.slice(-2);
  const [k2, n] = right.shape.slice(-2);
  if (k !== k2)
    throw shapeError(
      a.ndim <= 2 && b.ndim <= 2
        ? `mat1 and mat2 shapes cannot be multiplied (${m}x${k} and ${k2}x${n})`
        : `matmul: the inner sizes of ${formatShape(a.shape)} and ${formatShape(b.shape)} differ (${k} and ${k2})`,
    );
  const batch = broadcastShapes(left.shape.slice(0, -2), right.shape.slice(0, -2));
  const count = numelOf(batch);
  const flat = (x: Tensor) =>
    reshape(expand(x, [...batch, ...x.shape.slice(-2)]), count, ...x.shape.slice(-2));
  let y = reshape(bmm(flat(left), flat(right)), [...batch, m, n]);
  if (b.ndim === 1) y = squeeze(y, -1);
  if (a.ndim === 1) y = squeeze(y, b.ndim === 1 ? -1 : -2);
  return y;
}

/** Product of two matrices, `[m, k] × [k, n]`; nothing broadcasts. */
export function mm(a: Tensor, b: Tensor): Tensor {
  requireTensors('mm', { a, b });
  if (a.ndim !== 2)
    throw shapeError(`self must be a matrix, but has shape ${formatShape(a.shape)}`);
  if (b.ndim !== 2)
    throw shapeError(`mat2 must be a matrix, but has shape ${formatShape(b.shape)}`);
  return matmul(a, b);
}

/** x·Wᵀ + b for x `[…, in]`, W `[out, in]`, b `[out]`. */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor | null): Tensor {
  requireTensors('linear', { x, weight });
  const y = matmul(x, weight.ndim === 1 ? weight : transpose(weight, -2, -1));
  return bias ? y.add(bias) : y;
}

// Diagonals and triangles of matrices.

import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import { arange } from '../tensor/create.js';
import { normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { sum } from './reduce.js';
import { unsqueeze } from './views.js';

interface Diagonal {
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
}

/** The two axes become one, which comes last. */
function diagonalView(x: Tensor, { offset, rows, columns }: Diagonal): Tensor {
  const rest = x.shape.flatMap((_, d) => (d === rows || d === columns ? [] : [d]));
  const [down, right] = [Math.max(-offset, 0), Math.max(offset, 0)];
  const length = Math.max(0, Math.min(x.shape[rows] - down, x.shape[columns] - right));
  return new Tensor({
    storage: x.storage,
    device: x.device,
    shape: [...rest.map((d) => x.shape[d]), length],
    strides: [...rest.map((d) => x.strides[d]), x.strides[rows] + x.strides[columns]],
    offset:
      length === 0 ? x.offset : x.offset + down * x.strides[rows] + right * x.strides[columns],
  });
}

const diagonalOp: Op<Diagonal> = defineOp({
  name: 'diagonal',
  forward: ([x], diagonal) => diagonalView(x, diagonal),
  backward: ([g], { options, inputs }) => [
    g && placeOp([g], { ...options, shape: inputs[0].shape }),
  ],
});

/** The adjoint: zeros of `shape` with x on the diagonal. */
const placeOp: Op<Diagonal & { shape: readonly number[] }> = defineOp({
  name: 'diagEmbed',
  forward: ([x], { shape, ...diagonal }) => {
    const out = Tensor.filled(shape, 0, x.dtype, x.device);
    x.device.kernels.assign(diagonalView(out, diagonal), x);
    return out;
  },
  backward: ([g], { options }) => [g && diagonalOp([g], options)],
});

function axes(rank: number, dim1: number, dim2: number): { rows: number; columns: number } {
  const [rows, columns] = [normalizeDim(dim1, rank), normalizeDim(dim2, rank)];
  if (rows === columns)
    throw argumentError(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  return { rows, columns };
}

/**
 * The elements of dims `dim1` and `dim2` where the second position exceeds the first by `offset`,
 * as the last dim; a view.
 */
export function diagonal(x: Tensor, offset = 0, dim1 = 0, dim2 = 1): Tensor {
  requireTensors('diagonal', { x });
  return diagonalOp([x], { offset, ...axes(x.ndim, dim1, dim2) });
}

/** The last dim of x on a diagonal of two new dims, zeros elsewhere; see {@link diagonal}. */
export function diagEmbed(x: Tensor, offset = 0, dim1 = -2, dim2 = -1): Tensor {
  requireTensors('diagEmbed', { x });
  const { rows, columns } = axes(x.ndim + 1, dim1, dim2);
  const size = x.shape[x.ndim - 1] + Math.abs(offset);
  const shape = x.shape.slice(0, -1);
  for (const axis of [Math.min(rows, columns), Math.max(rows, columns)])
    shape.splice(axis, 0, size);
  return placeOp([x], { offset, rows, columns, shape });
}

/** Of a vector, the matrix with it on a diagonal; of a matrix, that diagonal. */
export function diag(x: Tensor, offset = 0): Tensor {
  requireTensors('diag', { x });
  if (x.ndim === 1) return diagEmbed(x, offset);
  if (x.ndim === 2) return diagonal(x, offset).clone();
  throw shapeError('matrix or a vector expected');
}

/** Sum of the diagonal of a matrix. */
export function trace(x: Tensor): Tensor {
  requireTensors('trace', { x });
  if (x.ndim !== 2) throw shapeError(`trace: expected a matrix, but got tensor with dim ${x.ndim}`);
  return sum(diagonal(x));
}

/** column − row of every element of the last two dims. */
function distances(operation: string, x: Tensor): Tensor {
  requireTensors(operation, { x });
  if (x.ndim < 2)
    throw shapeError(
      `${operation}: input tensor must have at least 2 dimensions, but got ${x.ndim}`,
    );
  const [rows, columns] = x.shape.slice(-2);
  const on = { dtype: 'int32', device: x.device } as const;
  return arange(columns, on).sub(unsqueeze(arange(rows, on), 1));
}

/** PyTorch takes `[0]` for an empty matrix here. */
const isEmptyVector = (x: Tensor) => x?.ndim === 1 && x.numel === 0;

/** The lower triangle of the last two dims, up to the diagonal `offset` above; zeros elsewhere. */
export const tril = (x: Tensor, offset = 0): Tensor =>
  isEmptyVector(x) ? x.clone() : where(distances('tril', x).le(offset), x, false);
/** The upper triangle of the last two dims, from the diagonal `offset` above; zeros elsewhere. */
export const triu = (x: Tensor, offset = 0): Tensor =>
  isEmptyVector(x) ? x.clone() : where(distances('triu', x).ge(offset), x, false);

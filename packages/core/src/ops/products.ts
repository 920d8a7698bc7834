// Products of vectors and matrices, all by way of `matmul`.

import { checkCall, requireTensors } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { describe, formatShape, normalizeDim, numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { roll } from './arrange.js';
import { bmm, matmul } from './matmul.js';
import { sum } from './reduce.js';
import { expand, permute, reshape, unsqueeze } from './views.js';

function requireRank(operation: string, x: Tensor, rank: number, name: string): void {
  if (x.ndim !== rank)
    throw shapeError(`${operation}: Expected ${rank}-D argument ${name}, but got ${x.ndim}-D`);
}

/** Sum of the products of two vectors. */
export function dot(a: Tensor, b: Tensor): Tensor {
  requireTensors('dot', { a, b });
  if (a.ndim !== 1 || b.ndim !== 1)
    throw shapeError(`1D tensors expected, but got ${a.ndim}D and ${b.ndim}D tensors`);
  if (a.dtype !== b.dtype)
    throw dtypeError(
      `dot : expected both vectors to have same dtype, but found ${torchName(a.dtype)} and ${torchName(b.dtype)}`,
    );
  if (a.numel !== b.numel)
    throw shapeError(
      `inconsistent tensor size, expected tensor ${formatShape(a.shape)} and src ${formatShape(b.shape)} to ` +
        `have the same number of elements, but got ${a.numel} and ${b.numel} elements respectively`,
    );
  return matmul(a, b);
}

/** {@link dot} of real vectors. */
export const vdot: typeof dot = dot;

/** Matrix times vector. */
export function mv(a: Tensor, b: Tensor): Tensor {
  requireTensors('mv', { a, b });
  requireRank('mv', a, 2, 'self');
  requireRank('mv', b, 1, 'vec');
  return matmul(a, b);
}

/** All products of the elements of two vectors, `[n, m]`. */
export function outer(a: Tensor, b: Tensor): Tensor {
  requireTensors('outer', { a, b });
  requireRank('outer', a, 1, 'self');
  requireRank('outer', b, 1, 'vec2');
  return unsqueeze(a, 1).mul(b);
}

/** {@link outer} by its other name. */
export const ger: typeof outer = outer;

/** Products summed over the last dims of both; plain products where one is 0-d. */
export function inner(a: Tensor, b: Tensor): Tensor {
  requireTensors('inner', { a, b });
  return a.ndim === 0 || b.ndim === 0 ? a.mul(b) : tensordot(a, b, [[-1], [-1]]);
}

/** Factors of sums with a product: beta · input + alpha · product; both 1 by default. */
export interface Scales {
  /** Factor of the tensor added; with 0 its elements do not count, NaN included. */
  beta?: number;
  /** Factor of the product. */
  alpha?: number;
}

const SCALES_OPTIONS: OptionTable<Scales> = { beta: true, alpha: true };

/** beta·x + alpha·product, where x broadcasts to the product. */
function scaledSum(x: Tensor, product: Tensor, { beta = 1, alpha = 1 }: Scales): Tensor {
  if (x.dtype !== product.dtype)
    throw dtypeError(
      `expected scalar type ${torchName(product.dtype)} but found ${torchName(x.dtype)}`,
    );
  if (!isFloat(x.dtype) && ![beta, alpha].every(Number.isInteger))
    throw argumentError(
      'For integral input tensors, argument beta and alpha must not be floating point numbers.',
    );
  const term = expand(x, product.shape);
  const scaled = alpha === 1 ? product : product.mul(alpha);
  if (beta === 0) return scaled;
  return (beta === 1 ? term : term.mul(beta)).add(scaled);
}

/** beta·x + alpha·(a @ b) of matrices. */
export function addmm(x: Tensor, a: Tensor, b: Tensor, options: Scales = {}): Tensor {
  checkCall('addmm', { x, a, b }, options, SCALES_OPTIONS);
  requireRank('addmm', a, 2, 'mat1');
  requireRank('addmm', b, 2, 'mat2');
  return scaledSum(x, matmul(a, b), options);
}

/** beta·x + alpha·(a @ b) of a matrix and a vector. */
export const addmv = (x: Tensor, a: Tensor, b: Tensor, options: Scales = {}): Tensor =>
  scaledSum(x, mv(a, b), options);

/** beta·x + alpha·(a ⊗ b) of vectors. */
export const addr = (x: Tensor, a: Tensor, b: Tensor, options: Scales = {}): Tensor =>
  scaledSum(x, outer(a, b), options);

/** beta·x + alpha·(a @ b) of batches of matrices. */
export const baddbmm = (x: Tensor, a: Tensor, b: Tensor, options: Scales = {}): Tensor =>
  scaledSum(x, bmm(a, b), options);

/** beta·x + alpha·Σ(a @ b) over a batch of matrices. */
export const addbmm = (x: Tensor, a: Tensor, b: Tensor, options: Scales = {}): Tensor =>
  scaledSum(x, sum(bmm(a, b), 0), options);

/**
 * Products summed over pairs of dims: the last `dims` of a with the first of b, or two lists of as
 * many dims. The other dims of a come first, then those of b.
 */
export function tensordot(
  a: Tensor,
  b: Tensor,
  dims: number | readonly [readonly number[], readonly number[]] = 2,
): Tensor {
  requireTensors('tensordot', { a, b });
  if (typeof dims !== 'number' && !(Array.isArray(dims) && dims.length === 2))
    throw argumentError(
      `tensordot(): expected dims as a number or two lists of numbers, but got ${describe(dims)}`,
    );
  const [ofA, ofB] =
    typeof dims === 'number'
      ? [
          Array.from({ length: dims }, (_, i) => i - dims),
          Array.from({ length: dims }, (_, i) => i),
        ]
      : dims;
  if (ofA.length !== ofB.length)
    throw argumentError(
      `both dimension lists should have same length, but got ${formatShape(ofA)} and ${formatShape(ofB)}`,
    );
  ofA.forEach((d, i) => {
    const [size, other] = [a.shape.at(d), b.shape.at(ofB[i])];
    if (size !== other)
      throw shapeError(
        `contracted dimensions need to match, but first has size ${size} in dim ${d} and second has size ` +
          `${other} in dim ${ofB[i]}`,
      );
  });
  const left = ofA.map((d) => normalizeDim(d, a.ndim));
  const right = ofB.map((d) => normalizeDim(d, b.ndim));
  const free = (x: Tensor, taken: readonly number[]) =>
    x.shape.flatMap((_, d) => (taken.includes(d) ? [] : [d]));
  const [rows, columns] = [free(a, left), free(b, right)];
  const sizes = (x: Tensor, dims: readonly number[]) => dims.map((d) => x.shape[d]);
  const summed = numelOf(sizes(a, left));
  const product = matmul(
    reshape(permute(a, [...rows, ...left]), numelOf(sizes(a, rows)), summed),
    reshape(permute(b, [...right, ...columns]), summed, numelOf(sizes(b, columns))),
  );
  return reshape(product, [...sizes(a, rows), ...sizes(b, columns)]);
}

/** The Kronecker product: a copy of b for every element of a, times that element. */
export function kron(a: Tensor, b: Tensor): Tensor {
  requireTensors('kron', { a, b });
  const rank = Math.max(a.ndim, b.ndim);
  const full = (x: Tensor) => [...new Array<number>(rank - x.ndim).fill(1), ...x.shape];
  const [left, right] = [full(a), full(b)];
  const products = reshape(
    a,
    left.flatMap((size) => [size, 1]),
  ).mul(
    reshape(
      b,
      right.flatMap((size) => [1, size]),
    ),
  );
  return reshape(
    products,
    left.map((size, d) => size * right[d]),
  );
}

/** The cross product along `dim`, of size 3: the first such dim when omitted. */
export function cross(a: Tensor, b: Tensor, dim?: number): Tensor {
  requireTensors('cross', { a, b });
  if (a.ndim !== b.ndim)
    throw shapeError('linalg.cross: inputs must have the same number of dimensions.');
  const axis = dim === undefined ? a.shape.indexOf(3) : normalizeDim(dim, a.ndim);
  if (axis < 0) throw shapeError('no dimension of size 3 in input');
  if (a.shape[axis] !== 3 || b.shape[axis] !== 3)
    throw shapeError(
      `linalg.cross: inputs dimension ${axis} must have length 3. Got ${a.shape[axis]} and ${b.shape[axis]}`,
    );
  // (a × b)[i] = a[i + 1]·b[i + 2] − a[i + 2]·b[i + 1]
  const next = (x: Tensor) => roll(x, -1, axis);
  const last = (x: Tensor) => roll(x, 1, axis);
  return next(a)
    .mul(last(b))
    .sub(last(a).mul(next(b)));
}

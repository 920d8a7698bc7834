// Inverses, determinants and powers of (batches of) square matrices.

import { requireTensorList, requireTensors } from '../arguments.js';
import { defineMultiOp, defineOp, type MultiOp, type Op } from '../autograd/op.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { converted, eye, fromHost, onesLike } from '../tensor/create.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import type { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { invertInto, matricesOf, pivotsOf } from './elimination.js';
import { matmul } from './matmul.js';
import { adjoint, expand, select, unsqueeze } from './views.js';

function requireSquare(operation: string, x: Tensor): void {
  requireTensors(operation, { A: x });
  if (x.ndim < 2)
    throw shapeError(`${operation}: The input tensor A must have at least 2 dimensions.`);
  const [rows, columns] = x.shape.slice(-2);
  if (rows !== columns)
    throw shapeError(
      `${operation}: A must be batches of square matrices, but they are ${rows} by ${columns} matrices`,
    );
}

function requireSquareFloat(operation: string, x: Tensor): void {
  requireSquare(operation, x);
  if (!isFloat(x.dtype))
    throw dtypeError(
      `${operation}: Expected a floating point or complex tensor as input. Got ${torchName(x.dtype)}`,
    );
}

/** Host numbers as a tensor like `x` of another shape. */
const like = (x: Tensor, values: Float64Array<ArrayBuffer>, shape: readonly number[]): Tensor =>
  converted(fromHost(values, 'float64', shape, { device: x.device }), x.dtype, {});

const inverseOp: Op<undefined> = defineOp({
  name: 'inverse',
  forward: ([x]) => {
    const matrices = matricesOf(x);
    const out = new Float64Array(x.numel);
    matrices.forEach((matrix, i) => {
      const size = matrix.n ** 2;
      const singular = invertInto(matrix, out.subarray(i * size, (i + 1) * size));
      if (singular >= 0)
        throw argumentError(
          `linalg.inv: ${x.ndim > 2 ? `(Batch element ${i}): ` : ''}The diagonal element ${singular + 1} is ` +
            'zero, the inversion could not be completed because the input matrix is singular.',
        );
    });
    return like(x, out, x.shape);
  },
  saves: { outputs: [0] },
  // d(A⁻¹) = −A⁻¹ dA A⁻¹
  backward: ([g], context) => {
    if (g === null) return [null];
    const y = adjoint(context.output());
    return [matmul(matmul(y, g), y).neg()];
  },
});

/**
 * The inverse of the matrices of the last two dims, `[…, n, n]`. Computed on the host.
 *
 * @throws VoxgradError if one of them is singular
 */
export function inverse(x: Tensor): Tensor {
  requireSquareFloat('linalg.inv', x);
  return inverseOp([x], undefined);
}

/** g times the derivative of ln |det A|. */
const logRule = (g: Tensor, x: Tensor) => unsqueeze(unsqueeze(g, -1), -1).mul(adjoint(inverse(x)));

const detOp: Op<undefined> = defineOp({
  name: 'det',
  forward: ([x]) => {
    const values = Float64Array.from(matricesOf(x), (matrix) => {
      const { pivots, sign } = pivotsOf(matrix);
      return pivots.reduce((a, b) => a * b, sign);
    });
    return like(x, values, x.shape.slice(0, -2));
  },
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => [g && logRule(g.mul(context.output()), context.input(0))],
});

/** The rows of the matrix as lists of its elements. */
const elements = (x: Tensor): Tensor[][] =>
  Array.from({ length: x.shape[x.ndim - 1] }, (_, r) =>
    Array.from({ length: x.shape[x.ndim - 1] }, (_, c) => select(select(x, -1, c), -1, r)),
  );

/**
 * The determinant of the matrices of the last two dims, `[…, n, n]` to `[…]`. Up to n = 3 it is
 * written out, with derivatives at singular matrices too; above, it is computed on the host, and
 * its gradient needs an inverse.
 */
export function det(x: Tensor): Tensor {
  requireSquareFloat('linalg.det', x);
  const n = x.shape[x.ndim - 1];
  if (n === 0) return onesLike(x.sum([-2, -1]));
  if (n > 3) return detOp([x], undefined);
  const [[a, b, c], [d, e, f] = [], [g, h, i] = []] = elements(x);
  if (n === 1) return a;
  const minor = (p: Tensor, q: Tensor, r: Tensor, s: Tensor) => p.mul(s).sub(q.mul(r));
  if (n === 2) return minor(a, b, d, e);
  return a
    .mul(minor(e, f, h, i))
    .sub(b.mul(minor(d, f, g, i)))
    .add(c.mul(minor(d, e, g, h)));
}

const slogdetOp: MultiOp<undefined> = defineMultiOp({
  name: 'slogdet',
  forward: ([x]) => {
    const parts = matricesOf(x).map(pivotsOf);
    const signs = parts.map(({ pivots, sign }) =>
      pivots.reduce((product, pivot) => product * Math.sign(pivot), sign),
    );
    const logs = parts.map(({ pivots }) =>
      pivots.reduce((total, pivot) => total + Math.log(Math.abs(pivot)), 0),
    );
    const shape = x.shape.slice(0, -2);
    return [like(x, Float64Array.from(signs), shape), like(x, Float64Array.from(logs), shape)];
  },
  saves: { inputs: [0] },
  backward: ([, g], context) => [g && logRule(g, context.input(0))],
});

/** The sign of {@link det} and the logarithm of its magnitude, without overflow. */
export function slogdet(x: Tensor): { sign: Tensor; logabsdet: Tensor } {
  requireSquareFloat('linalg.slogdet', x);
  const [sign, logabsdet] = slogdetOp([x], undefined);
  return { sign: sign.detach(), logabsdet };
}

/** The logarithm of {@link det}: NaN where that is negative. */
export function logdet(x: Tensor): Tensor {
  const { sign, logabsdet } = slogdet(x);
  return where(sign.lt(0), Number.NaN, logabsdet);
}

/** The n-th power of the matrices of the last two dims; of their inverse where n is negative. */
export function matrixPower(x: Tensor, n: number): Tensor {
  requireSquare('linalg.matrix_power', x);
  if (!Number.isInteger(n))
    throw argumentError(`matrix_power(): n must be an integer, but got ${n}`);
  if (n < 0) return matrixPower(inverse(x), -n);
  if (n === 0)
    return expand(eye(x.shape[x.ndim - 1], { dtype: x.dtype, device: x.device }), x.shape).clone();
  if (n === 1) return x.clone();
  const half = matrixPower(x, Math.floor(n / 2));
  const square = matmul(half, half);
  return n % 2 === 0 ? square : matmul(square, x);
}

/** The product of matrices in their order. */
export function chainMatmul(...matrices: Tensor[] | [readonly Tensor[]]): Tensor {
  const list = matrices.flat();
  requireTensorList('chainMatmul', 'matrices', list);
  const [first, ...rest] = list;
  if (first === undefined) throw argumentError('chain_matmul: Expected one or more matrices');
  return rest.reduce((a, b) => matmul(a, b), first);
}

// Initial values with a structure: identities, orthogonal and sparse matrices, truncated normals.

import {
  argumentError,
  erfinv,
  eye,
  fromHost,
  type Generator,
  noGrad,
  numelOf,
  type OptionTable,
  randperm,
  requireTensors,
  shapeError,
  type Tensor,
  tensor,
  zeros,
} from '@voxgrad/core';
import { type Columns, qr } from './householder.js';
import { type InitTarget, inPlace, numbersOf } from './init-plain.js';
import { DIRAC, ORTHOGONAL } from './option-tables.js';
import { optionsOf } from './options.js';

/** Options of every function that draws. */
export interface InitOptions {
  generator?: Generator;
}

/** Writes `values`, row by row, into `x`. */
function assign(x: Tensor, values: Float64Array<ArrayBuffer>): Tensor {
  noGrad(() => x.copy_(fromHost(values, 'float64', x.shape, { device: x.device })));
  return x;
}

/** The identity: `x`, `[out, in]`, hands through as many inputs as it can. */
export function eye_(x: Tensor): Tensor {
  requireTensors('eye_', { x });
  if (x.ndim !== 2) throw shapeError('Only tensors with 2 dimensions are supported');
  noGrad(() => x.copy_(eye(x.shape[0], x.shape[1], { dtype: x.dtype, device: x.device })));
  return x;
}

/** Options of {@link dirac_}. */
export interface DiracOptions {
  /** Each group of output channels hands its own inputs through; one group unless given. */
  groups?: number;
}

/** The identity of convolutions: a one in the middle of the kernel from channel i to channel i. */
export function dirac_(x: Tensor, options: number | DiracOptions = {}): Tensor {
  requireTensors('dirac_', { x });
  const { groups = 1 } = optionsOf('dirac_', DIRAC, 'groups', options);
  if (![3, 4, 5].includes(x.ndim))
    throw shapeError('Only tensors with 3, 4, or 5 dimensions are supported');
  const [outChannels, inChannels, ...kernel] = x.shape;
  if (!(Number.isInteger(groups) && groups > 0 && outChannels % groups === 0))
    throw argumentError('dim 0 must be divisible by groups');
  const perGroup = outChannels / groups;
  const volume = numelOf(kernel);
  const middle = kernel.reduce((at, size) => at * size + Math.floor(size / 2), 0);
  const values = new Float64Array(x.numel);
  for (let group = 0; group < groups; group++)
    for (let i = 0; i < Math.min(perGroup, inChannels); i++)
      values[((group * perGroup + i) * inChannels + i) * volume + middle] = 1;
  return assign(x, values);
}

/** Options of {@link truncNormal_}. */
export interface TruncNormalOptions extends InitOptions {
  mean?: number;
  std?: number;
  /** The smallest number, −2 unless given. */
  a?: number;
  /** The largest number, 2 unless given. */
  b?: number;
}

const TRUNC_NORMAL: OptionTable<TruncNormalOptions> = {
  mean: true,
  std: true,
  a: true,
  b: true,
  generator: true,
};

/**
 * Normal numbers, cut off below `a` and above `b`: uniform numbers through the inverse of the
 * distribution (J. Burkardt, "The Truncated Normal Distribution", 2014).
 */
export function truncNormal_(
  tensor: InitTarget,
  mean: number | TruncNormalOptions = {},
  std?: number,
  a?: number,
  b?: number,
  options: InitOptions = {},
): Tensor {
  const given = numbersOf<TruncNormalOptions, 'mean'>(
    'truncNormal_',
    TRUNC_NORMAL,
    'mean',
    mean,
    { std, a, b },
    options,
  );
  const { mean: centre = 0, std: width = 1, a: low = -2, b: high = 2, generator } = given;
  if (centre < low - 2 * width || centre > high + 2 * width)
    console.warn(
      'mean is more than 2 std from [a, b] in nn.init.truncNormal_. The distribution of values may be ' +
        'incorrect.',
    );
  const [from, to] = [low, high].map((end) => 2 * normalCdf((end - centre) / width) - 1);
  return inPlace('truncNormal_', tensor, (x) => {
    x.uniform_(from, to, { generator });
    x.copy_(erfinv(x))
      .mul_(width * Math.sqrt(2))
      .add_(centre)
      .clamp_({ min: low, max: high });
  });
}

const normalCdf = (x: number): number =>
  (1 +
    tensor(x / Math.sqrt(2), { dtype: 'float64', device: 'cpu' })
      .erf()
      .item()) /
  2;

/** Options of {@link orthogonal_}. */
export interface OrthogonalOptions extends InitOptions {
  /** Scale of the result; 1 unless given. */
  gain?: number;
}

/**
 * A matrix with orthonormal rows or columns, whichever are fewer, for a tensor of `[rows, ...]`
 * (A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural
 * networks", 2013): Q of a normal matrix, with the signs that make it uniform (F. Mezzadri, "How to
 * generate random matrices from the classical compact groups", 2007).
 */
export function orthogonal_(
  x: Tensor,
  options: number | OrthogonalOptions = {},
  more?: Omit<OrthogonalOptions, 'gain'>,
): Tensor {
  requireTensors('orthogonal_', { x });
  const { gain = 1, generator } = optionsOf('orthogonal_', ORTHOGONAL, 'gain', options, more);
  if (x.ndim < 2) throw shapeError('Only tensors with 2 or more dimensions are supported');
  if (x.numel === 0) return x;
  const rows = x.shape[0];
  const length = x.numel / rows;
  const normal = zeros([rows, length], { dtype: x.dtype, device: x.device });
  normal.normal_(0, 1, { generator });
  const wide = rows < length;
  const drawn = Float64Array.from(normal.to('float64').dataSync(), Number);
  const { q, diagonal } = qr(wide ? rowsOf(drawn, rows) : columnsOf(drawn, rows));
  const values = new Float64Array(x.numel);
  q.forEach((column, j) => {
    const sign = Math.sign(diagonal[j]);
    column.forEach((value, i) => {
      values[wide ? j * length + i : i * length + j] = value * sign;
    });
  });
  assign(x, values);
  noGrad(() => x.mul_(gain));
  return x;
}

function rowsOf(matrix: Float64Array, rows: number): Columns {
  const length = matrix.length / rows;
  return Array.from({ length: rows }, (_, i) => matrix.subarray(i * length, (i + 1) * length));
}

function columnsOf(matrix: Float64Array, rows: number): Columns {
  const length = matrix.length / rows;
  return Array.from({ length }, (_, j) =>
    Float64Array.from({ length: rows }, (_, i) => matrix[i * length + j]),
  );
}

/** Options of {@link sparse_}. */
export interface SparseOptions extends InitOptions {
  /** 0.01 unless given. */
  std?: number;
}

const SPARSE: OptionTable<SparseOptions> = { std: true, generator: true };

/**
 * Normal numbers of `std`, of which the share `sparsity` in each column is zero (J. Martens, "Deep
 * learning via Hessian-free optimization", 2010).
 */
export function sparse_(
  x: Tensor,
  sparsity: number,
  std: number | SparseOptions = {},
  options: InitOptions = {},
): Tensor {
  requireTensors('sparse_', { tensor: x });
  const given = numbersOf<SparseOptions, 'std'>('sparse_', SPARSE, 'std', std, {}, options);
  const { std: width = 0.01, generator } = given;
  if (x.ndim !== 2) throw shapeError('Only tensors with 2 dimensions are supported');
  const [rows, columns] = x.shape;
  const zeroCount = Math.ceil(sparsity * rows);
  noGrad(() => x.normal_(0, width, { generator }));
  const dropped = new Uint8Array(x.numel);
  for (let column = 0; column < columns; column++) {
    const order = randperm(rows, { generator, device: 'cpu' }).dataSync();
    for (const row of order.slice(0, zeroCount)) dropped[Number(row) * columns + column] = 1;
  }
  noGrad(() => x.maskedFill_(fromHost(dropped, 'bool', x.shape, { device: x.device }), 0));
  return x;
}

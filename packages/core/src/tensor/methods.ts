// The methods of a tensor: every row is an operation whose first argument is the tensor.

import { shapeError } from '../errors.js';
import { methodOf } from '../guard.js';
import * as aliases from '../ops/aliases.js';
import * as arrange from '../ops/arrange.js';
import { asStrided } from '../ops/as-strided.js';
import * as binary from '../ops/binary.js';
import * as bitwise from '../ops/bitwise.js';
import * as blends from '../ops/blend.js';
import * as cast from '../ops/cast.js';
import * as clamps from '../ops/clamp.js';
import {
  bincount,
  histc,
  mode,
  type UniqueOptions,
  unique,
  uniqueConsecutive,
} from '../ops/counting.js';
import { corrcoef, cov } from '../ops/covariance.js';
import * as cumulative from '../ops/cumulative.js';
import * as dense from '../ops/dense.js';
import * as diagonals from '../ops/diagonal.js';
import * as extremes from '../ops/extremes.js';
import { histogram } from '../ops/histogram.js';
import { gather, indexSelect } from '../ops/indexing.js';
import * as inplace from '../ops/inplace.js';
import { gcd, lcm } from '../ops/integers.js';
import { cat } from '../ops/join.js';
import * as logical from '../ops/logical.js';
import * as masked from '../ops/masked.js';
import { bmm, matmul, mm } from '../ops/matmul.js';
import { dist, norm, renorm } from '../ops/norm.js';
import type { TensorOrScalar } from '../ops/operands.js';
import * as products from '../ops/products.js';
import * as put from '../ops/put.js';
import { quantile } from '../ops/quantile.js';
import { bernoulli, multinomial } from '../ops/random.js';
import * as reduce from '../ops/reduce.js';
import * as scattering from '../ops/scatter.js';
import { unfoldDim } from '../ops/sliding.js';
import { logSoftmax, logsumexp, softmax } from '../ops/softmax.js';
import * as sorting from '../ops/sort.js';
import * as special from '../ops/special.js';
import * as splitting from '../ops/split.js';
import * as unary from '../ops/unary.js';
import * as viewScatter from '../ops/view-scatter.js';
import * as views from '../ops/views.js';
import { FUNCTIONS, METHODS } from '../signatures.js';
import * as createLike from './create-like.js';
import * as inspect from './inspect.js';
import { Tensor } from './tensor.js';

const { variance, ...reductions } = reduce;
const { embed: _embed, ...movements } = views;
const { where, ...arithmetic } = binary;
const { flatNonzero: _flat, ...masks } = masked;
const { chainMatmul: _chain, ...matrices } = dense;
const { fillDiagonal: _fill, ...viewReplacements } = viewScatter;
const { asTensor, asarray, trilIndices, triuIndices, ...likenesses } = createLike;
const { isTensor, numel, canCast, ...inspections } = inspect;

const methods = {
  ...unary,
  ...arithmetic,
  ...bitwise,
  ...blends,
  ...clamps,
  ...special,
  ...reductions,
  ...movements,
  ...cast,
  ...logical,
  ...inplace,
  ...arrange,
  ...cumulative,
  ...diagonals,
  ...extremes,
  ...masks,
  ...products,
  ...put,
  ...scattering,
  ...sorting,
  ...splitting,
  ...aliases,
  ...matrices,
  ...viewReplacements,
  ...likenesses,
  ...inspections,
  asStrided,
  cov,
  corrcoef,
  gcd,
  lcm,
  histogram,
  renorm,
  bernoulli,
  multinomial,
  bincount,
  histc,
  mode,
  unique,
  uniqueConsecutive,
  norm,
  dist,
  quantile,
  var: variance,
  /** Elements of this tensor where `condition` holds, else of `other`. */
  where: (x: Tensor, condition: Tensor, other: TensorOrScalar): Tensor =>
    where(condition, x, other),
  /** Joins this tensor with others along an axis. */
  cat: (x: Tensor, others: Tensor | readonly Tensor[], dim = 0): Tensor =>
    cat([x, ...[others].flat()], dim),
  gather,
  indexSelect,
  bmm,
  matmul,
  mm,
  softmax,
  logSoftmax,
  logsumexp,
  unfold: unfoldDim,
};

type Method<F> = F extends (self: Tensor, ...args: infer A) => infer R ? (...args: A) => R : never;

/** Methods of several signatures, of which `Method` would see only the last. */
interface Overloaded {
  max(): Tensor;
  max(other: Tensor): Tensor;
  max(dim: number, options?: reduce.KeepDim): extremes.ValuesIndices;
  min(): Tensor;
  min(other: Tensor): Tensor;
  min(dim: number, options?: reduce.KeepDim): extremes.ValuesIndices;
  median(): Tensor;
  median(dim: number, options?: reduce.KeepDim): extremes.ValuesIndices;
  nanmedian(): Tensor;
  nanmedian(dim: number, options?: reduce.KeepDim): extremes.ValuesIndices;
  nonzero(options?: { asTuple?: false }): Tensor;
  nonzero(options: { asTuple: true }): Tensor[];
  unique(): Tensor;
  unique(options: UniqueOptions): Tensor[];
  uniqueConsecutive(): Tensor;
  uniqueConsecutive(options: UniqueOptions): Tensor[];
  size(): readonly number[];
  size(dim: number): number;
  stride(): readonly number[];
  stride(dim: number): number;
}

/** The transposed forms that PyTorch has as properties. */
const transposed = {
  /** All dims in reverse order. */
  T: (x: Tensor): Tensor => views.permute(x, x.shape.map((_, d) => d).reverse()),
  /** The last two dims exchanged. */
  mT: (x: Tensor): Tensor => views.adjoint(x),
  /** Of real numbers the same as `T`, for matrices. */
  H: (x: Tensor): Tensor => {
    if (x.ndim !== 0 && x.ndim !== 2)
      throw shapeError(
        `tensor.H is only supported on matrices (2-D tensors). Got ${x.ndim}-D tensor.`,
      );
    return views.t(x);
  },
  /** Of real numbers the same as `mT`. */
  mH: (x: Tensor): Tensor => views.adjoint(x),
};

type Transposed = { readonly [K in keyof typeof transposed]: Tensor };

type Methods = typeof methods;

export type TensorMethods = {
  [K in Exclude<keyof Methods, keyof Overloaded>]: Method<Methods[K]>;
} & Overloaded &
  Transposed;

for (const [name, method] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, {
    value: methodOf(
      name,
      METHODS[name] ?? FUNCTIONS[name],
      method as (...all: unknown[]) => unknown,
    ),
    writable: true,
    configurable: true,
  });

for (const [name, view] of Object.entries(transposed))
  Object.defineProperty(Tensor.prototype, name, {
    get(this: Tensor) {
      return view(this);
    },
    configurable: true,
  });

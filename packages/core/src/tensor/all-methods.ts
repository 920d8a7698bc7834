// All methods of a tensor: every row is an operation whose first argument is the tensor. Those of
// methods.ts are there from the start; importing this file attaches the others, of which a page that
// does without stays free (`@voxgrad/core/methods`, which `voxgrad` imports).

import { MORE_METHODS } from '../more-signatures.js';
import '../strategies/tiled/register.js';
import './methods.js';
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
import * as gamma from '../ops/gamma.js';
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
import { attachMethods } from './attach-methods.js';
import * as createLike from './create-like.js';
import * as inspect from './inspect.js';
import type { TransposedForms } from './methods.js';
import type { Tensor } from './tensor.js';

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
  ...gamma,
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

type Methods = typeof methods;

export type TensorMethods = {
  [K in Exclude<keyof Methods, keyof Overloaded>]: Method<Methods[K]>;
} & Overloaded &
  TransposedForms;

attachMethods(methods, MORE_METHODS);

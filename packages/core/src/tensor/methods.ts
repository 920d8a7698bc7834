// The methods that every tensor has: what models, losses, optimizers and their derivatives are made of.
// all-methods.ts has the table of all, whose others this file names, so that a call of one says where
// it is. Inside the library nothing but these may be called as a method.

import { shapeError, VoxgradError } from '../errors.js';
import { movedim } from '../ops/arrange.js';
import * as binary from '../ops/binary.js';
import * as blends from '../ops/blend.js';
import * as cast from '../ops/cast.js';
import * as clamps from '../ops/clamp.js';
import { max, min } from '../ops/extremes.js';
import { gather, indexSelect } from '../ops/indexing.js';
import * as inplace from '../ops/inplace.js';
import { cat } from '../ops/join.js';
import * as logical from '../ops/logical.js';
import { maskedFill, maskedSelect } from '../ops/masked.js';
import { bmm, matmul, mm } from '../ops/matmul.js';
import { norm } from '../ops/norm.js';
import type { TensorOrScalar } from '../ops/operands.js';
import { dot } from '../ops/products.js';
import * as random from '../ops/random-inplace.js';
import * as reduce from '../ops/reduce.js';
import { logSoftmax, logsumexp, softmax } from '../ops/softmax.js';
import * as unary from '../ops/unary.js';
import * as views from '../ops/views.js';
import { METHODS, OTHER_METHODS } from '../signatures.js';
import { attachMethods } from './attach-methods.js';
import * as inspect from './inspect.js';
import { Tensor } from './tensor.js';

const methods = {
  abs: unary.abs,
  ceil: unary.ceil,
  cos: unary.cos,
  erf: unary.erf,
  exp: unary.exp,
  exp2: unary.exp2,
  expm1: unary.expm1,
  floor: unary.floor,
  log: unary.log,
  log1p: unary.log1p,
  neg: unary.neg,
  reciprocal: unary.reciprocal,
  relu: unary.relu,
  round: unary.round,
  rsqrt: unary.rsqrt,
  sigmoid: unary.sigmoid,
  sign: unary.sign,
  sin: unary.sin,
  sqrt: unary.sqrt,
  square: unary.square,
  tanh: unary.tanh,
  trunc: unary.trunc,

  add: binary.add,
  sub: binary.sub,
  mul: binary.mul,
  div: binary.div,
  pow: binary.pow,
  floorDivide: binary.floorDivide,
  remainder: binary.remainder,
  fmod: binary.fmod,
  maximum: binary.maximum,
  minimum: binary.minimum,
  eq: binary.eq,
  ne: binary.ne,
  lt: binary.lt,
  le: binary.le,
  gt: binary.gt,
  ge: binary.ge,
  addcmul: blends.addcmul,
  addcdiv: blends.addcdiv,
  lerp: blends.lerp,
  clamp: clamps.clamp,
  clampMin: clamps.clampMin,
  clampMax: clamps.clampMax,
  logicalNot: logical.logicalNot,
  logicalAnd: logical.logicalAnd,
  logicalOr: logical.logicalOr,
  isnan: logical.isnan,
  isfinite: logical.isfinite,
  /** Elements of this tensor where `condition` holds, else of `other`. */
  where: (x: Tensor, condition: Tensor, other: TensorOrScalar): Tensor =>
    binary.where(condition, x, other),
  maskedFill,
  maskedSelect,

  sum: reduce.sum,
  mean: reduce.mean,
  std: reduce.std,
  var: reduce.variance,
  amax: reduce.amax,
  amin: reduce.amin,
  argmax: reduce.argmax,
  argmin: reduce.argmin,
  max,
  min,
  all: logical.all,
  any: logical.any,
  norm,
  softmax,
  logSoftmax,
  logsumexp,

  reshape: views.reshape,
  view: views.view,
  permute: views.permute,
  transpose: views.transpose,
  t: views.t,
  expand: views.expand,
  expandAs: views.expandAs,
  squeeze: views.squeeze,
  unsqueeze: views.unsqueeze,
  flatten: views.flatten,
  narrow: views.narrow,
  slice: views.slice,
  select: views.select,
  flip: views.flip,
  movedim,
  /** Joins this tensor with others along an axis. */
  cat: (x: Tensor, others: Tensor | readonly Tensor[], dim = 0): Tensor =>
    cat([x, ...[others].flat()], dim),
  gather,
  indexSelect,
  dot,
  matmul,
  mm,
  bmm,

  to: cast.to,
  clone: cast.clone,
  contiguous: cast.contiguous,
  double: cast.double,
  float: cast.float,
  half: cast.half,
  int: cast.int,
  long: cast.long,
  bool: cast.bool,
  dim: inspect.dim,
  size: inspect.size,

  add_: inplace.add_,
  sub_: inplace.sub_,
  mul_: inplace.mul_,
  div_: inplace.div_,
  neg_: inplace.neg_,
  sqrt_: inplace.sqrt_,
  clamp_: inplace.clamp_,
  lerp_: inplace.lerp_,
  addcmul_: inplace.addcmul_,
  addcdiv_: inplace.addcdiv_,
  maskedFill_: inplace.maskedFill_,
  copy_: inplace.copy_,
  fill_: inplace.fill_,
  zero_: inplace.zero_,
  uniform_: random.uniform_,
  normal_: random.normal_,
  bernoulli_: random.bernoulli_,
  exponential_: random.exponential_,
};

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

export type TransposedForms = { readonly [K in keyof typeof transposed]: Tensor };

for (const [name, view] of Object.entries(transposed))
  Object.defineProperty(Tensor.prototype, name, {
    get(this: Tensor) {
      return view(this);
    },
    configurable: true,
  });

/** In place of the methods that only all-methods.ts has. */
const others = Object.fromEntries(
  OTHER_METHODS.split(' ').map((name) => [
    name,
    (): never => {
      throw new VoxgradError(
        'METHOD',
        `${name} is one of the methods that come with '@voxgrad/core/methods': import it once, or call ` +
          `the function ${name} of @voxgrad/core`,
      );
    },
  ]),
);
attachMethods(others, {});
attachMethods(methods, METHODS);

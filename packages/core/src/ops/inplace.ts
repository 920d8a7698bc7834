// In-place forms: the out-of-place result is written into the tensor, which then takes over its
// place on the tape. `Tensor.replaceWith` refuses what PyTorch refuses, and what would go wrong.

import { onTensors } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import * as binary from './binary.js';
import type { Binary } from './binary-rule.js';
import * as blends from './blend.js';
import { cast } from './cast.js';
import * as clamps from './clamp.js';
import { tril, triu } from './diagonal.js';
import * as masked from './masked.js';
import { isScalar, type Scalar } from './operands.js';
import { overwrite } from './overwrite.js';
import { place, placeSaved } from './placing.js';
import * as put from './put.js';
import * as scattering from './scatter.js';
import * as special from './special.js';
import * as unary from './unary.js';
import { expand } from './views.js';

export const add_ = place('add_', binary.add);
export const sub_ = place('sub_', binary.sub);
export const mul_ = placeSaved('mul_', binary.mul);
export const div_ = placeSaved('div_', binary.div);
export const pow_: Binary = placeSaved('pow_', binary.pow);
export const floorDivide_ = place('floorDivide_', binary.floorDivide);
export const remainder_ = placeSaved('remainder_', binary.remainder);
export const fmod_ = placeSaved('fmod_', binary.fmod);

export const neg_ = place('neg_', unary.neg);
export const abs_ = placeSaved('abs_', unary.abs);
export const sign_ = place('sign_', unary.sign);
export const exp_ = place('exp_', unary.exp);
export const log_ = placeSaved('log_', unary.log);
export const sqrt_ = place('sqrt_', unary.sqrt);
export const rsqrt_ = place('rsqrt_', unary.rsqrt);
export const reciprocal_ = place('reciprocal_', unary.reciprocal);
export const square_ = placeSaved('square_', unary.square);
export const sin_ = placeSaved('sin_', unary.sin);
export const cos_ = placeSaved('cos_', unary.cos);
export const tanh_ = place('tanh_', unary.tanh);
export const sigmoid_ = place('sigmoid_', unary.sigmoid);
export const relu_ = place('relu_', unary.relu);
export const floor_ = place('floor_', unary.floor);
export const ceil_ = place('ceil_', unary.ceil);
export const round_ = place('round_', unary.round);
export const trunc_ = place('trunc_', unary.trunc);
export const erf_ = placeSaved('erf_', unary.erf);
export const erfinv_ = place('erfinv_', unary.erfinv);

export const clamp_ = placeSaved('clamp_', clamps.clamp);
export const clampMin_ = placeSaved('clampMin_', clamps.clampMin);
export const clampMax_ = placeSaved('clampMax_', clamps.clampMax);
export const nanToNum_ = place('nanToNum_', special.nanToNum);
export const lerp_ = placeSaved('lerp_', blends.lerp);
export const addcmul_ = place('addcmul_', blends.addcmul);
export const addcdiv_ = place('addcdiv_', blends.addcdiv);

export const maskedFill_ = place('maskedFill_', masked.maskedFill);
export const maskedScatter_ = placeSaved('maskedScatter_', masked.maskedScatter);
export const scatter_ = place('scatter_', scattering.scatter);
export const scatterAdd_ = place('scatterAdd_', scattering.scatterAdd);
export const indexAdd_ = place('indexAdd_', put.indexAdd);
export const indexCopy_ = place('indexCopy_', put.indexCopy);
export const indexFill_ = place('indexFill_', put.indexFill);
export const indexPut_ = place('indexPut_', put.indexPut);
export const tril_ = place('tril_', tril);
export const triu_ = place('triu_', triu);

/** Every element becomes `value`, a number or a tensor of no dims. */
export function fill_(x: Tensor, value: Scalar | Tensor): Tensor {
  if (!(value instanceof Tensor)) {
    if (!isScalar(value))
      throw argumentError(`fill_(): expected a number for 'value', but got ${describe(value)}`);
    const given = typeof value === 'boolean' ? Number(value) : value;
    return overwrite(x, Tensor.filled(x.shape, given, x.dtype, x.device), 'fill_');
  }
  if (value.ndim !== 0)
    throw shapeError(
      `fill_ only supports 0-dimension value tensor but got tensor with ${value.ndim} dimensions.`,
    );
  return copy_(x, value);
}
export const zero_ = (x: Tensor): Tensor => fill_(x, 0);

/** Elements of `source`, broadcast and converted; it may be on another device. */
export const copy_ = onTensors(
  'copy_',
  ['x', 'source'],
  (x: Tensor, source: Tensor): Tensor =>
    overwrite(x, expand(cast(source.to(x.device), x.dtype), x.shape), 'copy_'),
);

export * from './inplace-aliases.js';
export * from './inplace-functions.js';
export * from './inplace-truth.js';
export * from './random-inplace.js';

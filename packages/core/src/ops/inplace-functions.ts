// In-place forms beyond the arithmetic of inplace.ts.

import { dtypeError } from '../errors.js';
import { torchName } from '../tensor/dtype.js';
import type { Tensor } from '../tensor/tensor.js';
import * as binary from './binary.js';
import { cumprod, cumsum } from './cumulative.js';
import * as gamma from './gamma.js';
import * as integers from './integers.js';
import { renorm } from './norm.js';
import type { TensorOrScalar } from './operands.js';
import { place, placeSaved } from './placing.js';
import * as products from './products.js';
import * as put from './put.js';
import { scatterReduce } from './scatter.js';
import * as special from './special.js';
import * as unary from './unary.js';
import { fillDiagonal } from './view-scatter.js';

export const acos_ = placeSaved('acos_', unary.acos);
export const acosh_ = placeSaved('acosh_', unary.acosh);
export const asin_ = placeSaved('asin_', unary.asin);
export const asinh_ = placeSaved('asinh_', unary.asinh);
export const atan_ = placeSaved('atan_', unary.atan);
export const atanh_ = placeSaved('atanh_', unary.atanh);
export const tan_ = place('tan_', unary.tan);
export const sinh_ = placeSaved('sinh_', unary.sinh);
export const cosh_ = placeSaved('cosh_', unary.cosh);
export const exp2_ = place('exp2_', unary.exp2);
export const expm1_ = place('expm1_', unary.expm1);
export const log2_ = placeSaved('log2_', unary.log2);
export const log10_ = placeSaved('log10_', unary.log10);
export const log1p_ = placeSaved('log1p_', unary.log1p);
export const erfc_ = placeSaved('erfc_', unary.erfc);
export const lgamma_ = placeSaved('lgamma_', gamma.lgamma);
export const digamma_ = placeSaved('digamma_', gamma.digamma);
export const deg2rad_ = place('deg2rad_', unary.deg2rad);
export const rad2deg_ = place('rad2deg_', unary.rad2deg);

export const polygamma_: (x: Tensor, n: number) => Tensor = placeSaved(
  'polygamma_',
  gamma.polygamma,
);
export const mvlgamma_ = placeSaved('mvlgamma_', gamma.mvlgamma);
export const sgn_ = place('sgn_', special.sgn);
export const frac_ = place('frac_', special.frac);
export const sinc_ = placeSaved('sinc_', special.sinc);
export const logit_ = placeSaved('logit_', special.logit);
export const hypot_ = placeSaved('hypot_', special.hypot);
export const xlogy_ = placeSaved('xlogy_', special.xlogy);
export const heaviside_ = place('heaviside_', special.heaviside);
export const ldexp_ = placeSaved('ldexp_', special.ldexp);
export const atan2_ = placeSaved('atan2_', binary.atan2);
export const copysign_ = placeSaved('copysign_', binary.copysign);
export const gcd_ = place('gcd_', integers.gcd);
export const lcm_ = place('lcm_', integers.lcm);

/** In float64 alone, which is what the result has. */
export function floatPower_(x: Tensor, exponent: TensorOrScalar): Tensor {
  if (x.dtype !== 'float64')
    throw dtypeError(
      `the base given to float_power_ has dtype ${torchName(x.dtype)} but the operation's result requires dtype Double`,
    );
  return powerInPlace(x, exponent);
}
const powerInPlace: (x: Tensor, b: TensorOrScalar) => Tensor = placeSaved(
  'floatPower_',
  binary.floatPower,
);

export const cumsum_ = placeSaved('cumsum_', cumsum);
export const cumprod_ = placeSaved('cumprod_', cumprod);
export const renorm_ = placeSaved('renorm_', renorm);
export const addmm_ = place('addmm_', products.addmm);
export const addmv_ = place('addmv_', products.addmv);
export const addr_ = place('addr_', products.addr);
export const addbmm_ = place('addbmm_', products.addbmm);
export const baddbmm_ = place('baddbmm_', products.baddbmm);

export const put_ = place('put_', put.put);
export const indexReduce_ = placeSaved('indexReduce_', put.indexReduce);
export const scatterReduce_ = placeSaved('scatterReduce_', scatterReduce);
/** `value` on the main diagonal; with `wrap`, on those of a tall matrix after it. */
export const fillDiagonal_ = place('fillDiagonal_', fillDiagonal);

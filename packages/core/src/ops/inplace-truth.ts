// In-place comparisons, logic and bits: the answer in the dtype of the tensor.

import * as binary from './binary.js';
import * as bitwise from './bitwise.js';
import * as logical from './logical.js';
import { placeConstant } from './placing.js';

export const eq_ = placeConstant('eq_', binary.eq);
export const ne_ = placeConstant('ne_', binary.ne);
export const lt_ = placeConstant('lt_', binary.lt);
export const le_ = placeConstant('le_', binary.le);
export const gt_ = placeConstant('gt_', binary.gt);
export const ge_ = placeConstant('ge_', binary.ge);

export const logicalNot_ = placeConstant('logicalNot_', logical.logicalNot);
export const logicalAnd_ = placeConstant('logicalAnd_', logical.logicalAnd);
export const logicalOr_ = placeConstant('logicalOr_', logical.logicalOr);
export const logicalXor_ = placeConstant('logicalXor_', logical.logicalXor);

export const bitwiseNot_ = placeConstant('bitwiseNot_', bitwise.bitwiseNot);
export const bitwiseAnd_ = placeConstant('bitwiseAnd_', bitwise.bitwiseAnd);
export const bitwiseOr_ = placeConstant('bitwiseOr_', bitwise.bitwiseOr);
export const bitwiseXor_ = placeConstant('bitwiseXor_', bitwise.bitwiseXor);
export const bitwiseLeftShift_ = placeConstant('bitwiseLeftShift_', bitwise.bitwiseLeftShift);
export const bitwiseRightShift_ = placeConstant('bitwiseRightShift_', bitwise.bitwiseRightShift);

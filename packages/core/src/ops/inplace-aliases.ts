// PyTorch's second names of in-place forms. Each is the very same function.

export {
  abs_ as absolute_,
  clamp_ as clip_,
  div_ as divide_,
  div_ as trueDivide_,
  mul_ as multiply_,
  neg_ as negative_,
  sub_ as subtract_,
  trunc_ as fix_,
} from './inplace.js';
export {
  acos_ as arccos_,
  acosh_ as arccosh_,
  asin_ as arcsin_,
  asinh_ as arcsinh_,
  atan_ as arctan_,
  atan2_ as arctan2_,
  atanh_ as arctanh_,
} from './inplace-functions.js';
export {
  ge_ as greaterEqual_,
  gt_ as greater_,
  le_ as lessEqual_,
  lt_ as less_,
  ne_ as notEqual_,
} from './inplace-truth.js';

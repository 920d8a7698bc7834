// PyTorch's second names. Each is the very same function.

export {
  atan2 as arctan2,
  div as divide,
  div as trueDivide,
  ge as greaterEqual,
  gt as greater,
  le as lessEqual,
  lt as less,
  mul as multiply,
  ne as notEqual,
  sub as subtract,
} from './binary.js';
export {
  chunk as unsafeChunk,
  split as unsafeSplit,
  splitWithSizes as unsafeSplitWithSizes,
} from './split.js';
export {
  abs as absolute,
  acos as arccos,
  acosh as arccosh,
  asin as arcsin,
  asinh as arcsinh,
  atan as arctan,
  atanh as arctanh,
  neg as negative,
  trunc as fix,
} from './unary.js';

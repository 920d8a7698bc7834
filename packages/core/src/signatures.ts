// Written by scripts/signatures.mjs from the types; see there.

/** Methods by what they take; # marks numbers, ? those that may be left out, ... any number of arguments. */
export const METHODS: Readonly<Record<string, string>> = {
  'a, b':
    'bmm dot eq floorDivide fmod ge gt le logicalAnd logicalOr lt matmul maximum minimum mm mul ne pow remainder',
  'a, b, options': 'add div sub',
  'input, #dim, options': 'logSoftmax softmax',
  'input, dim, more': 'mean',
  'input, dim, options': 'logsumexp',
  'input, p, first, more': 'norm',
  'start, end, weight': 'lerp',
  x: 'abs bool ceil clone contiguous cos dim double erf exp exp2 expm1 float floor half int isfinite isnan log log1p logicalNot long neg neg_ reciprocal relu rsqrt sigmoid sign sin sqrt sqrt_ square t tanh trunc zero_',
  'x, #dim': 'unsqueeze',
  'x, #dim, #index': 'select',
  'x, #dim, #start, #length': 'narrow',
  'x, #dim, #start?, #end?, #step?': 'slice',
  'x, #dim, index': 'gather indexSelect',
  'x, #dim0, #dim1': 'transpose',
  'x, #dim?': 'size',
  'x, #from?, #to?, options': 'uniform_',
  'x, #lambda?, options': 'exponential_',
  'x, #mean?, #std?, options': 'normal_',
  'x, #startDim?, #endDim?': 'flatten',
  'x, ...dims': 'flip permute',
  'x, ...shape': 'expand reshape view',
  'x, a, b, options': 'addcdiv addcdiv_ addcmul addcmul_',
  'x, b': 'mul_',
  'x, b, options': 'add_ div_ sub_',
  'x, condition, other': 'where',
  'x, dim': 'squeeze',
  'x, dim, more': 'all any std sum var',
  'x, dim, options': 'amax amin argmax argmin max min',
  'x, end, weight': 'lerp_',
  'x, mask': 'maskedSelect',
  'x, mask, value': 'maskedFill maskedFill_',
  'x, max': 'clampMax',
  'x, min': 'clampMin',
  'x, min, max': 'clamp clamp_',
  'x, options': 'round',
  'x, other': 'expandAs',
  'x, others, #dim?': 'cat',
  'x, p, options': 'bernoulli_',
  'x, source': 'copy_',
  'x, source, destination': 'movedim',
  'x, target': 'to',
  'x, value': 'fill_',
};

/** The methods that come with all-methods.ts. */
export const OTHER_METHODS =
  'abs_ absolute absolute_ acos acos_ acosh acosh_ addbmm addbmm_ addmm addmm_ addmv addmv_ addr addr_ adjoint allclose aminmax arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argsort argwhere asStrided asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ baddbmm baddbmm_ bernoulli bfloat16 bincount bitwiseAnd bitwiseAnd_ bitwiseLeftShift bitwiseLeftShift_ bitwiseNot bitwiseNot_ bitwiseOr bitwiseOr_ bitwiseRightShift bitwiseRightShift_ bitwiseXor bitwiseXor_ broadcastTo byte cast cauchy_ ceil_ char chunk clampMax_ clampMin_ clip clip_ copysign copysign_ corrcoef cos_ cosh cosh_ countNonzero cov cpu cross cummax cummin cumprod cumprod_ cumsum cumsum_ deg2rad deg2rad_ det diag diagEmbed diagflat diagonal diagonalScatter diff digamma digamma_ dist divide divide_ dsplit elementSize eq_ equal erf_ erfc erfc_ erfinv erfinv_ exp2_ exp_ expm1_ fillDiagonal_ fix fix_ fliplr flipud floatPower floatPower_ floorDivide_ floor_ fmax fmin fmod_ frac frac_ gcd gcd_ ge_ geometric_ ger greater greaterEqual greaterEqual_ greater_ gt_ heaviside heaviside_ histc histogram hsplit hypot hypot_ index indexAdd indexAdd_ indexCopy indexCopy_ indexFill indexFill_ indexPut indexPut_ indexReduce indexReduce_ inner inverse isComplex isFloatingPoint isNonzero isSameSize isSigned isclose isin isinf isneginf isposinf kron kthvalue lcm lcm_ ldexp ldexp_ le_ less lessEqual lessEqual_ less_ lgamma lgamma_ log10 log10_ log1p_ log2 log2_ logNormal_ log_ logaddexp logaddexp2 logcumsumexp logdet logicalAnd_ logicalNot_ logicalOr_ logicalXor logicalXor_ logit logit_ lt_ maskedScatter maskedScatter_ matrixPower median mode moveaxis msort multinomial multiply multiply_ mv mvlgamma mvlgamma_ nanToNum nanToNum_ nanmean nanmedian nansum narrowCopy ndimension ne_ negative negative_ nelement newEmpty newFull newOnes newTensor newZeros nonzero notEqual notEqual_ outer polygamma polygamma_ positive pow_ prod put put_ quantile rad2deg rad2deg_ random_ ravel reciprocal_ relu_ remainder_ renorm renorm_ repeat repeatInterleave reshapeAs roll rot90 round_ rsqrt_ rsub scatter scatterAdd scatterAdd_ scatterReduce scatterReduce_ scatter_ selectScatter sgn sgn_ short sigmoid_ sign_ signbit sin_ sinc sinc_ sinh sinh_ sliceScatter slogdet sort split splitWithSizes square_ stdMean storageOffset stride subtract subtract_ sumToSize swapaxes swapdims take takeAlongDim tan tan_ tanh_ tensorSplit tensordot tile topk trace tril tril_ triu triu_ trueDivide trueDivide_ trunc_ typeAs unbind unflatten unfold unique uniqueConsecutive unsafeChunk unsafeSplit unsafeSplitWithSizes varMean vdot viewAs vsplit xlogy xlogy_';

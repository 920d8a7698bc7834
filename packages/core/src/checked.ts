// Written by scripts/signatures.mjs from the types; see there.

import { guard } from './guard.js';
import * as unchecked from './unchecked.js';

export * from './unchecked.js';

/** |x|, element by element; its derivative at 0 is 0. */
export const abs = /* @__PURE__ */ guard('abs', 'x', unchecked.abs);
/** |x|, element by element; its derivative at 0 is 0. */
export const absolute = /* @__PURE__ */ guard('absolute', 'x', unchecked.absolute);
/** Inverse cosine in radians, from 0 to π; NaN outside of [−1, 1]. */
export const acos = /* @__PURE__ */ guard('acos', 'x', unchecked.acos);
/** Inverse hyperbolic cosine; NaN below 1. */
export const acosh = /* @__PURE__ */ guard('acosh', 'x', unchecked.acosh);
/** Means of `outputSize` windows of `[N, C, L]` or `[C, L]`. */
export const adaptiveAvgPool1d = /* @__PURE__ */ guard(
  'adaptiveAvgPool1d',
  'x, outputSize',
  unchecked.adaptiveAvgPool1d,
);
/** Means of `outputSize` windows of `[N, C, H, W]` or `[C, H, W]`. */
export const adaptiveAvgPool2d = /* @__PURE__ */ guard(
  'adaptiveAvgPool2d',
  'x, outputSize',
  unchecked.adaptiveAvgPool2d,
);
/** Means of `outputSize` windows of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const adaptiveAvgPool3d = /* @__PURE__ */ guard(
  'adaptiveAvgPool3d',
  'x, outputSize',
  unchecked.adaptiveAvgPool3d,
);
/** Maxima of `outputSize` windows of `[N, C, L]` or `[C, L]`. */
export const adaptiveMaxPool1d = /* @__PURE__ */ guard(
  'adaptiveMaxPool1d',
  'x, outputSize',
  unchecked.adaptiveMaxPool1d,
);
/** {@link adaptiveMaxPool1d} with the position of each maximum (int64). */
export const adaptiveMaxPool1dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool1dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool1dWithIndices,
);
/** Maxima of `outputSize` windows of `[N, C, H, W]` or `[C, H, W]`. */
export const adaptiveMaxPool2d = /* @__PURE__ */ guard(
  'adaptiveMaxPool2d',
  'x, outputSize',
  unchecked.adaptiveMaxPool2d,
);
/** {@link adaptiveMaxPool2d} with the flat H·W position of each maximum (int64). */
export const adaptiveMaxPool2dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool2dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool2dWithIndices,
);
/** Maxima of `outputSize` windows of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const adaptiveMaxPool3d = /* @__PURE__ */ guard(
  'adaptiveMaxPool3d',
  'x, outputSize',
  unchecked.adaptiveMaxPool3d,
);
/** {@link adaptiveMaxPool3d} with the flat D·H·W position of each maximum (int64). */
export const adaptiveMaxPool3dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool3dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool3dWithIndices,
);
/** a + alpha·b */
export const add = /* @__PURE__ */ guard('add', 'a, b, options', unchecked.add);
/** beta·x + alpha·Σ(a @ b) over a batch of matrices. */
export const addbmm = /* @__PURE__ */ guard('addbmm', 'x, a, b, options', unchecked.addbmm);
/** x + value·a / b */
export const addcdiv = /* @__PURE__ */ guard('addcdiv', 'x, a, b, options', unchecked.addcdiv);
/** x + value·a·b */
export const addcmul = /* @__PURE__ */ guard('addcmul', 'x, a, b, options', unchecked.addcmul);
/** beta·x + alpha·(a @ b) of matrices. */
export const addmm = /* @__PURE__ */ guard('addmm', 'x, a, b, options', unchecked.addmm);
/** beta·x + alpha·(a @ b) of a matrix and a vector. */
export const addmv = /* @__PURE__ */ guard('addmv', 'x, a, b, options', unchecked.addmv);
/** beta·x + alpha·(a ⊗ b) of vectors. */
export const addr = /* @__PURE__ */ guard('addr', 'x, a, b, options', unchecked.addr);
/** The last two dims exchanged; of real numbers, the conjugate transpose too. */
export const adjoint = /* @__PURE__ */ guard('adjoint', 'x', unchecked.adjoint);
/**
 * Sampling positions for `gridSample` from affine maps.
 * @param theta `[N, 2, 3]`, or `[N, 3, 4]` for volumes
 * @param size of the output, `[N, C, H, W]` or `[N, C, D, H, W]`
 * @returns `[N, H, W, 2]` or `[N, D, H, W, 3]`: x first
 */
export const affineGrid = /* @__PURE__ */ guard(
  'affineGrid',
  'theta, size, options',
  unchecked.affineGrid,
);
/** Whether every element over `dim` (of all when omitted) is true. */
export const all = /* @__PURE__ */ guard('all', 'x, dim, more', unchecked.all);
/** Whether all elements are close; see {@link isclose}. */
export const allclose = /* @__PURE__ */ guard('allclose', 'a, b, options', unchecked.allclose);
/** Largest element over `dim`; NaN wins. */
export const amax = /* @__PURE__ */ guard('amax', 'x, dim, options', unchecked.amax);
/** Smallest element over `dim`; NaN wins. */
export const amin = /* @__PURE__ */ guard('amin', 'x, dim, options', unchecked.amin);
/** Smallest and largest element over `dim` (of all when omitted); NaN wins. */
export const aminmax = /* @__PURE__ */ guard('aminmax', 'x, options', unchecked.aminmax);
/** Whether any element over `dim` (of all when omitted) is true. */
export const any = /* @__PURE__ */ guard('any', 'x, dim, more', unchecked.any);
/** 0, 1, … before `end`; integers make int64, others the default dtype. */
export const arange = /* @__PURE__ */ guard(
  'arange',
  '#start, end, step, options',
  unchecked.arange,
);
/** Inverse cosine in radians, from 0 to π; NaN outside of [−1, 1]. */
export const arccos = /* @__PURE__ */ guard('arccos', 'x', unchecked.arccos);
/** Inverse hyperbolic cosine; NaN below 1. */
export const arccosh = /* @__PURE__ */ guard('arccosh', 'x', unchecked.arccosh);
/** Inverse sine in radians, from −π/2 to π/2; NaN outside of [−1, 1]. */
export const arcsin = /* @__PURE__ */ guard('arcsin', 'x', unchecked.arcsin);
/** Inverse hyperbolic sine, element by element. */
export const arcsinh = /* @__PURE__ */ guard('arcsinh', 'x', unchecked.arcsinh);
/** Inverse tangent in radians, from −π/2 to π/2. */
export const arctan = /* @__PURE__ */ guard('arctan', 'x', unchecked.arctan);
/** The angle of the point (b, a), from −π to π. */
export const arctan2 = /* @__PURE__ */ guard('arctan2', 'a, b', unchecked.arctan2);
/** Inverse hyperbolic tangent; NaN outside of [−1, 1]. */
export const arctanh = /* @__PURE__ */ guard('arctanh', 'x', unchecked.arctanh);
/** Position of the largest element along `dim` (of the flattened tensor when omitted), int64. */
export const argmax = /* @__PURE__ */ guard('argmax', 'x, dim, options', unchecked.argmax);
/** Position of the smallest element along `dim`, int64. */
export const argmin = /* @__PURE__ */ guard('argmin', 'x, dim, options', unchecked.argmin);
/** The positions that sort `dim`; NaN counts as the largest, equal values keep their order. */
export const argsort = /* @__PURE__ */ guard('argsort', 'x, first, more', unchecked.argsort);
/** Positions of the elements that are not zero, one in each row: int64 `[count, dims]`. */
export const argwhere = /* @__PURE__ */ guard('argwhere', 'x', unchecked.argwhere);
/**
 * The elements of the storage of `x` at `storageOffset + Σ index·stride`, as a view: by default from
 * where `x` starts. The layout is what `x.stride()` says; `x.contiguous()` makes it row-major.
 */
export const asStrided = /* @__PURE__ */ guard(
  'asStrided',
  'x, size, stride, #storageOffset?',
  unchecked.asStrided,
);
/**
 * `data` as a tensor: a tensor itself where dtype and device are as asked, anything else as
 * {@link tensor} reads it. Unlike PyTorch's, memory is shared with no array.
 */
export const asTensor = /* @__PURE__ */ guard('asTensor', 'data, options', unchecked.asTensor);
/** {@link asTensor} by its other name. */
export const asarray = /* @__PURE__ */ guard('asarray', 'data, options', unchecked.asarray);
/** Inverse sine in radians, from −π/2 to π/2; NaN outside of [−1, 1]. */
export const asin = /* @__PURE__ */ guard('asin', 'x', unchecked.asin);
/** Inverse hyperbolic sine, element by element. */
export const asinh = /* @__PURE__ */ guard('asinh', 'x', unchecked.asinh);
/** Inverse tangent in radians, from −π/2 to π/2. */
export const atan = /* @__PURE__ */ guard('atan', 'x', unchecked.atan);
/** The angle of the point (b, a), from −π to π. */
export const atan2 = /* @__PURE__ */ guard('atan2', 'a, b', unchecked.atan2);
/** Inverse hyperbolic tangent; NaN outside of [−1, 1]. */
export const atanh = /* @__PURE__ */ guard('atanh', 'x', unchecked.atanh);
/** Leading dims of size 1, up to one dim. */
export const atleast1d = /* @__PURE__ */ guard('atleast1d', 'x', unchecked.atleast1d);
/** Leading dims of size 1, up to two dims. */
export const atleast2d = /* @__PURE__ */ guard('atleast2d', 'x', unchecked.atleast2d);
/** Dims of size 1, a last and then leading ones, up to three dims. */
export const atleast3d = /* @__PURE__ */ guard('atleast3d', 'x', unchecked.atleast3d);
/** Mean of each window. x `[N, C, L]` or `[C, L]`. */
export const avgPool1d = /* @__PURE__ */ guard(
  'avgPool1d',
  'x, kernelSize, options',
  unchecked.avgPool1d,
);
/** Mean of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const avgPool2d = /* @__PURE__ */ guard(
  'avgPool2d',
  'x, kernelSize, options',
  unchecked.avgPool2d,
);
/** Mean of each window. x `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const avgPool3d = /* @__PURE__ */ guard(
  'avgPool3d',
  'x, kernelSize, options',
  unchecked.avgPool3d,
);
/** Adds d(output)/d(leaf) to the `grad` of every leaf that `output` depends on. */
export const backward = /* @__PURE__ */ guard(
  'backward',
  'output, gradient, options',
  unchecked.backward,
);
/** beta·x + alpha·(a @ b) of batches of matrices. */
export const baddbmm = /* @__PURE__ */ guard('baddbmm', 'x, a, b, options', unchecked.baddbmm);
/** A triangle from 0 over 1 to 0, `[length]`. */
export const bartlettWindow = /* @__PURE__ */ guard(
  'bartlettWindow',
  '#length, options',
  unchecked.bartlettWindow,
);
/**
 * 1 with the probability at the same place of `x`, else 0, of the dtype of `x`. With a number `p`
 * as the probability, `x` gives shape and dtype only.
 */
export const bernoulli = /* @__PURE__ */ guard('bernoulli', 'x, p, options', unchecked.bernoulli);
/** How often each of 0, 1, … occurs in a vector of integers; with `weights`, their sums. */
export const bincount = /* @__PURE__ */ guard('bincount', 'x, options', unchecked.bincount);
/** Bits that a and b both have; of bools, logical and. */
export const bitwiseAnd = /* @__PURE__ */ guard('bitwiseAnd', 'a, b', unchecked.bitwiseAnd);
/** a · 2ᵇ of integers, as bits that move. */
export const bitwiseLeftShift = /* @__PURE__ */ guard(
  'bitwiseLeftShift',
  'a, b',
  unchecked.bitwiseLeftShift,
);
/** ~x; for bool, not x. */
export const bitwiseNot = /* @__PURE__ */ guard('bitwiseNot', 'x', unchecked.bitwiseNot);
/** Bits that a or b has; of bools, logical or. */
export const bitwiseOr = /* @__PURE__ */ guard('bitwiseOr', 'a, b', unchecked.bitwiseOr);
/** ⌊a / 2ᵇ⌋ of integers; the sign stays. */
export const bitwiseRightShift = /* @__PURE__ */ guard(
  'bitwiseRightShift',
  'a, b',
  unchecked.bitwiseRightShift,
);
/** Bits that a and b differ in. */
export const bitwiseXor = /* @__PURE__ */ guard('bitwiseXor', 'a, b', unchecked.bitwiseXor);
/** `[length]` */
export const blackmanWindow = /* @__PURE__ */ guard(
  'blackmanWindow',
  '#length, options',
  unchecked.blackmanWindow,
);
/** Matrices along the diagonal of one, zeros elsewhere. */
export const blockDiag = /* @__PURE__ */ guard('blockDiag', '...tensors', unchecked.blockDiag);
/** `[batch, m, k] × [batch, k, n] → [batch, m, n]` */
export const bmm = /* @__PURE__ */ guard('bmm', 'a, b', unchecked.bmm);
/** The common shape of all `shapes` under broadcasting (sizes equal or 1, aligned at the end). */
export const broadcastShapes = /* @__PURE__ */ guard(
  'broadcastShapes',
  '...shapes',
  unchecked.broadcastShapes,
);
/** All tensors expanded to their common shape. */
export const broadcastTensors = /* @__PURE__ */ guard(
  'broadcastTensors',
  '...tensors',
  unchecked.broadcastTensors,
);
/** {@link expand} by its other name. */
export const broadcastTo = /* @__PURE__ */ guard('broadcastTo', 'x, shape', unchecked.broadcastTo);
/** The bucket of each element between the sorted `boundaries`; see {@link searchsorted}. */
export const bucketize = /* @__PURE__ */ guard(
  'bucketize',
  'x, boundaries, options',
  unchecked.bucketize,
);
/** Whether conversion keeps the kind of number: a float does not fit an integer, nor that a bool. */
export const canCast = /* @__PURE__ */ guard('canCast', 'from, to', unchecked.canCast);
/** All tuples of an element of each vector, `[n0·n1·…, k]`; a single vector itself. */
export const cartesianProd = /* @__PURE__ */ guard(
  'cartesianProd',
  '...tensors',
  unchecked.cartesianProd,
);
/** Joins tensors along an existing axis; all other sizes must agree. */
export const cat = /* @__PURE__ */ guard('cat', 'tensors, #dim?', unchecked.cat);
/** p-norm distances of all rows: `[…, P, M]` and `[…, R, M]` give `[…, P, R]`. */
export const cdist = /* @__PURE__ */ guard('cdist', 'a, b, p', unchecked.cdist);
/** The smallest whole number that is not below each element; its derivative is 0. */
export const ceil = /* @__PURE__ */ guard('ceil', 'x', unchecked.ceil);
/**
 * Compares every fused kernel of a device with the reference on a small designed set, in each float
 * dtype that the device computes. From then on the kernels of a foreign device (the capability
 * `foreign`) run where they agreed, and are in quarantine where they erred.
 * @returns per kernel the cases, the worst relative error, the tolerance and the verdict with its
 * evidence; `String(report)` is a table
 */
export const certify = /* @__PURE__ */ guard('certify', 'device, options', unchecked.certify);
/** The product of matrices in their order. */
export const chainMatmul = /* @__PURE__ */ guard(
  'chainMatmul',
  '...matrices',
  unchecked.chainMatmul,
);
/** Interleaves the channels of `groups` groups: `[N, g·k, …]` read as `[N, k·g, …]`. */
export const channelShuffle = /* @__PURE__ */ guard(
  'channelShuffle',
  'x, #groups',
  unchecked.channelShuffle,
);
/**
 * `fn(...inputs)` without keeping its intermediate tensors; backward runs `fn` again. Gradients
 * reach the inputs and every tensor that `fn` uses (parameters, outer results), to every order. `fn`
 * must compute the same each time.
 */
export const checkpoint = /* @__PURE__ */ guard(
  'checkpoint',
  'fn, ...inputs',
  unchecked.checkpoint,
);
/** {@link checkpoint} with options. */
export const checkpointWith = /* @__PURE__ */ guard(
  'checkpointWith',
  'options, fn, ...inputs',
  unchecked.checkpointWith,
);
/** At most `chunks` parts along `dim` of one size, the last one smaller where it does not divide. */
export const chunk = /* @__PURE__ */ guard('chunk', 'x, #chunks, #dim?', unchecked.chunk);
/**
 * Elements limited to [min, max], numbers or tensors: `clamp(x, 0, 1)`, `clamp(x, { min: 0 })`.
 * Either bound may be left out; where min exceeds max, the result is max.
 */
export const clamp = /* @__PURE__ */ guard('clamp', 'x, min, max', unchecked.clamp);
/** min(x, max): {@link clamp} from above alone. */
export const clampMax = /* @__PURE__ */ guard('clampMax', 'x, max', unchecked.clampMax);
/** max(x, min): {@link clamp} from below alone. */
export const clampMin = /* @__PURE__ */ guard('clampMin', 'x, min', unchecked.clampMin);
/** {@link clamp} by its other name. */
export const clip = /* @__PURE__ */ guard('clip', 'x, min, max', unchecked.clip);
/**
 * Scales all gradients together so that their norm, as of one vector, is at most `maxNorm`
 * (Pascanu et al., arXiv:1211.5063).
 *
 * @returns the norm before, a 0-d tensor
 */
export const clipGradNorm = /* @__PURE__ */ guard(
  'clipGradNorm',
  'parameters, #maxNorm, options',
  unchecked.clipGradNorm,
);
/** Clamps every element of every gradient to [−clipValue, clipValue]. */
export const clipGradValue = /* @__PURE__ */ guard(
  'clipGradValue',
  'parameters, #clipValue',
  unchecked.clipGradValue,
);
/** A row-major copy that shares nothing with `x`. */
export const clone = /* @__PURE__ */ guard('clone', 'x', unchecked.clone);
/** Vectors as columns and matrices, side by side. */
export const columnStack = /* @__PURE__ */ guard('columnStack', 'tensors', unchecked.columnStack);
/** All choices of `r` (2 by default) elements of a vector, in its order, `[count, r]`. */
export const combinations = /* @__PURE__ */ guard(
  'combinations',
  'x, r, more',
  unchecked.combinations,
);
/** Joins tensors along an existing axis; all other sizes must agree. */
export const concat = /* @__PURE__ */ guard('concat', 'tensors, #dim?', unchecked.concat);
/** Joins tensors along an existing axis; all other sizes must agree. */
export const concatenate = /* @__PURE__ */ guard(
  'concatenate',
  'tensors, #dim?',
  unchecked.concatenate,
);
/** `x` itself if its elements are in row-major order, else such a copy. */
export const contiguous = /* @__PURE__ */ guard('contiguous', 'x', unchecked.contiguous);
/**
 * Convolution (cross-correlation) over one spatial axis.
 * @param x `[N, Ci, L]` or `[Ci, L]`
 * @param weight `[Co, Ci / groups, k]`
 * @param bias `[Co]`
 * @returns `[N, Co, ⌊(L + 2·padding − dilation·(k − 1) − 1) / stride⌋ + 1]`
 */
export const conv1d = /* @__PURE__ */ guard('conv1d', 'x, weight, bias, options', unchecked.conv1d);
/** Gradient of conv1d in its input of size `inputSize`: every size that gives this output is legal. */
export const conv1dInput = /* @__PURE__ */ guard(
  'conv1dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv1dInput,
);
/** Gradient of conv1d in its weight of size `weightSize`. */
export const conv1dWeight = /* @__PURE__ */ guard(
  'conv1dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv1dWeight,
);
/** Convolution over two spatial axes: x `[N, Ci, H, W]`, weight `[Co, Ci / groups, kH, kW]`. */
export const conv2d = /* @__PURE__ */ guard('conv2d', 'x, weight, bias, options', unchecked.conv2d);
/** Gradient of conv2d in its input. */
export const conv2dInput = /* @__PURE__ */ guard(
  'conv2dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv2dInput,
);
/** Gradient of conv2d in its weight. */
export const conv2dWeight = /* @__PURE__ */ guard(
  'conv2dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv2dWeight,
);
/** Convolution over three spatial axes: x `[N, Ci, D, H, W]`, weight `[Co, Ci / groups, kD, kH, kW]`. */
export const conv3d = /* @__PURE__ */ guard('conv3d', 'x, weight, bias, options', unchecked.conv3d);
/** Gradient of conv3d in its input. */
export const conv3dInput = /* @__PURE__ */ guard(
  'conv3dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv3dInput,
);
/** Gradient of conv3d in its weight. */
export const conv3dWeight = /* @__PURE__ */ guard(
  'conv3dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv3dWeight,
);
/**
 * Transposed convolution, the adjoint of {@link conv1d}.
 * @param x `[N, Ci, L]` or `[Ci, L]`
 * @param weight `[Ci, Co / groups, k]`
 * @returns `[N, Co, (L − 1)·stride − 2·padding + dilation·(k − 1) + outputPadding + 1]`
 */
export const convTranspose1d = /* @__PURE__ */ guard(
  'convTranspose1d',
  'x, weight, bias, options',
  unchecked.convTranspose1d,
);
/** Transposed convolution over two axes: x `[N, Ci, H, W]`, weight `[Ci, Co / groups, kH, kW]`. */
export const convTranspose2d = /* @__PURE__ */ guard(
  'convTranspose2d',
  'x, weight, bias, options',
  unchecked.convTranspose2d,
);
/** Transposed convolution over three axes: x `[N, Ci, D, H, W]`, weight `[Ci, Co / groups, kD, kH, kW]`. */
export const convTranspose3d = /* @__PURE__ */ guard(
  'convTranspose3d',
  'x, weight, bias, options',
  unchecked.convTranspose3d,
);
/** The magnitude of a with the sign of b. */
export const copysign = /* @__PURE__ */ guard('copysign', 'a, b', unchecked.copysign);
/** Correlations of the rows of a matrix: {@link cov} in units of their standard deviations. */
export const corrcoef = /* @__PURE__ */ guard('corrcoef', 'input', unchecked.corrcoef);
/** Cosine of angles in radians. */
export const cos = /* @__PURE__ */ guard('cos', 'x', unchecked.cos);
/** Hyperbolic cosine, element by element. */
export const cosh = /* @__PURE__ */ guard('cosh', 'x', unchecked.cosh);
/** How many elements over `dim` are not 0, int64. */
export const countNonzero = /* @__PURE__ */ guard('countNonzero', 'x, dim', unchecked.countNonzero);
/** Covariances of the rows of a matrix, `[rows, rows]`; of a vector, its variance, 0-d. */
export const cov = /* @__PURE__ */ guard('cov', 'input, options', unchecked.cov);
/** The cross product along `dim`, of size 3: the first such dim when omitted. */
export const cross = /* @__PURE__ */ guard('cross', 'a, b, #dim?', unchecked.cross);
/** Largest element so far along `dim` and its position (the last of equal ones); NaN wins. */
export const cummax = /* @__PURE__ */ guard('cummax', 'x, #dim', unchecked.cummax);
/** Smallest element so far along `dim` and its position (the last of equal ones); NaN wins. */
export const cummin = /* @__PURE__ */ guard('cummin', 'x, #dim', unchecked.cummin);
/** Products of the elements up to each one along `dim`. Integers and bool multiply in int64. */
export const cumprod = /* @__PURE__ */ guard('cumprod', 'x, #dim, options', unchecked.cumprod);
/** Sums of the elements up to each one along `dim`. Integers and bool add up in int64. */
export const cumsum = /* @__PURE__ */ guard('cumsum', 'x, #dim, options', unchecked.cumsum);
/** {@link trapezoid} up to each position after the first. */
export const cumulativeTrapezoid = /* @__PURE__ */ guard(
  'cumulativeTrapezoid',
  'y, x, options',
  unchecked.cumulativeTrapezoid,
);
/** A differentiable function with a derivative rule of its own, as torch.autograd.Function. */
export const defineFunction = /* @__PURE__ */ guard(
  'defineFunction',
  'definition',
  unchecked.defineFunction,
);
/** ln |Γ(x)| */
export const deg2rad = /* @__PURE__ */ guard('deg2rad', 'x', unchecked.deg2rad);
/**
 * The determinant of the matrices of the last two dims, `[…, n, n]` to `[…]`. Up to n = 3 it is
 * written out, with derivatives at singular matrices too; above, it is computed on the host, and
 * its gradient needs an inverse.
 */
export const det = /* @__PURE__ */ guard('det', 'x', unchecked.det);
/** {@link setDetectAnomaly} while `fn` runs. Run forward and backward inside. */
export const detectAnomaly = /* @__PURE__ */ guard('detectAnomaly', 'fn', unchecked.detectAnomaly);
/** All known devices. */
export const devices = /* @__PURE__ */ guard('devices', '', unchecked.devices);
/** Of a vector, the matrix with it on a diagonal; of a matrix, that diagonal. */
export const diag = /* @__PURE__ */ guard('diag', 'x, #offset?', unchecked.diag);
/** The last dim of x on a diagonal of two new dims, zeros elsewhere; see {@link diagonal}. */
export const diagEmbed = /* @__PURE__ */ guard(
  'diagEmbed',
  'x, #offset?, #dim1?, #dim2?',
  unchecked.diagEmbed,
);
/** A matrix with the elements of `x`, in row-major order, on a diagonal. */
export const diagflat = /* @__PURE__ */ guard('diagflat', 'x, #offset?', unchecked.diagflat);
/**
 * The elements of dims `dim1` and `dim2` where the second position exceeds the first by `offset`,
 * as the last dim; a view.
 */
export const diagonal = /* @__PURE__ */ guard(
  'diagonal',
  'x, #offset?, #dim1?, #dim2?',
  unchecked.diagonal,
);
/** `x` with `source` in place of {@link diagonal}(x, offset, dim1, dim2). */
export const diagonalScatter = /* @__PURE__ */ guard(
  'diagonalScatter',
  'x, source, #offset?, #dim1?, #dim2?',
  unchecked.diagonalScatter,
);
/** Differences of neighbours along `dim`, `n` times over. */
export const diff = /* @__PURE__ */ guard('diff', 'x, options', unchecked.diff);
/** The derivative of {@link lgamma}. */
export const digamma = /* @__PURE__ */ guard('digamma', 'x', unchecked.digamma);
/** The p-norm of a − b, which broadcast. */
export const dist = /* @__PURE__ */ guard('dist', 'a, b, p', unchecked.dist);
/** True division: integers give the default float dtype, unless the quotient is rounded. */
export const div = /* @__PURE__ */ guard('div', 'a, b, options', unchecked.div);
/** True division: integers give the default float dtype, unless the quotient is rounded. */
export const divide = /* @__PURE__ */ guard('divide', 'a, b, options', unchecked.divide);
/** Sum of the products of two vectors. */
export const dot = /* @__PURE__ */ guard('dot', 'a, b', unchecked.dot);
/** Parts in depth: along the third of at least three dims. */
export const dsplit = /* @__PURE__ */ guard('dsplit', 'x, sections', unchecked.dsplit);
/** Joined in depth: along the third of at least three dims. */
export const dstack = /* @__PURE__ */ guard('dstack', 'tensors', unchecked.dstack);
/**
 * Sums of products by labels: `einsum('bhid,bhjd->bhij', q, k)`. A label that the result lacks is
 * summed over; without `->` the result has the labels that occur once, in alphabetical order; `...`
 * stands for dims that broadcast.
 */
export const einsum = /* @__PURE__ */ guard('einsum', 'equation, ...operands', unchecked.einsum);
/** A tensor whose elements nobody relies on; here they are 0. */
export const empty = /* @__PURE__ */ guard('empty', 'shape, options', unchecked.empty);
/** Zeros of the shape, dtype and device of a tensor, unless options say otherwise. */
export const emptyLike = /* @__PURE__ */ guard('emptyLike', 'x, options', unchecked.emptyLike);
/** Runs `fn` with recording on, also inside `noGrad`. */
export const enableGrad = /* @__PURE__ */ guard('enableGrad', 'fn', unchecked.enableGrad);
/** Where a = b: bool, with broadcasting. */
export const eq = /* @__PURE__ */ guard('eq', 'a, b', unchecked.eq);
/** Whether shapes and all elements are equal. */
export const equal = /* @__PURE__ */ guard('equal', 'a, b', unchecked.equal);
/** The error function 2/√π · ∫₀ˣ e^(−t²) dt. */
export const erf = /* @__PURE__ */ guard('erf', 'x', unchecked.erf);
/** 1 − erf(x), without cancellation for large x. */
export const erfc = /* @__PURE__ */ guard('erfc', 'x', unchecked.erfc);
/** The inverse of {@link erf}; infinite at ±1, NaN beyond. */
export const erfinv = /* @__PURE__ */ guard('erfinv', 'x', unchecked.erfinv);
/** eˣ, element by element. */
export const exp = /* @__PURE__ */ guard('exp', 'x', unchecked.exp);
/** 2ˣ, element by element. */
export const exp2 = /* @__PURE__ */ guard('exp2', 'x', unchecked.exp2);
/** Repeats axes of size 1 without copying; -1 keeps a size. */
export const expand = /* @__PURE__ */ guard('expand', 'x, ...shape', unchecked.expand);
/** {@link expand} to the shape of another tensor. */
export const expandAs = /* @__PURE__ */ guard('expandAs', 'x, other', unchecked.expandAs);
/** eˣ − 1, exact where x is near 0. */
export const expm1 = /* @__PURE__ */ guard('expm1', 'x', unchecked.expm1);
/** The identity matrix, `[n, m]`; square when `m` is omitted. */
export const eye = /* @__PURE__ */ guard('eye', '#n, m, options', unchecked.eye);
/** The limits of a floating dtype, the default one when omitted. */
export const finfo = /* @__PURE__ */ guard('finfo', 'dtype', unchecked.finfo);
/** Each element without its fraction; its derivative is 0. */
export const fix = /* @__PURE__ */ guard('fix', 'x', unchecked.fix);
/** Merges the axes from `startDim` to `endDim` into one. */
export const flatten = /* @__PURE__ */ guard(
  'flatten',
  'x, #startDim?, #endDim?',
  unchecked.flatten,
);
/** Reverses the order along `dims`. */
export const flip = /* @__PURE__ */ guard('flip', 'x, ...dims', unchecked.flip);
/** Left and right exchanged: the second dim reversed. */
export const fliplr = /* @__PURE__ */ guard('fliplr', 'x', unchecked.fliplr);
/** Up and down exchanged: the first dim reversed. */
export const flipud = /* @__PURE__ */ guard('flipud', 'x', unchecked.flipud);
/** {@link pow} in float64. */
export const floatPower = /* @__PURE__ */ guard('floatPower', 'a, b', unchecked.floatPower);
/** The largest whole number that is not above each element; its derivative is 0. */
export const floor = /* @__PURE__ */ guard('floor', 'x', unchecked.floor);
/** ⌊a / b⌋, in integers where both are. */
export const floorDivide = /* @__PURE__ */ guard('floorDivide', 'a, b', unchecked.floorDivide);
/** The larger of each pair; the number where one is NaN. At a tie the first takes the gradient. */
export const fmax = /* @__PURE__ */ guard('fmax', 'a, b', unchecked.fmax);
/** The smaller of each pair; the number where one is NaN. At a tie the first takes the gradient. */
export const fmin = /* @__PURE__ */ guard('fmin', 'a, b', unchecked.fmin);
/** a − b·trunc(a / b): the sign of the dividend, as C's fmod. */
export const fmod = /* @__PURE__ */ guard('fmod', 'a, b', unchecked.fmod);
/**
 * Columns added up to an image, overlaps included: the adjoint of {@link unfold},
 * `[N, C·kH·kW, windows] → [N, C, H, W]`, or both without N.
 */
export const fold = /* @__PURE__ */ guard(
  'fold',
  'x, outputSize, kernelSize, options',
  unchecked.fold,
);
/**
 * Runs `fn` and then puts the default generator back, so that what `fn` draws is not missed
 * outside. After a promise, as soon as it is settled; until then others draw from the same stream.
 */
export const forkRng = /* @__PURE__ */ guard('forkRng', 'fn', unchecked.forkRng);
/** x − trunc(x), with the sign of x. */
export const frac = /* @__PURE__ */ guard('frac', 'x', unchecked.frac);
/** A tensor of `shape` filled with `value`. */
export const full = /* @__PURE__ */ guard('full', 'shape, value, options', unchecked.full);
/** One value in the shape, dtype and device of a tensor, unless options say otherwise. */
export const fullLike = /* @__PURE__ */ guard('fullLike', 'x, #value, options', unchecked.fullLike);
/**
 * `out[…, j, …] = x[…, index[…, j, …], …]` along `dim`. Here `index` (int64) must have the sizes
 * of `x` in every other dim.
 */
export const gather = /* @__PURE__ */ guard('gather', 'x, #dim, index', unchecked.gather);
/** The greatest common divisor, of integers; 0 of two zeros. */
export const gcd = /* @__PURE__ */ guard('gcd', 'a, b', unchecked.gcd);
/** Where a ≥ b: bool, with broadcasting. */
export const ge = /* @__PURE__ */ guard('ge', 'a, b', unchecked.ge);
/** {@link outer} by its other name. */
export const ger = /* @__PURE__ */ guard('ger', 'a, b', unchecked.ger);
/** The dtype of tensors of plain numbers: float32, unless it was set. */
export const getDefaultDtype = /* @__PURE__ */ guard(
  'getDefaultDtype',
  '',
  unchecked.getDefaultDtype,
);
/** The device called `name`, or the current default when `name` is omitted. */
export const getDevice = /* @__PURE__ */ guard('getDevice', 'name', unchecked.getDevice);
/** The 5056 bytes of `torch.get_rng_state()`: a uint8 tensor. */
export const getRngState = /* @__PURE__ */ guard('getRngState', '', unchecked.getRngState);
/**
 * Gradients of `outputs` (weighted by `gradOutputs`) with respect to `inputs`, leaving `grad`
 * fields alone. With `createGraph` the result can be differentiated again.
 */
export const grad = /* @__PURE__ */ guard('grad', 'outputs, inputs, options', unchecked.grad);
/**
 * Whether the first derivatives of `fn` at `inputs` agree with central differences: for every
 * entry |analytical − numerical| ≤ atol + rtol·|numerical|.
 * @throws GradcheckError unless `raiseException` is false
 */
export const gradcheck = /* @__PURE__ */ guard(
  'gradcheck',
  'fn, inputs, options',
  unchecked.gradcheck,
);
/** Whether the second derivatives agree, with respect to the inputs and the output gradients. */
export const gradgradcheck = /* @__PURE__ */ guard(
  'gradgradcheck',
  'fn, inputs, options',
  unchecked.gradgradcheck,
);
/**
 * Estimates of the derivative along each of `dim`, from both neighbours: a list of tensors of the
 * shape of `x`. Needs more than `edgeOrder` elements along each.
 */
export const gradient = /* @__PURE__ */ guard('gradient', 'input, options', unchecked.gradient);
/** Where a > b: bool, with broadcasting. */
export const greater = /* @__PURE__ */ guard('greater', 'a, b', unchecked.greater);
/** Where a ≥ b: bool, with broadcasting. */
export const greaterEqual = /* @__PURE__ */ guard('greaterEqual', 'a, b', unchecked.greaterEqual);
/**
 * Samples `input` at the positions of `grid`, which run from -1 to 1 over each axis, x first.
 * @param input `[N, C, H, W]` or `[N, C, D, H, W]`
 * @param grid `[N, oH, oW, 2]` or `[N, oD, oH, oW, 3]`
 * @returns `[N, C, oH, oW]` or `[N, C, oD, oH, oW]`
 */
export const gridSample = /* @__PURE__ */ guard(
  'gridSample',
  'input, grid, options',
  unchecked.gridSample,
);
/** Where a > b: bool, with broadcasting. */
export const gt = /* @__PURE__ */ guard('gt', 'a, b', unchecked.gt);
/** A cosine of weight `beta` (0.46) about `alpha` (0.54), `[length]`. */
export const hammingWindow = /* @__PURE__ */ guard(
  'hammingWindow',
  '#length, options',
  unchecked.hammingWindow,
);
/** A raised cosine, `[length]`. */
export const hannWindow = /* @__PURE__ */ guard(
  'hannWindow',
  '#length, options',
  unchecked.hannWindow,
);
/** 0 below 0, 1 above, `values` at 0 (whose gradient is the only one). */
export const heaviside = /* @__PURE__ */ guard('heaviside', 'x, values', unchecked.heaviside);
/**
 * Second derivatives of a scalar function: `[...xᵢ.shape, ...xⱼ.shape]` for each pair of inputs.
 */
export const hessian = /* @__PURE__ */ guard('hessian', 'fn, inputs, options', unchecked.hessian);
/**
 * How many elements fall into each of `bins` equal bins from `min` to `max`, or over the range of
 * the elements where both are 0. Elements outside count nowhere.
 */
export const histc = /* @__PURE__ */ guard('histc', 'x, #bins?, options', unchecked.histc);
/**
 * Counts (or weights) of the elements in `bins` bins of one width, or between the sorted edges
 * `bins`, in the dtype of the input. A bin takes its lower edge, the last one its upper edge too;
 * elements outside count nowhere.
 */
export const histogram = /* @__PURE__ */ guard(
  'histogram',
  'input, bins, options',
  unchecked.histogram,
);
/** Parts side by side: along the second dim, or the only one. */
export const hsplit = /* @__PURE__ */ guard('hsplit', 'x, sections', unchecked.hsplit);
/** Joined along the columns: the second dim, or the only one. */
export const hstack = /* @__PURE__ */ guard('hstack', 'tensors', unchecked.hstack);
/** `[output, H·v]` of a scalar function, by a backward pass through a backward pass. */
export const hvp = /* @__PURE__ */ guard('hvp', 'fn, inputs, v, options', unchecked.hvp);
/** √(a² + b²) without overflow. */
export const hypot = /* @__PURE__ */ guard('hypot', 'a, b', unchecked.hypot);
/** The limits of an integer dtype. */
export const iinfo = /* @__PURE__ */ guard('iinfo', 'dtype', unchecked.iinfo);
/**
 * `x[i, j, …]`: int64 tensors (below 0 from the end) or bool masks over the leading dims, broadcast
 * against each other.
 */
export const index = /* @__PURE__ */ guard('index', 'x, indices', unchecked.index);
/** `x` with alpha times the slices of `source` along `dim` added to those that `index` names. */
export const indexAdd = /* @__PURE__ */ guard(
  'indexAdd',
  'x, #dim, index, source, options',
  unchecked.indexAdd,
);
/** `x` with the slices of `source` along `dim` in place of those that `index` names. */
export const indexCopy = /* @__PURE__ */ guard(
  'indexCopy',
  'x, #dim, index, source',
  unchecked.indexCopy,
);
/** `x` with `value` (a number or a 0-d tensor) in the slices along `dim` that `index` names. */
export const indexFill = /* @__PURE__ */ guard(
  'indexFill',
  'x, #dim, index, value',
  unchecked.indexFill,
);
/** `x` after `x[i, j, …] = values`, or `+=` with `accumulate`; see {@link index}. */
export const indexPut = /* @__PURE__ */ guard(
  'indexPut',
  'x, indices, values, options',
  unchecked.indexPut,
);
/**
 * `x` with the slices of `source` along `dim` reduced into those that `index` names, together with
 * what is there unless `includeSelf` is false.
 */
export const indexReduce = /* @__PURE__ */ guard(
  'indexReduce',
  'x, #dim, index, source, reduce, options',
  unchecked.indexReduce,
);
/** The slices of `x` along `dim` that a 1-d int64 `index` names, in its order. */
export const indexSelect = /* @__PURE__ */ guard(
  'indexSelect',
  'x, #dim, index',
  unchecked.indexSelect,
);
/** {@link noGrad}. Unlike PyTorch's, the results may take part in recorded operations later. */
export const inferenceMode = /* @__PURE__ */ guard('inferenceMode', 'fn', unchecked.inferenceMode);
/** The seed from which the default generator started, 0 to 2^64 - 1. */
export const initialSeed = /* @__PURE__ */ guard('initialSeed', '', unchecked.initialSeed);
/** Products summed over the last dims of both; plain products where one is 0-d. */
export const inner = /* @__PURE__ */ guard('inner', 'a, b', unchecked.inner);
/**
 * Resamples the spatial axes of `[N, C, …]` (one to three of them) to `size`, or by `scaleFactor`.
 * 'bicubic' takes two axes; 'linear', 'bilinear' and 'trilinear' one, two and three.
 */
export const interpolate = /* @__PURE__ */ guard(
  'interpolate',
  'x, options',
  unchecked.interpolate,
);
/**
 * The inverse of the matrices of the last two dims, `[…, n, n]`. Computed on the host.
 *
 * @throws VoxgradError if one of them is singular
 */
export const inverse = /* @__PURE__ */ guard('inverse', 'x', unchecked.inverse);
/** There are no complex dtypes. */
export const isComplex = /* @__PURE__ */ guard('isComplex', '_x', unchecked.isComplex);
/** Whether the dtype of a tensor is a floating point one. */
export const isFloatingPoint = /* @__PURE__ */ guard(
  'isFloatingPoint',
  'x',
  unchecked.isFloatingPoint,
);
/** Whether operations are recorded now: false inside of {@link noGrad}. */
export const isGradEnabled = /* @__PURE__ */ guard('isGradEnabled', '', unchecked.isGradEnabled);
/** Whether the only element is not 0. */
export const isNonzero = /* @__PURE__ */ guard('isNonzero', 'x', unchecked.isNonzero);
/** Whether two tensors have the same shape. */
export const isSameSize = /* @__PURE__ */ guard('isSameSize', 'a, b', unchecked.isSameSize);
/** Whether the dtype holds numbers below 0. */
export const isSigned = /* @__PURE__ */ guard('isSigned', 'x', unchecked.isSigned);
/** Whether a value is a tensor, of this or another copy of the library. */
export const isTensor = /* @__PURE__ */ guard('isTensor', 'value', unchecked.isTensor);
/** |a − b| ≤ atol + rtol·|b|, element by element; infinities are close to themselves only. */
export const isclose = /* @__PURE__ */ guard('isclose', 'a, b, options', unchecked.isclose);
/** Where x is neither infinite nor NaN: bool. */
export const isfinite = /* @__PURE__ */ guard('isfinite', 'x', unchecked.isfinite);
/** Whether each element occurs among those of `test`; with `invert`, whether it does not. */
export const isin = /* @__PURE__ */ guard('isin', 'x, test, options', unchecked.isin);
/** Where x is infinite, of either sign: bool. */
export const isinf = /* @__PURE__ */ guard('isinf', 'x', unchecked.isinf);
/** Where x is NaN: bool. */
export const isnan = /* @__PURE__ */ guard('isnan', 'x', unchecked.isnan);
/** Where x is −Infinity: bool. */
export const isneginf = /* @__PURE__ */ guard('isneginf', 'x', unchecked.isneginf);
/** Where x is Infinity: bool. */
export const isposinf = /* @__PURE__ */ guard('isposinf', 'x', unchecked.isposinf);
/**
 * d(fn)/d(inputs): `[...output.shape, ...input.shape]` for each pair; a list where `inputs` or the
 * outputs are lists (outputs outside).
 */
export const jacobian = /* @__PURE__ */ guard(
  'jacobian',
  'fn, inputs, options',
  unchecked.jacobian,
);
/**
 * `[output, J·v]`: the derivative of the outputs along `v`, which has the shapes of the inputs. It
 * is the gradient of ⟨u, vᵀJ⟩ with respect to a dummy u, since that expression is linear in u.
 */
export const jvp = /* @__PURE__ */ guard('jvp', 'fn, inputs, v, options', unchecked.jvp);
/** The Kronecker product: a copy of b for every element of a, times that element. */
export const kron = /* @__PURE__ */ guard('kron', 'a, b', unchecked.kron);
/** The `k`-th smallest element along `dim`, counted from 1, and its position; NaN comes last. */
export const kthvalue = /* @__PURE__ */ guard('kthvalue', 'x, #k, first, more', unchecked.kthvalue);
/** The least common multiple, of integers; 0 where one is. */
export const lcm = /* @__PURE__ */ guard('lcm', 'a, b', unchecked.lcm);
/** x·2ᵇ */
export const ldexp = /* @__PURE__ */ guard('ldexp', 'a, b', unchecked.ldexp);
/** Where a ≤ b: bool, with broadcasting. */
export const le = /* @__PURE__ */ guard('le', 'a, b', unchecked.le);
/** start + weight·(end − start) */
export const lerp = /* @__PURE__ */ guard('lerp', 'start, end, weight', unchecked.lerp);
/** Where a < b: bool, with broadcasting. */
export const less = /* @__PURE__ */ guard('less', 'a, b', unchecked.less);
/** Where a ≤ b: bool, with broadcasting. */
export const lessEqual = /* @__PURE__ */ guard('lessEqual', 'a, b', unchecked.lessEqual);
/** ln |Γ(x)|, element by element. */
export const lgamma = /* @__PURE__ */ guard('lgamma', 'x', unchecked.lgamma);
/** x·Wᵀ + b for x `[…, in]`, W `[out, in]`, b `[out]`. */
export const linear = /* @__PURE__ */ guard('linear', 'x, weight, bias', unchecked.linear);
/** `steps` points from `start` to `end`, both included. */
export const linspace = /* @__PURE__ */ guard(
  'linspace',
  '#start, #end, #steps, options',
  unchecked.linspace,
);
/** Natural logarithm: −Infinity at 0, NaN below. */
export const log = /* @__PURE__ */ guard('log', 'x', unchecked.log);
/** Logarithm to the base 10. */
export const log10 = /* @__PURE__ */ guard('log10', 'x', unchecked.log10);
/** ln(1 + x), exact where x is near 0. */
export const log1p = /* @__PURE__ */ guard('log1p', 'x', unchecked.log1p);
/** Logarithm to the base 2. */
export const log2 = /* @__PURE__ */ guard('log2', 'x', unchecked.log2);
/** x − log Σ exp(x) along `dim`. */
export const logSoftmax = /* @__PURE__ */ guard(
  'logSoftmax',
  'input, #dim, options',
  unchecked.logSoftmax,
);
/** log(eᵃ + eᵇ) */
export const logaddexp = /* @__PURE__ */ guard('logaddexp', 'a, b', unchecked.logaddexp);
/** log₂(2ᵃ + 2ᵇ) */
export const logaddexp2 = /* @__PURE__ */ guard('logaddexp2', 'a, b', unchecked.logaddexp2);
/** log of the sums of exp(x) up to each element along `dim`, without overflow. */
export const logcumsumexp = /* @__PURE__ */ guard(
  'logcumsumexp',
  'input, #dim',
  unchecked.logcumsumexp,
);
/** The logarithm of {@link det}: NaN where that is negative. */
export const logdet = /* @__PURE__ */ guard('logdet', 'x', unchecked.logdet);
/** Where a and b are both not zero: bool, with broadcasting. */
export const logicalAnd = /* @__PURE__ */ guard('logicalAnd', 'a, b', unchecked.logicalAnd);
/** Where x is zero: bool. */
export const logicalNot = /* @__PURE__ */ guard('logicalNot', 'x', unchecked.logicalNot);
/** Where a or b is not zero: bool, with broadcasting. */
export const logicalOr = /* @__PURE__ */ guard('logicalOr', 'a, b', unchecked.logicalOr);
/** Where exactly one of a and b is not zero: bool, with broadcasting. */
export const logicalXor = /* @__PURE__ */ guard('logicalXor', 'a, b', unchecked.logicalXor);
/** log(x / (1 − x)); with `eps`, of x limited to [eps, 1 − eps]. */
export const logit = /* @__PURE__ */ guard('logit', 'x, options', unchecked.logit);
/** `steps` powers of `base` (10 by default), with exponents from `start` to `end`, both included. */
export const logspace = /* @__PURE__ */ guard(
  'logspace',
  '#start, #end, #steps, options',
  unchecked.logspace,
);
/** log Σ exp(x) over `dim`, without overflow. */
export const logsumexp = /* @__PURE__ */ guard(
  'logsumexp',
  'input, dim, options',
  unchecked.logsumexp,
);
/** p-norm of each window: the p-th root of the sum of p-th powers. x `[N, C, L]` or `[C, L]`. */
export const lpPool1d = /* @__PURE__ */ guard(
  'lpPool1d',
  'x, #normType, kernelSize, options',
  unchecked.lpPool1d,
);
/** p-norm of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const lpPool2d = /* @__PURE__ */ guard(
  'lpPool2d',
  'x, #normType, kernelSize, options',
  unchecked.lpPool2d,
);
/** Where a < b: bool, with broadcasting. */
export const lt = /* @__PURE__ */ guard('lt', 'a, b', unchecked.lt);
/** Seeds the default generator and returns it. */
export const manualSeed = /* @__PURE__ */ guard('manualSeed', 'seed', unchecked.manualSeed);
/** `value` (a number or a 0-d tensor) where `mask` (bool) is true; x and mask broadcast. */
export const maskedFill = /* @__PURE__ */ guard(
  'maskedFill',
  'x, mask, value',
  unchecked.maskedFill,
);
/** The elements of `source` in order, put where `mask` (bool) is true; x and mask broadcast. */
export const maskedScatter = /* @__PURE__ */ guard(
  'maskedScatter',
  'x, mask, source',
  unchecked.maskedScatter,
);
/** The elements where `mask` (bool) is true, `[n]`; x and mask broadcast. */
export const maskedSelect = /* @__PURE__ */ guard(
  'maskedSelect',
  'x, mask',
  unchecked.maskedSelect,
);
/**
 * Matrix product with PyTorch's rules: vectors count as a row (left) or column (right) that
 * disappears again, batch dims broadcast.
 */
export const matmul = /* @__PURE__ */ guard('matmul', 'a, b', unchecked.matmul);
/** The n-th power of the matrices of the last two dims; of their inverse where n is negative. */
export const matrixPower = /* @__PURE__ */ guard('matrixPower', 'x, #n', unchecked.matrixPower);
/** The largest element. Equal ones share the gradient; NaN wins. */
export const max = /* @__PURE__ */ guard('max', 'x, dim, options', unchecked.max);
/** Largest element of each window. x `[N, C, L]` or `[C, L]`. */
export const maxPool1d = /* @__PURE__ */ guard(
  'maxPool1d',
  'x, kernelSize, options',
  unchecked.maxPool1d,
);
/** {@link maxPool1d} with the position of each maximum (int64). */
export const maxPool1dWithIndices = /* @__PURE__ */ guard(
  'maxPool1dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool1dWithIndices,
);
/** Largest element of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const maxPool2d = /* @__PURE__ */ guard(
  'maxPool2d',
  'x, kernelSize, options',
  unchecked.maxPool2d,
);
/** {@link maxPool2d} with the flat H·W position of each maximum (int64). */
export const maxPool2dWithIndices = /* @__PURE__ */ guard(
  'maxPool2dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool2dWithIndices,
);
/** Largest element of each window. x `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const maxPool3d = /* @__PURE__ */ guard(
  'maxPool3d',
  'x, kernelSize, options',
  unchecked.maxPool3d,
);
/** {@link maxPool3d} with the flat D·H·W position of each maximum (int64). */
export const maxPool3dWithIndices = /* @__PURE__ */ guard(
  'maxPool3dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool3dWithIndices,
);
/** Undoes `maxPool1dWithIndices` but for what it dropped. x and indices `[N, C, L]` or `[C, L]`. */
export const maxUnpool1d = /* @__PURE__ */ guard(
  'maxUnpool1d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool1d,
);
/** Undoes `maxPool2dWithIndices` but for what it dropped; the indices count within H·W. */
export const maxUnpool2d = /* @__PURE__ */ guard(
  'maxUnpool2d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool2d,
);
/** Undoes `maxPool3dWithIndices` but for what it dropped; the indices count within D·H·W. */
export const maxUnpool3d = /* @__PURE__ */ guard(
  'maxUnpool3d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool3d,
);
/** The larger of each pair; NaN wins. */
export const maximum = /* @__PURE__ */ guard('maximum', 'a, b', unchecked.maximum);
/** Mean over `dim`; NaN over nothing. */
export const mean = /* @__PURE__ */ guard('mean', 'input, dim, more', unchecked.mean);
/** The middle element, the lower of two; NaN wins. Equal ones share the gradient. */
export const median = /* @__PURE__ */ guard('median', 'x, #dim?, options', unchecked.median);
/**
 * Coordinates of a grid, one tensor per axis: of shape `[n0, n1, …]` for vectors of those lengths,
 * with the first two dims exchanged for indexing 'xy'.
 */
export const meshgrid = /* @__PURE__ */ guard('meshgrid', 'tensors, options', unchecked.meshgrid);
/** The smallest element. Equal ones share the gradient; NaN wins. */
export const min = /* @__PURE__ */ guard('min', 'x, dim, options', unchecked.min);
/** The smaller of each pair; NaN wins. */
export const minimum = /* @__PURE__ */ guard('minimum', 'a, b', unchecked.minimum);
/** Product of two matrices, `[m, k] × [k, n]`; nothing broadcasts. */
export const mm = /* @__PURE__ */ guard('mm', 'a, b', unchecked.mm);
/**
 * The most frequent element along `dim`, the smallest of equally frequent ones, and the last
 * position where it stands.
 */
export const mode = /* @__PURE__ */ guard('mode', 'x, first, more', unchecked.mode);
/** {@link movedim} by its other name. */
export const moveaxis = /* @__PURE__ */ guard(
  'moveaxis',
  'x, source, destination',
  unchecked.moveaxis,
);
/** Dims `source` moved to the positions `destination`; the others keep their order. */
export const movedim = /* @__PURE__ */ guard(
  'movedim',
  'x, source, destination',
  unchecked.movedim,
);
/** The slices in order along the first dim. */
export const msort = /* @__PURE__ */ guard('msort', 'x', unchecked.msort);
/** a · b with broadcasting; dtypes are promoted as in PyTorch. */
export const mul = /* @__PURE__ */ guard('mul', 'a, b', unchecked.mul);
/**
 * `count` indices for each row of weights (`[categories]` or `[rows, categories]`), which need not
 * sum to 1. PyTorch's third positional argument, `replacement`, is taken as well as an option.
 */
export const multinomial = /* @__PURE__ */ guard(
  'multinomial',
  'weights, #count, options',
  unchecked.multinomial,
);
/** a · b with broadcasting; dtypes are promoted as in PyTorch. */
export const multiply = /* @__PURE__ */ guard('multiply', 'a, b', unchecked.multiply);
/** Matrix times vector. */
export const mv = /* @__PURE__ */ guard('mv', 'a, b', unchecked.mv);
/** The logarithm of the gamma function of `p` dims, of x above (p − 1) / 2. */
export const mvlgamma = /* @__PURE__ */ guard('mvlgamma', 'x, #p', unchecked.mvlgamma);
/** NaN, inf and −inf replaced: by 0 and the largest numbers of the dtype unless given. */
export const nanToNum = /* @__PURE__ */ guard('nanToNum', 'x, options', unchecked.nanToNum);
/** {@link mean} of the elements that are not NaN. */
export const nanmean = /* @__PURE__ */ guard('nanmean', 'x, dim, options', unchecked.nanmean);
/** {@link median} of the elements that are not NaN. */
export const nanmedian = /* @__PURE__ */ guard(
  'nanmedian',
  'x, #dim?, options',
  unchecked.nanmedian,
);
/** {@link sum} with NaN counting as 0. */
export const nansum = /* @__PURE__ */ guard('nansum', 'x, dim, more', unchecked.nansum);
/** `length` positions of `dim` from `start`, as a view. */
export const narrow = /* @__PURE__ */ guard('narrow', 'x, #dim, #start, #length', unchecked.narrow);
/** A copy of {@link narrow}. */
export const narrowCopy = /* @__PURE__ */ guard(
  'narrowCopy',
  'x, #dim, #start, #length',
  unchecked.narrowCopy,
);
/** Where a ≠ b: bool, with broadcasting. */
export const ne = /* @__PURE__ */ guard('ne', 'a, b', unchecked.ne);
/** −x, element by element. */
export const neg = /* @__PURE__ */ guard('neg', 'x', unchecked.neg);
/** −x, element by element. */
export const negative = /* @__PURE__ */ guard('negative', 'x', unchecked.negative);
/** Runs `fn` without recording; results do not require gradients. `fn` must be synchronous. */
export const noGrad = /* @__PURE__ */ guard('noGrad', 'fn', unchecked.noGrad);
/**
 * Positions of the elements that are not 0 (NaN included), int64 `[n, ndim]`; with `asTuple`, one
 * list per dim as an index takes them.
 */
export const nonzero = /* @__PURE__ */ guard('nonzero', 'x, options', unchecked.nonzero);
/**
 * (Σ|x|ᵖ)^(1/p) over `dim` (of all elements when omitted). p is 2 by default ('fro' is 2 too), 0
 * counts the elements that are not 0, ±Infinity takes the extreme.
 */
export const norm = /* @__PURE__ */ guard('norm', 'input, p, first, more', unchecked.norm);
/** Normal numbers of the given means and standard deviations, which broadcast; the dtype of the first tensor. */
export const normal = /* @__PURE__ */ guard(
  'normal',
  'mean, std, shape, options',
  unchecked.normal,
);
/** Where a ≠ b: bool, with broadcasting. */
export const notEqual = /* @__PURE__ */ guard('notEqual', 'a, b', unchecked.notEqual);
/** How many elements. */
export const numel = /* @__PURE__ */ guard('numel', 'x', unchecked.numel);
/** Ones of a shape. */
export const ones = /* @__PURE__ */ guard('ones', 'shape, options', unchecked.ones);
/** Ones of the shape, dtype and device of a tensor, unless options say otherwise. */
export const onesLike = /* @__PURE__ */ guard('onesLike', 'x, options', unchecked.onesLike);
/** All products of the elements of two vectors, `[n, m]`. */
export const outer = /* @__PURE__ */ guard('outer', 'a, b', unchecked.outer);
/**
 * Pads the last dims of `x`. Modes but 'constant' pad one to three axes of batched or unbatched
 * tensors with channels.
 * @param padding pairs (low, high), the last dim first, as in PyTorch: `[wLo, wHi, hLo, hHi, …]`;
 *   negative numbers crop
 * @param options.mode 'constant' (with `value`, 0 by default), 'reflect', 'replicate', 'circular'
 */
export const pad = /* @__PURE__ */ guard('pad', 'x, padding, options', unchecked.pad);
/** Axes in another order. */
export const permute = /* @__PURE__ */ guard('permute', 'x, ...dims', unchecked.permute);
/** Channels become space: `[…, C·r², H, W] → […, C, H·r, W·r]`. */
export const pixelShuffle = /* @__PURE__ */ guard(
  'pixelShuffle',
  'x, #upscaleFactor',
  unchecked.pixelShuffle,
);
/** Space becomes channels: `[…, C, H·r, W·r] → […, C·r², H, W]`. */
export const pixelUnshuffle = /* @__PURE__ */ guard(
  'pixelUnshuffle',
  'x, #downscaleFactor',
  unchecked.pixelUnshuffle,
);
/** A number of events for each rate in `rates` (see random/poisson.ts for the algorithms). */
export const poisson = /* @__PURE__ */ guard('poisson', 'rates, options', unchecked.poisson);
/** The n-th derivative of {@link digamma}. torch's function has the order first, and so may this. */
export const polygamma = /* @__PURE__ */ guard('polygamma', 'n, x', unchecked.polygamma);
/** x itself. */
export const positive = /* @__PURE__ */ guard('positive', 'x', unchecked.positive);
/** aᵇ. An integer base with a negative integer exponent is an error, as in PyTorch. */
export const pow = /* @__PURE__ */ guard('pow', 'a, b', unchecked.pow);
/** Product over `dim` (of all elements when omitted). Integers and bool multiply in int64. */
export const prod = /* @__PURE__ */ guard('prod', 'input, first, more', unchecked.prod);
/**
 * `x` with the elements of `source`, in order, at `index` of `x` flattened (int64, below 0 from the
 * end), or added there with `accumulate`.
 */
export const put = /* @__PURE__ */ guard('put', 'x, index, source, options', unchecked.put);
/**
 * The element a share `q` of the way through the sorted elements of `dim` (of all when omitted); a
 * vector of shares makes a new first dim. NaN gives NaN.
 */
export const quantile = /* @__PURE__ */ guard('quantile', 'x, q, first, more', unchecked.quantile);
/** Radians as degrees. */
export const rad2deg = /* @__PURE__ */ guard('rad2deg', 'x', unchecked.rad2deg);
/** Uniform on [0, 1), in steps of the dtype's precision. */
export const rand = /* @__PURE__ */ guard('rand', 'shape, options', unchecked.rand);
/** {@link rand} with the shape, dtype and device of `x`, drawn in the order of its memory. */
export const randLike = /* @__PURE__ */ guard('randLike', 'x, options', unchecked.randLike);
/** Integers of [0, high), int64 unless another dtype is given. */
export const randint = /* @__PURE__ */ guard(
  'randint',
  'low, high, shape, options',
  unchecked.randint,
);
/** Integers of [0, high) with the shape, dtype and device of `x`, in the order of its memory. */
export const randintLike = /* @__PURE__ */ guard(
  'randintLike',
  'x, low, high, options',
  unchecked.randintLike,
);
/** Standard normal, by Box and Muller: from 16 elements on in blocks, below one pair at a time. */
export const randn = /* @__PURE__ */ guard('randn', 'shape, options', unchecked.randn);
/** {@link randn} with the shape, dtype and device of `x`, drawn in the order of its memory. */
export const randnLike = /* @__PURE__ */ guard('randnLike', 'x, options', unchecked.randnLike);
/** A random order of 0 … n − 1, int64 unless another dtype is given: Fisher and Yates' shuffle. */
export const randperm = /* @__PURE__ */ guard('randperm', '#n, options', unchecked.randperm);
/** All elements in row-major order, `[numel]`; a view where the layout allows it. */
export const ravel = /* @__PURE__ */ guard('ravel', 'x', unchecked.ravel);
/** 1 / x, element by element. */
export const reciprocal = /* @__PURE__ */ guard('reciprocal', 'x', unchecked.reciprocal);
/** max(x, 0), element by element; NaN stays, and the derivative at 0 is 0. */
export const relu = /* @__PURE__ */ guard('relu', 'x', unchecked.relu);
/** a − b·⌊a / b⌋: the sign of the divisor, as Python's %. */
export const remainder = /* @__PURE__ */ guard('remainder', 'a, b', unchecked.remainder);
/** The slices of `x` along `dim`, scaled down to a p-norm of `maxnorm` where theirs is larger. */
export const renorm = /* @__PURE__ */ guard('renorm', 'x, #p, #dim, #maxnorm', unchecked.renorm);
/** `x` side by side `sizes[d]` times along each dim; more sizes than dims make new leading dims. */
export const repeat = /* @__PURE__ */ guard('repeat', 'x, ...sizes', unchecked.repeat);
/** Each element (slice along `dim`) `repeats` times in a row; of the flattened tensor without a dim. */
export const repeatInterleave = /* @__PURE__ */ guard(
  'repeatInterleave',
  'x, repeats, #dim?',
  unchecked.repeatInterleave,
);
/** The same elements in row-major order under another shape; one size may be -1. */
export const reshape = /* @__PURE__ */ guard('reshape', 'x, ...shape', unchecked.reshape);
/** `reshape` with the shape of another tensor. */
export const reshapeAs = /* @__PURE__ */ guard('reshapeAs', 'x, other', unchecked.reshapeAs);
/** dtype of an arithmetic result over `operands`, by PyTorch's rules. */
export const resultType = /* @__PURE__ */ guard('resultType', '...operands', unchecked.resultType);
/** Elements moved on by `shifts` along `dims`, around the end; of the flattened tensor without dims. */
export const roll = /* @__PURE__ */ guard('roll', 'x, shifts, dims', unchecked.roll);
/** Turned by 90° `k` times in the plane of two dims, from the first towards the second. */
export const rot90 = /* @__PURE__ */ guard('rot90', 'x, #k?, dims', unchecked.rot90);
/** To the nearest whole number, halves to even; or to so many decimals (tens where negative). */
export const round = /* @__PURE__ */ guard('round', 'x, options', unchecked.round);
/** Joined along the rows: the first of at least two dims. */
export const rowStack = /* @__PURE__ */ guard('rowStack', 'tensors', unchecked.rowStack);
/** 1 / √x, element by element. */
export const rsqrt = /* @__PURE__ */ guard('rsqrt', 'x', unchecked.rsqrt);
/** b − alpha·a */
export const rsub = /* @__PURE__ */ guard('rsub', 'a, b, options', unchecked.rsub);
/**
 * `x` with `out[…, index[…, j, …], …] = source[…, j, …]` along `dim`; with `reduce`, what is there
 * is added to or multiplied. `source` is a tensor of the dtype of x or a number.
 */
export const scatter = /* @__PURE__ */ guard(
  'scatter',
  'x, #dim, index, source, options',
  unchecked.scatter,
);
/** `x` with `source[…, j, …]` added at `[…, index[…, j, …], …]` along `dim`. */
export const scatterAdd = /* @__PURE__ */ guard(
  'scatterAdd',
  'x, #dim, index, source',
  unchecked.scatterAdd,
);
/**
 * Reduces the elements of `source` that meet at one position of `x` along `dim`, together with
 * what is there unless `includeSelf` is false.
 */
export const scatterReduce = /* @__PURE__ */ guard(
  'scatterReduce',
  'x, #dim, index, source, reduce, options',
  unchecked.scatterReduce,
);
/**
 * Runs `fn` and gives the memory of every tensor made in it back at its end, except for those in
 * what it returns (a tensor, or arrays, plain objects, Maps and Sets of them), gradients of leaves,
 * and the state of optimizers. Never needed for correctness or flat memory; it makes room sooner.
 *
 * A tensor that left by another way throws when its elements are read. So does a backward through
 * the graph of what is returned, if the tensors that it saved were made inside: call `backward`
 * within the scope.
 *
 * @throws VoxgradError ARGUMENT for an asynchronous function
 */
export const scope = /* @__PURE__ */ guard('scope', 'fn', unchecked.scope);
/**
 * Where each of `values` would be inserted into the last dim of `sorted` (int64): how many of its
 * elements are below it. Other dims must agree, unless `sorted` has only one.
 */
export const searchsorted = /* @__PURE__ */ guard(
  'searchsorted',
  'sorted, values, options',
  unchecked.searchsorted,
);
/** Seeds the default generator with a number that nobody can foresee, and returns it. */
export const seed = /* @__PURE__ */ guard('seed', '', unchecked.seed);
/** One position of `dim`, which disappears from the shape. */
export const select = /* @__PURE__ */ guard('select', 'x, #dim, #index', unchecked.select);
/** `x` with `source` in place of {@link select}(x, dim, index). */
export const selectScatter = /* @__PURE__ */ guard(
  'selectScatter',
  'x, source, #dim, #index',
  unchecked.selectScatter,
);
/** Sets the dtype of numbers given without one. Only floating dtypes are taken, as in PyTorch. */
export const setDefaultDtype = /* @__PURE__ */ guard(
  'setDefaultDtype',
  'dtype',
  unchecked.setDefaultDtype,
);
/**
 * While on, operations remember where they were called, and a backward that produces NaN throws
 * and names the forward operation. Slow: for debugging.
 */
export const setDetectAnomaly = /* @__PURE__ */ guard(
  'setDetectAnomaly',
  'enabled',
  unchecked.setDetectAnomaly,
);
/** Makes `device` the default for everything created without a `device` option. */
export const setDevice = /* @__PURE__ */ guard('setDevice', 'device', unchecked.setDevice);
/**
 * `setGradEnabled(false)` turns recording off from here on, `true` on again. With a function, only
 * while that runs.
 */
export const setGradEnabled = /* @__PURE__ */ guard(
  'setGradEnabled',
  'enabled, fn',
  unchecked.setGradEnabled,
);
/**
 * Continues the stream of a state that {@link getRngState} or PyTorch has saved (5056 bytes, or the
 * 5048 of PyTorch before 1.3). Bytes that are no state are refused, and nothing changes.
 */
export const setRngState = /* @__PURE__ */ guard('setRngState', 'state', unchecked.setRngState);
/** The sign: for real numbers the same as {@link sign}. */
export const sgn = /* @__PURE__ */ guard('sgn', 'x', unchecked.sgn);
/** 1 / (1 + e⁻ˣ), element by element. */
export const sigmoid = /* @__PURE__ */ guard('sigmoid', 'x', unchecked.sigmoid);
/** −1, 0 or 1 by the sign of each element; its derivative is 0. */
export const sign = /* @__PURE__ */ guard('sign', 'x', unchecked.sign);
/** Whether the sign bit is set: for −0 too. */
export const signbit = /* @__PURE__ */ guard('signbit', 'x', unchecked.signbit);
/** Sine of angles in radians. */
export const sin = /* @__PURE__ */ guard('sin', 'x', unchecked.sin);
/** sin(πx) / πx; 1 at 0. */
export const sinc = /* @__PURE__ */ guard('sinc', 'x', unchecked.sinc);
/** Hyperbolic sine, element by element. */
export const sinh = /* @__PURE__ */ guard('sinh', 'x', unchecked.sinh);
/** Positions `start, start + step, …` before `end` of `dim` (Python's slice), as a view. */
export const slice = /* @__PURE__ */ guard(
  'slice',
  'x, #dim, #start?, #end?, #step?',
  unchecked.slice,
);
/** `x` with `source` in place of {@link slice}(x, dim, start, end, step). */
export const sliceScatter = /* @__PURE__ */ guard(
  'sliceScatter',
  'x, source, #dim?, #start?, #end?, #step?',
  unchecked.sliceScatter,
);
/** The sign of {@link det} and the logarithm of its magnitude, without overflow. */
export const slogdet = /* @__PURE__ */ guard('slogdet', 'x', unchecked.slogdet);
/** exp(x) / Σ exp(x) along `dim`. */
export const softmax = /* @__PURE__ */ guard('softmax', 'input, #dim, options', unchecked.softmax);
/** The elements in order along `dim`, and their positions; see {@link argsort}. */
export const sort = /* @__PURE__ */ guard('sort', 'x, first, more', unchecked.sort);
/** Parts of `size` along `dim`, the last one smaller where it does not divide; or of listed sizes. */
export const split = /* @__PURE__ */ guard('split', 'x, size, #dim?', unchecked.split);
/** Parts of listed sizes; see {@link split}. */
export const splitWithSizes = /* @__PURE__ */ guard(
  'splitWithSizes',
  'x, sizes, #dim?',
  unchecked.splitWithSizes,
);
/** Square root; NaN below 0. */
export const sqrt = /* @__PURE__ */ guard('sqrt', 'x', unchecked.sqrt);
/** x², with the derivative of a product. */
export const square = /* @__PURE__ */ guard('square', 'x', unchecked.square);
/** Drops axes of size 1: all of them, or `dim` where it has size 1. */
export const squeeze = /* @__PURE__ */ guard('squeeze', 'x, dim', unchecked.squeeze);
/** Joins tensors of one shape along a new axis. */
export const stack = /* @__PURE__ */ guard('stack', 'tensors, #dim?', unchecked.stack);
/** Standard deviation: the root of {@link variance}. */
export const std = /* @__PURE__ */ guard('std', 'x, dim, more', unchecked.std);
/** `[standard deviation, mean]` over `dim`. */
export const stdMean = /* @__PURE__ */ guard('stdMean', 'x, dim, more', unchecked.stdMean);
/** a − alpha·b */
export const sub = /* @__PURE__ */ guard('sub', 'a, b, options', unchecked.sub);
/** a − alpha·b */
export const subtract = /* @__PURE__ */ guard('subtract', 'a, b, options', unchecked.subtract);
/** Sum over `dim` (all dims when omitted). Integers and bool add up in int64. */
export const sum = /* @__PURE__ */ guard('sum', 'x, dim, more', unchecked.sum);
/** Sums away what broadcasting `shape` to the shape of `x` had repeated. */
export const sumToSize = /* @__PURE__ */ guard('sumToSize', 'x, shape', unchecked.sumToSize);
/** {@link transpose} by its other name. */
export const swapaxes = /* @__PURE__ */ guard('swapaxes', 'x, #dim0, #dim1', unchecked.swapaxes);
/** {@link transpose} by its other name. */
export const swapdims = /* @__PURE__ */ guard('swapdims', 'x, #dim0, #dim1', unchecked.swapdims);
/** Transpose of a matrix; tensors of fewer dims are returned as they are. */
export const t = /* @__PURE__ */ guard('t', 'x', unchecked.t);
/** The elements at `index` (int64, below 0 from the end) of `x` flattened, in the shape of `index`. */
export const take = /* @__PURE__ */ guard('take', 'x, index', unchecked.take);
/** {@link gather}, with x and `indices` broadcast apart from `dim`; of both flattened without one. */
export const takeAlongDim = /* @__PURE__ */ guard(
  'takeAlongDim',
  'x, indices, #dim?',
  unchecked.takeAlongDim,
);
/** Tangent of angles in radians. */
export const tan = /* @__PURE__ */ guard('tan', 'x', unchecked.tan);
/** Hyperbolic tangent, element by element. */
export const tanh = /* @__PURE__ */ guard('tanh', 'x', unchecked.tanh);
/**
 * A tensor from nested arrays, a number, or a typed array with `shape`. The data are copied.
 * Numbers make the default dtype, booleans bool, bigints int64; a typed array makes its own dtype
 * (Uint16Array needs `dtype` 'float16' or 'bfloat16': raw words).
 */
export const tensor = /* @__PURE__ */ guard('tensor', 'data, options', unchecked.tensor);
/** `sections` parts along `dim` whose sizes differ by one at most; or parts between listed positions. */
export const tensorSplit = /* @__PURE__ */ guard(
  'tensorSplit',
  'x, sections, #dim?',
  unchecked.tensorSplit,
);
/**
 * Products summed over pairs of dims: the last `dims` of a with the first of b, or two lists of as
 * many dims. The other dims of a come first, then those of b.
 */
export const tensordot = /* @__PURE__ */ guard('tensordot', 'a, b, dims', unchecked.tensordot);
/** Like {@link repeat}, with fewer sizes than dims counting for the last dims. */
export const tile = /* @__PURE__ */ guard('tile', 'x, ...sizes', unchecked.tile);
/** `x` as another dtype or on another device; `x` itself where nothing changes. */
export const to = /* @__PURE__ */ guard('to', 'x, target', unchecked.to);
/** The `k` largest elements along `dim` in order, and their positions; NaN counts as the largest. */
export const topk = /* @__PURE__ */ guard('topk', 'x, #k, first, more', unchecked.topk);
/** Sum of the diagonal of a matrix. */
export const trace = /* @__PURE__ */ guard('trace', 'x', unchecked.trace);
/** Exchanges two axes. */
export const transpose = /* @__PURE__ */ guard('transpose', 'x, #dim0, #dim1', unchecked.transpose);
/** The integral of `y` along a dim by trapezoids, over positions `x` or steps of `dx`. */
export const trapezoid = /* @__PURE__ */ guard('trapezoid', 'y, x, options', unchecked.trapezoid);
/** {@link trapezoid} by its other name. */
export const trapz = /* @__PURE__ */ guard('trapz', 'y, x, options', unchecked.trapz);
/** The lower triangle of the last two dims, up to the diagonal `offset` above; zeros elsewhere. */
export const tril = /* @__PURE__ */ guard('tril', 'x, #offset?', unchecked.tril);
/** Rows and columns of the lower triangle of a matrix, up to the diagonal `offset`: int64 `[2, n]`. */
export const trilIndices = /* @__PURE__ */ guard(
  'trilIndices',
  '#rows, #columns, options',
  unchecked.trilIndices,
);
/** The upper triangle of the last two dims, from the diagonal `offset` above; zeros elsewhere. */
export const triu = /* @__PURE__ */ guard('triu', 'x, #offset?', unchecked.triu);
/** Rows and columns of the upper triangle of a matrix, from the diagonal `offset`: int64 `[2, n]`. */
export const triuIndices = /* @__PURE__ */ guard(
  'triuIndices',
  '#rows, #columns, options',
  unchecked.triuIndices,
);
/** True division: integers give the default float dtype, unless the quotient is rounded. */
export const trueDivide = /* @__PURE__ */ guard(
  'trueDivide',
  'a, b, options',
  unchecked.trueDivide,
);
/** Each element without its fraction; its derivative is 0. */
export const trunc = /* @__PURE__ */ guard('trunc', 'x', unchecked.trunc);
/** The slices along `dim`, without it. */
export const unbind = /* @__PURE__ */ guard('unbind', 'x, #dim?', unchecked.unbind);
/** The dim split into `sizes`, of which one may be -1. */
export const unflatten = /* @__PURE__ */ guard('unflatten', 'x, #dim, sizes', unchecked.unflatten);
/**
 * Every window of an image as a column: `[N, C, H, W] → [N, C·kH·kW, windows]`, or both without N.
 */
export const unfold = /* @__PURE__ */ guard('unfold', 'x, kernelSize, options', unchecked.unfold);
/** The distinct elements, sorted; with options, `[output, inverse?, counts?]`. NaNs are all distinct. */
export const unique = /* @__PURE__ */ guard('unique', 'x, options', unchecked.unique);
/** One element of each run of equal ones; with options, `[output, inverse?, counts?]`. */
export const uniqueConsecutive = /* @__PURE__ */ guard(
  'uniqueConsecutive',
  'x, options',
  unchecked.uniqueConsecutive,
);
/** At most `chunks` parts along `dim` of one size, the last one smaller where it does not divide. */
export const unsafeChunk = /* @__PURE__ */ guard(
  'unsafeChunk',
  'x, #chunks, #dim?',
  unchecked.unsafeChunk,
);
/** Parts of `size` along `dim`, the last one smaller where it does not divide; or of listed sizes. */
export const unsafeSplit = /* @__PURE__ */ guard(
  'unsafeSplit',
  'x, size, #dim?',
  unchecked.unsafeSplit,
);
/** Parts of listed sizes; see {@link split}. */
export const unsafeSplitWithSizes = /* @__PURE__ */ guard(
  'unsafeSplitWithSizes',
  'x, sizes, #dim?',
  unchecked.unsafeSplitWithSizes,
);
/** Inserts an axis of size 1. */
export const unsqueeze = /* @__PURE__ */ guard('unsqueeze', 'x, #dim', unchecked.unsqueeze);
/** {@link interpolate} under its old name. */
export const upsample = /* @__PURE__ */ guard('upsample', 'x, options', unchecked.upsample);
/** {@link interpolate} with mode 'bilinear' and aligned corners. */
export const upsampleBilinear = /* @__PURE__ */ guard(
  'upsampleBilinear',
  'x, options',
  unchecked.upsampleBilinear,
);
/** {@link interpolate} with mode 'nearest'. */
export const upsampleNearest = /* @__PURE__ */ guard(
  'upsampleNearest',
  'x, options',
  unchecked.upsampleNearest,
);
/**
 * The powers 0 to `n` − 1 (as many as elements by default) of a vector, `[size, n]`: from the
 * highest, or with `increasing` from the lowest.
 */
export const vander = /* @__PURE__ */ guard('vander', 'x, n, more', unchecked.vander);
/** `[variance, mean]` over `dim`. */
export const varMean = /* @__PURE__ */ guard('varMean', 'x, dim, more', unchecked.varMean);
/** Variance over `dim`, with `n - correction` in the denominator (1 by default). */
export const variance = /* @__PURE__ */ guard('variance', 'x, dim, more', unchecked.variance);
/** {@link dot} of real vectors. */
export const vdot = /* @__PURE__ */ guard('vdot', 'a, b', unchecked.vdot);
/** Like {@link reshape}, but always a view: an error where the layout would need a copy. */
export const view = /* @__PURE__ */ guard('view', 'x, ...shape', unchecked.view);
/** `view` with the shape of another tensor. */
export const viewAs = /* @__PURE__ */ guard('viewAs', 'x, other', unchecked.viewAs);
/** `[output, vᵀ·J]`: what a backward pass computes; `v` has the shapes of the outputs. */
export const vjp = /* @__PURE__ */ guard('vjp', 'fn, inputs, v, options', unchecked.vjp);
/** Parts above each other: along the first of at least two dims. */
export const vsplit = /* @__PURE__ */ guard('vsplit', 'x, sections', unchecked.vsplit);
/** Joined along the rows: the first of at least two dims. */
export const vstack = /* @__PURE__ */ guard('vstack', 'tensors', unchecked.vstack);
/** Elements of `a` where `condition` (bool) holds, else of `b`; all three broadcast. */
export const where = /* @__PURE__ */ guard('where', 'condition, a, b', unchecked.where);
/** Runs `fn` with another default device. `fn` must be synchronous. */
export const withDevice = /* @__PURE__ */ guard('withDevice', 'device, fn', unchecked.withDevice);
/** x·log(y), 0 where x is 0. */
export const xlogy = /* @__PURE__ */ guard('xlogy', 'a, b', unchecked.xlogy);
/** Zeros of a shape. */
export const zeros = /* @__PURE__ */ guard('zeros', 'shape, options', unchecked.zeros);
/** Zeros of the shape, dtype and device of a tensor, unless options say otherwise. */
export const zerosLike = /* @__PURE__ */ guard('zerosLike', 'x, options', unchecked.zerosLike);

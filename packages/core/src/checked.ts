// Written by scripts/signatures.mjs from the types; see there.

import { guard } from './guard.js';
import * as unchecked from './unchecked.js';

export * from './unchecked.js';

export const abs = /* @__PURE__ */ guard('abs', 'x', unchecked.abs);
export const absolute = /* @__PURE__ */ guard('absolute', 'x', unchecked.absolute);
export const acos = /* @__PURE__ */ guard('acos', 'x', unchecked.acos);
export const acosh = /* @__PURE__ */ guard('acosh', 'x', unchecked.acosh);
export const adaptiveAvgPool1d = /* @__PURE__ */ guard(
  'adaptiveAvgPool1d',
  'x, outputSize',
  unchecked.adaptiveAvgPool1d,
);
export const adaptiveAvgPool2d = /* @__PURE__ */ guard(
  'adaptiveAvgPool2d',
  'x, outputSize',
  unchecked.adaptiveAvgPool2d,
);
export const adaptiveAvgPool3d = /* @__PURE__ */ guard(
  'adaptiveAvgPool3d',
  'x, outputSize',
  unchecked.adaptiveAvgPool3d,
);
export const adaptiveMaxPool1d = /* @__PURE__ */ guard(
  'adaptiveMaxPool1d',
  'x, outputSize',
  unchecked.adaptiveMaxPool1d,
);
export const adaptiveMaxPool1dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool1dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool1dWithIndices,
);
export const adaptiveMaxPool2d = /* @__PURE__ */ guard(
  'adaptiveMaxPool2d',
  'x, outputSize',
  unchecked.adaptiveMaxPool2d,
);
export const adaptiveMaxPool2dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool2dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool2dWithIndices,
);
export const adaptiveMaxPool3d = /* @__PURE__ */ guard(
  'adaptiveMaxPool3d',
  'x, outputSize',
  unchecked.adaptiveMaxPool3d,
);
export const adaptiveMaxPool3dWithIndices = /* @__PURE__ */ guard(
  'adaptiveMaxPool3dWithIndices',
  'x, outputSize',
  unchecked.adaptiveMaxPool3dWithIndices,
);
export const add = /* @__PURE__ */ guard('add', 'a, b, options', unchecked.add);
export const addbmm = /* @__PURE__ */ guard('addbmm', 'x, a, b, options', unchecked.addbmm);
export const addcdiv = /* @__PURE__ */ guard('addcdiv', 'x, a, b, options', unchecked.addcdiv);
export const addcmul = /* @__PURE__ */ guard('addcmul', 'x, a, b, options', unchecked.addcmul);
export const addmm = /* @__PURE__ */ guard('addmm', 'x, a, b, options', unchecked.addmm);
export const addmv = /* @__PURE__ */ guard('addmv', 'x, a, b, options', unchecked.addmv);
export const addr = /* @__PURE__ */ guard('addr', 'x, a, b, options', unchecked.addr);
export const adjoint = /* @__PURE__ */ guard('adjoint', 'x', unchecked.adjoint);
export const affineGrid = /* @__PURE__ */ guard(
  'affineGrid',
  'theta, size, options',
  unchecked.affineGrid,
);
export const all = /* @__PURE__ */ guard('all', 'x, dim, more', unchecked.all);
export const allclose = /* @__PURE__ */ guard('allclose', 'a, b, options', unchecked.allclose);
export const amax = /* @__PURE__ */ guard('amax', 'x, dim, options', unchecked.amax);
export const amin = /* @__PURE__ */ guard('amin', 'x, dim, options', unchecked.amin);
export const aminmax = /* @__PURE__ */ guard('aminmax', 'x, options', unchecked.aminmax);
export const any = /* @__PURE__ */ guard('any', 'x, dim, more', unchecked.any);
export const arange = /* @__PURE__ */ guard(
  'arange',
  '#start, end, step, options',
  unchecked.arange,
);
export const arccos = /* @__PURE__ */ guard('arccos', 'x', unchecked.arccos);
export const arccosh = /* @__PURE__ */ guard('arccosh', 'x', unchecked.arccosh);
export const arcsin = /* @__PURE__ */ guard('arcsin', 'x', unchecked.arcsin);
export const arcsinh = /* @__PURE__ */ guard('arcsinh', 'x', unchecked.arcsinh);
export const arctan = /* @__PURE__ */ guard('arctan', 'x', unchecked.arctan);
export const arctan2 = /* @__PURE__ */ guard('arctan2', 'a, b', unchecked.arctan2);
export const arctanh = /* @__PURE__ */ guard('arctanh', 'x', unchecked.arctanh);
export const argmax = /* @__PURE__ */ guard('argmax', 'x, dim, options', unchecked.argmax);
export const argmin = /* @__PURE__ */ guard('argmin', 'x, dim, options', unchecked.argmin);
export const argsort = /* @__PURE__ */ guard('argsort', 'x, first, more', unchecked.argsort);
export const argwhere = /* @__PURE__ */ guard('argwhere', 'x', unchecked.argwhere);
export const asStrided = /* @__PURE__ */ guard(
  'asStrided',
  'x, size, stride, #storageOffset?',
  unchecked.asStrided,
);
export const asTensor = /* @__PURE__ */ guard('asTensor', 'data, options', unchecked.asTensor);
export const asarray = /* @__PURE__ */ guard('asarray', 'data, options', unchecked.asarray);
export const asin = /* @__PURE__ */ guard('asin', 'x', unchecked.asin);
export const asinh = /* @__PURE__ */ guard('asinh', 'x', unchecked.asinh);
export const atan = /* @__PURE__ */ guard('atan', 'x', unchecked.atan);
export const atan2 = /* @__PURE__ */ guard('atan2', 'a, b', unchecked.atan2);
export const atanh = /* @__PURE__ */ guard('atanh', 'x', unchecked.atanh);
export const atleast1d = /* @__PURE__ */ guard('atleast1d', 'x', unchecked.atleast1d);
export const atleast2d = /* @__PURE__ */ guard('atleast2d', 'x', unchecked.atleast2d);
export const atleast3d = /* @__PURE__ */ guard('atleast3d', 'x', unchecked.atleast3d);
export const avgPool1d = /* @__PURE__ */ guard(
  'avgPool1d',
  'x, kernelSize, options',
  unchecked.avgPool1d,
);
export const avgPool2d = /* @__PURE__ */ guard(
  'avgPool2d',
  'x, kernelSize, options',
  unchecked.avgPool2d,
);
export const avgPool3d = /* @__PURE__ */ guard(
  'avgPool3d',
  'x, kernelSize, options',
  unchecked.avgPool3d,
);
export const backward = /* @__PURE__ */ guard(
  'backward',
  'output, gradient, options',
  unchecked.backward,
);
export const baddbmm = /* @__PURE__ */ guard('baddbmm', 'x, a, b, options', unchecked.baddbmm);
export const bartlettWindow = /* @__PURE__ */ guard(
  'bartlettWindow',
  '#length, options',
  unchecked.bartlettWindow,
);
export const bernoulli = /* @__PURE__ */ guard('bernoulli', 'x, p, options', unchecked.bernoulli);
export const bincount = /* @__PURE__ */ guard('bincount', 'x, options', unchecked.bincount);
export const bitwiseAnd = /* @__PURE__ */ guard('bitwiseAnd', 'a, b', unchecked.bitwiseAnd);
export const bitwiseLeftShift = /* @__PURE__ */ guard(
  'bitwiseLeftShift',
  'a, b',
  unchecked.bitwiseLeftShift,
);
export const bitwiseNot = /* @__PURE__ */ guard('bitwiseNot', 'x', unchecked.bitwiseNot);
export const bitwiseOr = /* @__PURE__ */ guard('bitwiseOr', 'a, b', unchecked.bitwiseOr);
export const bitwiseRightShift = /* @__PURE__ */ guard(
  'bitwiseRightShift',
  'a, b',
  unchecked.bitwiseRightShift,
);
export const bitwiseXor = /* @__PURE__ */ guard('bitwiseXor', 'a, b', unchecked.bitwiseXor);
export const blackmanWindow = /* @__PURE__ */ guard(
  'blackmanWindow',
  '#length, options',
  unchecked.blackmanWindow,
);
export const blockDiag = /* @__PURE__ */ guard('blockDiag', '...tensors', unchecked.blockDiag);
export const bmm = /* @__PURE__ */ guard('bmm', 'a, b', unchecked.bmm);
export const broadcastShapes = /* @__PURE__ */ guard(
  'broadcastShapes',
  '...shapes',
  unchecked.broadcastShapes,
);
export const broadcastTensors = /* @__PURE__ */ guard(
  'broadcastTensors',
  '...tensors',
  unchecked.broadcastTensors,
);
export const broadcastTo = /* @__PURE__ */ guard('broadcastTo', 'x, shape', unchecked.broadcastTo);
export const bucketize = /* @__PURE__ */ guard(
  'bucketize',
  'x, boundaries, options',
  unchecked.bucketize,
);
export const canCast = /* @__PURE__ */ guard('canCast', 'from, to', unchecked.canCast);
export const cartesianProd = /* @__PURE__ */ guard(
  'cartesianProd',
  '...tensors',
  unchecked.cartesianProd,
);
export const cat = /* @__PURE__ */ guard('cat', 'tensors, #dim?', unchecked.cat);
export const cdist = /* @__PURE__ */ guard('cdist', 'a, b, p', unchecked.cdist);
export const ceil = /* @__PURE__ */ guard('ceil', 'x', unchecked.ceil);
export const certify = /* @__PURE__ */ guard('certify', 'device, options', unchecked.certify);
export const chainMatmul = /* @__PURE__ */ guard(
  'chainMatmul',
  '...matrices',
  unchecked.chainMatmul,
);
export const channelShuffle = /* @__PURE__ */ guard(
  'channelShuffle',
  'x, #groups',
  unchecked.channelShuffle,
);
export const checkpoint = /* @__PURE__ */ guard(
  'checkpoint',
  'fn, ...inputs',
  unchecked.checkpoint,
);
export const checkpointWith = /* @__PURE__ */ guard(
  'checkpointWith',
  'options, fn, ...inputs',
  unchecked.checkpointWith,
);
export const chunk = /* @__PURE__ */ guard('chunk', 'x, #chunks, #dim?', unchecked.chunk);
export const clamp = /* @__PURE__ */ guard('clamp', 'x, min, max', unchecked.clamp);
export const clampMax = /* @__PURE__ */ guard('clampMax', 'x, max', unchecked.clampMax);
export const clampMin = /* @__PURE__ */ guard('clampMin', 'x, min', unchecked.clampMin);
export const clip = /* @__PURE__ */ guard('clip', 'x, min, max', unchecked.clip);
export const clipGradNorm = /* @__PURE__ */ guard(
  'clipGradNorm',
  'parameters, #maxNorm, options',
  unchecked.clipGradNorm,
);
export const clipGradValue = /* @__PURE__ */ guard(
  'clipGradValue',
  'parameters, #clipValue',
  unchecked.clipGradValue,
);
export const clone = /* @__PURE__ */ guard('clone', 'x', unchecked.clone);
export const columnStack = /* @__PURE__ */ guard('columnStack', 'tensors', unchecked.columnStack);
export const combinations = /* @__PURE__ */ guard(
  'combinations',
  'x, r, more',
  unchecked.combinations,
);
export const concat = /* @__PURE__ */ guard('concat', 'tensors, #dim?', unchecked.concat);
export const concatenate = /* @__PURE__ */ guard(
  'concatenate',
  'tensors, #dim?',
  unchecked.concatenate,
);
export const contiguous = /* @__PURE__ */ guard('contiguous', 'x', unchecked.contiguous);
export const conv1d = /* @__PURE__ */ guard('conv1d', 'x, weight, bias, options', unchecked.conv1d);
export const conv1dInput = /* @__PURE__ */ guard(
  'conv1dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv1dInput,
);
export const conv1dWeight = /* @__PURE__ */ guard(
  'conv1dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv1dWeight,
);
export const conv2d = /* @__PURE__ */ guard('conv2d', 'x, weight, bias, options', unchecked.conv2d);
export const conv2dInput = /* @__PURE__ */ guard(
  'conv2dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv2dInput,
);
export const conv2dWeight = /* @__PURE__ */ guard(
  'conv2dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv2dWeight,
);
export const conv3d = /* @__PURE__ */ guard('conv3d', 'x, weight, bias, options', unchecked.conv3d);
export const conv3dInput = /* @__PURE__ */ guard(
  'conv3dInput',
  'inputSize, weight, gradOutput, options',
  unchecked.conv3dInput,
);
export const conv3dWeight = /* @__PURE__ */ guard(
  'conv3dWeight',
  'input, weightSize, gradOutput, options',
  unchecked.conv3dWeight,
);
export const convTranspose1d = /* @__PURE__ */ guard(
  'convTranspose1d',
  'x, weight, bias, options',
  unchecked.convTranspose1d,
);
export const convTranspose2d = /* @__PURE__ */ guard(
  'convTranspose2d',
  'x, weight, bias, options',
  unchecked.convTranspose2d,
);
export const convTranspose3d = /* @__PURE__ */ guard(
  'convTranspose3d',
  'x, weight, bias, options',
  unchecked.convTranspose3d,
);
export const copysign = /* @__PURE__ */ guard('copysign', 'a, b', unchecked.copysign);
export const corrcoef = /* @__PURE__ */ guard('corrcoef', 'input', unchecked.corrcoef);
export const cos = /* @__PURE__ */ guard('cos', 'x', unchecked.cos);
export const cosh = /* @__PURE__ */ guard('cosh', 'x', unchecked.cosh);
export const countNonzero = /* @__PURE__ */ guard('countNonzero', 'x, dim', unchecked.countNonzero);
export const cov = /* @__PURE__ */ guard('cov', 'input, options', unchecked.cov);
export const cross = /* @__PURE__ */ guard('cross', 'a, b, #dim?', unchecked.cross);
export const cummax = /* @__PURE__ */ guard('cummax', 'x, #dim', unchecked.cummax);
export const cummin = /* @__PURE__ */ guard('cummin', 'x, #dim', unchecked.cummin);
export const cumprod = /* @__PURE__ */ guard('cumprod', 'x, #dim, options', unchecked.cumprod);
export const cumsum = /* @__PURE__ */ guard('cumsum', 'x, #dim, options', unchecked.cumsum);
export const cumulativeTrapezoid = /* @__PURE__ */ guard(
  'cumulativeTrapezoid',
  'y, x, options',
  unchecked.cumulativeTrapezoid,
);
export const defineFunction = /* @__PURE__ */ guard(
  'defineFunction',
  'definition',
  unchecked.defineFunction,
);
export const deg2rad = /* @__PURE__ */ guard('deg2rad', 'x', unchecked.deg2rad);
export const det = /* @__PURE__ */ guard('det', 'x', unchecked.det);
export const detectAnomaly = /* @__PURE__ */ guard('detectAnomaly', 'fn', unchecked.detectAnomaly);
export const devices = /* @__PURE__ */ guard('devices', '', unchecked.devices);
export const diag = /* @__PURE__ */ guard('diag', 'x, #offset?', unchecked.diag);
export const diagEmbed = /* @__PURE__ */ guard(
  'diagEmbed',
  'x, #offset?, #dim1?, #dim2?',
  unchecked.diagEmbed,
);
export const diagflat = /* @__PURE__ */ guard('diagflat', 'x, #offset?', unchecked.diagflat);
export const diagonal = /* @__PURE__ */ guard(
  'diagonal',
  'x, #offset?, #dim1?, #dim2?',
  unchecked.diagonal,
);
export const diagonalScatter = /* @__PURE__ */ guard(
  'diagonalScatter',
  'x, source, #offset?, #dim1?, #dim2?',
  unchecked.diagonalScatter,
);
export const diff = /* @__PURE__ */ guard('diff', 'x, options', unchecked.diff);
export const digamma = /* @__PURE__ */ guard('digamma', 'x', unchecked.digamma);
export const dist = /* @__PURE__ */ guard('dist', 'a, b, p', unchecked.dist);
export const div = /* @__PURE__ */ guard('div', 'a, b, options', unchecked.div);
export const divide = /* @__PURE__ */ guard('divide', 'a, b, options', unchecked.divide);
export const dot = /* @__PURE__ */ guard('dot', 'a, b', unchecked.dot);
export const dsplit = /* @__PURE__ */ guard('dsplit', 'x, sections', unchecked.dsplit);
export const dstack = /* @__PURE__ */ guard('dstack', 'tensors', unchecked.dstack);
export const einsum = /* @__PURE__ */ guard('einsum', 'equation, ...operands', unchecked.einsum);
export const empty = /* @__PURE__ */ guard('empty', 'shape, options', unchecked.empty);
export const emptyLike = /* @__PURE__ */ guard('emptyLike', 'x, options', unchecked.emptyLike);
export const enableGrad = /* @__PURE__ */ guard('enableGrad', 'fn', unchecked.enableGrad);
export const eq = /* @__PURE__ */ guard('eq', 'a, b', unchecked.eq);
export const equal = /* @__PURE__ */ guard('equal', 'a, b', unchecked.equal);
export const erf = /* @__PURE__ */ guard('erf', 'x', unchecked.erf);
export const erfc = /* @__PURE__ */ guard('erfc', 'x', unchecked.erfc);
export const erfinv = /* @__PURE__ */ guard('erfinv', 'x', unchecked.erfinv);
export const exp = /* @__PURE__ */ guard('exp', 'x', unchecked.exp);
export const exp2 = /* @__PURE__ */ guard('exp2', 'x', unchecked.exp2);
export const expand = /* @__PURE__ */ guard('expand', 'x, ...shape', unchecked.expand);
export const expandAs = /* @__PURE__ */ guard('expandAs', 'x, other', unchecked.expandAs);
export const expm1 = /* @__PURE__ */ guard('expm1', 'x', unchecked.expm1);
export const eye = /* @__PURE__ */ guard('eye', '#n, m, options', unchecked.eye);
export const finfo = /* @__PURE__ */ guard('finfo', 'dtype', unchecked.finfo);
export const fix = /* @__PURE__ */ guard('fix', 'x', unchecked.fix);
export const flatten = /* @__PURE__ */ guard(
  'flatten',
  'x, #startDim?, #endDim?',
  unchecked.flatten,
);
export const flip = /* @__PURE__ */ guard('flip', 'x, ...dims', unchecked.flip);
export const fliplr = /* @__PURE__ */ guard('fliplr', 'x', unchecked.fliplr);
export const flipud = /* @__PURE__ */ guard('flipud', 'x', unchecked.flipud);
export const floatPower = /* @__PURE__ */ guard('floatPower', 'a, b', unchecked.floatPower);
export const floor = /* @__PURE__ */ guard('floor', 'x', unchecked.floor);
export const floorDivide = /* @__PURE__ */ guard('floorDivide', 'a, b', unchecked.floorDivide);
export const fmax = /* @__PURE__ */ guard('fmax', 'a, b', unchecked.fmax);
export const fmin = /* @__PURE__ */ guard('fmin', 'a, b', unchecked.fmin);
export const fmod = /* @__PURE__ */ guard('fmod', 'a, b', unchecked.fmod);
export const fold = /* @__PURE__ */ guard(
  'fold',
  'x, outputSize, kernelSize, options',
  unchecked.fold,
);
export const forkRng = /* @__PURE__ */ guard('forkRng', 'fn', unchecked.forkRng);
export const frac = /* @__PURE__ */ guard('frac', 'x', unchecked.frac);
export const full = /* @__PURE__ */ guard('full', 'shape, value, options', unchecked.full);
export const fullLike = /* @__PURE__ */ guard('fullLike', 'x, #value, options', unchecked.fullLike);
export const gather = /* @__PURE__ */ guard('gather', 'x, #dim, index', unchecked.gather);
export const gcd = /* @__PURE__ */ guard('gcd', 'a, b', unchecked.gcd);
export const ge = /* @__PURE__ */ guard('ge', 'a, b', unchecked.ge);
export const ger = /* @__PURE__ */ guard('ger', 'a, b', unchecked.ger);
export const getDefaultDtype = /* @__PURE__ */ guard(
  'getDefaultDtype',
  '',
  unchecked.getDefaultDtype,
);
export const getDevice = /* @__PURE__ */ guard('getDevice', 'name', unchecked.getDevice);
export const getRngState = /* @__PURE__ */ guard('getRngState', '', unchecked.getRngState);
export const grad = /* @__PURE__ */ guard('grad', 'outputs, inputs, options', unchecked.grad);
export const gradcheck = /* @__PURE__ */ guard(
  'gradcheck',
  'fn, inputs, options',
  unchecked.gradcheck,
);
export const gradgradcheck = /* @__PURE__ */ guard(
  'gradgradcheck',
  'fn, inputs, options',
  unchecked.gradgradcheck,
);
export const gradient = /* @__PURE__ */ guard('gradient', 'input, options', unchecked.gradient);
export const greater = /* @__PURE__ */ guard('greater', 'a, b', unchecked.greater);
export const greaterEqual = /* @__PURE__ */ guard('greaterEqual', 'a, b', unchecked.greaterEqual);
export const gridSample = /* @__PURE__ */ guard(
  'gridSample',
  'input, grid, options',
  unchecked.gridSample,
);
export const gt = /* @__PURE__ */ guard('gt', 'a, b', unchecked.gt);
export const hammingWindow = /* @__PURE__ */ guard(
  'hammingWindow',
  '#length, options',
  unchecked.hammingWindow,
);
export const hannWindow = /* @__PURE__ */ guard(
  'hannWindow',
  '#length, options',
  unchecked.hannWindow,
);
export const heaviside = /* @__PURE__ */ guard('heaviside', 'x, values', unchecked.heaviside);
export const hessian = /* @__PURE__ */ guard('hessian', 'fn, inputs, options', unchecked.hessian);
export const histc = /* @__PURE__ */ guard('histc', 'x, #bins?, options', unchecked.histc);
export const histogram = /* @__PURE__ */ guard(
  'histogram',
  'input, bins, options',
  unchecked.histogram,
);
export const hsplit = /* @__PURE__ */ guard('hsplit', 'x, sections', unchecked.hsplit);
export const hstack = /* @__PURE__ */ guard('hstack', 'tensors', unchecked.hstack);
export const hvp = /* @__PURE__ */ guard('hvp', 'fn, inputs, v, options', unchecked.hvp);
export const hypot = /* @__PURE__ */ guard('hypot', 'a, b', unchecked.hypot);
export const iinfo = /* @__PURE__ */ guard('iinfo', 'dtype', unchecked.iinfo);
export const index = /* @__PURE__ */ guard('index', 'x, indices', unchecked.index);
export const indexAdd = /* @__PURE__ */ guard(
  'indexAdd',
  'x, #dim, index, source, options',
  unchecked.indexAdd,
);
export const indexCopy = /* @__PURE__ */ guard(
  'indexCopy',
  'x, #dim, index, source',
  unchecked.indexCopy,
);
export const indexFill = /* @__PURE__ */ guard(
  'indexFill',
  'x, #dim, index, value',
  unchecked.indexFill,
);
export const indexPut = /* @__PURE__ */ guard(
  'indexPut',
  'x, indices, values, options',
  unchecked.indexPut,
);
export const indexReduce = /* @__PURE__ */ guard(
  'indexReduce',
  'x, #dim, index, source, reduce, options',
  unchecked.indexReduce,
);
export const indexSelect = /* @__PURE__ */ guard(
  'indexSelect',
  'x, #dim, index',
  unchecked.indexSelect,
);
export const inferenceMode = /* @__PURE__ */ guard('inferenceMode', 'fn', unchecked.inferenceMode);
export const initialSeed = /* @__PURE__ */ guard('initialSeed', '', unchecked.initialSeed);
export const inner = /* @__PURE__ */ guard('inner', 'a, b', unchecked.inner);
export const interpolate = /* @__PURE__ */ guard(
  'interpolate',
  'x, options',
  unchecked.interpolate,
);
export const inverse = /* @__PURE__ */ guard('inverse', 'x', unchecked.inverse);
export const isComplex = /* @__PURE__ */ guard('isComplex', '_x', unchecked.isComplex);
export const isFloatingPoint = /* @__PURE__ */ guard(
  'isFloatingPoint',
  'x',
  unchecked.isFloatingPoint,
);
export const isGradEnabled = /* @__PURE__ */ guard('isGradEnabled', '', unchecked.isGradEnabled);
export const isNonzero = /* @__PURE__ */ guard('isNonzero', 'x', unchecked.isNonzero);
export const isSameSize = /* @__PURE__ */ guard('isSameSize', 'a, b', unchecked.isSameSize);
export const isSigned = /* @__PURE__ */ guard('isSigned', 'x', unchecked.isSigned);
export const isTensor = /* @__PURE__ */ guard('isTensor', 'value', unchecked.isTensor);
export const isclose = /* @__PURE__ */ guard('isclose', 'a, b, options', unchecked.isclose);
export const isfinite = /* @__PURE__ */ guard('isfinite', 'x', unchecked.isfinite);
export const isin = /* @__PURE__ */ guard('isin', 'x, test, options', unchecked.isin);
export const isinf = /* @__PURE__ */ guard('isinf', 'x', unchecked.isinf);
export const isnan = /* @__PURE__ */ guard('isnan', 'x', unchecked.isnan);
export const isneginf = /* @__PURE__ */ guard('isneginf', 'x', unchecked.isneginf);
export const isposinf = /* @__PURE__ */ guard('isposinf', 'x', unchecked.isposinf);
export const jacobian = /* @__PURE__ */ guard(
  'jacobian',
  'fn, inputs, options',
  unchecked.jacobian,
);
export const jvp = /* @__PURE__ */ guard('jvp', 'fn, inputs, v, options', unchecked.jvp);
export const kron = /* @__PURE__ */ guard('kron', 'a, b', unchecked.kron);
export const kthvalue = /* @__PURE__ */ guard('kthvalue', 'x, #k, first, more', unchecked.kthvalue);
export const lcm = /* @__PURE__ */ guard('lcm', 'a, b', unchecked.lcm);
export const ldexp = /* @__PURE__ */ guard('ldexp', 'a, b', unchecked.ldexp);
export const le = /* @__PURE__ */ guard('le', 'a, b', unchecked.le);
export const lerp = /* @__PURE__ */ guard('lerp', 'start, end, weight', unchecked.lerp);
export const less = /* @__PURE__ */ guard('less', 'a, b', unchecked.less);
export const lessEqual = /* @__PURE__ */ guard('lessEqual', 'a, b', unchecked.lessEqual);
export const lgamma = /* @__PURE__ */ guard('lgamma', 'x', unchecked.lgamma);
export const linear = /* @__PURE__ */ guard('linear', 'x, weight, bias', unchecked.linear);
export const linspace = /* @__PURE__ */ guard(
  'linspace',
  '#start, #end, #steps, options',
  unchecked.linspace,
);
export const log = /* @__PURE__ */ guard('log', 'x', unchecked.log);
export const log10 = /* @__PURE__ */ guard('log10', 'x', unchecked.log10);
export const log1p = /* @__PURE__ */ guard('log1p', 'x', unchecked.log1p);
export const log2 = /* @__PURE__ */ guard('log2', 'x', unchecked.log2);
export const logSoftmax = /* @__PURE__ */ guard(
  'logSoftmax',
  'input, #dim, options',
  unchecked.logSoftmax,
);
export const logaddexp = /* @__PURE__ */ guard('logaddexp', 'a, b', unchecked.logaddexp);
export const logaddexp2 = /* @__PURE__ */ guard('logaddexp2', 'a, b', unchecked.logaddexp2);
export const logcumsumexp = /* @__PURE__ */ guard(
  'logcumsumexp',
  'input, #dim',
  unchecked.logcumsumexp,
);
export const logdet = /* @__PURE__ */ guard('logdet', 'x', unchecked.logdet);
export const logicalAnd = /* @__PURE__ */ guard('logicalAnd', 'a, b', unchecked.logicalAnd);
export const logicalNot = /* @__PURE__ */ guard('logicalNot', 'x', unchecked.logicalNot);
export const logicalOr = /* @__PURE__ */ guard('logicalOr', 'a, b', unchecked.logicalOr);
export const logicalXor = /* @__PURE__ */ guard('logicalXor', 'a, b', unchecked.logicalXor);
export const logit = /* @__PURE__ */ guard('logit', 'x, options', unchecked.logit);
export const logspace = /* @__PURE__ */ guard(
  'logspace',
  '#start, #end, #steps, options',
  unchecked.logspace,
);
export const logsumexp = /* @__PURE__ */ guard(
  'logsumexp',
  'input, dim, options',
  unchecked.logsumexp,
);
export const lpPool1d = /* @__PURE__ */ guard(
  'lpPool1d',
  'x, #normType, kernelSize, options',
  unchecked.lpPool1d,
);
export const lpPool2d = /* @__PURE__ */ guard(
  'lpPool2d',
  'x, #normType, kernelSize, options',
  unchecked.lpPool2d,
);
export const lt = /* @__PURE__ */ guard('lt', 'a, b', unchecked.lt);
export const manualSeed = /* @__PURE__ */ guard('manualSeed', 'seed', unchecked.manualSeed);
export const maskedFill = /* @__PURE__ */ guard(
  'maskedFill',
  'x, mask, value',
  unchecked.maskedFill,
);
export const maskedScatter = /* @__PURE__ */ guard(
  'maskedScatter',
  'x, mask, source',
  unchecked.maskedScatter,
);
export const maskedSelect = /* @__PURE__ */ guard(
  'maskedSelect',
  'x, mask',
  unchecked.maskedSelect,
);
export const matmul = /* @__PURE__ */ guard('matmul', 'a, b', unchecked.matmul);
export const matrixPower = /* @__PURE__ */ guard('matrixPower', 'x, #n', unchecked.matrixPower);
export const max = /* @__PURE__ */ guard('max', 'x, dim, options', unchecked.max);
export const maxPool1d = /* @__PURE__ */ guard(
  'maxPool1d',
  'x, kernelSize, options',
  unchecked.maxPool1d,
);
export const maxPool1dWithIndices = /* @__PURE__ */ guard(
  'maxPool1dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool1dWithIndices,
);
export const maxPool2d = /* @__PURE__ */ guard(
  'maxPool2d',
  'x, kernelSize, options',
  unchecked.maxPool2d,
);
export const maxPool2dWithIndices = /* @__PURE__ */ guard(
  'maxPool2dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool2dWithIndices,
);
export const maxPool3d = /* @__PURE__ */ guard(
  'maxPool3d',
  'x, kernelSize, options',
  unchecked.maxPool3d,
);
export const maxPool3dWithIndices = /* @__PURE__ */ guard(
  'maxPool3dWithIndices',
  'x, kernelSize, options',
  unchecked.maxPool3dWithIndices,
);
export const maxUnpool1d = /* @__PURE__ */ guard(
  'maxUnpool1d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool1d,
);
export const maxUnpool2d = /* @__PURE__ */ guard(
  'maxUnpool2d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool2d,
);
export const maxUnpool3d = /* @__PURE__ */ guard(
  'maxUnpool3d',
  'x, indices, kernelSize, options',
  unchecked.maxUnpool3d,
);
export const maximum = /* @__PURE__ */ guard('maximum', 'a, b', unchecked.maximum);
export const mean = /* @__PURE__ */ guard('mean', 'input, dim, more', unchecked.mean);
export const median = /* @__PURE__ */ guard('median', 'x, #dim?, options', unchecked.median);
export const meshgrid = /* @__PURE__ */ guard('meshgrid', 'tensors, options', unchecked.meshgrid);
export const min = /* @__PURE__ */ guard('min', 'x, dim, options', unchecked.min);
export const minimum = /* @__PURE__ */ guard('minimum', 'a, b', unchecked.minimum);
export const mm = /* @__PURE__ */ guard('mm', 'a, b', unchecked.mm);
export const mode = /* @__PURE__ */ guard('mode', 'x, first, more', unchecked.mode);
export const moveaxis = /* @__PURE__ */ guard(
  'moveaxis',
  'x, source, destination',
  unchecked.moveaxis,
);
export const movedim = /* @__PURE__ */ guard(
  'movedim',
  'x, source, destination',
  unchecked.movedim,
);
export const msort = /* @__PURE__ */ guard('msort', 'x', unchecked.msort);
export const mul = /* @__PURE__ */ guard('mul', 'a, b', unchecked.mul);
export const multinomial = /* @__PURE__ */ guard(
  'multinomial',
  'weights, #count, options',
  unchecked.multinomial,
);
export const multiply = /* @__PURE__ */ guard('multiply', 'a, b', unchecked.multiply);
export const mv = /* @__PURE__ */ guard('mv', 'a, b', unchecked.mv);
export const mvlgamma = /* @__PURE__ */ guard('mvlgamma', 'x, #p', unchecked.mvlgamma);
export const nanToNum = /* @__PURE__ */ guard('nanToNum', 'x, options', unchecked.nanToNum);
export const nanmean = /* @__PURE__ */ guard('nanmean', 'x, dim, options', unchecked.nanmean);
export const nanmedian = /* @__PURE__ */ guard(
  'nanmedian',
  'x, #dim?, options',
  unchecked.nanmedian,
);
export const nansum = /* @__PURE__ */ guard('nansum', 'x, dim, more', unchecked.nansum);
export const narrow = /* @__PURE__ */ guard('narrow', 'x, #dim, #start, #length', unchecked.narrow);
export const narrowCopy = /* @__PURE__ */ guard(
  'narrowCopy',
  'x, #dim, #start, #length',
  unchecked.narrowCopy,
);
export const ne = /* @__PURE__ */ guard('ne', 'a, b', unchecked.ne);
export const neg = /* @__PURE__ */ guard('neg', 'x', unchecked.neg);
export const negative = /* @__PURE__ */ guard('negative', 'x', unchecked.negative);
export const noGrad = /* @__PURE__ */ guard('noGrad', 'fn', unchecked.noGrad);
export const nonzero = /* @__PURE__ */ guard('nonzero', 'x, options', unchecked.nonzero);
export const norm = /* @__PURE__ */ guard('norm', 'input, p, first, more', unchecked.norm);
export const normal = /* @__PURE__ */ guard(
  'normal',
  'mean, std, shape, options',
  unchecked.normal,
);
export const notEqual = /* @__PURE__ */ guard('notEqual', 'a, b', unchecked.notEqual);
export const numel = /* @__PURE__ */ guard('numel', 'x', unchecked.numel);
export const ones = /* @__PURE__ */ guard('ones', 'shape, options', unchecked.ones);
export const onesLike = /* @__PURE__ */ guard('onesLike', 'x, options', unchecked.onesLike);
export const outer = /* @__PURE__ */ guard('outer', 'a, b', unchecked.outer);
export const pad = /* @__PURE__ */ guard('pad', 'x, padding, options', unchecked.pad);
export const permute = /* @__PURE__ */ guard('permute', 'x, ...dims', unchecked.permute);
export const pixelShuffle = /* @__PURE__ */ guard(
  'pixelShuffle',
  'x, #upscaleFactor',
  unchecked.pixelShuffle,
);
export const pixelUnshuffle = /* @__PURE__ */ guard(
  'pixelUnshuffle',
  'x, #downscaleFactor',
  unchecked.pixelUnshuffle,
);
export const poisson = /* @__PURE__ */ guard('poisson', 'rates, options', unchecked.poisson);
export const polygamma = /* @__PURE__ */ guard('polygamma', 'n, x', unchecked.polygamma);
export const positive = /* @__PURE__ */ guard('positive', 'x', unchecked.positive);
export const pow = /* @__PURE__ */ guard('pow', 'a, b', unchecked.pow);
export const prod = /* @__PURE__ */ guard('prod', 'input, first, more', unchecked.prod);
export const put = /* @__PURE__ */ guard('put', 'x, index, source, options', unchecked.put);
export const quantile = /* @__PURE__ */ guard('quantile', 'x, q, first, more', unchecked.quantile);
export const rad2deg = /* @__PURE__ */ guard('rad2deg', 'x', unchecked.rad2deg);
export const rand = /* @__PURE__ */ guard('rand', 'shape, options', unchecked.rand);
export const randLike = /* @__PURE__ */ guard('randLike', 'x, options', unchecked.randLike);
export const randint = /* @__PURE__ */ guard(
  'randint',
  'low, high, shape, options',
  unchecked.randint,
);
export const randintLike = /* @__PURE__ */ guard(
  'randintLike',
  'x, low, high, options',
  unchecked.randintLike,
);
export const randn = /* @__PURE__ */ guard('randn', 'shape, options', unchecked.randn);
export const randnLike = /* @__PURE__ */ guard('randnLike', 'x, options', unchecked.randnLike);
export const randperm = /* @__PURE__ */ guard('randperm', '#n, options', unchecked.randperm);
export const ravel = /* @__PURE__ */ guard('ravel', 'x', unchecked.ravel);
export const reciprocal = /* @__PURE__ */ guard('reciprocal', 'x', unchecked.reciprocal);
export const relu = /* @__PURE__ */ guard('relu', 'x', unchecked.relu);
export const remainder = /* @__PURE__ */ guard('remainder', 'a, b', unchecked.remainder);
export const renorm = /* @__PURE__ */ guard('renorm', 'x, #p, #dim, #maxnorm', unchecked.renorm);
export const repeat = /* @__PURE__ */ guard('repeat', 'x, ...sizes', unchecked.repeat);
export const repeatInterleave = /* @__PURE__ */ guard(
  'repeatInterleave',
  'x, repeats, #dim?',
  unchecked.repeatInterleave,
);
export const reshape = /* @__PURE__ */ guard('reshape', 'x, ...shape', unchecked.reshape);
export const reshapeAs = /* @__PURE__ */ guard('reshapeAs', 'x, other', unchecked.reshapeAs);
export const resultType = /* @__PURE__ */ guard('resultType', '...operands', unchecked.resultType);
export const roll = /* @__PURE__ */ guard('roll', 'x, shifts, dims', unchecked.roll);
export const rot90 = /* @__PURE__ */ guard('rot90', 'x, #k?, dims', unchecked.rot90);
export const round = /* @__PURE__ */ guard('round', 'x, options', unchecked.round);
export const rowStack = /* @__PURE__ */ guard('rowStack', 'tensors', unchecked.rowStack);
export const rsqrt = /* @__PURE__ */ guard('rsqrt', 'x', unchecked.rsqrt);
export const rsub = /* @__PURE__ */ guard('rsub', 'a, b, options', unchecked.rsub);
export const scatter = /* @__PURE__ */ guard(
  'scatter',
  'x, #dim, index, source, options',
  unchecked.scatter,
);
export const scatterAdd = /* @__PURE__ */ guard(
  'scatterAdd',
  'x, #dim, index, source',
  unchecked.scatterAdd,
);
export const scatterReduce = /* @__PURE__ */ guard(
  'scatterReduce',
  'x, #dim, index, source, reduce, options',
  unchecked.scatterReduce,
);
export const scope = /* @__PURE__ */ guard('scope', 'fn', unchecked.scope);
export const searchsorted = /* @__PURE__ */ guard(
  'searchsorted',
  'sorted, values, options',
  unchecked.searchsorted,
);
export const seed = /* @__PURE__ */ guard('seed', '', unchecked.seed);
export const select = /* @__PURE__ */ guard('select', 'x, #dim, #index', unchecked.select);
export const selectScatter = /* @__PURE__ */ guard(
  'selectScatter',
  'x, source, #dim, #index',
  unchecked.selectScatter,
);
export const setDefaultDtype = /* @__PURE__ */ guard(
  'setDefaultDtype',
  'dtype',
  unchecked.setDefaultDtype,
);
export const setDetectAnomaly = /* @__PURE__ */ guard(
  'setDetectAnomaly',
  'enabled',
  unchecked.setDetectAnomaly,
);
export const setDevice = /* @__PURE__ */ guard('setDevice', 'device', unchecked.setDevice);
export const setGradEnabled = /* @__PURE__ */ guard(
  'setGradEnabled',
  'enabled, fn',
  unchecked.setGradEnabled,
);
export const setRngState = /* @__PURE__ */ guard('setRngState', 'state', unchecked.setRngState);
export const sgn = /* @__PURE__ */ guard('sgn', 'x', unchecked.sgn);
export const sigmoid = /* @__PURE__ */ guard('sigmoid', 'x', unchecked.sigmoid);
export const sign = /* @__PURE__ */ guard('sign', 'x', unchecked.sign);
export const signbit = /* @__PURE__ */ guard('signbit', 'x', unchecked.signbit);
export const sin = /* @__PURE__ */ guard('sin', 'x', unchecked.sin);
export const sinc = /* @__PURE__ */ guard('sinc', 'x', unchecked.sinc);
export const sinh = /* @__PURE__ */ guard('sinh', 'x', unchecked.sinh);
export const slice = /* @__PURE__ */ guard(
  'slice',
  'x, #dim, #start?, #end?, #step?',
  unchecked.slice,
);
export const sliceScatter = /* @__PURE__ */ guard(
  'sliceScatter',
  'x, source, #dim?, #start?, #end?, #step?',
  unchecked.sliceScatter,
);
export const slogdet = /* @__PURE__ */ guard('slogdet', 'x', unchecked.slogdet);
export const softmax = /* @__PURE__ */ guard('softmax', 'input, #dim, options', unchecked.softmax);
export const sort = /* @__PURE__ */ guard('sort', 'x, first, more', unchecked.sort);
export const split = /* @__PURE__ */ guard('split', 'x, size, #dim?', unchecked.split);
export const splitWithSizes = /* @__PURE__ */ guard(
  'splitWithSizes',
  'x, sizes, #dim?',
  unchecked.splitWithSizes,
);
export const sqrt = /* @__PURE__ */ guard('sqrt', 'x', unchecked.sqrt);
export const square = /* @__PURE__ */ guard('square', 'x', unchecked.square);
export const squeeze = /* @__PURE__ */ guard('squeeze', 'x, dim', unchecked.squeeze);
export const stack = /* @__PURE__ */ guard('stack', 'tensors, #dim?', unchecked.stack);
export const std = /* @__PURE__ */ guard('std', 'x, dim, more', unchecked.std);
export const stdMean = /* @__PURE__ */ guard('stdMean', 'x, dim, more', unchecked.stdMean);
export const sub = /* @__PURE__ */ guard('sub', 'a, b, options', unchecked.sub);
export const subtract = /* @__PURE__ */ guard('subtract', 'a, b, options', unchecked.subtract);
export const sum = /* @__PURE__ */ guard('sum', 'x, dim, more', unchecked.sum);
export const sumToSize = /* @__PURE__ */ guard('sumToSize', 'x, shape', unchecked.sumToSize);
export const swapaxes = /* @__PURE__ */ guard('swapaxes', 'x, #dim0, #dim1', unchecked.swapaxes);
export const swapdims = /* @__PURE__ */ guard('swapdims', 'x, #dim0, #dim1', unchecked.swapdims);
export const t = /* @__PURE__ */ guard('t', 'x', unchecked.t);
export const take = /* @__PURE__ */ guard('take', 'x, index', unchecked.take);
export const takeAlongDim = /* @__PURE__ */ guard(
  'takeAlongDim',
  'x, indices, #dim?',
  unchecked.takeAlongDim,
);
export const tan = /* @__PURE__ */ guard('tan', 'x', unchecked.tan);
export const tanh = /* @__PURE__ */ guard('tanh', 'x', unchecked.tanh);
export const tensor = /* @__PURE__ */ guard('tensor', 'data, options', unchecked.tensor);
export const tensorSplit = /* @__PURE__ */ guard(
  'tensorSplit',
  'x, sections, #dim?',
  unchecked.tensorSplit,
);
export const tensordot = /* @__PURE__ */ guard('tensordot', 'a, b, dims', unchecked.tensordot);
export const tile = /* @__PURE__ */ guard('tile', 'x, ...sizes', unchecked.tile);
export const to = /* @__PURE__ */ guard('to', 'x, target', unchecked.to);
export const topk = /* @__PURE__ */ guard('topk', 'x, #k, first, more', unchecked.topk);
export const trace = /* @__PURE__ */ guard('trace', 'x', unchecked.trace);
export const transpose = /* @__PURE__ */ guard('transpose', 'x, #dim0, #dim1', unchecked.transpose);
export const trapezoid = /* @__PURE__ */ guard('trapezoid', 'y, x, options', unchecked.trapezoid);
export const trapz = /* @__PURE__ */ guard('trapz', 'y, x, options', unchecked.trapz);
export const tril = /* @__PURE__ */ guard('tril', 'x, #offset?', unchecked.tril);
export const trilIndices = /* @__PURE__ */ guard(
  'trilIndices',
  '#rows, #columns, options',
  unchecked.trilIndices,
);
export const triu = /* @__PURE__ */ guard('triu', 'x, #offset?', unchecked.triu);
export const triuIndices = /* @__PURE__ */ guard(
  'triuIndices',
  '#rows, #columns, options',
  unchecked.triuIndices,
);
export const trueDivide = /* @__PURE__ */ guard(
  'trueDivide',
  'a, b, options',
  unchecked.trueDivide,
);
export const trunc = /* @__PURE__ */ guard('trunc', 'x', unchecked.trunc);
export const unbind = /* @__PURE__ */ guard('unbind', 'x, #dim?', unchecked.unbind);
export const unflatten = /* @__PURE__ */ guard('unflatten', 'x, #dim, sizes', unchecked.unflatten);
export const unfold = /* @__PURE__ */ guard('unfold', 'x, kernelSize, options', unchecked.unfold);
export const unique = /* @__PURE__ */ guard('unique', 'x, options', unchecked.unique);
export const uniqueConsecutive = /* @__PURE__ */ guard(
  'uniqueConsecutive',
  'x, options',
  unchecked.uniqueConsecutive,
);
export const unsafeChunk = /* @__PURE__ */ guard(
  'unsafeChunk',
  'x, #chunks, #dim?',
  unchecked.unsafeChunk,
);
export const unsafeSplit = /* @__PURE__ */ guard(
  'unsafeSplit',
  'x, size, #dim?',
  unchecked.unsafeSplit,
);
export const unsafeSplitWithSizes = /* @__PURE__ */ guard(
  'unsafeSplitWithSizes',
  'x, sizes, #dim?',
  unchecked.unsafeSplitWithSizes,
);
export const unsqueeze = /* @__PURE__ */ guard('unsqueeze', 'x, #dim', unchecked.unsqueeze);
export const upsample = /* @__PURE__ */ guard('upsample', 'x, options', unchecked.upsample);
export const upsampleBilinear = /* @__PURE__ */ guard(
  'upsampleBilinear',
  'x, options',
  unchecked.upsampleBilinear,
);
export const upsampleNearest = /* @__PURE__ */ guard(
  'upsampleNearest',
  'x, options',
  unchecked.upsampleNearest,
);
export const vander = /* @__PURE__ */ guard('vander', 'x, n, more', unchecked.vander);
export const varMean = /* @__PURE__ */ guard('varMean', 'x, dim, more', unchecked.varMean);
export const variance = /* @__PURE__ */ guard('variance', 'x, dim, more', unchecked.variance);
export const vdot = /* @__PURE__ */ guard('vdot', 'a, b', unchecked.vdot);
export const view = /* @__PURE__ */ guard('view', 'x, ...shape', unchecked.view);
export const viewAs = /* @__PURE__ */ guard('viewAs', 'x, other', unchecked.viewAs);
export const vjp = /* @__PURE__ */ guard('vjp', 'fn, inputs, v, options', unchecked.vjp);
export const vsplit = /* @__PURE__ */ guard('vsplit', 'x, sections', unchecked.vsplit);
export const vstack = /* @__PURE__ */ guard('vstack', 'tensors', unchecked.vstack);
export const where = /* @__PURE__ */ guard('where', 'condition, a, b', unchecked.where);
export const withDevice = /* @__PURE__ */ guard('withDevice', 'device, fn', unchecked.withDevice);
export const xlogy = /* @__PURE__ */ guard('xlogy', 'a, b', unchecked.xlogy);
export const zeros = /* @__PURE__ */ guard('zeros', 'shape, options', unchecked.zeros);
export const zerosLike = /* @__PURE__ */ guard('zerosLike', 'x, options', unchecked.zerosLike);

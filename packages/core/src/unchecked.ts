export {
  checkCall,
  notTensor,
  onTensors,
  optionalTensors,
  requireFunction,
  requireTensorList,
  requireTensors,
} from './arguments.js';

export { detectAnomaly, setDetectAnomaly } from './autograd/anomaly.js';
export {
  type CheckpointOptions,
  checkpoint,
  checkpointWith,
  isRecomputing,
} from './autograd/checkpoint.js';
export { type ClipGradNormOptions, clipGradNorm, clipGradValue } from './autograd/clip-grad.js';
export {
  type BackwardOptions,
  backward,
  type GradOptions,
  grad,
} from './autograd/engine.js';
export { defineFunction, FunctionContext, type FunctionDefinition } from './autograd/function.js';
export {
  type FunctionalOptions,
  hessian,
  hvp,
  type JacobianResult,
  jacobian,
  jvp,
  vjp,
} from './autograd/functional.js';
export {
  type Checked,
  GradcheckError,
  type GradcheckOptions,
  type GradgradcheckOptions,
  gradcheck,
  gradgradcheck,
} from './autograd/gradcheck.js';
export {
  atSite,
  enableGrad,
  inferenceMode,
  isGradEnabled,
  noGrad,
  setGradEnabled,
} from './autograd/mode.js';
export type { Edge, GradientHook, Gradients, Node } from './autograd/node.js';
export { defineMultiOp, defineOp, type OpDefinition, type RuleContext } from './autograd/op.js';
export { type Recorder, recordedBy } from './autograd/recorder.js';
export { cpu, cpuKernels } from './cpu/device.js';
export { collapse, type Loops } from './cpu/rows.js';
export { adamStep } from './device/adam-step.js';
export * from './device/device.js';
export * from './device/registry.js';
export * from './errors.js';
export { checkArguments, guard } from './guard.js';
export * from './ops/adaptive-pool.js';
export * from './ops/affine-grid.js';
export * from './ops/alias-joins.js';
export * from './ops/aliases.js';
export * from './ops/arrange.js';
export * from './ops/as-strided.js';
export * from './ops/avg-pool.js';
export { channelAffine, fusesRelu, hasBatchNorm, nativeBatchNorm } from './ops/batch-norm.js';
export * from './ops/binary.js';
export * from './ops/bitwise.js';
export * from './ops/blend.js';
export { clone, contiguous, to } from './ops/cast.js';
export * from './ops/clamp.js';
export * from './ops/combine.js';
export {
  type ConvCallOptions,
  type ConvTransposeCallOptions,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
} from './ops/conv/functional.js';
export * from './ops/conv/geometry.js';
export {
  conv1dInput,
  conv1dWeight,
  conv2dInput,
  conv2dWeight,
  conv3dInput,
  conv3dWeight,
} from './ops/conv/gradients.js';
export * from './ops/counting.js';
export * from './ops/covariance.js';
export * from './ops/cumulative.js';
export * from './ops/dense.js';
export * from './ops/diagonal.js';
export * from './ops/einsum.js';
export * from './ops/extremes.js';
export * from './ops/gamma.js';
export * from './ops/grid-sample.js';
export * from './ops/histogram.js';
export { gather, indexSelect } from './ops/indexing.js';
export * from './ops/integers.js';
export * from './ops/integration.js';
export * from './ops/interpolate.js';
export * from './ops/join.js';
export * from './ops/logical.js';
export * from './ops/lp-pool.js';
export { argwhere, maskedFill, maskedScatter, maskedSelect, nonzero } from './ops/masked.js';
export { bmm, linear, matmul, mm } from './ops/matmul.js';
export * from './ops/max-pool.js';
export * from './ops/max-unpool.js';
export * from './ops/norm.js';
export { type PadMode, pad } from './ops/pad.js';
export {
  type PerAxis,
  poolOutputSize,
  type WindowOptions,
  windowOptions,
} from './ops/pool-geometry.js';
export * from './ops/products.js';
export * from './ops/put.js';
export * from './ops/quantile.js';
export {
  bernoulli,
  type MultinomialOptions,
  multinomial,
  normal,
  poisson,
} from './ops/random.js';
export * from './ops/reduce.js';
export * from './ops/scatter.js';
export * from './ops/search.js';
export * from './ops/shuffle.js';
export { logSoftmax, logsumexp, softmax } from './ops/softmax.js';
export * from './ops/sort.js';
export * from './ops/special.js';
export * from './ops/split.js';
export * from './ops/unary.js';
export * from './ops/unfold.js';
export {
  diagflat,
  diagonalScatter,
  narrowCopy,
  selectScatter,
  sliceScatter,
} from './ops/view-scatter.js';
export * from './ops/views.js';
export { checkOptions, type KnownOptions, likelyName, type OptionTable } from './options.js';
export { defaultGenerator, Generator, manualSeed } from './random/generator.js';
export { instanceOfBrand, shared } from './shared.js';
export * from './state-dict.js';
export type { CalibrateOptions } from './strategies/calibrate.js';
export type { Calibration, CalibrationEntry } from './strategies/calibration.js';
export { type ConvCallLike, plainConvCall } from './strategies/call.js';
export { checkStrategyName } from './strategies/catalogue.js';
export { type CertifyOptions, certify } from './strategies/certify/certify.js';
export type { CertifyReport, KernelReport } from './strategies/certify/report.js';
export type { Quarantine } from './strategies/certify/verdict.js';
export type { Choices } from './strategies/choices.js';
export * as strategies from './strategies/index.js';
export type { StrategyInfo } from './strategies/list.js';
export {
  asPart,
  budgetReached,
  mayRecompute,
  partEnd,
  recomputable,
} from './strategies/memory-budget.js';
export type { Operation } from './strategies/operation.js';
export type {
  RecordedCall,
  RecordedStrategy,
  RecordedTensors,
} from './strategies/recorded-operation.js';
export type { Considered, Explanation, TraceEntry } from './strategies/registry.js';
export type { RunOptions } from './strategies/run-operation.js';
export {
  describeSteps,
  extraBytes,
  type Step,
  type StrategyName,
} from './strategies/steps.js';
export type * from './strategies/types.js';
export {
  arange,
  type CreateOptions,
  empty,
  emptyLike,
  eye,
  fromHost,
  full,
  fullLike,
  linspace,
  logspace,
  ones,
  onesLike,
  tensor,
  zeros,
  zerosLike,
} from './tensor/create.js';
export { asarray, asTensor, trilIndices, triuIndices } from './tensor/create-like.js';
export * from './tensor/dtype.js';
export {
  canCast,
  isComplex,
  isFloatingPoint,
  isNonzero,
  isSameSize,
  isSigned,
  isTensor,
  numel,
} from './tensor/inspect.js';
export * from './tensor/limits.js';
export * from './tensor/random.js';
export * from './tensor/random-state.js';
export { scope, unseen, usedUp } from './tensor/scope.js';
export * from './tensor/shape.js';
export { type Residence, Storage, type View } from './tensor/storage.js';
export { type NestedList, Tensor, type TensorInit } from './tensor/tensor.js';
export * from './tensor/windows.js';

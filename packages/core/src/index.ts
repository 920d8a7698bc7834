import './tensor/methods.js';

export * from './autograd/engine.js';
export {
  type Checked,
  GradcheckError,
  type GradcheckOptions,
  type GradgradcheckOptions,
  gradcheck,
  gradgradcheck,
} from './autograd/gradcheck.js';
export { atSite, enableGrad, isGradEnabled, noGrad } from './autograd/mode.js';
export type { Edge, GradientHook, Gradients, Node } from './autograd/node.js';
export { defineMultiOp, defineOp, type OpDefinition, type RuleContext } from './autograd/op.js';
export { cpu, cpuKernels } from './cpu/device.js';
export * from './device/device.js';
export * from './device/registry.js';
export * from './errors.js';
export * from './ops/binary.js';
export { clone, contiguous, to } from './ops/cast.js';
export * from './ops/conv/functional.js';
export * from './ops/conv/geometry.js';
export { gather, indexSelect } from './ops/indexing.js';
export { cat, stack } from './ops/join.js';
export * from './ops/logical.js';
export { bmm, linear, matmul, mm } from './ops/matmul.js';
export { type PadMode, pad } from './ops/pad.js';
export * from './ops/pool.js';
export * from './ops/reduce.js';
export { logSoftmax, logsumexp, softmax } from './ops/softmax.js';
export * from './ops/unary.js';
export * from './ops/views.js';
export { defaultGenerator, Generator, manualSeed } from './random/generator.js';
export { instanceOfBrand, shared } from './shared.js';
export * from './state-dict.js';
export type { ConvCallLike } from './strategies/call.js';
export * as strategies from './strategies/index.js';
export type {
  Choices,
  Considered,
  Explanation,
  StrategyInfo,
  TraceEntry,
} from './strategies/registry.js';
export type * from './strategies/types.js';
export {
  arange,
  type CreateOptions,
  eye,
  fromHost,
  full,
  fullLike,
  linspace,
  ones,
  onesLike,
  tensor,
  zeros,
  zerosLike,
} from './tensor/create.js';
export * from './tensor/dtype.js';
export * from './tensor/random.js';
export * from './tensor/shape.js';
export { Storage, type View } from './tensor/storage.js';
export { type NestedList, Tensor, type TensorInit } from './tensor/tensor.js';

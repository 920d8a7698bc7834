// PyTorch's torch.nn.functional: stateless forms of what the modules do.

export {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool1dWithIndices,
  adaptiveMaxPool2d,
  adaptiveMaxPool2dWithIndices,
  adaptiveMaxPool3d,
  adaptiveMaxPool3dWithIndices,
  affineGrid,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  channelShuffle,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  fold,
  gridSample,
  interpolate,
  linear,
  logSoftmax,
  lpPool1d,
  lpPool2d,
  maxPool1d,
  maxPool1dWithIndices,
  maxPool2d,
  maxPool2dWithIndices,
  maxPool3d,
  maxPool3dWithIndices,
  maxUnpool1d,
  maxUnpool2d,
  maxUnpool3d,
  pad,
  pixelShuffle,
  pixelUnshuffle,
  sigmoid,
  softmax,
  tanh,
  unfold,
  upsample,
  upsampleBilinear,
  upsampleNearest,
} from '@voxgrad/core';
export * from './activations/index.js';
export * from './attention.js';
export * from './bilinear.js';
export * from './dropout.js';
export { type EmbeddingCallOptions, embedding, oneHot } from './embedding.js';
export * from './embedding-bag.js';
export * from './layer-norm.js';
export * from './losses/index.js';
export * from './multi-head-attention.js';
export * from './normalization.js';
export * from './similarity.js';

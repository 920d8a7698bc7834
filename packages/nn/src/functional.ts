// PyTorch's torch.nn.functional: stateless forms of what the modules do.

export {
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  linear,
  logSoftmax,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  maxPool3dWithIndices,
  pad,
  relu,
  sigmoid,
  softmax,
  tanh,
} from '@voxgrad/core';
export * from './losses.js';
export * from './normalization.js';

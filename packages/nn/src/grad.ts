// PyTorch's torch.nn.grad.

export {
  conv1dInput,
  conv1dWeight,
  conv2dInput,
  conv2dWeight,
  conv3dInput,
  conv3dWeight,
} from '@voxgrad/core';

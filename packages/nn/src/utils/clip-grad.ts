// PyTorch's names of what `optim` has too.

export { clipGradNorm as clipGradNorm_, clipGradValue as clipGradValue_ } from '@voxgrad/core';

export { type ClipGradNormOptions, clipGradNorm, clipGradValue } from '@voxgrad/core';

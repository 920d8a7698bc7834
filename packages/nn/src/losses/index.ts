export * from './binary.js';
export * from './classification.js';
export * from './ctc.js';
export * from './divergence.js';
export * from './margin.js';
export type { LossOptions, Reduction } from './reduction.js';
export * from './regression.js';
export * from './segmentation.js';

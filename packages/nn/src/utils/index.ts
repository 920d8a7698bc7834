export * from './clip-grad.js';
export * from './fuse.js';
export * as parametrize from './parametrize.js';
export * from './skip-init.js';
export * from './spectral-norm.js';
export * from './vector.js';
export * from './weight-norm.js';

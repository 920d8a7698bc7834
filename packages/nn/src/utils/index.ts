export * from './fuse.js';
export * from './spectral-norm.js';
export * from './vector.js';
export * from './weight-norm.js';

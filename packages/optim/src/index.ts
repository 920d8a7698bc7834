export * from './adam.js';
export * from './optimizer.js';
export * from './sgd.js';

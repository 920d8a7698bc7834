export * from './gates.js';
export * from './piecewise.js';
export * from './smooth.js';

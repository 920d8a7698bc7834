export * from './gates.js';
export * from './in-place.js';
export * from './piecewise.js';
export * from './smooth.js';

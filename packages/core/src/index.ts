import './strategies/index.js';
import './tensor/methods.js';

// What users call is checked by its signature; types, classes and what devices and packages build with
// (scripts/building-blocks.json) are as they are in unchecked.ts.
export * from './checked.js';

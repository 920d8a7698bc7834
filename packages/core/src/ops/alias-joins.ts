// Second names of the functions that join lists of tensors; like those, they are no methods.

export { cat as concat, cat as concatenate, vstack as rowStack } from './join.js';

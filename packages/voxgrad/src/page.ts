// What a page without a bundler loads: everything, the engine in a worker included.

export * from './index.js';
export { serveTasks, startEngine, transfer } from './worker.js';

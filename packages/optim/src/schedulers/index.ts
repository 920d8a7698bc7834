export * from './combined.js';
export * from './cosine.js';
export * from './cyclic.js';
export * from './decay.js';
export * from './lambda.js';
export * from './one-cycle.js';
export * from './plateau.js';
export {
  LRScheduler,
  type Schedulable,
  type Scheduler,
  type SchedulerOptions,
} from './scheduler.js';
export * from './swa.js';

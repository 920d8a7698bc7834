export { createTfjsDevice, type TfjsDevice } from './device.js';
export { fromTfjs, toTfjs } from './handover.js';
export type { Tfjs, TfjsTensor } from './types.js';

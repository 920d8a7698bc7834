export type { Tfjs } from './backend.js';
export { createTfjsDevice, type TfjsDevice } from './device.js';
export { fromTfjs, toTfjs } from './handover.js';

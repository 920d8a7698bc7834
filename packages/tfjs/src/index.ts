export { createTfjsDevice, type Tfjs } from './device.js';

export { CheckpointError, type CheckpointErrorCode, type PathStep, type Where } from './error.js';
export { type LoadOptions, load, loadStateDict } from './load.js';
export { type SaveFormat, type SaveOptions, save } from './save.js';
export type { CheckpointSource } from './source.js';
export type { Loaded, LoadedKey } from './value.js';

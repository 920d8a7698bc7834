import { VoxgradError } from '@voxgrad/core';

/** Where a run's numbers stopped being finite. */
export interface Origin {
  /** `'input'` for what the loader gave or a constant, `'parameter'` for what was so from the start. */
  readonly phase: 'input' | 'parameter' | 'forward' | 'backward' | 'optimizer';
  /** Path of the module, '' for the model itself; null outside of it. */
  readonly module: string | null;
  /** The operation, or what tensor it was. */
  readonly operation: string;
  /** The update in which it began: 1 for the first. */
  readonly step: number;
  readonly epoch: number;
}

/** NaN or infinity in training, with where it began. */
export class NonFiniteError extends VoxgradError {
  constructor(
    message: string,
    readonly origin: Origin,
  ) {
    super('NONFINITE', message);
  }
}

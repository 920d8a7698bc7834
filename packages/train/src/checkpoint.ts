// When and where a run is saved, and where it goes on from.

import { CheckpointError, type CheckpointSource, load, save } from '@voxgrad/checkpoint';
import { argumentError, checkOptions, describe } from '@voxgrad/core';
import { checkCount, checkPositive } from './checks.js';
import { resumeError } from './read.js';

export interface Checkpointing {
  /**
   * A path (in Node; the file is replaced whole or not at all), or a function that keeps the bytes
   * somewhere.
   */
  to: string | URL | ((bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>);
  /** Saves after every so many updates, besides the end of each epoch. */
  everySteps?: number;
  /** Saves after the first update that ends so many seconds after the last save. */
  everySeconds?: number;
  /**
   * What to go on from: `true`, the default, the file at the path where there is one; `false` starts
   * anew; or a file, its bytes, or a Blob.
   */
  resume?: boolean | CheckpointSource;
}

export class Checkpoints {
  readonly #options: Checkpointing;
  #lastSave = performance.now();
  #stepsSince = 0;

  constructor(options: Checkpointing) {
    checkOptions('checkpoint', options, ['to', 'everySteps', 'everySeconds', 'resume']);
    const { to, everySteps, everySeconds } = options;
    if (!(typeof to === 'string' || typeof to === 'function' || to instanceof URL))
      throw argumentError(
        `checkpoint: 'to' should be a path or a function that takes bytes, but got ${describe(to)}`,
      );
    checkCount('checkpoint', 'everySteps', everySteps, 1);
    checkPositive('checkpoint', 'everySeconds', everySeconds);
    this.#options = options;
  }

  /** Counts an update; says whether it is time to save. */
  due(): boolean {
    const { everySteps, everySeconds } = this.#options;
    this.#stepsSince++;
    const seconds = (performance.now() - this.#lastSave) / 1000;
    return (
      (everySteps !== undefined && this.#stepsSince >= everySteps) ||
      (everySeconds !== undefined && seconds >= everySeconds)
    );
  }

  async save(state: object): Promise<void> {
    const { to } = this.#options;
    if (typeof to === 'function') await to(await save(state));
    else await save(state, to, { format: 'torch' });
    this.#stepsSince = 0;
    this.#lastSave = performance.now();
  }

  /** What to go on from; undefined to start anew. */
  async load(): Promise<unknown> {
    const { to, resume = true } = this.#options;
    if (resume === false || (resume === true && typeof to === 'function')) return undefined;
    if (resume !== true) return load(resume, { device: 'cpu' });
    try {
      return await load(to as string | URL, { device: 'cpu' });
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof CheckpointError)
        throw resumeError(
          `${error.message}. Move the file away, or pass resume: false to start anew and replace it`,
        );
      throw error;
    }
  }
}

/** Whether an error, or what it was caused by, says that there is no such file. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === 'ENOENT') || isMissing(error.cause);
}

// A recorder sees a computation as it runs, to write it down in another form (a graph for another
// runtime). It is no part of the tape: recording works with and without gradients.

import { shared } from '../shared.js';
import type { Tensor } from '../tensor/tensor.js';

/** What is told of a computation. Nothing is called for what happens inside of an operation. */
export interface Recorder {
  /**
   * An operation has run, on behalf of `site` (a module, where there is one). Its outputs may be windows
   * over the elements of its inputs.
   */
  operation(
    name: string,
    inputs: readonly Tensor[],
    options: unknown,
    outputs: readonly Tensor[],
    site: object | undefined,
  ): void;
  /** In a backward walk, the rule of an operation of `site` has run and returned `gradients`. */
  rule?(name: string, site: object | undefined, gradients: readonly (Tensor | null)[]): void;
  /** `target` was overwritten with the elements of `source`. */
  written(target: Tensor, source: Tensor): void;
  /** A function of the library was called by its public name; returns what `run` returns. */
  call(name: string, args: readonly unknown[], run: () => unknown): unknown;
}

const state = shared('recorder', () => ({ current: undefined as Recorder | undefined }));

/** The recorder of what runs now. */
export const currentRecorder = (): Recorder | undefined => state.current;

/** Runs `fn` under the eyes of `recorder`. */
export function recordedBy<T>(recorder: Recorder, fn: () => T): T {
  const before = state.current;
  state.current = recorder;
  try {
    return fn();
  } finally {
    state.current = before;
  }
}

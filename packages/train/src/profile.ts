// Time, memory and strategies of every layer in one forward and backward.

import {
  bytesPerElement,
  type Recorder,
  recordedBy,
  strategies,
  type Tensor,
  type TraceEntry,
} from '@voxgrad/core';
import type { Module } from '@voxgrad/nn';
import { pathsOf } from './paths.js';

/** What ran in a module itself, not in the ones below it. */
export interface LayerRow {
  /** Its path, as `namedModules` gives it; '' is the model, null what ran outside of it (the loss). */
  readonly path: string | null;
  /** Name of its class. */
  readonly type: string;
  readonly parameters: number;
  /** Time of its operations. On devices that compute later, the time to hand them over. */
  forwardMs: number;
  backwardMs: number;
  /** Of the tensors that its forward made, views not counted. */
  outputBytes: number;
  operations: number;
  /** Decisions of the strategy registry, in order. */
  readonly strategies: Omit<TraceEntry, 'site'>[];
}

export interface LayerProfile {
  readonly rows: readonly LayerRow[];
  readonly totalMs: number;
}

/**
 * Runs `fn`, which computes something and calls backward, and says what each module of `model` did in
 * it. The time between two operations counts for the later one. `fn` must be synchronous.
 */
export function profileLayers<T>(
  model: Module,
  fn: () => T,
): { readonly result: T; readonly profile: LayerProfile } {
  const rows = new Map<object | undefined, LayerRow>();
  for (const [module, path] of pathsOf(model)) {
    const parameters = module
      .ownParameters()
      .reduce((sum: number, { value }: { value: Tensor }) => sum + value.numel, 0);
    rows.set(module, emptyRow(path, module.constructor.name, parameters));
  }
  const outside = emptyRow(null, '', 0);
  rows.set(undefined, outside);
  const rowOf = (site: object | undefined): LayerRow => rows.get(site) ?? outside;

  const began = performance.now();
  let last = began;
  let backward = false;
  const charge = (site: object | undefined): LayerRow => {
    const row = rowOf(site);
    const now = performance.now();
    row[backward ? 'backwardMs' : 'forwardMs'] += now - last;
    last = now;
    return row;
  };
  const recorder: Recorder = {
    operation(_name, inputs, _options, outputs, site) {
      const row = charge(site);
      if (backward) return;
      row.operations++;
      for (const { storage, numel, dtype } of outputs)
        if (!inputs.some((input) => input.storage === storage))
          row.outputBytes += numel * bytesPerElement(dtype);
    },
    rule(_name, site) {
      backward = true;
      charge(site);
    },
    written() {},
    call: (_name, _args, run) => run(),
  };
  let result: T | undefined;
  const trace = strategies.trace(() => {
    result = recordedBy(recorder, fn);
  });
  const totalMs = performance.now() - began;
  for (const { site, ...entry } of trace) rowOf(site).strategies.push(entry);
  const used = [...rows.values()].filter((row) => row.operations > 0 || row.parameters > 0);
  return { result: result as T, profile: { rows: used, totalMs } };
}

const emptyRow = (path: string | null, type: string, parameters: number): LayerRow => ({
  path,
  type,
  parameters,
  forwardMs: 0,
  backwardMs: 0,
  outputBytes: 0,
  operations: 0,
  strategies: [],
});

// Runs a network once under a recorder.

import { noGrad, recordedBy, type Tensor } from '@voxgrad/core';
import type { Module } from '@voxgrad/nn';
import { layerCall } from './layers.js';
import { CALLS } from './rows/index.js';
import { type Trace, TraceRecorder, tensorsIn } from './trace.js';

export function record(model: Module, inputs: readonly Tensor[]): Trace {
  const named = new Map<string, Tensor>([...model.namedBuffers(), ...model.namedParameters()]);
  const recorder = new TraceRecorder(named, (name, args) => {
    const row = CALLS.get(name);
    return row !== undefined && (row.accepts?.(args) ?? true);
  });
  // Windows of their own, since the caller's tensors could be parameters or one another.
  const given = inputs.map((input) => input.detach().clone());
  const values = given.map((tensor, index) => recorder.input(tensor, index));
  const restore = model.namedModules().map(([path, module]) => watch(module, path, recorder));
  try {
    const call = model.call as (...all: readonly Tensor[]) => unknown;
    const result = noGrad(() => recordedBy(recorder, () => call.apply(model, given)));
    const outputs = tensorsIn(result).map((tensor) => recorder.valueOf(tensor));
    return { nodes: recorder.nodes, inputs: values, outputs };
  } finally {
    for (const undo of restore) undo();
  }
}

type Forward = (...inputs: unknown[]) => unknown;

/** Lets `recorder` know when `module` runs, until the returned function is called. */
function watch(module: Module, path: string, recorder: TraceRecorder): () => void {
  const own = Object.getOwnPropertyDescriptor(module, 'forward');
  const forward = module.forward as Forward;
  const watched: Forward = (...inputs) =>
    recorder.at(path, () => {
      const run = () => forward.apply(module, inputs);
      const call = layerCall(module, forward, inputs);
      return call === undefined ? run() : recorder.call(call[0], call[1], run);
    });
  // Not enumerable, so that it is no member of the module.
  Object.defineProperty(module, 'forward', { value: watched, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(module, 'forward');
    else Object.defineProperty(module, 'forward', own);
  };
}

import { ARGUMENTS_AT, CLOSED, CONTROL, MESSAGE_AT, MESSAGE_LIMIT } from './control.js';
import { STEP_WORDS } from './sequence.js';

/**
 * The program of a worker, as text: bundlers and module formats then have no say in where it lives.
 * It waits for jobs, takes items until none is left, and never receives a message after the first:
 * a thread that waits on atomics has no event loop.
 */
export const WORKER_SOURCE = `
'use strict';
const start = (memory) => {
  const words = new Int32Array(memory.buffer, 0, 16384);
  let kernels = new Map();
  let generation = 0;
  const kernelOf = (id, moduleAt, moduleBytes) => {
    if (generation !== words[${CONTROL.generation}]) {
      kernels = new Map();
      generation = words[${CONTROL.generation}];
    }
    const known = kernels.get(id);
    if (known) return known;
    const bytes = new Uint8Array(memory.buffer, moduleAt >>> 0, moduleBytes);
    const module = new WebAssembly.Module(Uint8Array.from(bytes));
    const { k } = new WebAssembly.Instance(module, { m: { m: memory } }).exports;
    kernels.set(id, k);
    return k;
  };
  const runSequence = (list, item) => {
    const all = new Int32Array(memory.buffer);
    let at = all[(list >>> 2) + item] >>> 2;
    for (let steps = all[at++]; steps > 0; steps--) {
      const [id, moduleAt, moduleBytes, items, length] = all.subarray(at, at + ${STEP_WORDS});
      const kernel = kernelOf(id, moduleAt, moduleBytes);
      at += ${STEP_WORDS};
      for (let i = 0; i < items; i++) kernel(i, i + 1, 4 * at);
      at += length;
    }
  };
  const fail = (item, error) => {
    const text = new TextEncoder().encode(String(error)).subarray(0, ${MESSAGE_LIMIT});
    new Uint8Array(memory.buffer, ${MESSAGE_AT}, text.length).set(text);
    words[${CONTROL.messageBytes}] = text.length;
    Atomics.store(words, ${CONTROL.trap}, item + 1);
  };
  let seen = Atomics.load(words, ${CONTROL.sequence});
  const lane = 1 + Atomics.add(words, ${CONTROL.ready}, 1);
  for (;;) {
    let spins = 0;
    while (Atomics.load(words, ${CONTROL.sequence}) === seen)
      if (++spins > 40000) Atomics.wait(words, ${CONTROL.sequence}, seen);
    seen = Atomics.load(words, ${CONTROL.sequence});
    const gate = Atomics.add(words, ${CONTROL.gate}, 1);
    if ((gate & ${CLOSED}) === 0) {
      let item = 0;
      try {
        const items = words[${CONTROL.items}];
        const next = () => (item = Atomics.add(words, ${CONTROL.next}, 1)) < items;
        const sequences = words[${CONTROL.sequences}] >>> 2;
        if (sequences === 0) {
          const kernel = kernelOf(words[${CONTROL.kernel}], words[${CONTROL.moduleAt}], words[${CONTROL.moduleBytes}]);
          while (next()) kernel(item, item + 1, ${ARGUMENTS_AT});
        } else if (lane < words[${CONTROL.lanes}]) {
          const list = new Int32Array(memory.buffer)[sequences + lane];
          while (next()) runSequence(list, item);
        }
      } catch (error) {
        fail(item, error);
      }
    }
    Atomics.sub(words, ${CONTROL.gate}, 1);
    Atomics.notify(words, ${CONTROL.gate});
  }
};
if (typeof require === 'function') start(require('node:worker_threads').workerData);
else self.onmessage = ({ data }) => start(data);
`;

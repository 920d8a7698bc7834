// The most multiply-adds per second that WebAssembly does here: ten independent sums in registers and
// nothing else. What a kernel reaches is a fraction of it.

import type { WasmDevice } from '@voxgrad/wasm';
import { type FloatDType, lanes } from '../../packages/wasm/src/emit/lanes.js';
import { forItems } from '../../packages/wasm/src/kernels/arguments.js';
import { kernelOf } from '../../packages/wasm/src/kernels/engine.js';
import type { Run } from './measure.js';

const SUMS = 10;
const TURNS = 500_000;
/** Items: several for each thread, so that neither waits long for the other. */
const ITEMS = 8;

/** A run of {@link PEAK_FLOPS} operations. */
export function peakRun({ engine }: WasmDevice, dtype: FloatDType): Run {
  const kernel = kernelOf(engine, `bench peak ${dtype}`, (builder) => {
    const v = lanes(dtype, engine.fma);
    const { f } = builder;
    const out = builder.args;
    forItems(builder, () => {
      const a = f.local('v128', v.constant(0.5)); // sums tend to 1: no denormal numbers
      const sums = Array.from({ length: SUMS }, (_, i) => f.local('v128', v.constant(i)));
      const turn = f.int(0);
      f.for(turn, TURNS, 1, () => {
        for (const sum of sums) f.set(sum, v.multiplyAdd(sum, a, a));
      });
      // Stored where nothing is read, so that the loop is not removed.
      for (const sum of sums) f.store('v128', out, sum, 256);
    });
  });
  return () => engine.team.run(kernel, ITEMS, []);
}

export const peakFlops = (dtype: FloatDType): number =>
  2 * SUMS * TURNS * ITEMS * lanes(dtype).count;

/** Billions of operations a second from a count and milliseconds. */
export const gigaflops = (flops: number, ms: number): number => flops / ms / 1e6;

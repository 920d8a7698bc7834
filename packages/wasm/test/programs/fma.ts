// What fused multiply-adds do to the bits of convolutions. Node 20 has relaxed SIMD behind a flag.

import { type ConvGeometry, cpuKernels } from '@voxgrad/core';
import { createWasmDevice, type WasmOptions } from '@voxgrad/wasm';
import { geometry, passes } from '../support/passes.js';
import { DISTRIBUTIONS, errorOf, gradients, operands, view } from '../support/precision.js';

const edge = (size: number) => [size, size, size] as const;
const pads = (size: number) =>
  [
    [size, size],
    [size, size],
    [size, size],
  ] as const;

const CASES = {
  direct: { precision: 'exact', g: geometry({}) },
  winograd: {
    precision: 'fast',
    g: geometry({ inChannels: 16, outChannels: 16, input: edge(16), output: edge(16) }),
  },
  fft: {
    precision: 'balanced',
    g: geometry({
      ...{ groups: 3, inChannels: 3, outChannels: 3, kernel: edge(9), padding: pads(4) },
      ...{ input: edge(20), output: edge(20) },
    }),
  },
} as const;

const make = (options: WasmOptions) => createWasmDevice({ threads: 1, smallBytes: 0, ...options });

/** The largest error of the output and both gradients against float64. */
function worst(options: WasmOptions, g: ConvGeometry): number {
  const given = operands(g, DISTRIBUTIONS['around 0']);
  const singles = given.map(({ array, shape }) => view(array, shape));
  const doubles = given.map(({ array, shape }) => view(Float64Array.from(array), shape));
  const right = gradients(cpuKernels, g, doubles);
  return Math.max(
    ...gradients(make(options).kernels, g, singles).map((got, i) => errorOf(got, right[i])),
  );
}

const results = [];
for (const [name, { precision, g }] of Object.entries(CASES)) {
  const threaded = make({ precision, fma: true, threads: 2 });
  await threaded.ready();
  for (const dtype of ['float32', 'float64'] as const) {
    const fused = passes(make({ precision, fma: true }), g, dtype).join();
    results.push({
      ...{ name, precision, dtype },
      sameAsUnfused: fused === passes(make({ precision, fma: false }), g, dtype).join(),
      sameOnTwoThreads: fused === passes(threaded, g, dtype).join(),
      // float64 is what errors are measured against.
      errors: dtype === 'float64' ? [] : [true, false].map((fma) => worst({ precision, fma }, g)),
    });
  }
  threaded.stop();
}
const byDefault = (['exact', 'balanced', 'fast'] as const).map(
  (precision) => make({ precision }).engine.fma,
);
const refused = make({ precision: 'fast', fma: false }).engine.fma;
console.log(JSON.stringify({ byDefault, refused, results }));

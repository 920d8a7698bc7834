// Items of a job may be taken in any order: no bit of a result depends on who comes last. Taking them
// backwards shows what a race of threads shows only sometimes.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWasmDevice, type WasmDevice } from '../src/index.js';
import { fftFor } from '../src/kernels/conv/fft/choice.js';
import { ARGUMENTS_AT, NUMBERS_AT } from '../src/threads/control.js';
import { geometry, passes } from './support/passes.js';

/** A device that takes the last item first. */
function backwards(): WasmDevice {
  const device = createWasmDevice({ threads: 1, smallBytes: 0 });
  const { memory, team } = device.engine;
  team.run = (kernel, items, words, numbers = []) => {
    const { buffer } = memory.memory;
    new Uint32Array(buffer, ARGUMENTS_AT, 128).set(words);
    new Float64Array(buffer, NUMBERS_AT, numbers.length).set(numbers);
    for (let item = items - 1; item >= 0; item--) kernel.run(item, item + 1, ARGUMENTS_AT);
  };
  team.runSequences = (_name, { items }, sequenceOf) => {
    for (let item = items - 1; item >= 0; item--)
      for (const { kernel, items: count, words } of sequenceOf(item, 0))
        team.run(kernel, count, words);
  };
  return device;
}

const inOrder = createWasmDevice({ threads: 1, smallBytes: 0 });
const reversed = backwards();

const size = (most: number) => fc.integer({ min: 1, max: most });

it('convolutions', () => {
  fc.assert(
    fc.property(
      fc.record({
        groups: size(3),
        from: size(18),
        to: size(18),
        kernel: fc.tuple(size(3), size(5), size(3)),
        output: fc.tuple(size(4), size(40), size(20)),
        dtype: fc.constantFrom('float32' as const, 'float64' as const),
      }),
      ({ groups, from, to, kernel, output, dtype }) => {
        const none = [0, 0] as const;
        const g = geometry({
          batch: 1,
          groups,
          inChannels: groups * from,
          outChannels: groups * to,
          kernel,
          output,
          input: [output[0] + kernel[0] - 1, output[1] + kernel[1] - 1, output[2] + kernel[2] - 1],
          padding: [none, none, none],
        });
        expect(passes(reversed, g, dtype)).toEqual(passes(inOrder, g, dtype));
      },
    ),
    { seed: 11, numRuns: 60 },
  );
});

it.each([
  [4, 1, 1],
  [1, 3, 2],
])('convolutions through transforms: %i groups of %i to %i', (groups, from, to) => {
  const pad = [3, 3] as const;
  const g = geometry({
    ...{ batch: 2, groups, inChannels: groups * from, outChannels: groups * to },
    ...{ kernel: [7, 7, 7], padding: [pad, pad, pad] },
    ...{ input: [60, 20, 20], output: [60, 20, 20] },
  });
  expect(fftFor(reversed.engine, 'float32', g, ['forward'])).not.toBeNull();
  expect(passes(reversed, g, 'float32')).toEqual(passes(inOrder, g, 'float32'));
});

it('a convolution whose planes are shared out by rows, and whose last channel has a tile of rows', () => {
  const g = geometry({
    batch: 1,
    inChannels: 16,
    outChannels: 32,
    input: [2, 32, 32],
    output: [2, 32, 32],
  });
  for (const dtype of ['float32', 'float64'] as const)
    expect(passes(reversed, g, dtype)).toEqual(passes(inOrder, g, dtype));
});

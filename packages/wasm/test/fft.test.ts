// Convolution through Fourier transforms against plain loops in float64, and its transforms alone.

import type { ConvGeometry } from '@voxgrad/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import type { WasmDevice } from '../src/index.js';
import { fftFor } from '../src/kernels/conv/fft/choice.js';
import { COLUMN_SIZES, frequencies, ROW_SIZES } from '../src/kernels/conv/fft/sizes.js';
import { geometry, passes } from './support/passes.js';
import { DISTRIBUTIONS, expectBound, expectDirectWhere, make } from './support/precision.js';

const device = make('balanced');
const exact = make('exact');
const threaded = make('balanced', 2);
await threaded.ready();
afterAll(() => threaded.stop());

/** Whether all passes go through transforms. */
const runs = ({ engine }: WasmDevice, g: ConvGeometry): boolean =>
  fftFor(engine, 'float32', g, ['forward']) !== null &&
  fftFor(engine, 'float32', g, ['input', 'weight']) !== null;

const pads = fc.tuple(fc.nat(4), fc.nat(4));
const geometries = fc
  .record({
    batch: fc.integer({ min: 1, max: 2 }),
    groups: fc.integer({ min: 1, max: 2 }),
    from: fc.integer({ min: 1, max: 2 }),
    to: fc.integer({ min: 1, max: 2 }),
    kernel: fc.tuple(...[5, 6, 7].map((max) => fc.integer({ min: 4, max }))),
    padding: fc.tuple(pads, pads, pads),
    output: fc.tuple(...[8, 10, 33].map((max) => fc.integer({ min: 5, max }))),
  })
  .map(({ batch, groups, from, to, kernel, padding, output }): ConvGeometry => {
    const input = output.map(
      (size, axis) => size + kernel[axis] - 1 - padding[axis][0] - padding[axis][1],
    );
    return geometry({
      input: input as [number, number, number],
      output: output as [number, number, number],
      kernel: kernel as [number, number, number],
      ...{ padding, batch, groups, inChannels: groups * from, outChannels: groups * to },
    });
  })
  .filter((g) => g.input.every((size) => size > 0));

const pad = (n: number) => [n, n] as const;
const depthwise = geometry({
  ...{ batch: 1, groups: 3, inChannels: 3, outChannels: 3, kernel: [7, 7, 7] },
  ...{ input: [12, 16, 29], output: [12, 16, 29], padding: [pad(3), pad(3), pad(3)] },
});

it('keeps its bound over geometries', () => {
  let chosen = 0;
  forAll(
    geometries,
    (g) => {
      if (runs(device, g)) chosen++;
      expectBound(device.kernels, 'balanced', g);
    },
    16,
  );
  expect(chosen).toBeGreaterThan(6);
});

describe('depthwise 7×7×7', () => {
  it('goes through transforms', () => {
    expect(runs(device, depthwise)).toBe(true);
  });
  it.each(Object.keys(DISTRIBUTIONS))('keeps its bound for numbers %s', (name) => {
    expectBound(device.kernels, 'balanced', depthwise, DISTRIBUTIONS[name]);
  });
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -3e38])(
    'leaves the work to direct convolution where %s spreads',
    (value) => expectDirectWhere(value, device.kernels, exact.kernels, depthwise),
  );
  it('gives the same bits with two threads', () => {
    expect(passes(threaded, depthwise, 'float32')).toEqual(passes(device, depthwise, 'float32'));
  });
});

// Groups are shared out whole where there are enough of them, else the channels of a group.
it.each([
  { groups: 7, from: 1, to: 1, output: [30, 20, 40] },
  { groups: 4, from: 2, to: 3, output: [20, 12, 20] },
  { groups: 2, from: 1, to: 2, output: [20, 60, 40] },
  { groups: 1, from: 5, to: 3, output: [90, 12, 20] },
  { groups: 1, from: 1, to: 1, output: [90, 80, 20] },
] as const)('gives the same bits with two threads: $groups groups of $from to $to', (shape) => {
  const { groups, from, to, output } = shape;
  const g = geometry({
    ...{ batch: 2, groups, inChannels: groups * from, outChannels: groups * to },
    ...{ kernel: [7, 7, 7], input: output, output, padding: [pad(3), pad(3), pad(3)] },
  });
  expect(runs(device, g)).toBe(true);
  expect(passes(threaded, g, 'float32')).toEqual(passes(device, g, 'float32'));
});

it('never runs where the precision is exact, with strides or dilation, or in float64', () => {
  expect(runs(exact, depthwise)).toBe(false);
  expect(fftFor(device.engine, 'float64', depthwise, ['forward'])).toBeNull();
  expect(
    fftFor(device.engine, 'float32', { ...depthwise, stride: [1, 2, 1] }, ['forward']),
  ).toBeNull();
  expect(
    fftFor(device.engine, 'float32', { ...depthwise, dilation: [2, 1, 1] }, ['forward']),
  ).toBeNull();
});

it('has every frequency once, whatever the size', () => {
  for (const size of [...COLUMN_SIZES, ...ROW_SIZES]) {
    const sorted = frequencies(size).sort((a, b) => a - b);
    expect(sorted).toEqual(Array.from({ length: size.points }, (_, i) => i));
  }
});

// Winograd's algorithm against plain loops in float64: the errors that `precision` promises, over
// geometries, distributions and thread counts; and what is not finite.

import type { ConvGeometry } from '@voxgrad/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import type { WasmDevice } from '../src/index.js';
import { forwardAxes } from '../src/kernels/conv/problem.js';
import { winogradFor } from '../src/kernels/conv/winograd/choice.js';
import { geometry, passes } from './support/passes.js';
import { DISTRIBUTIONS, expectBound, expectDirectWhere, make } from './support/precision.js';

const devices = { balanced: make('balanced'), fast: make('fast') };
const exact = make('exact');
const threaded = { balanced: make('balanced', 2), fast: make('fast', 2) };
await Promise.all(Object.values(threaded).map((device) => device.ready()));
afterAll(() => {
  for (const device of Object.values(threaded)) device.stop();
});

const runsOn = ({ engine }: WasmDevice, g: ConvGeometry): string | undefined =>
  winogradFor(engine, {
    dtype: 'float32',
    from: g.inChannels / g.groups,
    to: g.outChannels / g.groups,
    problems: [forwardAxes(g)],
  })?.name;

const pads = fc.tuple(fc.nat(3), fc.nat(3));
const geometries = fc
  .record({
    batch: fc.integer({ min: 1, max: 2 }),
    groups: fc.integer({ min: 1, max: 2 }),
    from: fc.integer({ min: 9, max: 20 }),
    to: fc.integer({ min: 9, max: 20 }),
    depth: fc.constantFrom(1, 3),
    padding: fc.tuple(pads, pads, pads),
    output: fc.tuple(
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 4, max: 13 }),
      fc.integer({ min: 11, max: 37 }),
    ),
  })
  .map(({ batch, groups, from, to, depth, padding, output }): ConvGeometry => {
    const kernel = [depth, 3, 3] as const;
    const input = output.map(
      (size, axis) => size + kernel[axis] - 1 - padding[axis][0] - padding[axis][1],
    );
    const sizes = { input: input as [number, number, number], output, kernel, padding };
    return geometry({
      ...sizes,
      ...{ batch, groups, inChannels: groups * from, outChannels: groups * to },
    });
  })
  .filter((g) => g.input.every((size) => size > 0));

describe.each(['balanced', 'fast'] as const)('precision %s', (precision) => {
  const device = devices[precision];

  it('keeps its bound over geometries', () => {
    let chosen = 0;
    forAll(
      geometries,
      (g) => {
        if (runsOn(device, g)) chosen++;
        expectBound(device.kernels, precision, g);
      },
      25,
    );
    expect(chosen).toBeGreaterThan(8);
  });

  it.each(Object.keys(DISTRIBUTIONS))('keeps its bound for numbers %s', (name) => {
    const g = geometry({ inChannels: 24, outChannels: 17, batch: 1 });
    expect(runsOn(device, g)).toBeDefined();
    expectBound(device.kernels, precision, g, DISTRIBUTIONS[name]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -3e38])(
    'leaves the work to direct convolution where %s spreads',
    (value) => {
      const g = geometry({ inChannels: 16, outChannels: 16, batch: 1 });
      expectDirectWhere(value, device.kernels, exact.kernels, g);
    },
  );

  it('gives the same bits with two threads', () => {
    const g = geometry({
      groups: 2,
      inChannels: 24,
      outChannels: 34,
      output: [9, 10, 37],
      input: [9, 10, 37],
    });
    expect(runsOn(device, g)).toBeDefined();
    expect(passes(threaded[precision], g, 'float32')).toEqual(passes(device, g, 'float32'));
  });
});

it('never runs where the precision is exact, or in float64', () => {
  const g = geometry({ inChannels: 32, outChannels: 32 });
  expect(runsOn(exact, g)).toBeUndefined();
  expect(passes(devices.fast, g, 'float64')).toEqual(passes(exact, g, 'float64'));
});

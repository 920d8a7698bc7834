// Winograd's algorithm against plain loops in float64: the errors that `precision` promises, over
// geometries, distributions and thread counts; and what is not finite.

import {
  type ConvGeometry,
  cpuKernels,
  fromHost,
  inputShape,
  type Kernels,
  numelOf,
  outputShape,
  type Storage,
  type View,
  weightShape,
} from '@voxgrad/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import { defined } from '../../core/test/support/numbers.js';
import { createWasmDevice, type WasmDevice } from '../src/index.js';
import { forwardAxes } from '../src/kernels/conv/problem.js';
import { winogradFor } from '../src/kernels/conv/winograd/choice.js';
import { geometry, passes } from './support/passes.js';

type Precision = 'balanced' | 'fast';

/** Of the largest magnitude of an output. */
const BOUND: Record<Precision, number> = { balanced: 1e-5, fast: 3e-4 };

const make = (precision: 'exact' | Precision, threads = 1) =>
  createWasmDevice({ threads, precision, fma: false, smallBytes: 0 });

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

/** Numbers of some distribution, without chance from run to run. */
type Distribution = (random: () => number) => number;
const DISTRIBUTIONS: Record<string, Distribution> = {
  'around 0': (random) => 2 * random() - 1,
  'above 0': (random) => random(),
  'mostly 0': (random) => (random() < 0.9 ? 0 : 2 * random() - 1),
  'of many sizes': (random) => (random() - 0.5) * 10 ** (4 * random()),
  'very small': (random) => (random() - 0.5) * 1e-16,
  'very large': (random) => (random() - 0.5) * 1e15,
};

function numbers(
  length: number,
  distribution: Distribution,
  seed: number,
): Float32Array<ArrayBuffer> {
  let state = seed;
  // Lehmer's generator with the multiplier of MINSTD.
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return Float32Array.from({ length }, () => distribution(random));
}

const view = (
  array: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  shape: readonly number[],
): View =>
  fromHost(array, array instanceof Float32Array ? 'float32' : 'float64', shape, { device: 'cpu' });

function operands(g: ConvGeometry, distribution: Distribution) {
  const shapes = [inputShape(g), weightShape(g), outputShape(g)];
  return shapes.map((shape, i) => ({
    shape,
    array: numbers(numelOf(shape), i === 1 ? DISTRIBUTIONS['around 0'] : distribution, 7 + i),
  }));
}

function gradients(kernels: Kernels, g: ConvGeometry, [x, w, gy]: readonly View[]): Storage[] {
  const [dx, dw] = defined(kernels.convBackward)(gy, x, w, g, [true, true, false]);
  return [defined(kernels.convForward)(x, w, g), defined(dx), defined(dw)];
}

/** |got − right|, as a part of the largest magnitude that is right. */
function errorOf(got: Storage, right: Storage): number {
  const [a, b] = [got.array as Float32Array, right.array as Float64Array];
  let [worst, largest] = [0, 0];
  b.forEach((value, i) => {
    const difference = Math.abs(a[i] - value);
    worst = Math.max(worst, Number.isNaN(difference) ? Infinity : difference);
    largest = Math.max(largest, Math.abs(value));
  });
  return largest === 0 ? worst : worst / largest;
}

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
        const given = operands(g, DISTRIBUTIONS['around 0']);
        const got = gradients(
          device.kernels,
          g,
          given.map(({ array, shape }) => view(array, shape)),
        );
        const right = gradients(
          cpuKernels,
          g,
          given.map(({ array, shape }) => view(Float64Array.from(array), shape)),
        );
        got.forEach((storage, i) => {
          expect(errorOf(storage, right[i]), JSON.stringify(g)).toBeLessThan(BOUND[precision]);
        });
      },
      25,
    );
    expect(chosen).toBeGreaterThan(8);
  });

  it.each(Object.keys(DISTRIBUTIONS))('keeps its bound for numbers %s', (name) => {
    const g = geometry({ inChannels: 24, outChannels: 17, batch: 1 });
    expect(runsOn(device, g)).toBeDefined();
    const given = operands(g, DISTRIBUTIONS[name]);
    const [got, right] = [
      gradients(
        device.kernels,
        g,
        given.map(({ array, shape }) => view(array, shape)),
      ),
      gradients(
        cpuKernels,
        g,
        given.map(({ array, shape }) => view(Float64Array.from(array), shape)),
      ),
    ];
    got.forEach((storage, i) => {
      expect(errorOf(storage, right[i])).toBeLessThan(BOUND[precision]);
    });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -3e38])(
    'leaves the work to direct convolution where %s spreads',
    (value) => {
      const g = geometry({ inChannels: 16, outChannels: 16, batch: 1 });
      const given = operands(g, DISTRIBUTIONS['around 0']);
      given[0].array[1234] = value;
      given[2].array[77] = value;
      const views = given.map(({ array, shape }) => view(array, shape));
      const got = gradients(device.kernels, g, views).map((storage) => storage.array);
      const right = gradients(exact.kernels, g, views).map((storage) => storage.array);
      // Large but finite sums may come through; then they keep the bound.
      got.forEach((array, i) => {
        const [a, b] = [array as Float32Array, right[i] as Float32Array];
        if (b.every(Number.isFinite)) expect(a.every(Number.isFinite)).toBe(true);
        else expect(a).toEqual(b);
      });
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

// Convolutions of any geometry against the plain loops of the cpu device, in both dtypes and on two
// threads.

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
import { defined, scattered } from '../../core/test/support/numbers.js';
import { createWasmDevice } from '../src/index.js';

const device = createWasmDevice({ threads: 2, smallBytes: 0 });
await device.ready();
afterAll(() => device.stop());

const triple = (min: number, max: number) => {
  const size = fc.integer({ min, max });
  return fc.tuple(size, size, size);
};
const pads = fc.tuple(fc.nat(3), fc.nat(3));

/** `crop`: how many of the last outputs nobody wants (the output padding of an adjoint). */
const parameters = fc.record({
  batch: fc.integer({ min: 1, max: 2 }),
  groups: fc.integer({ min: 1, max: 3 }),
  inChannels: fc.integer({ min: 1, max: 8 }),
  outChannels: fc.integer({ min: 1, max: 8 }),
  kernel: fc.tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 5 }),
  ),
  stride: triple(1, 3),
  dilation: triple(1, 3),
  padding: fc.tuple(pads, pads, pads),
  wanted: triple(1, 6),
  tail: triple(0, 2),
  crop: triple(0, 1),
});

type Parameters = typeof parameters extends fc.Arbitrary<infer T> ? T : never;

/** A geometry whose outputs are at least those wanted; its input has `tail` unused positions. */
function geometryOf(p: Parameters): ConvGeometry | null {
  const axes = [0, 1, 2] as const;
  const input = axes.map(
    (a) =>
      (p.wanted[a] - 1) * p.stride[a] +
      p.dilation[a] * (p.kernel[a] - 1) +
      1 -
      p.padding[a][0] -
      p.padding[a][1] +
      Math.min(p.tail[a], p.stride[a] - 1),
  );
  if (input.some((size) => size < 1)) return null;
  const output = axes.map((a) => Math.max(1, p.wanted[a] - p.crop[a]));
  return {
    spatialRank: 3,
    batch: p.batch,
    groups: p.groups,
    inChannels: p.groups * p.inChannels,
    outChannels: p.groups * p.outChannels,
    input: input as [number, number, number],
    output: output as [number, number, number],
    kernel: p.kernel,
    stride: p.stride,
    dilation: p.dilation,
    padding: p.padding,
  };
}

const geometries = parameters
  .map(geometryOf)
  .filter((g): g is ConvGeometry => g !== null && numelOf(inputShape(g)) < 40_000);

type Dtype = 'float32' | 'float64';
const LIMIT = { float32: 2e-6, float64: 1e-14 } as const;

/** Elements without chance on the host, as a view. */
function viewOf(shape: readonly number[], dtype: Dtype, seed: number): View {
  const numbers = scattered(numelOf(shape), -1 - seed / 7, 1);
  const array = dtype === 'float32' ? Float32Array.from(numbers) : Float64Array.from(numbers);
  return fromHost(array, dtype, shape, { device: 'cpu' });
}

/** The same elements in float64, for a reference without rounding of its own. */
const widened = (x: View): View =>
  fromHost(Float64Array.from(x.storage.array as Float32Array), 'float64', x.shape, {
    device: 'cpu',
  });

/** |got − right|, as a part of the largest value that is right (but of no less than 1). */
function expectNear(got: Storage, right: Storage, dtype: Dtype, what: string) {
  const [a, b] = [got.array as Float64Array, right.array as Float64Array];
  expect(a.length, what).toBe(b.length);
  let [worst, scale] = [0, 1];
  for (let i = 0; i < b.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    worst = Math.max(worst, Number.isNaN(difference) ? Infinity : difference);
    scale = Math.max(scale, Math.abs(b[i]));
  }
  expect(worst / scale, what).toBeLessThanOrEqual(LIMIT[dtype]);
}

/** Forward, input gradient, weight gradient. */
function passes(kernels: Kernels, x: View, w: View, gy: View, g: ConvGeometry): Storage[] {
  const { convForward, convBackward } = kernels;
  const [dx, dw] = defined(convBackward)(gy, x, w, g, [true, true, false]);
  return [defined(convForward)(x, w, g), defined(dx), defined(dw)];
}

function checkPasses(g: ConvGeometry, dtype: Dtype): void {
  const x = viewOf(inputShape(g), dtype, 1);
  const w = viewOf(weightShape(g), dtype, 2);
  const gy = viewOf(outputShape(g), dtype, 3);
  const got = passes(device.kernels, x, w, gy, g);
  // The reference computes in float64, so that it has no rounding of its own.
  const right = passes(cpuKernels, widened(x), widened(w), widened(gy), g);
  const what = `${dtype} ${JSON.stringify(g)}`;
  ['forward', 'input', 'weight'].forEach((pass, i) => {
    expectNear(got[i], right[i], dtype, `${pass}: ${what}`);
  });
  const alone = defined(device.kernels.convWeight)(x, gy, g);
  expect(alone.array, `weight alone: ${what}`).toEqual(got[2].array);
}

describe.each(['float32', 'float64'] as const)('%s', (dtype) => {
  it('every pass of any geometry agrees with plain loops', () => {
    forAll(geometries, (g) => checkPasses(g, dtype), 150);
  });

  it.each([
    ['depthwise', { groups: 7, inChannels: 7, outChannels: 7, kernel: 9 }],
    ['dense', { groups: 1, inChannels: 16, outChannels: 20, kernel: 3 }],
    ['pointwise', { groups: 1, inChannels: 9, outChannels: 11, kernel: 1 }],
  ] as const)('%s', (_, { kernel: k, ...channels }) => {
    const pad = [(k - 1) / 2, (k - 1) / 2] as const;
    const size = [11, 13, 21] as const;
    checkPasses(
      {
        ...channels,
        spatialRank: 3,
        batch: 2,
        input: size,
        output: size,
        kernel: [k, k, k],
        stride: [1, 1, 1],
        dilation: [1, 1, 1],
        padding: [pad, pad, pad],
      },
      dtype,
    );
  });

  it('reads views that are not contiguous', () => {
    const g = defined(
      geometryOf({
        batch: 2,
        groups: 2,
        inChannels: 2,
        outChannels: 3,
        kernel: [2, 2, 3],
        stride: [1, 2, 1],
        dilation: [1, 1, 2],
        padding: [
          [1, 0],
          [0, 1],
          [2, 1],
        ],
        wanted: [4, 3, 5],
        tail: [0, 1, 0],
        crop: [0, 0, 0],
      }),
    );
    const turned = (shape: readonly number[], seed: number) => {
      const [n, c, d, h, w] = shape;
      return fromHost(viewOf([w, h, d, c, n], dtype, seed).storage.array, dtype, [w, h, d, c, n], {
        device: 'cpu',
      }).permute(4, 3, 2, 1, 0);
    };
    const [x, w] = [turned(inputShape(g), 1), turned(weightShape(g), 2)];
    const got = defined(device.kernels.convForward)(x, w, g);
    const right = defined(cpuKernels.convForward)(x, w, g);
    expectNear(got, right, dtype, 'permuted');
  });
});

// Networks exported as ONNX give what they give here, in another runtime: onnxruntime on the CPU, in
// float32. Both add up in orders of their own, so values may differ by rounding.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import * as vg from '../src/index.js';
import { exportOnnx, type OnnxOptions } from '../src/onnx.js';

const { F, nn, tensor } = vg;
type Tensor = vg.Tensor;

/** Its package has no types of its own; those that it shares with the other runtimes are these. */
type Runtime = typeof import('onnxruntime-common');
const RUNTIME: string = 'onnxruntime-node';
const runtime = await import(/* @vite-ignore */ RUNTIME).then(
  (loaded: Runtime): Runtime | undefined => loaded,
  (error: Error) => {
    console.warn(
      `tests of ONNX models are skipped, since ${RUNTIME} does not load: ${error.message}`,
    );
    return undefined;
  },
);

/** A module around a function, which uses the layers in `layers`. */
class Net extends nn.Module {
  readonly #run: (...inputs: Tensor[]) => unknown;
  constructor(run: (...inputs: Tensor[]) => unknown, layers: Record<string, vg.nn.Module> = {}) {
    super();
    this.#run = run;
    Object.assign(this, layers);
  }
  forward(...inputs: Tensor[]): unknown {
    return this.#run(...inputs);
  }
}

const noise = (...shape: number[]) => vg.randn(shape);

/** What onnxruntime computes with `model` for `inputs`, by name. */
async function inRuntime(model: Uint8Array, inputs: readonly Tensor[]) {
  if (!runtime) throw new Error('no runtime');
  const session = await runtime.InferenceSession.create(model, { graphOptimizationLevel: 'basic' });
  const feeds = Object.fromEntries(
    session.inputNames.map((name, i) => {
      const { dtype, shape } = inputs[i];
      const type = dtype as 'float32';
      return [name, new runtime.Tensor(type, inputs[i].dataSync() as Float32Array, shape)];
    }),
  );
  return session.run(feeds);
}

function closeTo(got: { dims: readonly number[]; data: unknown }, want: Tensor, tolerance: number) {
  expect(got.dims).toEqual([...want.shape]);
  const [a, b] = [
    Array.from(got.data as Float32Array, Number),
    Array.from(want.dataSync(), Number),
  ];
  const largest = Math.max(1, ...b.map(Math.abs));
  const error = Math.max(0, ...a.map((value, i) => Math.abs(value - b[i]))) / largest;
  expect(error).toBeLessThan(tolerance);
  expect(a.every(Number.isFinite)).toBe(true);
}

interface Case extends OnnxOptions {
  readonly tolerance?: number;
}

/** Exports, runs elsewhere, and compares every output with that of `model` here. */
async function check(model: vg.nn.Module, inputs: readonly Tensor[], options: Case = {}) {
  const { tolerance = 1e-5, ...settings } = options;
  const file = exportOnnx(model, inputs, settings);
  model.eval();
  const call = model.call as (...all: Tensor[]) => unknown;
  const run = (given: readonly Tensor[]) => vg.noGrad(() => call.apply(model, [...given]));
  const wanted = [run(inputs)].flat() as Tensor[];
  const got = await inRuntime(file, inputs);
  for (const [i, name] of Object.keys(got).entries()) closeTo(got[name], wanted[i], tolerance);
  expect(Object.keys(got)).toHaveLength(wanted.length);
}

vg.manualSeed(5);

describe.skipIf(!runtime)('layers', () => {
  const cases: [string, vg.nn.Module, Tensor][] = [
    ['conv1d', new nn.Conv1d(3, 4, 3, { padding: 1 }), noise(2, 3, 9)],
    ['conv2d', new nn.Conv2d(3, 4, [3, 2], { stride: [2, 1], bias: false }), noise(2, 3, 9, 7)],
    ['conv3d', new nn.Conv3d(2, 4, 3, { padding: 1 }), noise(1, 2, 7, 5, 6)],
    [
      'strides',
      new nn.Conv3d(2, 4, 3, { stride: [1, 2, 3], padding: [0, 1, 2] }),
      noise(2, 2, 7, 9, 11),
    ],
    [
      'dilation',
      new nn.Conv3d(2, 3, 3, { dilation: [1, 2, 3], padding: 'same' }),
      noise(1, 2, 7, 9, 11),
    ],
    ['groups', new nn.Conv3d(4, 8, 3, { groups: 4 }), noise(1, 4, 5, 6, 7)],
    ['depthwise', new nn.Conv3d(4, 4, 5, { groups: 4, padding: 2 }), noise(2, 4, 5, 6, 7)],
    [
      'an even kernel with padding same',
      new nn.Conv3d(1, 2, [2, 4, 3], { padding: 'same' }),
      noise(1, 1, 5, 6, 7),
    ],
    ['an input without a batch', new nn.Conv3d(2, 3, 3), noise(2, 5, 6, 7)],
    [
      'padding by reflection',
      new nn.Conv3d(2, 3, 3, { padding: 1, paddingMode: 'reflect' }),
      noise(1, 2, 5, 6, 7),
    ],
    [
      'padding by repetition',
      new nn.Conv3d(2, 3, 3, { padding: 2, paddingMode: 'replicate' }),
      noise(1, 2, 5, 6, 7),
    ],
    [
      'circular padding',
      new nn.Conv3d(2, 3, 3, { padding: 1, paddingMode: 'circular' }),
      noise(1, 2, 5, 6, 7),
    ],
    ['convTranspose1d', new nn.ConvTranspose1d(3, 4, 3, { stride: 2 }), noise(2, 3, 9)],
    [
      'convTranspose2d',
      new nn.ConvTranspose2d(4, 6, 3, { stride: 2, groups: 2 }),
      noise(2, 4, 5, 6),
    ],
    ['convTranspose3d', new nn.ConvTranspose3d(3, 2, 2, { stride: 2 }), noise(1, 3, 4, 5, 3)],
    [
      'a transposed convolution with output padding',
      new nn.ConvTranspose3d(4, 6, 3, {
        stride: [2, 3, 2],
        padding: 1,
        outputPadding: [1, 2, 0],
        groups: 2,
      }),
      noise(1, 4, 4, 5, 3),
    ],
    [
      'a dilated transposed convolution',
      new nn.ConvTranspose3d(2, 3, 3, { dilation: 2, padding: 1 }),
      noise(1, 2, 4, 5, 3),
    ],
    ['batchNorm', new nn.BatchNorm3d(3), noise(2, 3, 4, 5, 6)],
    [
      'batchNorm without parameters',
      new nn.BatchNorm3d(3, { affine: false }),
      noise(2, 3, 4, 5, 6),
    ],
    [
      'batchNorm without statistics',
      new nn.BatchNorm3d(3, { trackRunningStats: false }),
      noise(2, 3, 4, 5, 6),
    ],
    ['instanceNorm', new nn.InstanceNorm3d(3, { affine: true, eps: 1e-3 }), noise(2, 3, 4, 5, 6)],
    [
      'instanceNorm with statistics',
      new nn.InstanceNorm3d(3, { trackRunningStats: true }),
      noise(2, 3, 4, 5, 6),
    ],
    ['groupNorm', new nn.GroupNorm(2, 6), noise(2, 6, 4, 5, 6)],
    ['layerNorm', new nn.LayerNorm([5, 6]), noise(2, 3, 5, 6)],
    ['linear', new nn.Linear(5, 3), noise(4, 5)],
    ['linear of many dims', new nn.Linear(5, 3), noise(2, 4, 5)],
    ['dropout', new nn.Dropout3d(0.5), noise(2, 3, 4, 5, 6)],
    ['maxPool', new nn.MaxPool3d(3, { stride: 2, padding: 1 }), noise(1, 2, 7, 8, 9)],
    ['maxPool with ceilMode', new nn.MaxPool3d(2, { ceilMode: true }), noise(1, 2, 7, 8, 9)],
    ['maxPool with dilation', new nn.MaxPool3d(2, { dilation: 2, stride: 1 }), noise(2, 7, 8, 9)],
    [
      'maxPool with dilation and padding',
      new nn.MaxPool3d(2, { dilation: 2, ceilMode: true, padding: 1 }),
      noise(1, 2, 7, 8, 9),
    ],
    ['avgPool', new nn.AvgPool3d(2), noise(1, 2, 7, 8, 9)],
    ['avgPool with padding', new nn.AvgPool3d(3, { stride: 2, padding: 1 }), noise(1, 2, 7, 8, 9)],
    [
      'avgPool without its padding',
      new nn.AvgPool3d(3, { stride: 2, padding: 1, countIncludePad: false }),
      noise(1, 2, 7, 8, 9),
    ],
    [
      'avgPool with ceilMode',
      new nn.AvgPool3d(3, { stride: 2, padding: 1, ceilMode: true }),
      noise(1, 2, 6, 8, 9),
    ],
    ['adaptiveAvgPool to 1', new nn.AdaptiveAvgPool3d(1), noise(2, 3, 5, 6, 7)],
    ['adaptiveAvgPool, unequal windows', new nn.AdaptiveAvgPool3d([2, 4, 3]), noise(2, 3, 5, 6, 7)],
    ['adaptiveMaxPool', new nn.AdaptiveMaxPool3d([1, 2, null]), noise(2, 3, 5, 6, 7)],
    ['upsample by 2', new nn.Upsample({ scaleFactor: 2 }), noise(1, 2, 3, 4, 5)],
    ['upsample to odd sizes', new nn.Upsample({ size: [5, 7, 11] }), noise(1, 2, 3, 4, 6)],
    ['trilinear', new nn.Upsample({ scaleFactor: 2, mode: 'trilinear' }), noise(1, 2, 3, 4, 5)],
    [
      'trilinear to odd sizes',
      new nn.Upsample({ size: [5, 7, 11], mode: 'trilinear' }),
      noise(1, 2, 3, 4, 6),
    ],
    [
      'trilinear, aligned',
      new nn.Upsample({ size: [5, 7, 1], mode: 'trilinear', alignCorners: true }),
      noise(1, 2, 3, 4, 6),
    ],
    [
      'trilinear by 1.7',
      new nn.Upsample({ scaleFactor: 1.7, mode: 'trilinear' }),
      noise(1, 2, 3, 4, 5),
    ],
    ['adaptiveMaxPool, unequal windows', new nn.AdaptiveMaxPool3d([2, 4, 3]), noise(2, 3, 5, 6, 7)],
    ['flatten', new nn.Flatten(), noise(2, 3, 4)],
    ['softmax', new nn.Softmax(1), noise(2, 3, 4, 5)],
    ['logSoftmax', new nn.LogSoftmax(-1), noise(2, 3, 4)],
    ['pixelShuffle', new nn.PixelShuffle(2), noise(1, 8, 3, 4)],
    [
      'attention',
      new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, activation: 'gelu' }),
      noise(5, 2, 8),
    ],
  ];
  it.each(cases)('%s', async (_, module, x) => check(module, [x]));
});

describe.skipIf(!runtime)('activations', () => {
  const modules = [
    new nn.ReLU(),
    new nn.ReLU({ inplace: true }),
    new nn.LeakyReLU(0.2),
    new nn.LeakyReLU(0.2, { inplace: true }),
    new nn.ELU(0.7),
    new nn.CELU(0.7),
    new nn.SELU(),
    new nn.GELU(),
    new nn.GELU({ approximate: 'tanh' }),
    new nn.SiLU(),
    new nn.Mish(),
    new nn.Softplus(),
    new nn.Softplus(2),
    new nn.Sigmoid(),
    new nn.Tanh(),
    new nn.LogSigmoid(),
    new nn.Softsign(),
    new nn.Tanhshrink(),
    new nn.Hardtanh({ minVal: -0.5, maxVal: 2 }),
    new nn.ReLU6(),
    new nn.Hardsigmoid(),
    new nn.Hardswish(),
    new nn.Hardshrink(),
    new nn.Softshrink(0.3),
    new nn.Threshold(0.1, -3),
    new nn.PReLU(),
    new nn.PReLU(3),
    new nn.RReLU(),
    new nn.GLU(2),
  ];
  it.each(modules.map((module) => [String(module), module] as const))('%s', async (_, module) => {
    const x = noise(2, 3, 4, 5).mul(3);
    // In place, the input itself is another tensor afterwards.
    await check(new Net((v) => (module.forward as (x: Tensor) => Tensor)(v.mul(1)), { module }), [
      x,
    ]);
    await check(new Net((v) => module.call(v.mul(1) as never), { module }), [x]);
  });
});

describe.skipIf(!runtime)('functions and methods', () => {
  const a = noise(2, 3, 4);
  const b = noise(3, 1);
  const mean = noise(3);
  const spread = vg.rand([3]).add(0.5);
  const five = noise(2, 3, 4, 6, 5);
  const cases: [string, (...inputs: Tensor[]) => unknown, Tensor[]][] = [
    ['add', (x, y) => x.add(y, { alpha: 2 }), [a, b]],
    ['sub from a number', (x) => vg.rsub(x, 3), [a]],
    ['mul of expanded', (x, y) => x.mul(y).div(y.abs().add(1)), [a, b]],
    ['div that truncates', (x, y) => x.mul(7).div(y, { roundingMode: 'trunc' }), [a, b.add(3)]],
    ['div that rounds down', (x, y) => x.mul(7).div(y, { roundingMode: 'floor' }), [a, b.add(3)]],
    ['powers', (x) => [x.pow(2), x.abs().pow(0.5), x.abs().pow(1.7), x.pow(3)], [a]],
    [
      'extremes',
      (x, y) => [vg.maximum(x, y), vg.minimum(x, y), x.clamp(-0.5, 0.5), x.clamp({ min: 0 })],
      [a, b],
    ],
    ['where', (x, y) => vg.where(x.gt(y).logicalAnd(x.lt(1)), x, y), [a, b]],
    [
      'elementary functions',
      (x) => [x.exp(), x.abs().log1p(), x.sin(), x.erf(), x.abs().rsqrt(), x.expm1()],
      [a],
    ],
    ['rounding', (x) => [x.floor(), x.ceil(), x.mul(3).round(), x.mul(3).trunc(), x.sign()], [a]],
    [
      'sums and means',
      (x) => [x.sum(), x.sum(1), x.mean([0, 2]), x.mean(), x.mean(1, { keepdim: true })],
      [a],
    ],
    [
      'spread',
      (x) => [x.std(), x.var(1), x.var([0, 1], { correction: 0 }), x.amax(1), x.amin()],
      [a],
    ],
    ['argmax', (x) => [x.argmax(1), x.argmin()], [a]],
    ['cat and stack', (x, y) => [vg.cat([x, y.expand(2, 3, 1)], 2), vg.stack([x, x], 1)], [a, b]],
    ['chunks', (x) => vg.cat([...x.chunk(2, 2)].reverse(), 2), [a]],
    [
      'shapes',
      (x) => [x.reshape(6, 4), x.permute(2, 0, 1), x.transpose(0, 2), x.unsqueeze(1), x.flatten(1)],
      [a],
    ],
    ['windows', (x) => [x.narrow(1, 1, 2), x.slice(2, 0, 4, 2), x.select(1, -1), x.flip(2)], [a]],
    [
      'padding',
      (x) => [
        vg.pad(x, [1, 2]),
        vg.pad(x, [1, -1, 0, 2], { value: 3 }),
        vg.pad(x, [1, 2], { mode: 'reflect' }),
      ],
      [a],
    ],
    ['circular padding', (x) => vg.pad(x, [1, 2], { mode: 'circular' }), [a]],
    [
      'matmul',
      (x, y) => [vg.matmul(x, y), vg.bmm(x, x.transpose(1, 2)), x.matmul(y.reshape(4))],
      [a, noise(4, 1)],
    ],
    ['einsum', (x, y) => vg.einsum('bij,j->bi', [x, y]), [a, noise(4)]],
    ['softmax', (x) => [F.softmax(x, 1), x.softmax(-1), F.logSoftmax(x, 2), F.softmin(x, 1)], [a]],
    ['casts', (x) => x.gt(0).to('float32').mul(2), [a]],
    [
      'norms',
      (x) => [
        F.batchNorm(x, mean, spread),
        F.instanceNorm(x),
        F.groupNorm(x, 3),
        F.layerNorm(x, [6, 5]),
      ],
      [five],
    ],
    [
      'norms with weights',
      (x) => [
        F.batchNorm(x, { runningMean: mean, runningVar: spread, weight: spread, bias: mean }),
        F.groupNorm(x, 3, spread, mean),
      ],
      [five],
    ],
    ['batch statistics', (x) => F.batchNorm(x, { training: true }), [five]],
    ['area', (x) => F.interpolate(x, { size: [3, 4, 5], mode: 'area' }), [five]],
    ['a smaller nearest', (x) => F.interpolate(x, { scaleFactor: 0.6 }), [five]],
    ['nearest-exact', (x) => F.interpolate(x, { size: [8, 9, 10], mode: 'nearest-exact' }), [five]],
    ['bicubic', (x) => F.interpolate(x, { size: [7, 9], mode: 'bicubic' }), [noise(2, 3, 4, 6)]],
    ['localResponseNorm', (x) => F.localResponseNorm(x, 2), [five]],
    [
      'activations',
      (x) => [F.leakyRelu(x, 0.3), F.hardtanh(x), F.relu6(x), F.gelu(x), F.elu(x, { alpha: 2 })],
      [a],
    ],
    [
      'in place',
      (x) => {
        const y = x.mul(2);
        y.add_(1);
        F.relu_(y);
        return y.reshape(-1).mul(y.reshape(-1));
      },
      [a],
    ],
    ['the input itself, twice', (x) => [x, x.detach(), x.add(0)], [a]],
    ['what does not depend on it', (x) => [x.add(1), vg.arange(3).to('float32')], [a]],
    ['index lists', (x) => x.indexSelect(1, tensor([2n, 0n, 1n], { dtype: 'int64' })), [a]],
  ];
  it.each(cases)('%s', async (_, run, inputs) => check(new Net(run), inputs));

  it.each([18, 19, 20, 21])('opset %i is named in the model', async (opset) => {
    const file = exportOnnx(new Net((x) => F.gelu(x, { approximate: 'tanh' })), a, { opset });
    // opset_import (field 8): an empty domain (field 1) and the version (field 2).
    expect([...file.slice(-6)]).toEqual([0x42, 4, 0x0a, 0, 0x10, opset]);
  });
});

/** Two levels down and up again, with what nnU-Net, MONAI and most others are made of. */
class UNet extends nn.Module {
  down1 = block(1, 4);
  pool = new nn.MaxPool3d(2);
  down2 = block(4, 8);
  shrink = new nn.Conv3d(8, 8, 3, { stride: 2, padding: 1 });
  bottom = new nn.Sequential(
    new nn.Conv3d(8, 8, 3, { padding: 1, groups: 8 }),
    new nn.GroupNorm(4, 8),
    new nn.SiLU(),
  );
  up2 = new nn.ConvTranspose3d(8, 8, 3, { stride: 2, padding: 1 });
  join2 = block(16, 4);
  join1 = block(8, 4);
  head = new nn.Conv3d(4, 3, 1);

  forward(x: Tensor): Tensor {
    const first = this.down1.call(x);
    const second = this.down2.call(this.pool.call(first));
    const low = this.bottom.call(this.shrink.call(second));
    const size = second.shape.slice(2);
    const up = this.up2.call(low, size);
    const joined = this.join2.call(vg.cat([up, second], 1));
    const grown = F.interpolate(joined, { size: first.shape.slice(2), mode: 'trilinear' });
    return F.softmax(this.head.call(this.join1.call(vg.cat([grown, first], 1))), 1);
  }
}

const block = (from: number, to: number) =>
  new nn.Sequential(
    new nn.Conv3d(from, to, 3, { padding: 1 }),
    new nn.InstanceNorm3d(to, { affine: true }),
    new nn.LeakyReLU(0.01, { inplace: true }),
    new nn.Conv3d(to, to, 3, { padding: 1, bias: false }),
    new nn.BatchNorm3d(to),
    new nn.ReLU({ inplace: true }),
  );

/** Dilations that grow and shrink again at full resolution, as in MeshNet (arXiv:1612.00940). */
const meshNet = () =>
  new nn.Sequential(
    ...[1, 2, 4, 8, 1].flatMap((dilation, i) => [
      new nn.Conv3d(i === 0 ? 1 : 5, 5, 3, { dilation, padding: dilation }),
      new nn.BatchNorm3d(5),
      new nn.ReLU({ inplace: true }),
      new nn.Dropout3d(0.2),
    ]),
    new nn.Conv3d(5, 3, 1),
  );

/** Batch norm has statistics of its own only after it has seen something. */
function trained<M extends vg.nn.Module>(model: M, x: Tensor): M {
  model.train();
  for (let step = 0; step < 3; step++)
    (model.call as (x: Tensor) => unknown).call(
      model,
      noise(...x.shape)
        .mul(2)
        .add(1),
    );
  return model;
}

describe.skipIf(!runtime)('3D networks', () => {
  it.each([[[1, 1, 13, 11, 15]], [[2, 1, 16, 12, 9]]])('a U-Net on %j', async (shape) => {
    const x = noise(...shape);
    await check(trained(new UNet(), x), [x], { tolerance: 1e-5 });
  });

  it('a dilated network at full resolution', async () => {
    const x = noise(1, 1, 19, 17, 18);
    await check(trained(meshNet(), x), [x], { tolerance: 1e-5 });
  });

  it('of any batch, from an example of one', async () => {
    const model = trained(new UNet(), noise(2, 1, 8, 10, 12)).eval();
    const file = exportOnnx(model, noise(1, 1, 8, 10, 12), { dynamicBatch: true });
    for (const batch of [1, 2, 5]) {
      const x = noise(batch, 1, 8, 10, 12);
      closeTo(
        (await inRuntime(file, [x])).output,
        vg.noGrad(() => model.call(x)),
        1e-5,
      );
    }
  });

  it('on the device that has kernels of its own, and on the one that has none', async () => {
    const x = noise(1, 1, 8, 9, 10);
    for (const device of ['wasm', 'cpu']) {
      const model = trained(meshNet(), x).to(device);
      await check(model, [x.to(device)]);
    }
  });

  it('with several inputs and outputs, under given names', async () => {
    const fuse = new nn.Bilinear(3, 4, 2);
    const model = new Net((a, b) => ({ fused: fuse.call(a, b), sum: a.sum(1) }), { fuse });
    const inputs = [noise(2, 3), noise(2, 4)];
    const names = { inputNames: ['left', 'right'], outputNames: ['fused', 'sum'] };
    const got = await inRuntime(exportOnnx(model, inputs, names), inputs);
    closeTo(got.fused, fuse.call(inputs[0], inputs[1]), 1e-5);
    closeTo(got.sum, inputs[0].sum(1), 1e-5);
  });
});

const triple = (min: number, max: number) =>
  fc.array(fc.integer({ min, max }), { minLength: 3, maxLength: 3 });
const GEOMETRY = fc.record({
  size: triple(4, 8),
  kernel: triple(1, 3),
  stride: triple(1, 3),
  padding: triple(0, 1),
  dilation: triple(1, 2),
  groups: fc.integer({ min: 1, max: 2 }),
  flag: fc.boolean(),
  dynamicBatch: fc.boolean(),
});
type Geometry = typeof GEOMETRY extends fc.Arbitrary<infer G> ? G : never;

const half = (kernel: readonly number[]) => kernel.map((k) => k >> 1);

const ANY: [string, (g: Geometry) => vg.nn.Module][] = [
  [
    'convolutions',
    ({ kernel, stride, padding, dilation, groups, flag }) => {
      const paddingMode = flag ? 'zeros' : 'replicate';
      const options = { stride, padding, dilation, groups, paddingMode } as const;
      return new nn.Conv3d(2 * groups, 4, kernel, options);
    },
  ],
  [
    'transposed convolutions',
    ({ kernel, stride, padding, dilation, groups }) => {
      const outputPadding = stride.map((s) => s - 1);
      const options = { stride, padding, outputPadding, dilation, groups };
      return new nn.ConvTranspose3d(2 * groups, 4, kernel, options);
    },
  ],
  [
    'maximum pools',
    ({ kernel, stride, dilation, flag }) =>
      new nn.MaxPool3d(kernel, { stride, dilation, padding: half(kernel), ceilMode: flag }),
  ],
  [
    'average pools',
    ({ kernel, stride, flag, dynamicBatch }) => {
      const modes = { ceilMode: flag, countIncludePad: dynamicBatch };
      return new nn.AvgPool3d(kernel, { stride, padding: half(kernel), ...modes });
    },
  ],
  [
    'adaptive pools',
    ({ kernel, flag }) =>
      flag ? new nn.AdaptiveAvgPool3d(kernel) : new nn.AdaptiveMaxPool3d(kernel),
  ],
  [
    'resampling',
    ({ size, stride, dilation, flag }) => {
      const target = size.map((n, i) => n * stride[i] - dilation[i]);
      return new nn.Upsample({ size: target, mode: flag ? 'nearest' : 'trilinear' });
    },
  ],
];

describe.skipIf(!runtime)('any geometry', () => {
  it.each(ANY)('%s', async (_, make) => {
    const runs: (() => Promise<void>)[] = [];
    forAll(
      GEOMETRY,
      (geometry) => {
        const layer = make(geometry);
        const x = noise(2, 2 * geometry.groups, ...geometry.size);
        try {
          (layer.forward as (x: Tensor) => Tensor).call(layer, x);
        } catch (error) {
          if (error instanceof vg.VoxgradError) return; // sizes that do not fit
          throw error;
        }
        const { dynamicBatch } = geometry;
        runs.push(() => check(layer, [x], { dynamicBatch, tolerance: 2e-5 }));
      },
      25,
    );
    expect(runs.length).toBeGreaterThan(10);
    for (const run of runs) await run();
  });
});

const BRAIN = new URL('../../../../shared/data/brain/tfjs/model.json', import.meta.url);

describe.skipIf(!runtime || !existsSync(BRAIN))('a public model for MRI', () => {
  it('segments the same in both runtimes', async () => {
    const model = await vg.loadLayersModel(fileURLToPath(BRAIN));
    const x = vg.rand([1, 1, 22, 20, 24]);
    await check(model, [x], { tolerance: 1e-5 });
  });
});

/** Printable text in a file, in which names stand as they are. */
const textIn = (file: Uint8Array): string => Buffer.from(file).toString('latin1');

describe('what is written', () => {
  it('has parameters and buffers under their names in state dicts', () => {
    const model = new nn.Sequential(
      new nn.Conv2d(1, 2, 3),
      new nn.BatchNorm2d(2),
      new nn.Linear(4, 5),
    );
    const text = textIn(exportOnnx(model, noise(1, 1, 6, 6)));
    for (const name of model.stateDict().keys())
      if (!name.endsWith('num_batches_tracked')) expect(text).toContain(name);
    expect(text).not.toContain('num_batches_tracked'); // nothing is computed with it
  });

  it('is one operator for each layer that ONNX has one for', () => {
    const layers = [
      new nn.Conv3d(1, 2, 3),
      new nn.InstanceNorm3d(2),
      new nn.LeakyReLU(),
      new nn.MaxPool3d(2),
      new nn.Upsample({ scaleFactor: 2 }),
      new nn.Softmax(1),
    ];
    const text = textIn(exportOnnx(new nn.Sequential(...layers), noise(1, 1, 6, 6, 6)));
    for (const type of [
      'Conv',
      'InstanceNormalization',
      'LeakyRelu',
      'MaxPool',
      'Resize',
      'Softmax',
    ])
      expect(text).toMatch(new RegExp(`\\d/${type}`));
    expect(text).not.toMatch(/Where|Gather|ReduceMax|Expand/);
  });

  it('leaves the model as it was: its modes, its members, and the random numbers', () => {
    const model = new nn.Sequential(new nn.Conv1d(1, 1, 1), new nn.Dropout(0.5));
    model.children()[1].eval();
    vg.manualSeed(3);
    const expected = vg.rand([4]).tolist();
    vg.manualSeed(3);
    exportOnnx(model, vg.zeros([1, 1, 4]));
    expect(vg.rand([4]).tolist()).toEqual(expected);
    expect(model.modules().map(({ training }) => training)).toEqual([true, true, false]);
    expect(model.modules().some((module) => Object.hasOwn(module, 'forward'))).toBe(false);
  });
});

describe('refusals name the operation and the module', () => {
  const inside = (run: (x: Tensor) => Tensor) =>
    new Net((x) => inner.call(x), { inner: new Net(run) });
  let inner: vg.nn.Module & { forward(x: Tensor): Tensor };
  const refusal = (run: (x: Tensor) => Tensor, options?: OnnxOptions) => {
    const model = inside(run);
    inner = (model as unknown as { inner: typeof inner }).inner;
    return () => exportOnnx(model, vg.zeros([2, 3, 4]), options);
  };
  const cases: [string, (x: Tensor) => Tensor, RegExp][] = [
    ['an unknown operation', (x) => vg.sort(x, 1).values, /'inner'.*(sort|gather)/],
    [
      'a branch on an element',
      (x) => (x.sum().item() > 4 ? x.mul(2) : x.exp()),
      /'inner'.*other operations run/,
    ],
    [
      'an element in a computation',
      (x) => x.mul(x.amax().item()),
      /'inner'.*a constant of .* changes/,
    ],
    ['random draws', (x) => x.add(vg.rand([3, 4])), /'inner'.*a constant of .* changes/],
    [
      'dropout that is always on',
      (x) => F.dropout(x, { p: 0.5, training: true }),
      /a constant of .* changes/,
    ],
    [
      'positions of maxima',
      (x) => vg.maxPool1dWithIndices(x, 2).indices.to('float32'),
      /output 1 of maxPool1dWithIndices/,
    ],
    [
      'a write through a view',
      (x) => {
        const y = x.mul(1);
        y.narrow(1, 0, 1).mul_(2);
        return y.add(1);
      },
      /'inner'.*through another view/,
    ],
  ];
  it.each(cases)('%s', (_, run, message) => {
    expect(refusal(run)).toThrow(vg.VoxgradError);
    expect(refusal(run)).toThrow(message);
  });

  it('a batch that cannot vary', () => {
    const fixed = (x: Tensor) => x.add(vg.arange(x.shape[0]).to('float32').reshape(-1, 1, 1));
    expect(refusal(fixed, { dynamicBatch: true })).toThrow(/a constant of .* changes/);
    expect(refusal((x) => x.narrow(0, 0, x.shape[0] - 1), { dynamicBatch: true })).toThrow(/batch/);
  });

  it('wrong arguments', () => {
    const model = new nn.ReLU();
    const x = noise(2);
    expect(() => exportOnnx(model, [])).toThrow(/expected a Tensor, or a list of Tensors/);
    expect(() => exportOnnx({} as vg.nn.Module, x)).toThrow(/expected a Module/);
    expect(() => exportOnnx(model, x, { opset: 11 })).toThrow(/opset must be 18 to 21, but got 11/);
    expect(() => exportOnnx(model, x, { inputNames: ['a', 'b'] })).toThrow(
      /a list of 1 different names/,
    );
    expect(() => exportOnnx(model, x, { dynamicAxes: true } as OnnxOptions)).toThrow(/dynamicAxes/);
    expect(() => exportOnnx(model, vg.tensor(1), { dynamicBatch: true })).toThrow(
      /must have a first dim/,
    );
  });
});

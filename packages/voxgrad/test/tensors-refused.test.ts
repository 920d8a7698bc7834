// Whatever stands where a tensor belongs is refused in voxgrad's own words, by every function there
// is: never by a bare TypeError, and never by a loop without end.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

type Loose = (...args: readonly unknown[]) => unknown;

/** Exported for devices and packages that build on voxgrad; not called with what users type. */
const BUILDING_BLOCKS = new Set([
  ...[
    ...[
      'adamStep',
      'unseen',
      'usedUp',
      'fusesRelu',
      'hasBatchNorm',
      'nativeBatchNorm',
      'channelAffine',
    ],
    'alongDimension',
    'collapse',
    'askingForMemory',
    'atSite',
    'checkBias',
    'checkCall',
    'checkOptions',
  ],
  ...['convGeometry', 'convOutputSize', 'convTransposeGeometry', 'convWork', 'embed', 'fromHost'],
  ...[
    'inputShape',
    'likelyName',
    'mapTriple',
    'outputShape',
    'pickMaxima',
    'plainConvCall',
    'shared',
  ],
  ...['transposedOutputSize', 'volume', 'weightShape', 'createTfjsDevice', 'checkArguments'],
  ...['checked', 'recordedBy', 'describeSteps', 'extraBytes'],
  'save', // would write files named 'x'; what it refuses is in packages/checkpoint/test/save.test.ts
  // the arithmetic of dtypes and shapes
  ...['allocateHost', 'bytesPerElement', 'hostArrayOver', 'isFloat', 'kindOf', 'promoteTypes'],
  ...['torchName', 'contiguousStrides', 'expandStrides', 'formatShape'],
  ...['inferReshape', 'isContiguous', 'numelOf', 'sameShape', 'viewStrides'],
]);

const functionsOf = (home: object): [string, Loose][] =>
  Object.entries(home).filter(
    ([name, value]) =>
      typeof value === 'function' && !/^[A-Z]/.test(name) && !BUILDING_BLOCKS.has(name),
  );

const matrix = () =>
  vg.tensor([
    [1, 2],
    [3, 4],
  ]);
const integers = () =>
  vg.tensor([
    [1n, 0n],
    [0n, 1n],
  ]);
const GOOD: readonly (() => unknown)[] = [matrix, integers, () => 1, () => [1, 1], () => undefined];
const BAD: readonly unknown[] = [null, undefined, {}, 'x'];

/** The text of an error that is not voxgrad's, if the call throws one. */
function bareError(call: () => unknown): string | undefined {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(() => {});
  } catch (error) {
    if (!(error instanceof vg.VoxgradError)) return String(error);
  }
  return undefined;
}

/** Calls with one bad argument among good ones, at each of the first three places. */
function* callsOf(): Iterable<unknown[]> {
  for (const bad of BAD)
    for (const first of GOOD)
      for (const second of GOOD) {
        yield [bad, first(), second()];
        yield [matrix(), bad, second()];
        yield [matrix(), first(), bad];
      }
}

const HOMES = { voxgrad: vg, F: vg.F, init: vg.init, utils: vg.nn.utils };

describe.each(Object.entries(HOMES))('%s', (_, home) => {
  it.each(functionsOf(home))('%s', (_name, f) => {
    for (const args of callsOf()) expect(bareError(() => f(...args))).toBeUndefined();
  });
});

const METHODS = Object.entries(Object.getOwnPropertyDescriptors(vg.Tensor.prototype)).flatMap(
  ([name, { value }]): [string, Loose][] =>
    typeof value === 'function' && !['constructor', 'replaceWith', 'attach'].includes(name)
      ? [[name, value]]
      : [],
);

describe('methods', () => {
  it.each(METHODS)('%s', (_name, method) => {
    for (const bad of BAD)
      for (const args of [[bad], [bad, 1], [1, bad], [bad, matrix()], [matrix(), bad]])
        expect(bareError(() => method.apply(matrix(), args))).toBeUndefined();
  });
});

describe('a tensor that is missing is named', () => {
  const loose = (f: unknown) => f as Loose;
  const x = matrix();
  const layer = (module: unknown) => module as { call: Loose };
  it.each([
    ['relu', () => loose(vg.relu)(null), "relu(): expected a Tensor for 'input', but got null"],
    [
      'gather',
      () => loose(vg.gather)(x, 0),
      "gather(): expected a Tensor for 'index', but got undefined",
    ],
    [
      'matmul',
      () => loose(x.matmul).call(x, {}),
      "matmul(): expected a Tensor for 'b', but got Object",
    ],
    [
      'cat',
      () => loose(vg.cat)([x, null]),
      "cat(): expected a Tensor for 'tensors[1]', but got null",
    ],
    [
      'mseLoss',
      () => loose(vg.F.mseLoss)(x, 'x'),
      "mseLoss(): expected a Tensor for 'target', but got 'x'",
    ],
    [
      'jacobian',
      () => loose(vg.jacobian)(x, x),
      "jacobian(): expected a function for 'fn', but got Tensor",
    ],
    [
      'BatchNorm1d',
      () => layer(new vg.nn.BatchNorm1d(2)).call(null),
      "BatchNorm1d(): expected a Tensor for 'input', but got null",
    ],
    [
      'Linear',
      () => layer(new vg.nn.Linear(2, 2)).call(undefined),
      "expected a Tensor for 'x', but got undefined",
    ],
    [
      'init.ones_',
      () => vg.init.ones_(new vg.nn.BatchNorm1d(2, { affine: false }).weight),
      "ones_(): expected a Tensor for 'tensor', but got null",
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(vg.VoxgradError);
    expect(call).toThrow(message);
  });
});

describe('more than memory can hold says who asked for how much', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['zeros', () => vg.zeros([1e6, 1e6]), /^zeros\(\): cannot allocate \d+ bytes/],
    ['full', () => vg.full([1e13], 1), /^full\(\): cannot allocate \d+ bytes/],
    ['onesLike', () => vg.onesLike(vg.zeros([1]).expand(1e13)), /^onesLike\(\): cannot allocate/],
    ['arange', () => vg.arange(1e13), /^arange\(\): cannot allocate 80000000000000 bytes/],
    [
      'linspace',
      () => vg.linspace(0, 1, 1e12),
      /^linspace\(\): cannot allocate 8000000000000 bytes/,
    ],
    ['logspace', () => vg.logspace(0, 1, 1e12), /^logspace\(\): cannot allocate/],
    ['eye', () => vg.eye(1e7), /^eye\(\): cannot allocate 800000000000000 bytes/],
    ['randn', () => vg.randn([1e13]), /^randn\(\): cannot allocate/],
    ['randperm', () => vg.randperm(1e13), /^randperm\(\): cannot allocate/],
    ['add', () => vg.zeros([1]).expand(1e13).add(1), /^add\(\): cannot allocate/],
    ['oneHot', () => vg.F.oneHot(vg.tensor([1n]), 1e13), /cannot allocate \d+ bytes/],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(expect.objectContaining({ code: 'MEMORY' }));
    expect(call).toThrow(message);
  });
});

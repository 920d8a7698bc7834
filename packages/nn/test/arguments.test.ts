// Options that nobody knows, and arguments in the wrong place, are never ignored.

import { VoxgradError, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as nn from '../src/index.js';

type Loose = new (...args: readonly unknown[]) => nn.Module;
type LooseFunction = (...args: readonly unknown[]) => unknown;

const MODULES = new Map(
  Object.entries(nn as unknown as Record<string, Loose>).filter(
    ([name, value]) => typeof value === 'function' && /^[A-Z]/.test(name),
  ),
);

const layer = () => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8 });

/** What stands before the options; a module that is not here has nothing before them. */
const REQUIRED: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(
    ['Conv', 'ConvTranspose'].flatMap((kind) =>
      [1, 2, 3].map((rank) => [`${kind}${rank}d`, [2, 2, 1]]),
    ),
  ),
  ...Object.fromEntries(
    ['BatchNorm', 'InstanceNorm', 'MaxPool', 'AvgPool', 'MaxUnpool', 'AdaptiveMaxPool'].flatMap(
      (kind) => [1, 2, 3].map((rank) => [`${kind}${rank}d`, [2]]),
    ),
  ),
  LPPool1d: [2, 2],
  LPPool2d: [2, 2],
  Linear: [2, 2],
  Bilinear: [2, 2, 2],
  LayerNorm: [2],
  GroupNorm: [1, 2],
  LocalResponseNorm: [2],
  Embedding: [2, 2],
  EmbeddingBag: [2, 2],
  MultiheadAttention: [2, 1],
  TransformerEncoderLayer: [4, 2],
  TransformerEncoder: [layer(), 1],
  Threshold: [0, 1],
  Unfold: [2],
  Fold: [2, 2],
};

/** Modules that take no options. */
const WITHOUT = new Set([
  ...['Module', 'Parameter', 'Identity', 'Flatten', 'Unflatten', 'Softmax2d', 'Sigmoid', 'Tanh'],
  ...['LogSigmoid', 'Softsign', 'Tanhshrink', 'PixelShuffle', 'PixelUnshuffle', 'ChannelShuffle'],
  ...['Sequential', 'ModuleList', 'ModuleDict', 'ParameterList', 'ParameterDict'],
  ...[...MODULES.keys()].filter((name) => /Pad[123]d$|^AdaptiveAvgPool/.test(name)),
]);

const TAKING = [...MODULES].filter(([name]) => !WITHOUT.has(name));

describe('every module that takes options', () => {
  it.each(TAKING)('%s refuses one it does not know', (name, Type) => {
    const make = () => new Type(...(REQUIRED[name] ?? []), { bogus_option: 1 });
    expect(make).toThrow(VoxgradError);
    expect(make).toThrow(`${name}() got an unexpected option 'bogus_option'; it takes `);
  });

  it.each(TAKING)('%s refuses what is no options object', (name, Type) => {
    for (const wrong of ['sum', true, zeros([2]), null]) {
      const make = () => new Type(...(REQUIRED[name] ?? []), wrong);
      expect(make).toThrow(VoxgradError);
      expect(make).toThrow(name);
    }
  });
});

describe('the option that was meant', () => {
  const attention = nn.MultiheadAttention as unknown as Loose;
  const f = nn.functional as unknown as Record<string, LooseFunction>;
  const x = zeros([1, 1, 2, 2]);
  it.each<[string, () => unknown, string]>([
    [
      'batch_first',
      () => new attention(2, 1, { batch_first: true }),
      "MultiheadAttention() got an unexpected option 'batch_first'; did you mean 'batchFirst'? It takes dropout, bias,",
    ],
    [
      'reduction by position',
      () => new (nn.MSELoss as unknown as Loose)('sum'),
      "MSELoss(): expected an options object { reduction }, but got 'sum'",
    ],
    [
      'eps by position',
      () => new (nn.GroupNorm as unknown as Loose)(1, 2, 1e-3),
      'GroupNorm(): expected an options object { eps, affine, device, dtype }, but got 0.001',
    ],
    [
      'inplace by position',
      () => new (nn.ReLU as unknown as Loose)(true),
      'ReLU(): expected an options object { inplace }, but got true',
    ],
    [
      'align_corners',
      () => f.interpolate(x, { scaleFactor: 2, mode: 'bilinear', align_corners: true }),
      "interpolate() got an unexpected option 'align_corners'; did you mean 'alignCorners'?",
    ],
    [
      'a letter too few',
      () => f.crossEntropy(zeros([1, 2]), zeros([1], { dtype: 'int64' }), { labelSmoothng: 0.1 }),
      "crossEntropy() got an unexpected option 'labelSmoothng'; did you mean 'labelSmoothing'?",
    ],
    ['weights', () => f.layerNorm(x, 2, { weights: x }), "did you mean 'weight'?"],
    ['init', () => nn.init.truncNormal_(x, { sd: 1 } as never), "did you mean 'std'?"],
    [
      'recurse',
      () => new nn.Linear(1, 1).parameters({ recursive: true } as never),
      "namedParameters() got an unexpected option 'recursive'; did you mean 'recurse'?",
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(VoxgradError);
    expect(call).toThrow(message);
  });
});

describe('one number by position, options after it', () => {
  it.each<[string, nn.Module, string]>([
    ['LeakyReLU', new nn.LeakyReLU(0.1, { inplace: true }), 'negativeSlope=0.1, inplace=true'],
    ['ELU', new nn.ELU(2, { inplace: true }), 'alpha=2, inplace=true'],
    ['PReLU', new nn.PReLU(4, { init: 0.1 }), 'numParameters=4'],
    ['Dropout', new nn.Dropout(0.2, { inplace: true }), 'p=0.2, inplace=true'],
    ['Softplus', new nn.Softplus(2, { threshold: 5 }), 'beta=2, threshold=5'],
    ['Softmax', new nn.Softmax(1), 'dim=1'],
  ])('%s', (_, module, shown) => {
    expect(module.extraRepr()).toBe(shown);
  });

  it('PReLU takes its value from the options', () => {
    expect(new nn.PReLU(4, { init: 0.5 }).weight.tolist()).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  it('init takes numbers, options, or numbers and options', () => {
    const drawn = (fill: (x: ReturnType<typeof zeros>) => unknown) => {
      const x = zeros([8]);
      fill(x);
      return x;
    };
    for (const x of [
      drawn((t) => nn.init.truncNormal_(t, { mean: 5, std: 0.1, a: 4, b: 6 })),
      drawn((t) => nn.init.truncNormal_(t, 5, 0.1, 4, 6)),
      drawn((t) => nn.init.normal_(t, { mean: 5, std: 0.1 })),
      drawn((t) => nn.init.uniform_(t, { a: 4.5, b: 5.5 })),
    ])
      expect(Math.abs(x.mean().item() - 5)).toBeLessThan(0.5);
  });
});

describe('apply', () => {
  // PyTorch 1.13: children() names a module once, however often its parent holds it.
  it('visits a layer that is held twice once, and once more where another module holds it', () => {
    const shared = new nn.Linear(1, 1);
    const seen: string[] = [];
    new nn.Sequential(shared, shared, new nn.Sequential(shared)).apply((module) => {
      seen.push(module.constructor.name);
    });
    expect(seen).toEqual(['Linear', 'Linear', 'Sequential', 'Sequential']);
  });
});

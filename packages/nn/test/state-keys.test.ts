// Keys of state dicts in PyTorch's order, printed by PyTorch 1.13 for the same layers.

import { ones, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as nn from '../src/index.js';

const { weightNorm, removeWeightNorm, spectralNorm, removeSpectralNorm } = nn.utils;
const encoderKeys = [
  'self_attn.in_proj_weight',
  'self_attn.in_proj_bias',
  'self_attn.out_proj.weight',
  'self_attn.out_proj.bias',
  'linear1.weight',
  'linear1.bias',
  'linear2.weight',
  'linear2.bias',
  'norm1.weight',
  'norm1.bias',
  'norm2.weight',
  'norm2.bias',
];

const rows: [string, () => nn.Module, string[]][] = [
  ['PReLU', () => new nn.PReLU(3), ['weight']],
  ['Embedding', () => new nn.Embedding(3, 2), ['weight']],
  ['LayerNorm', () => new nn.LayerNorm([2, 3]), ['weight', 'bias']],
  ['LayerNorm without weights', () => new nn.LayerNorm(2, { elementwiseAffine: false }), []],
  ['GroupNorm', () => new nn.GroupNorm(1, 2), ['weight', 'bias']],
  ['InstanceNorm3d', () => new nn.InstanceNorm3d(2), []],
  [
    'InstanceNorm3d with everything',
    () => new nn.InstanceNorm3d(2, { affine: true, trackRunningStats: true }),
    ['weight', 'bias', 'running_mean', 'running_var', 'num_batches_tracked'],
  ],
  [
    'MultiheadAttention',
    () => new nn.MultiheadAttention(4, 2),
    ['in_proj_weight', 'in_proj_bias', 'out_proj.weight', 'out_proj.bias'],
  ],
  [
    'MultiheadAttention of other sizes',
    () => new nn.MultiheadAttention(4, 2, { kdim: 3, vdim: 5, addBiasKv: true }),
    [
      'q_proj_weight',
      'k_proj_weight',
      'v_proj_weight',
      'in_proj_bias',
      'bias_k',
      'bias_v',
      'out_proj.weight',
      'out_proj.bias',
    ],
  ],
  ['TransformerEncoderLayer', () => new nn.TransformerEncoderLayer(4, 2), encoderKeys],
  [
    'TransformerEncoder',
    () =>
      new nn.TransformerEncoder(new nn.TransformerEncoderLayer(4, 2), 2, {
        norm: new nn.LayerNorm(4),
      }),
    [
      ...[0, 1].flatMap((i) => encoderKeys.map((key) => `layers.${i}.${key}`)),
      'norm.weight',
      'norm.bias',
    ],
  ],
  ['weightNorm', () => weightNorm(new nn.Conv2d(1, 2, 2)), ['bias', 'weight_g', 'weight_v']],
  [
    'weightNorm of a name in camelCase',
    () => weightNorm(new nn.MultiheadAttention(2, 1), { name: 'inProjWeight' }),
    ['in_proj_bias', 'in_proj_weight_g', 'in_proj_weight_v', 'out_proj.weight', 'out_proj.bias'],
  ],
  ['removeWeightNorm', () => removeWeightNorm(weightNorm(new nn.Linear(1, 2))), ['bias', 'weight']],
  [
    'spectralNorm',
    () => spectralNorm(new nn.Conv2d(1, 2, 2)),
    ['bias', 'weight_orig', 'weight_u', 'weight_v'],
  ],
  [
    'removeSpectralNorm',
    () => removeSpectralNorm(spectralNorm(new nn.Linear(1, 2))),
    ['bias', 'weight'],
  ],
  [
    'BCEWithLogitsLoss',
    () => new nn.BCEWithLogitsLoss({ weight: ones([2]), posWeight: ones([2]) }),
    ['weight', 'pos_weight'],
  ],
  ['a loss without a weight', () => new nn.NLLLoss(), []],
  ['ParameterList', () => new nn.ParameterList([ones([2]), zeros([1])]), ['0', '1']],
  ['ParameterDict', () => new nn.ParameterDict({ b: ones([2]), a: zeros([1]) }), ['a', 'b']],
  [
    'ParameterDict of a map, in its order',
    () => new nn.ParameterDict(Object.entries({ b: ones([2]), a: zeros([1]) })),
    ['b', 'a'],
  ],
  [
    'ModuleDict, also of names that look like numbers',
    () =>
      new nn.ModuleDict([
        ['2', new nn.PReLU()],
        ['1', new nn.PReLU()],
      ]),
    ['2.weight', '1.weight'],
  ],
];

describe('keys as in PyTorch', () => {
  it.each(rows)('%s', (_, make, keys) => {
    const module = make();
    const state = module.stateDict();
    expect([...state.keys()]).toEqual(keys);
    expect(module.loadStateDict(state)).toEqual({ missingKeys: [], unexpectedKeys: [] });
  });
});

it('a state dict shares storage with its module', () => {
  const module = new nn.MultiheadAttention(2, 1);
  const state = module.stateDict();
  state.get('in_proj_bias')?.fill_(3);
  expect(module.inProjBias?.tolist()).toEqual([3, 3, 3, 3, 3, 3]);
});

it('statistics from before PyTorch 0.4 are refused where none are tracked', () => {
  const old = new Map([['running_mean', zeros([2])]]);
  expect(() => new nn.InstanceNorm1d(2).loadStateDict(old)).toThrow(
    'Unexpected running stats buffer(s) "running_mean" for InstanceNorm1d with track_running_stats=False.',
  );
});

// What layers draw from the generator: masks, noise and initial values of PyTorch 1.13 (CPU, built
// without MKL) after `torch.manual_seed(7)`.

import { manualSeed, ones, rand, type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as nn from '../src/index.js';
import { functional as F } from '../src/index.js';

const flat = (x: Tensor) => x.reshape(-1).tolist() as number[];

function expectValues(actual: Tensor, expected: readonly number[]): void {
  expect(actual.numel).toBe(expected.length);
  for (const [i, value] of flat(actual).entries()) expect(value).toBeCloseTo(expected[i], 5);
}

const on = { training: true };
const [K, A, B] = [1 / 0.6, 1.470377, -0.910642];

describe('dropout', () => {
  const x = ones([2, 3, 2]);
  const rows: [string, () => Tensor, number[]][] = [
    ['elements', () => F.dropout(x, 0.4), [K, K, 0, 0, 0, 0, K, K, 0, 0, K, K]],
    [
      'of a transposed view, in its order',
      () => F.dropout(ones([2, 3]).t(), 0.4),
      [K, K, 0, 0, 0, 0],
    ],
    ['channels of sequences', () => F.dropout1d(x, 0.4), [K, K, K, K, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['channels of images', () => F.dropout2d(x, 0.4), [K, K, K, K, 0, 0, 0, 0, 0, 0, 0, 0]],
    [
      'channels of an unbatched volume',
      () => F.dropout3d(ones([4, 2, 1, 1]), 0.4),
      [K, K, K, K, 0, 0, 0, 0],
    ],
    ['alpha', () => F.alphaDropout(x, 0.4, on), [A, A, B, B, B, B, A, A, B, B, A, A]],
    [
      'alpha of channels',
      () => F.featureAlphaDropout(x, 0.4, on),
      [A, A, A, A, B, B, B, B, B, B, B, B],
    ],
  ];
  it.each(rows)('%s', (_, run, expected) => {
    manualSeed(7);
    expectValues(run(), expected);
  });

  it('is off in eval mode and draws nothing at p = 0 and p = 1', () => {
    expect(new nn.Dropout(0.5).eval().call(x)).toBe(x);
    manualSeed(7);
    expect(F.dropout(x, 0)).toBe(x);
    expectValues(F.dropout(x, 1), new Array(12).fill(0));
    const next = rand([1]).item();
    manualSeed(7);
    expect(rand([1]).item()).toBe(next);
  });

  it('passes the mask to the gradient', () => {
    const leaf = ones([2, 3, 2], { requiresGrad: true });
    manualSeed(7);
    const y = F.dropout(leaf, 0.4);
    y.sum().backward();
    expect(leaf.grad?.tolist()).toEqual(y.tolist());
  });

  it('writes into its input on request', () => {
    const input = ones([4]);
    manualSeed(7);
    const y = new nn.Dropout({ p: 0.4, inplace: true }).call(input);
    expect(y).toBe(input);
    expectValues(input, [K, K, 0, 0]);
  });
});

it('rrelu draws a slope for each element that is not positive', () => {
  manualSeed(7);
  expectValues(F.rrelu(tensor([-1, 2, -1, 0, -1]), on), [-0.183204, 2, -0.18202, 0, -0.26181]);
});

it('gumbelSoftmax draws exponential noise', () => {
  manualSeed(7);
  expectValues(F.gumbelSoftmax(tensor([1, 2, 3]), 0.5), [0.097561, 0.756756, 0.145684]);
  manualSeed(7);
  const logits = ones([3, 1]).mul(tensor([1, 2, 3]));
  expectValues(F.gumbelSoftmax(logits, { hard: true }), [0, 1, 0, 0, 0, 1, 0, 0, 1]);
});

describe('initial values', () => {
  it('of an embedding, normal but for the padding row', () => {
    manualSeed(7);
    const { weight } = new nn.Embedding(3, 2, { paddingIdx: 1 });
    expectValues(weight, [-0.146795, 0.786141, 0, 0, 1.69079, -0.894828]);
  });

  it('of a bilinear layer', () => {
    manualSeed(7);
    const { weight, bias } = new nn.Bilinear(1, 2, 2);
    expectValues(weight, [0.069845, -0.602394, 0.318423, 0.313781]);
    expectValues(bias as Tensor, [-0.534477, -0.149877]);
  });

  it('of attention, whose output projection is drawn first', () => {
    manualSeed(7);
    const state = new nn.MultiheadAttention(2, 1, { addBiasKv: true }).stateDict();
    const expected: Record<string, number[]> = {
      in_proj_weight: [
        -0.507342, 0.22471, -0.233279, 0.608415, 0.61478, 0.088222, -0.369206, -0.50867, -0.095107,
        -0.243724, 0.38171, -0.739496,
      ],
      in_proj_bias: [0, 0, 0, 0, 0, 0],
      bias_k: [0.014992, -0.254695],
      bias_v: [0.40039, 0.151455],
      'out_proj.weight': [0.049388, -0.425957, 0.225159, 0.221876],
      'out_proj.bias': [0, 0],
    };
    expect([...state.keys()]).toEqual(Object.keys(expected));
    for (const [key, value] of state) expectValues(value, expected[key]);
  });

  it('of spectral norm', () => {
    manualSeed(7);
    const state = nn.utils.spectralNorm(new nn.Linear(2, 2)).stateDict();
    const expected: Record<string, number[]> = {
      bias: [-0.377932, -0.105979],
      weight_orig: [0.049388, -0.425957, 0.225159, 0.221876],
      weight_u: [-0.553278, -0.832997],
      weight_v: [0.533413, -0.845855],
    };
    expect([...state.keys()]).toEqual(Object.keys(expected));
    for (const [key, value] of state) expectValues(value, expected[key]);
  });

  it('of an encoder: its layers are copies and draw nothing', () => {
    manualSeed(7);
    const layer = new nn.TransformerEncoderLayer(2, 1, { dimFeedforward: 1 });
    const encoder = new nn.TransformerEncoder(layer, 2);
    expectValues(rand([1]), [0.593231]);
    const [first, second] = encoder.layers.children();
    expect(first).not.toBe(layer);
    expect(first.parameters().map(flat)).toEqual(layer.parameters().map(flat));
    expect(second.parameters().map(flat)).toEqual(layer.parameters().map(flat));
  });
});

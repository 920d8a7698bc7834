import { ones, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { expectClose, filled } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';
import { functional as F } from '../src/index.js';

const f64 = { dtype: 'float64' } as const;

describe('scaledDotProductAttention', () => {
  const [q, k, v] = [filled([2, 3, 4]), filled([2, 3, 4], -1, 2), filled([2, 3, 5])];

  it('is causal on request', () => {
    const seen = tensor([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
    const causal = F.scaledDotProductAttention(q, k, v, { isCausal: true });
    expectClose(causal, F.scaledDotProductAttention(q, k, v, { attnMask: seen }), 1e-15);
    expectClose(causal.select(1, 0), v.select(1, 0), 1e-15);
    expect(() => F.scaledDotProductAttention(q, k, v, { isCausal: true, attnMask: seen })).toThrow(
      'Explicit attn_mask should not be set when is_causal=True',
    );
  });

  it('adds a float mask and takes another scale', () => {
    const mask = filled([3, 3]);
    const scaled = F.scaledDotProductAttention(q.mul(2), k, v, { attnMask: mask, scale: 0.25 });
    expectClose(scaled, F.scaledDotProductAttention(q, k, v, { attnMask: mask }), 1e-14);
  });
});

describe('MultiheadAttention', () => {
  const attention = new nn.MultiheadAttention(4, 2, { batchFirst: true, ...f64 });

  it('treats unbatched input as a batch of one', () => {
    const x = filled([3, 4]);
    const mask = tensor([false, true, false]);
    const [alone, weights] = attention.call(x, x, x, { keyPaddingMask: mask });
    const batch = x.unsqueeze(0);
    const [together] = attention.call(batch, batch, batch, { keyPaddingMask: mask.unsqueeze(0) });
    expectClose(alone, together.squeeze(0), 1e-14);
    expect(weights?.shape).toEqual([3, 3]);
    expect(weights?.select(1, 1).tolist()).toEqual([0, 0, 0]);
  });

  it('gives the same with one tensor three times and with three copies', () => {
    const x = filled([2, 3, 4]);
    const [one] = attention.call(x, x, x);
    const [three] = attention.call(x, x.clone(), x.clone());
    expectClose(one, three, 1e-14);
  });

  it('merges masks of different kinds', () => {
    const x = filled([2, 3, 4]);
    const padding = tensor([
      [false, false, true],
      [false, true, false],
    ]);
    const bool = tensor([
      [false, true, false],
      [false, false, false],
      [true, false, false],
    ]);
    const added = zeros([3, 3], f64).maskedFill(bool, Number.NEGATIVE_INFINITY);
    const run = (attnMask: typeof bool) =>
      attention.call(x, x, x, { attnMask, keyPaddingMask: padding })[0];
    expectClose(run(bool), run(added), 1e-14);
  });

  it('prints the layer after it', () => {
    expect(String(attention)).toBe(
      'MultiheadAttention(\n  (out_proj): Linear(inFeatures=4, outFeatures=4, bias=true)\n)',
    );
  });
});

describe('refusals in the words of PyTorch', () => {
  const attention = new nn.MultiheadAttention(4, 2);
  const x = ones([3, 2, 4]);
  const flat = ones([3, 4]);
  const call = (...args: Parameters<typeof attention.forward>) => attention.call(...args);

  it.each<[string, () => unknown]>([
    ['embed_dim must be divisible by num_heads', () => new nn.MultiheadAttention(5, 2)],
    [
      'query should be unbatched 2D or batched 3D tensor but received 4-D query tensor',
      () => call(ones([1, 2, 3, 4]), x, x),
    ],
    [
      'For batched (3-D) `query`, expected `key` and `value` to be 3-D but found 2-D and 3-D tensors respectively',
      () => call(x, flat, x),
    ],
    [
      'For batched (3-D) `query`, expected `key_padding_mask` to be `None` or 2-D but found 1-D tensor instead',
      () => call(x, x, x, { keyPaddingMask: ones([3]) }),
    ],
    [
      'only bool and floating types of key_padding_mask are supported',
      () => call(x, x, x, { keyPaddingMask: ones([2, 3], { dtype: 'int64' }) }),
    ],
    [
      'expecting key_padding_mask shape of (2, 3), but got torch.Size([2, 4])',
      () => call(x, x, x, { keyPaddingMask: ones([2, 4], { dtype: 'bool' }) }),
    ],
    [
      'The shape of the 2D attn_mask is torch.Size([2, 3]), but should be (3, 3).',
      () => call(x, x, x, { attnMask: ones([2, 3]) }),
    ],
    [
      'The shape of the 3D attn_mask is torch.Size([2, 3, 3]), but should be (4, 3, 3).',
      () => call(x, x, x, { attnMask: ones([2, 3, 3]) }),
    ],
    [
      'Expected `attn_mask` shape to be (2, 3, 3) but got torch.Size([3, 3, 3])',
      () => call(flat, flat, flat, { attnMask: ones([3, 3, 3]) }),
    ],
    [
      'Only float, byte, and bool types are supported for attn_mask, not int64',
      () => call(x, x, x, { attnMask: ones([3, 3], { dtype: 'int64' }) }),
    ],
    [
      'key shape torch.Size([4, 2, 4]) does not match value shape torch.Size([3, 2, 4])',
      () => call(x, ones([4, 2, 4]), x),
    ],
    ['was expecting embedding dimension of 4, but got 6', () => call(ones([3, 2, 6]), x, x)],
  ])('%s', (message, act) => {
    expect(act).toThrow(message);
  });
});

it('an encoder layer may normalise first, and takes an activation of its own', () => {
  const options = { dimFeedforward: 3, dropout: 0, normFirst: true, activation: F.silu, ...f64 };
  const layer = new nn.TransformerEncoderLayer(4, 2, options);
  const copy = new nn.TransformerEncoder(layer, 1);
  const x = filled([3, 2, 4]);
  expectClose(copy.call(x), layer.call(x), 0);
  const masked = layer.call(x, {
    srcKeyPaddingMask: tensor([
      [false, false, true],
      [false, false, false],
    ]),
  });
  expect(masked.shape).toEqual([3, 2, 4]);
});

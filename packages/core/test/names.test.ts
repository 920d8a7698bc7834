// Names of torch and torch.Tensor that compute nothing, or that no row of test/parity can call.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

const x = () => vg.arange(6, { dtype: 'float64' }).reshape(2, 3);

describe('what is said of a tensor', () => {
  it('sizes and strides', () => {
    const view = x().t();
    expect([view.size(), view.size(-1), view.stride(), view.stride(0)]).toEqual([
      [3, 2],
      3 - 1,
      [1, 3],
      1,
    ]);
    expect([view.dim(), view.nelement(), view.elementSize()]).toEqual([2, 6, 8]);
    expect(x().narrow(1, 1, 2).storageOffset()).toBe(1);
    expect(() => view.size(2)).toThrow('Dimension out of range');
    expect(() => vg.tensor(1).size(0)).toThrow('tensor has no dimensions');
  });

  it('transposed as properties, on the tape', () => {
    const a = vg.ones([2, 3, 4], { requiresGrad: true });
    expect([a.T.shape, a.mT.shape, a.mH.shape]).toEqual([
      [4, 3, 2],
      [2, 4, 3],
      [2, 4, 3],
    ]);
    expect(x().H.tolist()).toEqual(x().t().tolist());
    expect(a.mT.requiresGrad).toBe(true);
    expect(() => a.H).toThrow('only supported on matrices');
    expect(() => vg.ones([3]).mT).toThrow('matrices or batches of matrices');
  });

  it('kinds', () => {
    expect([vg.isTensor(x()), vg.isTensor([1])]).toEqual([true, false]);
    expect(vg.isNonzero(vg.tensor([0n]))).toBe(false);
    expect(() => vg.isNonzero(x())).toThrow('more than one value is ambiguous');
    const y = x().requiresGrad_().mul(2);
    expect(y.retainsGrad).toBe(false);
    y.retainGrad();
    expect(y.retainsGrad).toBe(true);
  });

  it('limits of dtypes', () => {
    expect(vg.finfo('float16')).toMatchObject({
      bits: 16,
      max: 65504,
      tiny: 2 ** -14,
      eps: 2 ** -10,
    });
    expect(vg.finfo().max).toBe(Math.fround(3.4028234663852886e38));
    expect(vg.iinfo('int8')).toMatchObject({ bits: 8, min: -128, max: 127 });
    expect(vg.iinfo('int64').max).toBe(9223372036854775807n);
    expect(() => vg.finfo('int8')).toThrow('torch.finfo() requires a floating point input type');
    expect(() => vg.iinfo('float32')).toThrow('torch.iinfo() requires an integer input type');
  });
});

describe('tensors like others', () => {
  it('take sizes one by one or as a list, and options', () => {
    const like = vg.tensor([1n]);
    expect(like.newZeros(2, 1)).toMatchObject({ shape: [2, 1], dtype: 'int64' });
    expect(like.newOnes([2], { dtype: 'float32' })).toMatchObject({ shape: [2], dtype: 'float32' });
    expect(like.newEmpty(0, 3).shape).toEqual([0, 3]);
    expect(like.newFull([1], 3).tolist()).toEqual([3n]);
  });

  it('asTensor takes a tensor as it is', () => {
    const given = x();
    expect(vg.asTensor(given)).toBe(given);
    expect(vg.asTensor(given, { dtype: 'float32' }).dtype).toBe('float32');
    expect(vg.asTensor([1, 2]).tolist()).toEqual([1, 2]);
  });
});

describe('grad mode', () => {
  it('is set from here on, or while a function runs', () => {
    try {
      vg.setGradEnabled(false);
      expect(vg.isGradEnabled()).toBe(false);
      expect(vg.setGradEnabled(true, vg.isGradEnabled)).toBe(true);
      expect(vg.isGradEnabled()).toBe(false);
    } finally {
      vg.setGradEnabled(true);
    }
    expect(vg.inferenceMode(vg.isGradEnabled)).toBe(false);
  });
});

describe('in place', () => {
  it('comparisons end the gradient of what they overwrite', () => {
    const a = x().requiresGrad_();
    const y = a.mul(2);
    y.lt_(4);
    expect(y.dtype).toBe('float64');
    expect(vg.grad([y.sum()], [a])[0]?.tolist()).toEqual(x().mul(0).tolist());
  });

  it('refuses results that do not fit', () => {
    expect(() => vg.tensor([1n]).exp2_()).toThrow("can't be cast to the desired output type Long");
    expect(() => vg.ones([2]).floatPower_(2)).toThrow('requires dtype Double');
  });
});

describe('matrices', () => {
  it('names the singular one', () => {
    const batch = vg.stack([vg.eye(2), vg.ones([2, 2])]);
    expect(() => batch.inverse()).toThrow(
      'linalg.inv: (Batch element 1): The diagonal element 2 is zero',
    );
    expect(() => vg.ones([2, 3]).det()).toThrow('A must be batches of square matrices');
    expect(vg.zeros([4, 4]).slogdet().logabsdet.item()).toBe(Number.NEGATIVE_INFINITY);
    expect(vg.zeros([0, 0]).det().item()).toBe(1);
  });

  it('asStrided stays inside the storage', () => {
    expect(() => x().asStrided([2, 3], [3, 2])).toThrow('out of bounds for storage of size 48');
  });
});

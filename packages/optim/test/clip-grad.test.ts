// The numbers of clipGradNorm are in pytorch.test.ts.

import { tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { clipGradNorm, clipGradValue } from '../src/index.js';

function withGradient(...values: number[]) {
  const p = tensor(values, { requiresGrad: true });
  p.grad = tensor(values);
  return p;
}

describe('clipGradNorm', () => {
  it('is 0 without gradients', () => {
    expect(clipGradNorm([tensor([1], { requiresGrad: true })], 1).item()).toBe(0);
  });

  it('takes one tensor, and skips those without gradient', () => {
    const p = withGradient(3, 4);
    expect(clipGradNorm(p, 1).item()).toBe(5);
    expect(clipGradNorm([p, tensor([1])], 9).item()).toBeCloseTo(1, 5);
  });

  it('refuses a norm that is not finite when asked to, and then changes nothing', () => {
    const [a, b] = [withGradient(1), withGradient(Number.POSITIVE_INFINITY)];
    const error = thrownBy(() => clipGradNorm([a, b], 1, { errorIfNonfinite: true }));
    expect(error.message).toContain('The total norm of order 2 for gradients');
    expect(a.grad?.tolist()).toEqual([1]);
    expect(clipGradNorm([a, b], 1).item()).toBe(Number.POSITIVE_INFINITY);
    expect([a.grad?.tolist(), b.grad?.tolist()]).toEqual([[0], [Number.NaN]]);
  });
});

it('clipGradValue clamps every element', () => {
  const p = withGradient(-3, 0.5, 2);
  clipGradValue([p], 1);
  expect(p.grad?.tolist()).toEqual([-1, 0.5, 1]);
});

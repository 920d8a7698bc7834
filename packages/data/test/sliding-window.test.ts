import { arange, pad, rand, type Tensor, tensor, zeros } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import { slidingWindowInference } from '../src/index.js';
import { gaussianWeights, windowStarts } from '../src/windows.js';

const volume = (shape: number[]) =>
  arange(
    shape.reduce((a, b) => a * b),
    { dtype: 'float64' },
  ).reshape(shape);

describe('windows', () => {
  it('cover the axis, the last one at its end', () => {
    expect(windowStarts(10, 4, 0.25)).toEqual([0, 3, 6]);
    expect(windowStarts(11, 4, 0.25)).toEqual([0, 3, 6, 7]);
    expect(windowStarts(4, 4, 0.5)).toEqual([0]);
    expect(windowStarts(5, 2, 0.9)).toEqual([0, 1, 2, 3]);
  });

  it('are weighed by a Gaussian with a floor', () => {
    const weights = gaussianWeights([5, 3], 0.125);
    expect(weights).toHaveLength(15);
    expect(weights[7]).toBe(1);
    expect(Math.min(...weights)).toBe(1e-3);
    // exp(-1 / (2 · 0.625²)) one step from the centre along the first axis
    expect(weights[4]).toBeCloseTo(Math.exp(-1 / (2 * 0.625 ** 2)), 12);
  });
});

const cases = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
  windowSize: fc.integer({ min: 1, max: 5 }),
  overlap: fc.constantFrom(0, 0.25, 0.5, 0.7),
  blend: fc.constantFrom<'constant' | 'gaussian'>('constant', 'gaussian'),
  batchSize: fc.integer({ min: 1, max: 4 }),
  images: fc.integer({ min: 1, max: 2 }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

describe('slidingWindowInference', () => {
  it('is exact for a predictor that looks at single elements', async () => {
    const drawn: Case[] = [];
    forAll(cases, (one) => void drawn.push(one), 60);
    for (const { sizes, images, ...options } of drawn) {
      const x = rand([images, 2, ...sizes]);
      const predictor = (w: Tensor) => w.sin().mul(0.3).narrow(1, 0, 1);
      const y = await slidingWindowInference(x, { ...options, predictor });
      expect(y.tolist(), JSON.stringify({ sizes, ...options })).toEqual(predictor(x).tolist());
    }
  });

  it('weighs windows that disagree', async () => {
    // Each window says its own number: 0 covers [0, 4), 1 covers [2, 6).
    const run = (blend: 'constant' | 'gaussian') => {
      let call = 0;
      return slidingWindowInference(zeros([1, 1, 6], { dtype: 'float64' }), {
        windowSize: 4,
        overlap: 0.5,
        blend,
        sigmaScale: 0.5,
        predictor: (w) => w.add(call++),
      });
    };
    expect((await run('constant')).tolist()).toEqual([[[0, 0, 0.5, 0.5, 1, 1]]]);
    const w = gaussianWeights([4], 0.5);
    const y = (await run('gaussian')).select(0, 0).select(0, 0);
    const expected = [0, 0, w[0] / (w[0] + w[2]), w[1] / (w[1] + w[3]), 1, 1];
    for (const [i, value] of expected.entries())
      expect(y.select(0, i).item()).toBeCloseTo(value, 12);
  });

  it('pads what is smaller than the window, and crops back', async () => {
    const x = volume([1, 1, 3, 4, 2]);
    const seen: Tensor[] = [];
    const predictor = async (w: Tensor) => {
      seen.push(w);
      return w;
    };
    const options = { windowSize: [6, 4, 4], predictor, paddingValue: -1 };
    expect((await slidingWindowInference(x, options)).tolist()).toEqual(x.tolist());
    const padded = pad(x, [1, 1, 0, 0, 1, 2], { value: -1 });
    expect(seen.map((w) => w.tolist())).toEqual([padded.tolist()]);
    await slidingWindowInference(x, { ...options, paddingMode: 'replicate' });
    expect(seen[1].amin().item()).toBe(0);
  });

  it('takes whole axes, keeps infinities, and runs off the tape', async () => {
    const x = tensor([[[1, Number.NEGATIVE_INFINITY, 3, Number.POSITIVE_INFINITY, 5]]]);
    x.requiresGrad = true;
    const shapes: (readonly number[])[] = [];
    const y = await slidingWindowInference(x, {
      windowSize: 2,
      overlap: 0.5,
      predictor: (w) => {
        shapes.push(w.shape);
        return w.mul(1);
      },
    });
    expect(y.tolist()).toEqual(x.tolist());
    expect(y.requiresGrad).toBe(false);
    await slidingWindowInference(volume([1, 1, 4, 9]), {
      windowSize: [2, -1],
      overlap: 0,
      predictor: (w) => {
        shapes.push(w.shape);
        return w;
      },
    });
    expect(shapes.slice(-2)).toEqual([
      [1, 1, 2, 9],
      [1, 1, 2, 9],
    ]);
  });

  it('reports its progress', async () => {
    const done: number[][] = [];
    await slidingWindowInference(volume([2, 1, 6]), {
      windowSize: 4,
      batchSize: 3,
      predictor: (w) => w,
      progress: (...numbers) => done.push(numbers),
    });
    expect(done).toEqual([
      [3, 4],
      [4, 4],
    ]);
  });

  it('says what is wrong', async () => {
    const x = volume([1, 1, 6]);
    const ok = { windowSize: 4, predictor: (w: Tensor) => w };
    const run = (input: Tensor, options: object) =>
      slidingWindowInference(input, { ...ok, ...options });
    await expect(run(volume([3, 3]), {})).rejects.toThrow(
      'one to three spatial axes, but got [3, 3]',
    );
    await expect(run(x, { overlap: 1 })).rejects.toThrow('overlap must be >= 0 and < 1');
    await expect(run(x, { blend: 'linear' })).rejects.toThrow(
      "blend must be 'constant' or 'gaussian'",
    );
    await expect(run(x, { batchSize: 0 })).rejects.toThrow('batchSize must be a positive integer');
    await expect(run(x, { windowSize: [2, 2] })).rejects.toThrow('windowSize');
    await expect(
      run(x, { predictor: (w: Tensor) => w.argmax(1, { keepdim: true }) }),
    ).rejects.toThrow('cannot average int64');
    await expect(run(x, { predictor: (w: Tensor) => w.narrow(2, 0, 2) })).rejects.toThrow(
      'expected the predictor to return [1, K, 4] for 1 window(s), but got [1, 1, 2]',
    );
    await expect(run(zeros([0, 1, 6]), {})).rejects.toThrow('the batch is empty');
  });
});

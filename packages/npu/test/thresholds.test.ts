// Every limit of L1 has a width at which it begins to refuse. It is found by search, asking the device
// and nothing else, and must lie where the need that the refusal states first exceeds the limit that it
// states.

import type { ConvCall, ConvKernelName, DType, Refusal } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import { forwardL1, inputGradientL1, npu, weightGradientL1 } from '../src/index.js';
import { WIDTH_THRESHOLDS } from './data/l1-vectors.js';
import { conv3dCall, sameCall } from './geometry.js';

const device = npu('Ascend910B1', { cann: '8.2.RC1' });
const L1 = 512 * 1024;

/** The largest of `low` … `high` for which `runs` holds, which stops somewhere; `low` must run. */
function widest(low: number, high: number, runs: (width: number) => boolean): number {
  let [yes, no] = [low, high + 1];
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2);
    if (runs(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

interface Pass {
  readonly kernel: ConvKernelName;
  readonly need: (call: ConvCall) => number;
}

const PASSES: Record<string, Pass> = {
  forward: { kernel: 'convForward', need: ({ geometry }) => forwardL1(geometry) },
  input: {
    kernel: 'convBackward',
    need: ({ geometry, dtype }) => inputGradientL1(geometry, dtype).total,
  },
  weight: {
    kernel: 'convWeight',
    need: ({ geometry, dtype }) => weightGradientL1(geometry, dtype).total,
  },
};

const refusalsOf = (kernel: ConvKernelName, call: ConvCall): readonly Refusal[] =>
  device.capabilities.checkConv(kernel, { ...call, needs: [true, false, false] });

const dtypes = fc.constantFrom<DType>('float32', 'float16', 'bfloat16');

describe.each(Object.entries(PASSES))('%s', (_, { kernel, need }) => {
  it('refuses from the first width whose need exceeds L1', () => {
    const shapes = fc.record({
      taps: fc.integer({ min: 1, max: 60 }),
      dilation: fc.integer({ min: 1, max: 4 }),
      channels: fc.integer({ min: 1, max: 24 }),
      depth: fc.integer({ min: 1, max: 9 }),
      dtype: dtypes,
    });
    forAll(shapes, ({ taps, dilation, channels, depth, dtype }) => {
      const height = taps > 1 ? dilation : 1;
      const call = (width: number) =>
        conv3dCall(
          [1, channels, depth, 260, width],
          [channels, 1, Math.min(depth, 3), taps, 1],
          { groups: channels, dilation: [1, height, 1] },
          { dtype },
        );
      const fits = (width: number) =>
        !refusalsOf(kernel, call(width)).some((r) => r.check === 'L1');
      const width = widest(16, 8192, fits);
      expect(need(call(width))).toBeLessThanOrEqual(L1);
      if (width === 8192) return;
      expect(need(call(width + 1))).toBeGreaterThan(L1);
      const [refusal] = refusalsOf(kernel, call(width + 1)).filter((r) => r.check === 'L1');
      expect(refusal.needBytes).toBe(need(call(width + 1)));
      expect(refusal.limitBytes).toBe(L1);
    });
  });
});

describe('the published thresholds of depthwise input gradients', () => {
  it.each(WIDTH_THRESHOLDS)('kernel %d ends at width %d', (kernel, width) => {
    const size = fc.integer({ min: kernel + 1, max: 400 });
    const channels = fc.integer({ min: 1, max: 8 });
    forAll(fc.tuple(dtypes, size, size, channels), ([dtype, depth, height, c]) => {
      const found = widest(17, 4096, (w) => {
        const call = sameCall(kernel, [depth, height, w], c, c, dtype);
        return refusalsOf('convBackward', call).length === 0;
      });
      expect(found).toBe(width);
    });
  });
});

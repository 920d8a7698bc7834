import { existsSync, readFileSync } from 'node:fs';
import type { ConvCall, DType } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { forwardL1, inputGradientL1, npu, weightGradientL1 } from '../src/index.js';
import { L1_VECTORS } from './data/l1-vectors.js';
import { conv3dCall, sameCall } from './geometry.js';

const device = npu('Ascend910B1', { cann: '8.2.RC1' });
const inputGradient = (call: ConvCall) =>
  device.capabilities.checkConv('convBackward', { ...call, needs: [true, false, false] });

describe('L1 of the vectors that this package keeps', () => {
  for (const v of L1_VECTORS)
    it(`kernel ${v.kernel}, width ${v.size[2]}, ${v.channels} channels, ${v.dtype}`, () => {
      const call = sameCall(v.kernel, v.size, v.channels, v.groups, v.dtype);
      const { geometry: g } = call;
      expect(inputGradientL1(g, v.dtype)).toMatchObject(v.input);
      expect(inputGradient(call)).toHaveLength(v.runs ? 0 : 1);
      expect(weightGradientL1(g, v.dtype).total).toBe(v.weight);
      expect(forwardL1(g)).toBe(v.forward);
    });
});

// The whole list of vectors is not part of the repository; where it lies beside it, all are run.
const FACTS = new URL('../../../../shared/facts/ascend.json', import.meta.url);
const present = existsSync(FACTS);

interface FactVector {
  readonly name: string;
  readonly soc: string;
  readonly kernel: number[];
  readonly input_dhw: number[];
  readonly c_in: number;
  readonly c_out: number;
  readonly groups: number;
  readonly dtype: 'fp32' | 'fp16';
  readonly dx: Record<'h' | 'w' | 'dfactor' | 'a_l1' | 'b_l1' | 'fill_zero' | 'total', number> & {
    readonly ok: boolean;
  };
  readonly dw_min: { readonly al1: number; readonly bl1: number; readonly total: number };
  readonly composite_dx_forward_al1: number;
}

describe('L1 of all vectors of the fact sheet', () => {
  it.skipIf(!present)('equals ../shared/facts/ascend.json (skipped where there is none)', () => {
    const facts = JSON.parse(readFileSync(FACTS, 'utf8')) as { l1_test_vectors: FactVector[] };
    expect(facts.l1_test_vectors).toHaveLength(112);
    for (const v of facts.l1_test_vectors) {
      const dtype: DType = v.dtype === 'fp32' ? 'float32' : 'float16';
      const padding = v.kernel.map((k) => (k - 1) / 2);
      const { geometry: g } = conv3dCall(
        [1, v.c_in, ...v.input_dhw],
        [v.c_out, v.c_in / v.groups, ...v.kernel],
        { padding, groups: v.groups },
      );
      const { h, w, dFactor, aL1, bL1, fillZero, total } = inputGradientL1(g, dtype);
      const { ok, ...dx } = v.dx;
      expect(
        { h, w, dfactor: dFactor, a_l1: aL1, b_l1: bL1, fill_zero: fillZero, total },
        v.name,
      ).toEqual(dx);
      const { soc } = npu(v.soc, { cann: '8.2.RC1' }).profile;
      expect(total <= soc.l1, v.name).toBe(ok);
      const weight = weightGradientL1(g, dtype);
      expect({ al1: weight.aL1, bl1: weight.bL1, total: weight.total }, v.name).toEqual({
        al1: v.dw_min.al1,
        bl1: v.dw_min.bl1,
        total: v.dw_min.total,
      });

      // The composed input gradient convolves the output gradient with exchanged channels.
      const composed = conv3dCall(
        [1, v.c_out, ...g.output],
        [v.c_in, v.c_out / v.groups, ...v.kernel],
        { padding, groups: v.groups },
      );
      expect(forwardL1(composed.geometry), v.name).toBe(v.composite_dx_forward_al1);
    }
  });
});

it('a row has a limit of its own, 4096, where one plane of the kernel is loaded at a time', () => {
  /** The largest width that is not refused, by bisection. */
  function widest(kernel: number): number {
    let [runs, refused] = [17, 4097];
    while (refused - runs > 1) {
      const middle = Math.floor((runs + refused) / 2);
      const call = sameCall(kernel, [8, 8, middle], 17, 17, 'float32');
      if (inputGradient(call).length === 0) runs = middle;
      else refused = middle;
    }
    return runs;
  }
  expect(widest(3)).toBe(4060); // 4 rows of 32 bytes per position
  expect(widest(1)).toBe(4096);
});

// By hand from the formulas, since all vectors have stride 1, dilation 1 and widths from 16 up.
describe('L1 with strides, dilations and narrow rows', () => {
  it('loads the output gradient as wide as the stride spreads it', () => {
    const { geometry: g } = conv3dCall([1, 14, 256, 256, 160], [28, 14, 3, 3, 3], {
      stride: 2,
      padding: 1,
    });
    expect(inputGradientL1(g, 'float32')).toMatchObject({
      ...{ h: 4, w: 160, dFactor: 1, aL1: 4 * 160 * 32, bL1: 9 * 512, width: 160 },
    });
    expect(weightGradientL1(g, 'float32')).toMatchObject({ aL1: 1024, bL1: 3 * 160 * 64 });
    expect(forwardL1(g)).toBe((1 * 2 + 3) * 160 * 32);
  });

  it('loads fewer planes where the stride in depth skips some', () => {
    const planes = (stride: number, kernel: number) =>
      inputGradientL1(
        conv3dCall([1, 1, 64, 64, 64], [8, 1, kernel, 3, 3], { stride: [stride, 1, 1] }).geometry,
        'float32',
      ).dFactor;
    expect(planes(1, 3)).toBe(3);
    expect(planes(2, 3)).toBe(2);
    expect(planes(2, 5)).toBe(3);
    expect(planes(3, 3)).toBe(1); // kernel = stride: planes do not overlap
    expect(planes(4, 3)).toBe(2);
  });

  it('loads as many rows as the dilated kernel spans', () => {
    const { geometry: g } = conv3dCall([1, 16, 160, 160, 160], [16, 16, 3, 3, 3], {
      padding: 2,
      dilation: 2,
    });
    expect(inputGradientL1(g, 'float32')).toMatchObject({ h: 6, w: 160, dFactor: 1 });
    expect(weightGradientL1(g, 'float32').bL1).toBe(5 * 160 * 64);
    expect(forwardL1(g)).toBe(6 * 160 * 32);
  });

  it.each([
    { width: 5, h: 2 + 3 + 2, positions: 48, forward: (4 + 3) * 5 * 32 },
    { width: 8, h: 2 + 2, positions: 32, forward: (3 + 3) * 8 * 32 },
    { width: 12, h: 2 + 1 + 2, positions: 64, forward: (2 + 3) * 12 * 32 },
  ])(
    'fills a block of 16 from several rows of width $width',
    ({ width, h, positions, forward }) => {
      const { geometry: g } = sameCall(3, [20, 20, width], 1, 1, 'float32');
      expect(inputGradientL1(g, 'float32').h).toBe(h);
      expect(weightGradientL1(g, 'float32').bL1).toBe(positions * 64);
      expect(forwardL1(g)).toBe(forward);
    },
  );
});

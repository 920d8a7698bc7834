// The call that began this project: a large depthwise kernel whose native backward an Ascend NPU
// refuses. Sizes and limits: packages/npu.

import { conv3d, cpu, type Device, strategies } from '@voxgrad/core';
import { npu } from '@voxgrad/npu';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, filled, thrownBy } from '../packages/core/test/support/numbers.js';

const device = npu('Ascend910B1', { cann: '8.2.RC1' });

/** What CANN logs: 10 rows × 168 columns × 9 planes × 32 bytes, and 9·9 taps × 512. */
const TEXT =
  'op[Conv3DBackpropInputV2], Error msg: Minimum load size may exceed L1 buffer, a_l1_size is 483840B, ' +
  'b_l1_size is 41472B, fill_zero_size is 0B, L1size is 524288B, width may exceed limits, ' +
  'actual width: 168, width limit: 4096';

describe('a depthwise kernel of 9³ on Ascend910B1 with CANN 8.2.RC1', () => {
  const call = { input: [1, 7, 296, 296, 168], weight: [7, 1, 9, 9, 9], padding: 4, groups: 7 };

  it('explain refuses the native backward in its words and takes the composite', () => {
    const { chosen, considered } = strategies.explain('conv3d', call, device);
    expect(chosen).toBe('composite');
    expect(considered.find((s) => s.name === 'fused')).toMatchObject({
      ok: false,
      reasons: [`E69999: ${TEXT}`],
    });
    expect(considered.find((s) => s.name === 'composite')?.reasons).toEqual([
      'input gradient by forward kernel over the spread gradient',
      "weight gradient by the device's weight-only backward",
    ]);
  });

  /** The smallest volume of that width for which the tiling loads as much. */
  const run = (width: number, on: Device, backward?: string) => {
    const x = filled([1, 2, 9, 10, width]).to('float32').to(on).requiresGrad_();
    const w = filled([2, 1, 9, 9, 9], -0.1, 0.1).to('float32').to(on).requiresGrad_();
    conv3d(x, w, null, { padding: 4, groups: 2, backward }).square().mean().backward();
    return [defined(x.grad), defined(w.grad)];
  };

  it('forcing the native backward throws what the user of the NPU would see', () => {
    const error = thrownBy(() => run(168, device, 'fused'));
    expect(error).toMatchObject({ code: 'E69999' });
    expect(error.message).toContain(TEXT);
  });

  it('unforced, the composite runs and is right', () => {
    let gradients: ReturnType<typeof run> = [];
    const entries = strategies.trace(() => {
      gradients = run(168, device);
    });
    expect(entries.at(-1)).toMatchObject({ op: 'conv3d', strategy: 'composite' });
    const right = run(168, cpu);
    gradients.forEach((g, i) => {
      expectClose(g, right[i], 1e-6);
    });
  });

  it('one column less, and the native backward takes it', () => {
    const entries = strategies.trace(() => run(167, device));
    expect(entries.at(-1)).toMatchObject({ op: 'conv3d', strategy: 'fused' });
  });
});

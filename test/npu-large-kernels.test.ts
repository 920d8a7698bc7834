// The incident of large depthwise kernels (train04, train05): the forward passes, the native backward
// overflows L1, smaller volumes pass, and what runs instead trains to the losses of a device without
// limits. The volumes are thin: L1 is overflowed by the width of a row, and only needs as many rows and
// planes as the kernel spans.

import {
  conv3d,
  convGeometry,
  cpu,
  type Device,
  manualSeed,
  randn,
  strategies,
  type Tensor,
} from '@voxgrad/core';
import { npu } from '@voxgrad/npu';
import { Adam } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../packages/core/test/support/numbers.js';

const host = createWasmDevice({ threads: 1 });
const device = npu('Ascend910B1', { cann: '8.2.RC1', host });

const CASES = [
  {
    name: 'train04: kernel 7',
    kernel: 7,
    full: [168, 296, 296],
    // 8 rows × 279 columns × 7 planes × 32 bytes, and 7·7 taps × 512.
    ...{ thin: [7, 8, 279], fits: [7, 8, 278], needBytes: 8 * 279 * 7 * 32 + 49 * 512 },
  },
  {
    name: 'train05: kernel 9',
    kernel: 9,
    full: [296, 296, 168],
    // 10 rows × 168 columns × 9 planes × 32 bytes, and 9·9 taps × 512.
    ...{ thin: [9, 10, 168], fits: [9, 10, 167], needBytes: 10 * 168 * 9 * 32 + 81 * 512 },
  },
] as const;

const callOf = (kernel: number, channels: number, size: readonly number[]) => ({
  input: [1, channels, ...size],
  weight: [channels, 1, kernel, kernel, kernel],
  padding: (kernel - 1) / 2,
  groups: channels,
});

/** Losses of 20 epochs over one volume: a depthwise convolution, and a head that mixes its channels. */
function losses(on: Device, kernel: number, size: readonly number[], backward?: string): number[] {
  manualSeed(7);
  const make = (shape: readonly number[], scale: number) =>
    randn([...shape], { device: cpu })
      .mul(scale)
      .to(on);
  const [x, target] = [make([1, 2, ...size], 1), make([1, 1, ...size], 1)];
  const large = make([2, 1, kernel, kernel, kernel], 0.03).requiresGrad_();
  const head = make([1, 2, 1, 1, 1], 0.5).requiresGrad_();
  const optimizer = new Adam([large, head], { lr: 0.01 });
  const options = { padding: (kernel - 1) / 2, groups: 2, backward };
  return Array.from({ length: 20 }, () => {
    // An input that wants its gradient, as inside a network.
    const inner: Tensor = x.detach().requiresGrad_();
    const y = conv3d(conv3d(inner, large, null, options).relu(), head);
    const loss = y.sub(target).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    expect(inner.grad).not.toBeNull();
    return loss.item();
  });
}

describe.each(CASES)('$name', ({ kernel, full, thin, fits, needBytes }) => {
  const considered = (op: string, size: readonly number[]) =>
    strategies
      .explain(op, callOf(kernel, 7, size), device)
      .considered.find((s) => s.name === 'fused');

  it('at full size and thin, the forward passes and the native backward overflows L1', () => {
    for (const size of [full, thin]) {
      expect(considered('conv3d.forward', size)?.ok).toBe(true);
      const native = considered('conv3d', size);
      expect(native?.ok).toBe(false);
      expect(native?.reasons.join()).toContain('Minimum load size may exceed L1 buffer');
    }
    const { input, weight, ...options } = callOf(kernel, 7, thin);
    const geometry = convGeometry('conv3d', 3, input, weight, null, options);
    const call = { geometry, dtype: 'float32', bias: false, needs: [true, true, false] } as const;
    expect(device.capabilities.checkConv('convBackward', call)).toMatchObject([
      { code: 'E69999', needBytes, limitBytes: 524288 },
    ]);
  });

  it('one column less passes', () => {
    expect(considered('conv3d', fits)?.ok).toBe(true);
    expect(losses(device, kernel, fits, 'fused')).toHaveLength(20);
  });

  it('forced, the native backward fails at its first step', () => {
    expect(thrownBy(() => losses(device, kernel, thin, 'fused'))).toMatchObject({ code: 'E69999' });
  });

  it('composite, tiled and the choice of the registry train to the losses of the host', () => {
    const native = losses(host, kernel, thin, 'fused');
    expect(native[19]).toBeLessThan(native[0]);
    for (const backward of [undefined, 'composite', 'tiled']) {
      const got = losses(device, kernel, thin, backward);
      got.forEach((loss, epoch) => {
        expect(Math.abs(loss - native[epoch]) / native[epoch], `${backward} ${epoch}`).toBeLessThan(
          1e-5,
        );
      });
    }
  });
});

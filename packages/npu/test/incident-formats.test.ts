// The incident of a vision model's patch embedding, from one version to the next: the graph operator that
// refuses a view of a matrix, the null gradient, and a library path with an older runtime in front.

import { conv3d, cpu, randn, strategies, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, thrownBy } from '../../core/test/support/numbers.js';
import { formatCast, getFormat, type NpuDevice, npu } from '../src/index.js';

/** Patches as a matrix of numbers: 6 of 3 channels, 2 × 4 × 4 each. */
const PATCH = [3, 2, 4, 4] as const;
const pixels = randn([6, 96], { device: cpu });
const kernel = randn([5, ...PATCH], { device: cpu });

/** The weight gradient of the embedding; the pixels want none. */
function embed(device: NpuDevice, volume: (pixels: Tensor) => Tensor, backward?: string): Tensor {
  const x = volume(pixels.to(device));
  const w = kernel.to(device).requiresGrad_();
  conv3d(x, w, null, { stride: [2, 4, 4], backward })
    .square()
    .sum()
    .backward();
  return defined(w.grad);
}

const asView = (x: Tensor) => x.reshape(6, ...PATCH);
const right = (() => {
  const w = kernel.clone().requiresGrad_();
  conv3d(asView(pixels), w, null, { stride: [2, 4, 4] })
    .square()
    .sum()
    .backward();
  return defined(w.grad);
})();

describe('PyTorch 2.7.1, a pre-release of torch_npu, CANN 8.2.RC1, internal formats allowed', () => {
  const device = npu('Ascend910B1', {
    ...{ cann: '8.2.RC1', torchNpu: '2.7.1', allowInternalFormat: true },
  });
  const text = 'op[Conv3DBackpropFilter2], illegal format of x.';

  it('the native weight gradient fails with E69999 on a 5-D view that is stored as ND', () => {
    expect(getFormat(asView(pixels.to(device)))).toBe('ND');
    const error = thrownBy(() => embed(device, asView, 'fused'));
    expect(error).toMatchObject({ code: 'E69999' });
    expect(error.message).toContain(text);
  });

  it('the forward and an input gradient alone do not mind', () => {
    const x = asView(pixels.to(device)).requiresGrad_();
    const y = conv3d(x, kernel.to(device), null, { stride: [2, 4, 4], backward: 'fused' });
    y.sum().backward();
    expect(x.grad?.shape).toEqual(x.shape);
  });

  it('a cast to NCDHW (30) heals it', () => {
    for (const format of ['NCDHW', 30] as const)
      expectClose(
        embed(device, (x) => formatCast(asView(x), format), 'fused'),
        right,
        1e-5,
      );
  });

  it('so do a copy, the switches, and a later torch_npu', () => {
    expectClose(
      embed(device, (x) => asView(x).clone(), 'fused'),
      right,
      1e-5,
    );
    const others = [
      npu('Ascend910B1', { cann: '8.2.RC1', torchNpu: '2.7.1', allowInternalFormat: false }),
      npu('Ascend910B1', { cann: '8.3.RC1', torchNpu: '2.7.1', allowInternalFormat: true }),
    ];
    for (const other of others) expectClose(embed(other, asView, 'fused'), right, 1e-5);
  });

  it('unforced, something else runs, is right, and the trace says why', () => {
    let gradient: Tensor | undefined;
    const entries = strategies.trace(() => {
      gradient = embed(device, asView);
    });
    const last = entries.at(-1);
    expect(last?.strategy).not.toBe('fused');
    expect(last?.reasons.join()).toContain(`E69999: ${text}`);
    expect(last?.call).toMatchObject({ formats: { input: 'ND' } });
    expectClose(defined(gradient), right, 1e-5);
  });
});

describe('CANN 8.5.0 with a torch_npu that passes null for masked gradients', () => {
  const device = npu('Ascend910B1', { cann: '8.5.0', torchNpu: '2.7.1.post2' });

  it('the weight gradient alone meets the null pointer', () => {
    const error = thrownBy(() => embed(device, asView, 'fused'));
    expect(error.message).toContain('core dump in aclnnConvolutionBackwardGetWorkspaceSize');
    expect(error.message).toContain('gradInput is null');
    expect(error.message).toContain('torch_npu 2.7.1.post2 passes null');
  });

  it('unforced, the composite goes round it without the weight-only kernel', () => {
    let gradient: Tensor | undefined;
    const entries = strategies.trace(() => {
      gradient = embed(device, asView);
    });
    expect(entries.at(-1)).toMatchObject({ op: 'conv3d' });
    expect(entries.at(-1)?.strategy).not.toBe('fused');
    expectClose(defined(gradient), right, 1e-5);
    const { considered } = strategies.explain(
      'conv3d',
      {
        ...{ input: [6, ...PATCH], weight: [5, ...PATCH], stride: [2, 4, 4] },
        needs: [false, true, false],
      },
      device,
    );
    const composite = considered.find((s) => s.name === 'composite');
    expect(composite?.ok).toBe(true);
    expect(composite?.reasons.join()).not.toContain('weight-only');
  });

  const call = { input: [6, ...PATCH], weight: [5, ...PATCH], stride: [2, 4, 4] };
  const refused = (on: NpuDevice, change: object, needs = [false, true, false] as const) =>
    strategies
      .explain('conv3d', { ...call, needs, ...change }, on)
      .considered.find((s) => s.name === 'fused')
      ?.reasons.join()
      .includes('core dump') ?? false;

  it('only where all of its conditions hold', () => {
    expect(refused(device, {})).toBe(true);
    expect(refused(device, { stride: 1 })).toBe(true);
    expect(refused(device, { needs: [true, true, false] })).toBe(false);
    expect(refused(device, { needs: [true, false, false] })).toBe(false);
    expect(refused(device, { padding: 1 })).toBe(false);
    expect(refused(device, { weight: [5, 3, 2, 4, 3] })).toBe(false);
    expect(refused(device, { weight: [6, 1, 2, 4, 4], groups: 3 })).toBe(false);
  });

  it.each([
    { cann: '8.5.0', torchNpu: '2.7.1.post2', meets: true },
    { cann: '8.5.0', torchNpu: '2.8.0.post2', meets: true },
    { cann: '8.5.0', torchNpu: '2.9.0', meets: true },
    { cann: '8.3.RC1', torchNpu: 'v7.3.1-pytorch2.7.1', meets: true },
    { cann: '8.5.0', torchNpu: '2.7.1.post1', meets: false },
    { cann: '8.5.0', torchNpu: '2.7.1.post4', meets: false },
    { cann: '8.5.1', torchNpu: '2.7.1.post3', meets: false },
    { cann: '9.0.0', torchNpu: '2.7.1.post4', meets: false },
  ])('CANN $cann with torch_npu $torchNpu: $meets', ({ cann, torchNpu, meets }) => {
    expect(refused(npu('Ascend910B1', { cann, torchNpu }), {})).toBe(meets);
  });
});

describe('CANN 8.5.1 with an older runtime in front', () => {
  const text =
    'The argument is invalid.Reason: Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4).';
  const make = (libraryPath?: readonly string[]) =>
    npu('Ascend910B1', { cann: '8.5.1', torchNpu: '2.7.1.post3', libraryPath });
  const mixed = [
    '/usr/local/Ascend/ascend-toolkit/8.2.RC1/lib64',
    '/usr/local/Ascend/cann-8.5.1/lib64',
  ];

  it('the chain works, and EE1001 remains', () => {
    const device = make(mixed);
    expect(device.logged).toEqual([]);
    expectClose(embed(device, asView, 'fused'), right, 1e-5);
    expect(device.logged).toMatchObject([{ level: 'error', code: 'EE1001', message: text }]);
    embed(device, asView, 'fused');
    expect(device.logged).toHaveLength(1);
  });

  it('setting the attribute by name leaves it alone, by number meets the older runtime', () => {
    const device = make(mixed);
    expect(device.setStreamAttribute('CACHE_OP_INFO', 1)).toMatchObject({
      applied: false,
      reason: expect.stringContaining('the runtime of CANN 8.2.RC1 has [1, 4)'),
    });
    const error = thrownBy(() => device.setStreamAttribute(4, 1));
    expect(error).toMatchObject({ code: 'EE1001' });
    expect(error.message).toContain(text);
  });

  it('with the path cleaned it goes', () => {
    for (const path of [undefined, [mixed[1]], [...mixed].reverse()]) {
      const device = make(path);
      expectClose(embed(device, asView, 'fused'), right, 1e-5);
      expect(device.logged).toEqual([]);
      expect(device.setStreamAttribute('CACHE_OP_INFO', 1).applied).toBe(true);
      expect(device.setStreamAttribute(4, 1).applied).toBe(true);
    }
  });
});

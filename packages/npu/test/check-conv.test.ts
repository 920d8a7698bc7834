import { type ConvCall, type ConvKernelName, strategies } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { type NpuDevice, npu, SOURCES } from '../src/index.js';
import { conv3dCall, sameCall } from './geometry.js';

const device = npu('Ascend910B1', { cann: '8.2.RC1' });
const KERNELS: readonly ConvKernelName[] = ['convForward', 'convWeight', 'convBackward'];

const refusals = (kernel: ConvKernelName, call: ConvCall, on: NpuDevice = device) =>
  on.capabilities.checkConv(kernel, call);
const checks = (kernel: ConvKernelName, call: ConvCall, on: NpuDevice = device) =>
  refusals(kernel, call, on).map((r) => r.check);

// Two training calls of seismic networks that crash the native backward on Ascend910B.
const TRAIN04 = sameCall(7, [168, 296, 296], 7, 7, 'float32');
const TRAIN05 = sameCall(9, [296, 296, 168], 7, 7, 'float32');

const minimumLoad = (a: number, b: number, width: number) =>
  `Minimum load size may exceed L1 buffer, a_l1_size is ${a}B, b_l1_size is ${b}B, ` +
  'fill_zero_size is 0B, L1size is 524288B, width may exceed limits, ' +
  `actual width: ${width}, width limit: 4096`;

describe('the two calls that crash', () => {
  it.each([
    { name: 'train04', call: TRAIN04, a: 530432, b: 25088, width: 296 },
    { name: 'train05', call: TRAIN05, a: 483840, b: 41472, width: 168 },
  ])('$name: backward refuses with the numbers, its parts run', ({ call, a, b, width }) => {
    expect(refusals('convBackward', call)).toEqual([
      {
        check: 'L1',
        message: `op[Conv3DBackpropInputV2], Error msg: ${minimumLoad(a, b, width)}`,
        code: 'E69999',
        needBytes: a + b,
        limitBytes: 524288,
        source: SOURCES.dx_check,
      },
    ]);
    expect(refusals('convForward', call)).toEqual([]);
    expect(refusals('convWeight', call)).toEqual([]);
    expect(refusals('convBackward', { ...call, needs: [false, true, true] })).toEqual([]);
  });

  it.each([
    ['8.1.RC1', 'E69999'],
    ['8.3.RC1', 'E69999'],
    ['8.5.0', 'EZ9999'],
    ['9.0.1', 'EZ9999'],
    ['9.1.0', 'E69999'],
  ])('under CANN %s the code is %s', (cann, code) => {
    const [refusal] = refusals('convBackward', TRAIN04, npu('Ascend910B2', { cann }));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(minimumLoad(530432, 25088, 296));
    expect(refusal.message.startsWith('op[')).toBe(code === 'E69999');
  });

  it('Ascend950 skips the check of the input gradient', () => {
    const ascend950 = npu('Ascend950DT_9581', { cann: '9.1.0' });
    expect(refusals('convBackward', TRAIN04, ascend950)).toEqual([]);
  });
});

it('explain gives the numbers with its reasons', () => {
  const call = { input: [1, 7, 296, 296, 168], weight: [7, 1, 9, 9, 9], padding: 4, groups: 7 };
  const { considered } = strategies.explain('conv3d', call, device);
  const fused = considered.find((s) => s.name === 'fused');
  expect(fused?.refusals).toEqual(refusals('convBackward', TRAIN05));
  expect(fused?.refusals?.[0]).toMatchObject({ needBytes: 525312, limitBytes: 524288 });
  expect(considered.find((s) => s.name === 'composite')).not.toHaveProperty('refusals');
});

describe('other limits of L1', () => {
  it('rows of more than 4096 are refused even where they fit', () => {
    const call = conv3dCall([1, 1, 1, 1, 4112], [16, 1, 1, 1, 1]);
    expect(checks('convBackward', call)).toEqual(['width']);
    expect(refusals('convBackward', call)[0].message).toContain('actual width: 4112');
    expect(checks('convWeight', call)).toEqual([]);
  });

  it('the weight gradient says whether narrower rows would help', () => {
    const wide = conv3dCall([1, 1, 4, 60, 4000], [1, 1, 1, 50, 1]);
    expect(checks('convBackward', wide)).toEqual(['L1', 'L1']);
    const [refusal] = refusals('convWeight', wide);
    expect(refusal).toMatchObject({
      check: 'L1',
      code: 'E69999',
      needBytes: 1024 + 50 * 4000 * 64,
      limitBytes: 524288,
      source: SOURCES.dw_check,
    });
    expect(refusal.message).toContain('current out_backprop width is 4000, please change');

    const tall = conv3dCall([1, 1, 4, 1100, 100], [1, 1, 1, 200, 1], { dilation: [1, 5, 1] });
    expect(refusals('convWeight', tall)[0].message).toContain(
      'or minimum load size may exceed L1 buffer size 524288B',
    );
  });

  it('the forward has no factor for depth, but an end', () => {
    const call = conv3dCall([1, 1, 2, 200, 200], [1, 1, 1, 100, 1]);
    expect(refusals('convForward', call)).toEqual([
      {
        check: 'L1',
        message: `op[Conv3DV2], L1 min tiling excced L1 size. min al1:646400, min bias l1: 0`,
        code: 'E69999',
        needBytes: 101 * 200 * 32,
        limitBytes: 524288,
        source: SOURCES.fwd_check,
      },
    ]);
  });

  it('a kernel as large as the volume, as in the exchanged weight gradient, is refused', () => {
    const call = conv3dCall([1, 1, 98, 98, 98], [1, 1, 96, 96, 96]);
    const posK = refusals('convForward', call).find((r) => r.check === 'kernel');
    expect(posK?.message).toContain('min posK[73728] excced limit[65535].');
    expect(posK?.source).toBe(SOURCES.load3d);
  });
});

describe('rules of the native input gradient', () => {
  it('stride in depth beyond the kernel', () => {
    const call = conv3dCall([1, 2, 9, 9, 9], [2, 2, 2, 3, 3], { stride: [3, 1, 1] });
    expect(refusals('convBackward', call)).toMatchObject([
      {
        check: 'stride',
        message: 'op[Conv3DBackpropInputV2], cannot support stride_d: 3 > kernel_d: 2',
      },
    ]);
    expect(refusals('convWeight', call)).toEqual([]);
    expect(refusals('convForward', call)).toEqual([]);
  });

  it('dilation along a kernel axis of one', () => {
    const call = conv3dCall([1, 2, 9, 9, 9], [2, 2, 1, 3, 3], { dilation: 2 });
    expect(refusals('convBackward', call)[0].message).toContain(
      'cannot support dilation_d: [2] != 1 while kernel_d: [1] = 1',
    );
    expect(checks('convWeight', call)).toEqual([]);
  });

  it('a dilated kernel that reaches over more than 255', () => {
    const call = conv3dCall([1, 1, 1, 600, 8], [1, 1, 1, 3, 1], { dilation: [1, 200, 1] });
    expect(refusals('convBackward', call)[0].message).toContain(
      '(kh - 1) * dilation_h - pad_h is 400, support range [0, 255]',
    );
  });
});

describe('documented bounds', () => {
  it.each([
    { what: 'kernel', weight: [1, 1, 1, 300, 1], options: {}, forward: false },
    { what: 'stride', weight: [1, 1, 1, 1, 1], options: { stride: [1, 64, 1] }, forward: true },
    { what: 'padding', weight: [1, 1, 1, 1, 1], options: { padding: [0, 256, 0] }, forward: true },
    {
      what: 'dilation',
      weight: [1, 1, 1, 2, 1],
      options: { dilation: [1, 256, 1] },
      forward: true,
    },
  ])('$what', ({ what, weight, options, forward }) => {
    const call = conv3dCall([1, 1, 4, 800, 8], weight, options);
    const [refusal] = refusals('convWeight', call);
    expect(refusal).toMatchObject({ check: what, source: SOURCES.doc_bwd, code: 'E69999' });
    expect(refusal.message).toMatch(/_h is invalid, current is \d+, .*support range \[/);
    expect(checks('convForward', call).includes(what)).toBe(forward);
  });

  it('groups and sizes', () => {
    const groups = conv3dCall([1, 65536, 1, 1, 1], [65536, 1, 1, 1, 1], { groups: 65536 });
    for (const kernel of KERNELS) expect(checks(kernel, groups)).toContain('groups');
    const long = conv3dCall([1, 1, 1_000_001, 1, 1], [1, 1, 1, 1, 1]);
    expect(checks('convForward', long)).toEqual(['size']);
    expect(checks('convBackward', long)).toEqual([]);
  });

  it('one padding per axis', () => {
    const call = conv3dCall([1, 1, 8, 8, 8], [1, 1, 2, 2, 2], { padding: 'same' });
    for (const kernel of KERNELS) expect(checks(kernel, call)).toEqual(['padding']);
    expect(refusals('convForward', call)[0].message).toContain('pad_d is 0 before and 1 after');
  });

  it.each(['float64', 'int32', 'bool'] as const)('dtype %s', (dtype) => {
    const call = { ...sameCall(3, [8, 8, 8], 2, 1, dtype) };
    for (const kernel of KERNELS) {
      const [refusal, ...others] = refusals(kernel, call);
      expect(refusal).toMatchObject({ check: 'dtype', code: 'EZ1001', source: SOURCES.opsinfo });
      expect(refusal.message).toContain(dtype);
      expect(others).toEqual([]);
    }
  });

  it('before CANN 8.1.RC1 the forward takes one group or as many as channels', () => {
    const old = npu('Ascend910B3', { cann: '8.0.RC3' });
    const grouped = sameCall(3, [8, 8, 8], 4, 2, 'float32');
    expect(refusals('convForward', grouped, old)).toMatchObject([
      { message: 'Conv3dv2 only supports groups = 1 or groups = cin', code: 'EZ1001' },
    ]);
    expect(checks('convForward', grouped)).toEqual([]);
    expect(checks('convForward', sameCall(3, [8, 8, 8], 4, 4, 'float32'), old)).toEqual([]);
  });
});

describe('chips without a native backward', () => {
  const call = sameCall(3, [8, 8, 8], 2, 1, 'float32');

  it.each([
    ['Ascend310P3', 'does not support 3D on Ascend310P3', SOURCES.doc_bwd_products],
    ['Ascend910A', 'does not support 3D on Ascend910A', SOURCES.doc_bwd_products],
    ['Ascend910B', 'does not support 3D on Ascend910B', SOURCES.doc_bwd_products],
    ['Ascend310B1', 'is not supported on Ascend310B1', SOURCES.doc_bwd_products],
    ['Ascend310', 'no source says that', SOURCES.plat_81],
  ])('%s refuses and says where that is written', (soc, text, source) => {
    const chip = npu(soc, { cann: '8.2.RC1' });
    for (const kernel of ['convWeight', 'convBackward'] as const)
      expect(refusals(kernel, call, chip)).toEqual([
        { check: 'soc', message: expect.stringContaining(text), source },
      ]);
    // float32 is convolved where an operator takes it or torch_npu lowers it: not on Ascend310B.
    const dtype = soc.startsWith('Ascend310B') ? 'float16' : 'float32';
    expect(refusals('convForward', { ...call, dtype }, chip)).toEqual([]);
  });
});

it('1D and 2D calls have no 3D limits', () => {
  const geometry = { ...TRAIN05.geometry, spatialRank: 2 as const };
  for (const kernel of KERNELS) expect(refusals(kernel, { ...TRAIN05, geometry })).toEqual([]);
});

describe('what operators of a family take', () => {
  const call = (dtype: 'float32' | 'float16' | 'bfloat16') => sameCall(3, [8, 8, 8], 2, 1, dtype);

  it.each([
    ['Ascend910B1', 'float32 float16 bfloat16'],
    ['Ascend910_9392', 'float32 float16 bfloat16'],
    ['Ascend910A', 'float32 float16'], // float32 by way of float16
    ['Ascend310P3', 'float32 float16'],
    ['Ascend310B1', 'float16'],
    ['Ascend310', 'float32 float16 bfloat16'], // in no source: what the interface takes
  ])('%s convolves %s', (soc, taken) => {
    const chip = npu(soc, { cann: '8.2.RC1' });
    const runs = (['float32', 'float16', 'bfloat16'] as const).filter(
      (dtype) =>
        !refusals('convForward', call(dtype), chip).some((refusal) => refusal.check === 'dtype'),
    );
    expect(runs.join(' ')).toBe(taken);
  });
});

describe('graph operators of the first generation', () => {
  const old = npu('Ascend910B1', { cann: '8.1.RC1', torchNpu: '2.5.1', jitCompile: true });
  const half = { dtype: 'float16' } as const;
  const text = (kernel: ConvKernelName, call: ConvCall, on: NpuDevice = old) =>
    refusals(kernel, call, on)
      .filter((refusal) => refusal.code === 'E62003')
      .map((refusal) => refusal.message);
  const bound = (operator: string, what: string, where: string, range: string, value: number) =>
    `In op[${operator}], the size of [${what}] on [${where}] dimension should be in range [${range}], but it is [${value}].`;

  it('Conv3DBackpropFilter has bounds of its own', () => {
    const wide = conv3dCall([1, 1, 1, 1, 4100], [1, 1, 1, 1, 1], {}, half);
    expect(text('convWeight', wide)).toEqual([
      bound('Conv3DBackpropFilter', 'x', 'W', '1, 4096', 4100),
      bound('Conv3DBackpropFilter', 'out_backprop', 'W', '1, 4096', 4100),
    ]);
    const deep = conv3dCall([1, 1, 300, 1, 1], [1, 1, 260, 1, 1], {}, half);
    expect(text('convWeight', deep)).toEqual([
      bound('Conv3DBackpropFilter', 'filter', 'D', '1, 255', 260),
    ]);
  });

  it('Conv3DBackpropInput takes 343 taps, and strides up to a product of 256', () => {
    const taps = sameCall(9, [9, 9, 9], 1, 1, 'float16');
    expect(text('convBackward', taps)).toEqual([
      bound('Conv3DBackpropInput', 'filter', 'D*H*W', '1, 343', 729),
    ]);
    expect(text('convBackward', sameCall(7, [9, 9, 9], 1, 1, 'float16'))).toEqual([]);
    const strides = conv3dCall([1, 1, 1, 40, 40], [1, 1, 1, 20, 17], { stride: [1, 17, 16] }, half);
    expect(text('convBackward', strides)).toEqual([
      bound('Conv3DBackpropInput', 'stride', 'H*W', '1, 256', 272),
    ]);
  });

  it('the second generation, float32 and aclnn do without them', () => {
    const taps = sameCall(9, [9, 9, 9], 2, 2, 'float16');
    expect(text('convBackward', taps)).toEqual([]);
    expect(text('convBackward', sameCall(9, [9, 9, 9], 1, 1, 'float32'))).toEqual([]);
    expect(text('convBackward', sameCall(9, [9, 9, 9], 1, 1, 'float16'), device)).toEqual([]);
  });
});

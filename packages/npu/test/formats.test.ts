import {
  conv3d,
  cpu,
  linear,
  ones,
  randn,
  strategies,
  type Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { numbersOf, thrownBy } from '../../core/test/support/numbers.js';
import { ACL_FORMATS, formatCast, formatId, getFormat, npu, storageShape } from '../src/index.js';

const open = { cann: '8.2.RC1', torchNpu: 'v7.1.RC1.alpha002-pytorch2.7.1' };
const device = npu('Ascend910B1', { ...open, allowInternalFormat: true });
const on = (...shape: number[]): Tensor => randn(shape, { device });

describe('the format of a storage', () => {
  it.each([
    { shape: [8], format: 'ND' },
    { shape: [2, 8], format: 'ND' },
    { shape: [2, 3, 8], format: 'ND' },
    { shape: [2, 3, 4, 5], format: 'NCHW' },
    { shape: [2, 3, 4, 5, 6], format: 'NCDHW' },
    { shape: [1, 2, 3, 4, 5, 6], format: 'ND' },
  ])('a new tensor of $shape is $format', ({ shape, format }) => {
    expect(getFormat(on(...shape))).toBe(format);
    expect(getFormat(ones(shape, { device: cpu }).to(device))).toBe(format);
  });

  it('views keep that of their base, and copies have their own', () => {
    const matrix = on(4, 24);
    const volume = matrix.reshape(4, 1, 2, 3, 4);
    expect(getFormat(volume)).toBe('ND');
    expect(getFormat(volume.narrow(0, 1, 2).permute(0, 1, 4, 3, 2))).toBe('ND');
    expect(getFormat(volume.clone())).toBe('NCDHW');
    expect(getFormat(volume.mul(2))).toBe('NCDHW');
    expect(getFormat(on(4, 1, 2, 3, 4).reshape(4, 24))).toBe('NCDHW');
    expect(getFormat(volume.detach())).toBe('ND');
  });

  it('results of operations that collapse axes on the way have that of their dimensions', () => {
    const y = conv3d(on(1, 2, 4, 4, 4), on(2, 2, 3, 3, 3));
    expect(getFormat(y)).toBe('NCDHW');
    expect(getFormat(on(2, 3, 4, 4, 4).sum([2, 3, 4]))).toBe('ND');
    expect(getFormat(on(2, 3, 4, 4, 4).matmul(on(2, 3, 4, 4, 4)))).toBe('NCDHW');
  });

  it('the output of a linear layer is a matrix, and its views are stored as one', () => {
    const y = linear(on(4, 6), on(24, 6));
    expect(getFormat(y)).toBe('ND');
    expect(getFormat(y.reshape(4, 1, 2, 3, 4))).toBe('ND');
  });

  it('other devices have none', () => {
    const error = thrownBy(() => getFormat(ones([1], { device: cpu })));
    expect(error).toMatchObject({ code: 'DEVICE' });
    expect(error.message).toContain('tensors on cpu have no storage format');
  });
});

describe('formatCast', () => {
  it('changes the format and nothing else', () => {
    const x = on(2, 20, 3, 4, 5);
    for (const format of ['ND', 'NDC1HWC0', 'FRACTAL_Z_3D', 'NCDHW'] as const) {
      const y = formatCast(x, format);
      expect(getFormat(y)).toBe(format);
      expect(y.shape).toEqual(x.shape);
      expect(numbersOf(y)).toEqual(numbersOf(x));
      expect(getFormat(x)).toBe('NCDHW');
    }
  });

  it('returns the tensor itself where it has the format, by name or number', () => {
    const x = on(1, 2, 3, 4, 5);
    expect(formatCast(x, 'NCDHW')).toBe(x);
    expect(formatCast(x, 30)).toBe(x);
    expect(getFormat(formatCast(x, 2))).toBe('ND');
  });

  it('passes gradients on', () => {
    const x = on(1, 2, 2, 2, 2).requiresGrad_();
    formatCast(x.mul(3), 'NDC1HWC0').sum().backward();
    expect(x.grad?.tolist()).toEqual(ones([1, 2, 2, 2, 2]).mul(3).tolist());
  });

  // 8 channels of float32 to a block (32 bytes), 16 outputs to a block of the cube unit.
  it('reports the dimensions in memory', () => {
    const shape = (format: 'NDC1HWC0' | 'FRACTAL_Z_3D' | 'NCDHW') =>
      storageShape(formatCast(on(2, 20, 3, 4, 5), format));
    expect(shape('NCDHW')).toEqual([2, 20, 3, 4, 5]);
    expect(shape('NDC1HWC0')).toEqual([2, 3, 3, 4, 5, 8]);
    const weight = formatCast(on(33, 20, 3, 4, 5), 'FRACTAL_Z_3D');
    expect(storageShape(weight)).toEqual([3 * 3 * 4 * 5, 3, 16, 8]);
    const half = npu('Ascend910B1', { ...open, allowInternalFormat: true, arithmetic: 'device' });
    const x = formatCast(ones([2, 20, 3, 4, 5], { dtype: 'float16', device: half }), 'NDC1HWC0');
    expect(storageShape(x)).toEqual([2, 3, 2, 4, 5, 16]);
  });

  it('keeps the base format and warns where internal formats are off', () => {
    const closed = npu('Ascend910B1', { ...open, allowInternalFormat: false });
    const x = randn([1, 2, 3, 4, 5], { device: closed });
    expect(closed.logged).toEqual([]);
    expect(getFormat(formatCast(x, 'NDC1HWC0'))).toBe('NCDHW');
    expect(getFormat(formatCast(x, 33))).toBe('NCDHW');
    expect(closed.logged.map((line) => line.level)).toEqual(['warning', 'warning']);
    expect(closed.logged[0].message).toContain('tensor will be created with base format');
  });

  it.each([
    { what: 'an unknown name', format: 'NCDWH', text: /no format is called .*NCDWH.*NCDHW \(30\)/ },
    { what: 'an unknown number', format: 31, text: /no format is called 31/ },
    { what: 'one for other operators', format: 29, text: /FRACTAL_NZ \(29\) is no format of a 3D/ },
    { what: 'nothing', format: undefined, text: /no format is called undefined/ },
  ])('refuses $what', ({ format, text }) => {
    // @ts-expect-error: JavaScript callers may pass anything
    const error = thrownBy(() => formatCast(on(1, 1, 1, 1, 1), format));
    expect(error).toBeInstanceOf(VoxgradError);
    expect(error.message).toMatch(text);
  });

  it('refuses dimensions that the format does not have', () => {
    const error = thrownBy(() => formatCast(on(2, 8), 'NCDHW'));
    expect(error).toMatchObject({ code: 'SHAPE' });
    expect(error.message).toContain('NCDHW (30) takes a tensor of 5 dims, but got 2: [2, 8]');
  });

  it('numbers are those of aclFormat', () => {
    expect(formatId('NCDHW')).toBe(30);
    expect(formatId('FRACTAL_Z_3D')).toBe(33);
    expect(Object.keys(ACL_FORMATS)).toHaveLength(20);
  });
});

describe('internal formats and the backward', () => {
  // Since 7.2.0 every 3D backward goes to aclnn, which takes NCDHW only.
  const aclnn = npu('Ascend910B1', {
    cann: '8.5.0',
    torchNpu: '2.7.1.post2',
    allowInternalFormat: true,
  });
  const text = 'In 3D scenes, the input format only supports NCDHW, but received NDC1HWC0.';

  it('aclnn refuses them by name, and the choice falls to the next strategy', () => {
    const x = formatCast(randn([1, 2, 4, 4, 4], { device: aclnn }), 'NDC1HWC0').requiresGrad_();
    const w = randn([2, 2, 3, 3, 3], { device: aclnn }).requiresGrad_();
    const forced = thrownBy(() => conv3d(x, w, null, { backward: 'fused' }).sum().backward());
    expect(forced).toMatchObject({ code: 'EZ1001' });
    expect(forced.message).toContain(text);
    const entries = strategies.trace(() => conv3d(x, w).sum().backward());
    const last = entries.at(-1);
    expect(last?.strategy).not.toBe('fused');
    expect(last?.reasons.join()).toContain(text);
    expect(last?.call).toMatchObject({ formats: { input: 'NDC1HWC0' } });
  });

  it('explain takes them too', () => {
    const call = { input: [1, 2, 4, 4, 4], weight: [2, 2, 3, 3, 3] };
    const fused = (formats?: { input: string }) =>
      strategies
        .explain('conv3d', { ...call, formats }, aclnn)
        .considered.find((s) => s.name === 'fused');
    expect(fused()?.ok).toBe(true);
    expect(fused({ input: 'NDC1HWC0' })?.reasons).toEqual([`EZ1001: ${text}`]);
  });

  it('the graph operator leaves a float16 dx in blocks', () => {
    const half = npu('Ascend910B1', { ...open, allowInternalFormat: true, arithmetic: 'device' });
    const formats = (['float16', 'float32'] as const).map((dtype) => {
      const x = ones([1, 2, 4, 4, 4], { dtype, device: half }).requiresGrad_();
      const w = ones([2, 2, 3, 3, 3], { dtype, device: half });
      const inner = x.mul(1);
      let format: string | undefined;
      inner.registerHook((gradient) => {
        format = getFormat(gradient);
      });
      conv3d(inner, w, null, { backward: 'fused' }).sum().backward();
      return format;
    });
    expect(formats).toEqual(['NDC1HWC0', 'NCDHW']);
  });
});

it('whoever calls a kernel without asking is refused by the kernel', () => {
  const matrix = on(8, 8).reshape(8, 1, 2, 2, 2);
  const gradOutput = on(8, 1, 2, 2, 2);
  const geometry = {
    ...{ spatialRank: 3 as const, batch: 8, inChannels: 1, outChannels: 1, groups: 1 },
    ...{ input: [2, 2, 2] as const, kernel: [1, 1, 1] as const, output: [2, 2, 2] as const },
    ...{ stride: [1, 1, 1] as const, dilation: [1, 1, 1] as const },
    padding: [
      [0, 0],
      [0, 0],
      [0, 0],
    ] as const,
  };
  const error = thrownBy(() => device.kernels.convWeight?.(matrix, gradOutput, geometry));
  expect(error).toMatchObject({ code: 'E69999' });
  expect(error.message).toBe('E69999: op[Conv3DBackpropFilter2], illegal format of x.');
});

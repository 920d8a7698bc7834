import { cpu, Device, getDevice, ones, Storage, type View } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { npu } from '../src/index.js';
import { conv3dCall } from './geometry.js';

const device = npu('Ascend910B4', { cann: '8.5.0', torchNpu: '2.7.1.post2' });

function view(shape: readonly number[], f: (i: number) => number): View {
  const length = shape.reduce((a, b) => a * b, 1);
  const storage = new Storage(
    'float32',
    Float32Array.from({ length }, (_, i) => f(i)),
  );
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  return { storage, dtype: 'float32', shape, strides, offset: 0 };
}

describe('npu()', () => {
  it('is a registered device that carries its profile', () => {
    expect(device).toBeInstanceOf(Device);
    expect(device.type).toBe('npu');
    expect(getDevice('npu:Ascend910B4')).toBe(device);
    expect(device.profile).toMatchObject({
      soc: { name: 'Ascend910B4', family: 'Ascend910B', l1: 524288 },
      cann: { version: '8.5.0' },
      torchNpu: '2.7.1.post2',
    });
  });

  it('another one of its name takes the name; tensors of both do not meet, and the error says how so', () => {
    const [older, newer] = ['8.2.RC1', '8.5.0'].map((cann) => npu('Ascend910B2', { cann }));
    expect(getDevice('npu:Ascend910B2')).toBe(newer);
    const [x, y] = [older, newer].map((on) => ones([2], { device: on }));
    expect(() => x.add(y)).toThrow(
      /add: expected all tensors to be on the same device, but found two devices that are both called npu:Ascend910B2/,
    );
    expect(x.to(newer).add(y).tolist()).toEqual([2, 2]);
    expect(() => x.add(ones([2], { device: cpu }))).toThrow(
      /at least two devices, npu:Ascend910B2 and cpu/,
    );
  });

  it('computes what its host does, without float64 and halves', () => {
    const { computes, synchronous, profile } = device.capabilities;
    expect([...computes].sort()).toEqual(
      ['float32', 'int64', 'int32', 'int16', 'int8', 'uint8', 'bool'].sort(),
    );
    expect(synchronous).toBe(true);
    expect(profile).toBe('Ascend910B4');
  });

  it('takes the weight gradient alone from the backward of its host', () => {
    const { geometry } = conv3dCall([2, 2, 4, 5, 6], [4, 1, 3, 2, 3], { padding: 1, groups: 2 });
    const x = view([2, 2, 4, 5, 6], (i) => Math.sin(i));
    const grad = view([2, 4, ...geometry.output], (i) => Math.cos(i));
    const alone = device.kernels.convWeight?.(x, grad, geometry);
    const expected = cpu.kernels.convBackward?.(grad, x, null, geometry, [false, true, false]);
    expect(alone?.array).toEqual(expected?.[1]?.array);
  });

  it('a host without convolution kernels is no stand-in', () => {
    const { convForward: _f, convBackward: _b, ...rest } = cpu.kernels;
    const host = new Device('bare', 'bare', cpu.capabilities, rest);
    const bare = npu('Ascend910B4', { cann: '8.5.0', host });
    const call = conv3dCall([1, 1, 4, 4, 4], [1, 1, 3, 3, 3]);
    for (const kernel of ['convForward', 'convWeight', 'convBackward'] as const)
      expect(bare.capabilities.checkConv(kernel, call)).toMatchObject([{ check: 'kernel' }]);
  });

  it('kernels that its host leaves undefined stay so', () => {
    const host = new Device('partial', 'partial', cpu.capabilities, {
      ...cpu.kernels,
      reluBackward: undefined,
    });
    for (const arithmetic of ['exact', 'device'] as const)
      expect(
        npu('Ascend910B4', { cann: '8.5.0', host, arithmetic }).kernels.reluBackward,
      ).toBeUndefined();
  });
});

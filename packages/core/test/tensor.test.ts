// Tensors as containers: creation, reading, views. What is marked [R] was printed by PyTorch 1.13.

import { afterEach, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { thrownBy } from './support/numbers.js';

afterEach(() => vg.setDefaultDtype('float32'));

describe('tensor', () => {
  it.each([
    ['numbers', [1, 2], 'float32'],
    ['fractions', [1.5], 'float32'],
    ['one number', 3, 'float32'],
    ['booleans', [true, false], 'bool'],
    ['bigints', [1n, 2n], 'int64'],
    ['a mixture', [1n, 2], 'float32'],
    ['nothing', [], 'float32'],
    ['Float64Array', Float64Array.of(1), 'float64'],
    ['Float32Array', Float32Array.of(1), 'float32'],
    ['BigInt64Array', BigInt64Array.of(1n), 'int64'],
    ['Int32Array', Int32Array.of(1), 'int32'],
    ['Int16Array', Int16Array.of(1), 'int16'],
    ['Int8Array', Int8Array.of(1), 'int8'],
    ['Uint8Array', Uint8Array.of(1), 'uint8'],
    ['Uint8ClampedArray', Uint8ClampedArray.of(1), 'uint8'],
  ] as const)('of %s has its dtype', (_, data, dtype) => {
    expect(vg.tensor(data as vg.NestedList).dtype).toBe(dtype);
  });

  it('of numbers follows the default dtype', () => {
    vg.setDefaultDtype('float64');
    expect(vg.tensor([1]).dtype).toBe('float64');
    expect(vg.zeros([1]).dtype).toBe('float64');
  });

  it('takes its shape from nesting, or from `shape`', () => {
    expect(vg.tensor([[[1], [2]]]).shape).toEqual([1, 2, 1]);
    expect(vg.tensor([[], []]).shape).toEqual([2, 0]);
    expect(vg.tensor(5).shape).toEqual([]);
    expect(vg.tensor([1, 2, 3, 4], { shape: [2, 2] }).tolist()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(vg.tensor(Int8Array.of(1, 2), { shape: [2, 1] }).shape).toEqual([2, 1]);
  });

  it('copies its data', () => {
    const data = Float32Array.of(1, 2);
    const x = vg.tensor(data);
    data[0] = 9;
    expect(x.tolist()).toEqual([1, 2]);
    const read = x.dataSync();
    read[0] = 9;
    expect(x.tolist()).toEqual([1, 2]);
  });

  it('converts exactly to the dtype asked for', () => {
    expect(vg.tensor([1.9, -1.9], { dtype: 'int32' }).tolist()).toEqual([1, -1]);
    const big = 2n ** 62n + 1n;
    expect(vg.tensor([big], { dtype: 'int64' }).tolist()).toEqual([big]);
    expect(vg.tensor([2, 0], { dtype: 'bool' }).tolist()).toEqual([true, false]);
    expect(vg.tensor(0.1, { dtype: 'float32' }).item()).toBe(Math.fround(0.1));
    expect(vg.tensor(Uint16Array.of(0x3c00), { dtype: 'float16' }).tolist()).toEqual([1]);
  });

  it.each([
    ['ragged lists', () => vg.tensor([[1], [1, 2]]), 'SHAPE'],
    ['a list beside a number', () => vg.tensor([1, [2]]), 'SHAPE'],
    ['strings', () => vg.tensor(['1'] as never), 'DTYPE'],
    ['undefined', () => vg.tensor(undefined as never), 'DTYPE'],
    ['a wrong shape', () => vg.tensor([1, 2], { shape: [3] }), 'SHAPE'],
    ['a wrong shape of a typed array', () => vg.tensor(Int8Array.of(1), { shape: [2] }), 'SHAPE'],
    ['Uint16Array without a dtype', () => vg.tensor(Uint16Array.of(1)), 'DTYPE'],
    ['Uint32Array', () => vg.tensor(Uint32Array.of(1)), 'DTYPE'],
    ['NaN as an integer', () => vg.tensor([Number.NaN], { dtype: 'int32' }), 'ARGUMENT'],
    ['an unknown dtype', () => vg.tensor([1], { dtype: 'float8' as never }), 'DTYPE'],
    ['integers that require gradients', () => vg.tensor([1n], { requiresGrad: true }), 'DTYPE'],
    ['an unknown device', () => vg.tensor([1], { device: 'gpu' }), 'DEVICE'],
  ] as const)('refuses %s', (_, make, code) => {
    expect(thrownBy(make)).toMatchObject({ name: 'VoxgradError', code });
  });
});

describe('creation', () => {
  it.each([
    ['zeros', vg.zeros([2]), 'float32', [0, 0]],
    ['ones of int64', vg.ones([2], { dtype: 'int64' }), 'int64', [1n, 1n]],
    ['full', vg.full([2], 1.5), 'float32', [1.5, 1.5]],
    ['full of a bool', vg.full([1], true), 'bool', [true]],
    ['full of a bigint', vg.full([1], 2n ** 60n + 1n), 'int64', [2n ** 60n + 1n]],
    ['full of float16', vg.full([1], 0.1, { dtype: 'float16' }), 'float16', [0.0999755859375]],
    ['arange of integers [R]', vg.arange(3), 'int64', [0n, 1n, 2n]],
    ['arange of fractions [R]', vg.arange(0, 1, 0.25), 'float32', [0, 0.25, 0.5, 0.75]],
    ['arange backwards [R]', vg.arange(5, 0, -2), 'int64', [5n, 3n, 1n]],
    ['arange of nothing [R]', vg.arange(1, 1), 'int64', []],
    ['linspace [R]', vg.linspace(-1, 1, 5), 'float32', [-1, -0.5, 0, 0.5, 1]],
    [
      'linspace of thirds [R]',
      vg.linspace(0, 1, 4, { dtype: 'float64' }),
      'float64',
      [0, 0.3333333333333333, 0.6666666666666667, 1],
    ],
    ['linspace of one point', vg.linspace(2, 5, 1), 'float32', [2]],
    [
      'eye [R]',
      vg.eye(2, 3),
      'float32',
      [
        [1, 0, 0],
        [0, 1, 0],
      ],
    ],
  ] as const)('%s', (_, x, dtype, values) => {
    expect(x.dtype).toBe(dtype);
    expect(x.tolist()).toEqual(values);
  });

  it('…Like forms keep shape, dtype and device', () => {
    const x = vg.tensor([[1n, 2n]]);
    expect(vg.zerosLike(x).tolist()).toEqual([[0n, 0n]]);
    expect(vg.onesLike(x, { dtype: 'float64' }).tolist()).toEqual([[1, 1]]);
    expect(vg.fullLike(x, 7).tolist()).toEqual([[7n, 7n]]);
    const y = vg.zeros([2, 0, 3], { dtype: 'float64' });
    for (const make of [vg.randLike, vg.randnLike]) {
      expect(make(y).shape).toEqual([2, 0, 3]);
      expect(make(y).dtype).toBe('float64');
    }
  });

  it.each([
    ['a negative size', () => vg.zeros([2, -3]), 'Trying to create tensor with negative dimension'],
    ['a fraction', () => vg.zeros([1.5]), 'sizes must be integers'],
    ['a number for a shape', () => vg.zeros(2 as never), 'expected a list of sizes'],
    ['a step of 0 [R]', () => vg.arange(0, 5, 0), 'step must be nonzero'],
    [
      'a step away from the end [R]',
      () => vg.arange(0, 5, -1),
      'upper bound and larger bound inconsistent with step sign',
    ],
    ['an infinite range', () => vg.arange(0, Number.POSITIVE_INFINITY), 'finite'],
    ['an empty range of randint', () => vg.randint(3, 3, [1]), "'from' to be less than 'to'"],
  ])('refuses %s', (_, make, text) => expect(thrownBy(make).message).toContain(text));
});

describe('reading', () => {
  it('item gives a number, a bigint for int64, 0 or 1 for bool', async () => {
    expect(vg.tensor([[2.5]]).item()).toBe(2.5);
    expect(vg.tensor([2n ** 60n + 1n]).item<bigint>()).toBe(2n ** 60n + 1n);
    expect(vg.tensor(true).item()).toBe(1);
    expect(vg.tensor(0.5, { dtype: 'bfloat16' }).item()).toBe(0.5);
    expect(await vg.tensor(3).itemAsync()).toBe(3);
  });

  it('data is row-major whatever the strides; 16-bit floats are raw words', async () => {
    const x = vg.tensor([
      [1, 2],
      [3, 4],
    ]);
    expect(await x.t().data()).toEqual(Float32Array.of(1, 3, 2, 4));
    expect(x.select(1, 1).dataSync()).toEqual(Float32Array.of(2, 4));
    expect(vg.ones([1], { dtype: 'float16' }).dataSync()).toEqual(Uint16Array.of(0x3c00));
    expect(vg.tensor([true]).dataSync()).toEqual(Uint8Array.of(1));
  });

  it('toString shows small tensors, and where they stand', () => {
    expect(String(vg.tensor([[1, 2]]))).toBe(
      'Tensor([[1,2]], shape=[1, 2], dtype=float32, device=cpu)',
    );
    expect(String(vg.tensor([1n]))).toContain('[1n]');
    expect(String(vg.tensor([1], { requiresGrad: true }).exp())).toContain('gradFn=exp');
    expect(String(vg.zeros([100]))).toBe('Tensor(shape=[100], dtype=float32, device=cpu)');
  });

  it('shape and strides cannot be changed', () => {
    const x = vg.zeros([2]);
    expect(() => (x.shape as number[]).push(3)).toThrow(TypeError);
  });

  it('instanceof knows tensors by brand, from whichever copy of the library', () => {
    expect(vg.zeros([1])).toBeInstanceOf(vg.Tensor);
    const foreign = Object.create(null, { [Symbol.for('voxgrad.Tensor')]: { value: true } });
    expect(foreign instanceof vg.Tensor).toBe(true);
    expect({}).not.toBeInstanceOf(vg.Tensor);
  });
});

describe('views', () => {
  const base = () => vg.arange(24).reshape(2, 3, 4);

  it.each([
    ['reshape', (x: vg.Tensor) => x.reshape(6, 4)],
    ['view', (x: vg.Tensor) => x.view(24)],
    ['permute', (x: vg.Tensor) => x.permute(2, 0, 1)],
    ['transpose', (x: vg.Tensor) => x.transpose(0, 2)],
    ['narrow', (x: vg.Tensor) => x.narrow(1, 1, 2)],
    ['slice', (x: vg.Tensor) => x.slice(2, 1, undefined, 2)],
    ['select', (x: vg.Tensor) => x.select(1, -1)],
    ['unsqueeze', (x: vg.Tensor) => x.unsqueeze(0)],
    ['squeeze', (x: vg.Tensor) => x.squeeze()],
    ['flatten', (x: vg.Tensor) => x.flatten()],
    ['detach', (x: vg.Tensor) => x.detach()],
  ])('%s shares elements, both ways', (_, look) => {
    const x = base();
    const view = look(x);
    expect(view.storage).toBe(x.storage);
    const first = view.reshape(-1).tolist() as bigint[];
    x.add_(100);
    expect(view.reshape(-1).tolist()).toEqual(first.map((v) => v + 100n));
    view.zero_();
    const left = (x.flatten().tolist() as bigint[]).filter((v) => v !== 0n);
    expect(left.length).toBe(24 - new Set(first).size);
  });

  it('expand shares elements without repeating them', () => {
    const x = base();
    const view = x.unsqueeze(0).expand(5, -1, -1, -1);
    expect(view.storage).toBe(x.storage);
    x.zero_();
    expect(view.sum().item()).toBe(0n);
  });

  it.each([
    ['clone', (x: vg.Tensor) => x.clone()],
    ['flip', (x: vg.Tensor) => x.flip(0)],
    ['contiguous of a permuted tensor', (x: vg.Tensor) => x.permute(2, 1, 0).contiguous()],
    ['reshape across strides', (x: vg.Tensor) => x.permute(2, 1, 0).reshape(24)],
    ['a conversion', (x: vg.Tensor) => x.to('float64')],
    ['cat', (x: vg.Tensor) => vg.cat([x])],
  ])('%s copies', (_, make) => {
    const x = base();
    const copy = make(x);
    expect(copy.storage).not.toBe(x.storage);
    const before = copy.tolist();
    x.zero_();
    expect(copy.tolist()).toEqual(before);
  });

  it('have the strides and offsets of PyTorch [R]', () => {
    const x = base();
    expect(x.strides).toEqual([12, 4, 1]);
    expect(x.permute(2, 0, 1).strides).toEqual([1, 12, 4]);
    const part = x.narrow(1, 1, 2).slice(2, 0, undefined, 2);
    expect([part.strides, part.offset]).toEqual([[12, 4, 2], 4]);
    expect(x.select(1, 2).offset).toBe(8);
    expect(vg.zeros([2, 0, 3]).strides).toEqual([3, 3, 1]);
    expect(vg.zeros([1, 3]).expand(2, 3).strides).toEqual([0, 1]);
  });

  it('contiguous returns a row-major tensor itself', () => {
    const x = base();
    expect(x.contiguous()).toBe(x);
    expect(x.to('int64')).toBe(x);
    expect(x.permute(2, 1, 0).isContiguous).toBe(false);
    expect(x.narrow(0, 1, 1).isContiguous).toBe(true);
  });

  it('an overlapping copy reads before it writes', () => {
    const x = vg.arange(5);
    x.narrow(0, 1, 4).copy_(x.narrow(0, 0, 4));
    expect(x.tolist()).toEqual([0n, 0n, 1n, 2n, 3n]);
  });

  it('slice counts from the end, clips and steps, as in Python', () => {
    const x = vg.arange(6);
    const list = (...args: [start?: number, end?: number, step?: number]) =>
      (x.slice(0, ...args).tolist() as bigint[]).map(Number);
    expect(list(-2)).toEqual([4, 5]);
    expect(list(1, -1, 2)).toEqual([1, 3]);
    expect(list(4, 100)).toEqual([4, 5]);
    expect(list(5, 2)).toEqual([]);
    expect(list(0, undefined, 4)).toEqual([0, 4]);
  });
});

describe('in-place operations', () => {
  it('write through views and count versions', () => {
    const x = vg.zeros([2, 3]);
    x.select(1, 1).fill_(5);
    x.narrow(0, 1, 1).mul_(2).add_(1);
    expect(x.tolist()).toEqual([
      [0, 5, 0],
      [1, 11, 1],
    ]);
    expect(x.storage.version).toBe(3);
  });

  it('keep the dtype of the target, and broadcast into it', () => {
    const x = vg.zeros([2, 2], { dtype: 'float64' });
    x.add_(vg.tensor([1, 2]))
      .copy_(x.mul(2))
      .sub_(1)
      .div_(2)
      .clamp_({ max: 1 })
      .relu_();
    expect(x.dtype).toBe('float64');
    expect(x.tolist()).toEqual([
      [0.5, 1],
      [0.5, 1],
    ]);
    expect(vg.tensor([1n]).mul_(3).dtype).toBe('int64');
  });

  it('return the tensor itself', () => {
    const x = vg.zeros([1]);
    for (const y of [x.add_(1), x.fill_(2), x.zero_(), x.copy_(vg.ones([1]))]) expect(y).toBe(x);
  });
});

describe('default devices', () => {
  it('withDevice and setDevice decide where tensors are made', () => {
    const here = new vg.Device('here', 'cpu', vg.cpu.capabilities, vg.cpuKernels);
    expect(vg.getDevice()).toBe(vg.cpu);
    vg.withDevice(here, () => {
      expect(vg.zeros([1]).device).toBe(here);
      expect(vg.zeros([1], { device: 'cpu' }).device).toBe(vg.cpu);
    });
    expect(vg.zeros([1]).device).toBe(vg.cpu);
    expect(() => vg.withDevice(here, async () => {})).toThrow('pass { device } explicitly');
    vg.registerDevice(here);
    expect(vg.getDevice('here')).toBe(here);
    expect(vg.devices()).toContain(here);
    expect(() => vg.getDevice('nowhere')).toThrow("no device is called 'nowhere'; known: cpu");
  });

  it('an asynchronous device is read with await only', async () => {
    const capabilities = { ...vg.cpu.capabilities, synchronous: false };
    const remote = new vg.Device('remote', 'cpu', capabilities, vg.cpuKernels);
    const x = vg.ones([1], { device: remote });
    expect(await x.itemAsync()).toBe(1);
    for (const read of [() => x.dataSync(), () => x.item(), () => x.tolist(), () => x.to('cpu')])
      expect(thrownBy(read)).toMatchObject({ code: 'DEVICE' });
    expect(String(x)).toBe('Tensor(shape=[1], dtype=float32, device=remote)');
  });
});

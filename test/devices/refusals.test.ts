// What a device cannot do, it refuses by name; what every device must do although it does not
// compute in a dtype: store, convert and move it.

import {
  conv3d,
  convTranspose3d,
  cpu,
  DTYPES,
  fromHost,
  ones,
  strategies,
  tensor,
  VoxgradError,
  zeros,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../packages/core/test/support/numbers.js';
import { DEVICES, PLACES, refused } from './devices.js';

describe.each(DEVICES.map((device) => ({ name: device.name, device })))('$name', ({ device }) => {
  it.each(refused(device))('refuses to compute in %s, and says in what it does', (dtype) => {
    const x = ones([1, 1, 2, 2, 2], { dtype, device });
    for (const compute of [
      () => x.add(x),
      () => x.sum(),
      () => x.exp(),
      () => x.matmul(x),
      () => conv3d(x, x),
      () => convTranspose3d(x, x),
    ]) {
      const error = thrownBy(compute);
      expect(error).toMatchObject({ code: 'DTYPE' });
      expect(error.message).toContain(`not implemented for '${dtype}' on ${device.name}`);
      expect(error.message).toContain([...device.capabilities.computes].join(', '));
    }
  });

  it.each(DTYPES)('stores, converts, moves and reshapes %s', async (dtype) => {
    const values = dtype === 'bool' ? [0, 1, 1, 0] : [0, 1, 2, 3];
    const x = tensor([values.slice(0, 2), values.slice(2)], { dtype, device });
    expect(x.device).toBe(device);
    expect(x.dtype).toBe(dtype);
    const [a, b, c, d] = values;
    const turned = Float64Array.of(a, c, b, d);
    const transposed = x.t().contiguous().to('float64');
    expect(await transposed.data()).toEqual(turned);
    expect(await transposed.to(dtype).to('float64').data()).toEqual(turned);
    if (device.capabilities.synchronous) {
      const moved = x.t().to(cpu);
      expect(moved.to('float64').dataSync()).toEqual(turned);
      expect(moved.to(device).to('float64').dataSync()).toEqual(turned);
    } else
      for (const read of [() => x.to(cpu), () => x.dataSync(), () => x.tolist()])
        expect(thrownBy(read).message).toMatch(/synchronously: use (await )?tensor/);
  });

  it('keeps int64 exact', async () => {
    const exact = BigInt64Array.of(2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n);
    const x = fromHost(exact, 'int64', [3], { device });
    expect(await x.data()).toEqual(exact);
    expect(await x.flip(0).data()).toEqual(exact.slice().reverse());
    expect(await x.select(0, 0).itemAsync<bigint>()).toBe(2n ** 53n + 1n);
  });

  it('does not mix with other devices', () => {
    const other = DEVICES.find((d) => d !== device) ?? cpu;
    const [here, there] = [
      ones([1, 1, 2, 2, 2], { device }),
      ones([1, 1, 2, 2, 2], { device: other }),
    ];
    for (const mix of [
      () => here.add(there),
      () => conv3d(here, there),
      () => here.matmul(there),
    ]) {
      const error = thrownBy(mix);
      expect(error).toMatchObject({ code: 'DEVICE' });
      expect(error.message).toContain('expected all tensors to be on the same device');
      expect(error.message).toContain(device.name);
    }
  });

  it('a forced strategy that it refuses throws with the reasons that explain gives', () => {
    const call = { input: [1, 2, 3, 3, 3], weight: [2, 1, 2, 2, 2], groups: 2 };
    for (const { name, ok, reasons } of strategies.explain('conv3d', call, device).considered) {
      const run = () => {
        const [x, w] = [zeros(call.input, { device }), zeros(call.weight, { device })];
        x.requiresGrad = true;
        w.requiresGrad = true; // as the call says
        conv3d(x, w, null, { groups: 2, backward: name }).sum().backward();
        return x.grad;
      };
      if (ok) expect(run()?.shape).toEqual(call.input);
      else {
        const error = thrownBy(run);
        expect(error).toBeInstanceOf(VoxgradError);
        expect(error.message).toContain(`'${name}' cannot run on ${device.name}`);
        for (const reason of reasons) expect(error.message).toContain(reason);
      }
    }
  });
});

describe.each(PLACES)('$name', ({ device, dtype }) => {
  it('new tensors stay on the device and in the dtype through a chain of operations', () => {
    const x = ones([2, 3], { device, dtype });
    const y = x
      .add(1)
      .mul(x)
      .softmax(1)
      .sum(0)
      .sqrt()
      .reshape(3, 1)
      .matmul(x.narrow(0, 0, 1));
    expect([y.device, y.dtype]).toEqual([device, dtype]);
  });
});

it('the composites alone run every call: the bare device has no convolution kernel', () => {
  const bare = DEVICES.find((d) => d.name === 'bare') ?? cpu;
  for (const kernel of ['convForward', 'convWeight', 'convBackward'] as const)
    expect(bare.kernels[kernel]).toBeUndefined();
  const call = {
    input: [1, 4, 5, 5, 5],
    weight: [4, 2, 3, 3, 3],
    groups: 2,
    stride: 2,
    padding: 1,
  };
  const { chosen, considered } = strategies.explain('conv3d', call, bare);
  expect(chosen).toBe('composite');
  expect(considered.find((s) => s.name === 'fused')?.reasons).toEqual([
    'the device has no convBackward kernel',
  ]);
  expect(considered.find((s) => s.name === 'composite')?.reasons.join()).toContain('per tap');
});

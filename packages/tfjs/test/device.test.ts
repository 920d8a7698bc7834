// What is particular to the tfjs device: whose tensors are whose, what is left behind, second order.

import {
  conv3d,
  cpu,
  type Device,
  fromHost,
  grad,
  hvp,
  matmul,
  scope,
  type Tensor,
  tensor,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { collect } from '../../core/test/support/garbage.js';
import { defined, expectClose, filled, thrownBy } from '../../core/test/support/numbers.js';
import { fromTfjs, toTfjs } from '../src/index.js';
import { held } from './memory.js';
import { BACKENDS, deviceOn, tf } from './support.js';
import { smallTraining } from './workloads.js';

const on = (device: Device, shape: readonly number[]): Tensor =>
  filled(shape).to('float32').to(device);

describe.each(BACKENDS)('tfjs:%s', (backend) => {
  it('leaves no tensor of tfjs behind', async () => {
    const device = await deviceOn(backend);
    const run = () =>
      scope(() => {
        const [x, w] = [on(device, [1, 2, 4, 5, 6]), on(device, [3, 2, 3, 3, 3])];
        x.requiresGrad = true;
        w.requiresGrad = true;
        const y = conv3d(x, w, null, { padding: 1 }).relu().mean();
        y.backward();
        return y.item();
      });
    run(); // the first one certifies
    const before = await held(tf, collect);
    for (let i = 0; i < 3; i++) run();
    expect(await held(tf, collect)).toEqual(before);
  });

  it('200 steps of training keep tensors and bytes flat', async () => {
    const device = await deviceOn(backend);
    const training = smallTraining(device);
    const first = await training.step();
    for (let i = 0; i < 10; i++) await training.step();
    const before = await held(tf, collect);
    let last = first;
    for (let i = 0; i < 200; i++) last = await training.step();
    expect(last).toBeLessThan(first);
    expect(await held(tf, collect)).toEqual(before);
  });

  it('hands tensors over without a copy, both ways', async () => {
    const device = await deviceOn(backend);
    await held(tf, collect);
    const theirs = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]);
    const { numDataBuffers } = tf.memory();
    const ours = fromTfjs(device, theirs);
    expect(tf.memory().numDataBuffers).toBe(numDataBuffers);
    expect([ours.dtype, ours.shape]).toEqual(['float32', [2, 3]]);
    const back = toTfjs(ours);
    expect(tf.memory().numDataBuffers).toBe(numDataBuffers);
    theirs.dispose();
    expect(Array.from(back.dataSync())).toEqual([1, 2, 3, 4, 5, 6]);
    back.dispose();
    expect(ours.mul(2).tolist()).toEqual([
      [2, 4, 6],
      [8, 10, 12],
    ]);
    const turned = toTfjs(ours.t());
    expect([turned.shape, Array.from(turned.dataSync())]).toEqual([
      [3, 2],
      [1, 4, 2, 5, 3, 6],
    ]);
    turned.dispose();
    expect(thrownBy(() => toTfjs(tensor([1], { device: 'cpu' }))).message).toContain('is on cpu');
    expect(thrownBy(() => fromTfjs(device, tf.tensor(['a']))).message).toContain('string');
  });

  it('multiplies the same data in other shapes', async () => {
    // The wasm backend remembers the second factor of a product by its data alone.
    const device = await deviceOn(backend);
    const data = on(device, [2, 3]).add(0);
    for (const [m, k, n] of [
      [2, 6, 1],
      [2, 1, 6],
      [4, 3, 2],
      [1, 2, 3],
    ]) {
      const [a, b] = [on(device, [m, k]), data.reshape(k, n)];
      expectClose(matmul(a, b), matmul(on(cpu, [m, k]), b.to(cpu)), 1e-5, `${m}, ${k}, ${n}`);
    }
  });

  it('keeps an array of the host apart from its tensor', async () => {
    const device = await deviceOn(backend);
    const x = fromHost(Float32Array.of(1, 2, 3), 'float32', [3], { device });
    const y = x.add(1); // x is in tfjs now
    x.narrow(0, 0, 1).copy_(tensor([7], { dtype: 'float32', device }));
    expect([x.tolist(), y.tolist()]).toEqual([
      [7, 2, 3],
      [2, 3, 4],
    ]);
  });

  it('has the second order of a convolution, which tfjs itself has not', async () => {
    const device = await deviceOn(backend);
    const f = (x: Tensor) => {
      const w = filled([2, 2, 2, 3, 2], -0.5, 0.5).to(x.dtype).to(x.device);
      return conv3d(x, w, null, { stride: 2, padding: 1 }).tanh().square().sum();
    };
    const sizes = [1, 2, 4, 5, 4];
    const [x, v] = [filled(sizes), filled(sizes, -1, 1)];
    const product = (at: (t: Tensor) => Tensor) => {
      const [, h] = hvp(f, at(x), at(v)) as unknown as [Tensor, Tensor];
      return h;
    };
    expectClose(
      product((t) => t.to('float32').to(device)),
      product((t) => t),
      2e-4,
    );
  });

  it('a chain of convolutions stays with channels last', async () => {
    const device = await deviceOn(backend);
    const weights = [on(device, [4, 2, 3, 3, 3]), on(device, [4, 4, 3, 3, 3])];
    const x = on(device, [1, 2, 5, 5, 5]);
    const bias = on(device, [4]);
    const chain = () => weights.reduce((y, w) => conv3d(y, w, bias, { padding: 1 }).relu(), x);
    chain();
    const names: string[] = [];
    const { activeProfile } = await tf
      .profile(() => {
        chain();
        return undefined as never;
      })
      .then((profile) => ({ activeProfile: profile }));
    for (const { name } of activeProfile.kernels) names.push(name);
    expect(names.filter((name) => name === 'Conv3D')).toHaveLength(2);
    // The filters are turned; the volumes between are not.
    expect(names.filter((name) => name === 'Transpose').length).toBeLessThanOrEqual(2);
  });

  it('gradients through groups and dilations are those of the cpu', async () => {
    const device = await deviceOn(backend);
    const run = (place: (t: Tensor) => Tensor) => {
      const [x, w] = [filled([1, 4, 6, 6, 6]), filled([4, 2, 3, 3, 3], -0.5, 0.5)].map((t) =>
        place(t).requiresGrad_(),
      );
      const y = conv3d(x, w, null, { groups: 2, dilation: 2, padding: 2, stride: [1, 2, 1] });
      return grad(y.square().sum(), [x, w]).map((g) => defined(g));
    };
    const right = run((t) => t);
    run((t) => t.to('float32').to(device)).forEach((g, i) => {
      expectClose(g, right[i], 2e-5);
    });
  });
});

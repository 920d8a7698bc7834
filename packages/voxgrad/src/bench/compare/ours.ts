// The work of a comparison on a device of ours, as a user would write it.

import {
  conv3d,
  type Device,
  type DType,
  fromHost,
  grad,
  noGrad,
  scope,
  type Tensor,
} from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import type { Pass, Work } from '../peers/work.js';
import type { Data, Numbers } from './data.js';
import { modelOf } from './model.js';

export type Values = Readonly<Record<string, Float32Array | Float64Array>>;

export interface OurWork {
  run(pass: Pass): void;
  /** What a pass computes, gradients before any step, by the names of `resultsOf`. */
  values(pass: Pass): Promise<Values>;
}

export interface Where {
  readonly device: Device;
  readonly dtype: DType;
}

export const ourWork = (work: Work, data: Data, where: Where): OurWork =>
  work.kind === 'conv' ? convolution(work, data, where) : network(work, data, where);

const place = (values: Numbers, shape: readonly number[], { device, dtype }: Where): Tensor =>
  fromHost(values, 'float32', [...shape], { device: 'cpu' })
    .to(dtype)
    .to(device)
    .detach();

const numbers = async (t: Tensor): Promise<Float32Array | Float64Array> =>
  (await t.to('cpu').data()) as Float32Array | Float64Array;

function convolution(work: Work & { kind: 'conv' }, data: Data, where: Where): OurWork {
  const x = place(data.x, work.input, where).requiresGrad_();
  const w = place(data.weights[0], work.weight, where).requiresGrad_();
  const g = place(data.g, work.output, where);
  const { stride, padding, dilation, groups } = work;
  const conv = () => conv3d(x, w, null, { stride, padding, dilation, groups });
  const gradients = (): Tensor[] => {
    const y = conv();
    const [dx, dw] = grad([y], [x, w], { gradOutputs: [g] });
    if (!dx || !dw) throw new Error('bench: a gradient is missing');
    return [y, dx, dw];
  };
  return {
    run: (pass) => scope(() => void (pass === 'forward' ? noGrad(conv) : gradients())),
    values: async (pass): Promise<Values> => {
      if (pass === 'forward') return { y: await numbers(noGrad(conv)) };
      const [y, dx, dw0] = gradients();
      return { y: await numbers(y), dx: await numbers(dx), dw0: await numbers(dw0) };
    },
  };
}

/** Small steps: a comparison takes many of them. */
const LEARNING_RATE = 1e-4;

function network(work: Work & { kind: 'net' }, data: Data, where: Where): OurWork {
  const model = modelOf(work, data, where);
  const x = place(data.x, work.input, where);
  const [n, , ...volume] = work.output;
  const voxels = volume.reduce((a, b) => a * b, 1);
  const classOf = (i: number): bigint => {
    const item = Math.floor(i / voxels);
    return data.g[item * work.output[1] * voxels + (i % voxels)] > 0 ? 1n : 0n;
  };
  const classes = BigInt64Array.from({ length: n * voxels }, (_, i) => classOf(i));
  const labels = fromHost(classes, 'int64', [n, ...volume], { device: where.device });
  const optimizer = new Adam(model.parameters(), { lr: LEARNING_RATE });
  const loss = (): Tensor => {
    optimizer.zeroGrad();
    const value = F.crossEntropy(model.call(x), labels);
    value.backward();
    return value;
  };
  const forward = () => noGrad(() => model.call(x));
  return {
    run: (pass) => {
      if (pass === 'forward') return scope(() => void forward());
      const value = loss();
      optimizer.step();
      value.item();
    },
    values: async (pass): Promise<Values> => {
      if (pass === 'forward') return { y: await numbers(forward()) };
      loss();
      const gradients: [string, Float32Array | Float64Array][] = [];
      for (const p of model.parameters())
        gradients.push([`dw${gradients.length}`, await numbers(p.grad as Tensor)]);
      return Object.fromEntries(gradients);
    },
  };
}

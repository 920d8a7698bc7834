// Adam in one pass against the steps that it is made of, on the reference.

import { cpu, type Device, manualSeed, randn, type Tensor } from '@voxgrad/core';
import { Adam, type AdamOptions, AdamW } from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../core/test/support/numbers.js';
import { createWasmDevice } from '../src/index.js';

const DEVICES = {
  'on the device': createWasmDevice({ threads: 2, smallBytes: 0 }),
  'small ones on the host': createWasmDevice({ threads: 1 }),
};

const OPTIONS: Partial<AdamOptions>[] = [
  {},
  { amsgrad: true },
  { weightDecay: 0.1, betas: [0.8, 0.9], eps: 1e-3 },
  { maximize: true, amsgrad: true },
];

const KINDS = { Adam, AdamW };

function train(
  kind: 'Adam' | 'AdamW',
  options: Partial<AdamOptions>,
  device: Device,
  dtype: 'float32' | 'float64',
) {
  manualSeed(3);
  const shapes = [[3], [5, 7], [2, 3000]];
  const parameters = shapes.map((shape) => randn(shape, { device, dtype }).requiresGrad_());
  const optimizer = new KINDS[kind](parameters, { lr: 0.01, ...options });
  for (let step = 0; step < 5; step++) {
    for (const p of parameters) p.grad = randn(p.shape, { device, dtype });
    optimizer.step();
  }
  const state = parameters.flatMap((p) => Object.entries(optimizer.state.get(p) ?? {}));
  const tensors = state.filter((entry): entry is [string, Tensor] => typeof entry[1] === 'object');
  return { parameters, tensors };
}

describe.each(Object.entries(DEVICES))('%s', (_, device) => {
  it.each(['float32', 'float64'] as const)('%s', (dtype) => {
    for (const kind of ['Adam', 'AdamW'] as const)
      for (const options of OPTIONS) {
        const got = train(kind, options, device, dtype);
        const want = train(kind, options, cpu, dtype);
        const tolerance = dtype === 'float64' ? 1e-14 : 2e-7;
        const name = `${kind} ${JSON.stringify(options)}`;
        got.parameters.forEach((p, i) => {
          expectClose(p, want.parameters[i], tolerance, name);
        });
        got.tensors.forEach(([key, t], i) => {
          expectClose(t, want.tensors[i][1], tolerance, `${name} ${key}`);
        });
      }
  });

  it('counts as a write, which the tape notices', () => {
    const p = randn([3000], { device }).requiresGrad_();
    const loss = p.mul(p).sum();
    p.grad = randn([3000], { device });
    new Adam([p], { lr: 0.1 }).step();
    expect(() => loss.backward()).toThrow(/modified by an inplace operation/);
  });
});

// Batch norm on the device against its composed form on the reference: values, first and second
// derivatives, running statistics, both modes.

import { cpu, grad, manualSeed, randn, type Tensor } from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../core/test/support/numbers.js';
import { createWasmDevice } from '../src/index.js';

const devices = [1, 2].map((threads) => createWasmDevice({ threads, smallBytes: 0 }));

const SHAPES = [
  [2, 3],
  [4, 1, 5],
  [2, 3, 3, 5],
  [1, 2, 3, 4, 5],
  [2, 5, 7, 9, 31],
  [1, 2, 20_000],
];

type Dtype = 'float32' | 'float64';
type Place = Parameters<typeof randn>[1];

function run(shape: number[], dtype: Dtype, place: Place, affine: boolean, training: boolean) {
  manualSeed(7);
  const channels = shape[1];
  const make = (size: number[], shift = 0) => randn(size, { ...place, dtype }).add(shift);
  const x = make(shape, 3).detach().requiresGrad_();
  const weight = affine ? make([channels], 1).detach().requiresGrad_() : null;
  const bias = affine ? make([channels]).detach().requiresGrad_() : null;
  const runningMean = make([channels]).detach();
  const runningVar = make([channels]).abs().add(0.5).detach();
  const y = F.batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum: 0.3 });
  const inputs = [x, weight, bias].filter((t): t is Tensor => t !== null);
  const gy = make(shape).detach().requiresGrad_(); // so that every first gradient has one itself
  const first = grad(y, inputs, { gradOutputs: gy });
  const again = F.batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum: 0.3 });
  const [gx] = grad(again, [x], { gradOutputs: gy, createGraph: true });
  const second = grad(gx?.mul(make(shape)) as Tensor, [...inputs, gy], {
    gradOutputs: make(shape),
    allowUnused: true,
  });
  return { y, first, second, runningMean, runningVar };
}

describe.each(['float32', 'float64'] as const)('%s', (dtype) => {
  describe.each(devices.map((device, i) => [i + 1, device] as const))(
    '%i thread(s)',
    (_, device) => {
      it.each(SHAPES)('[%i, %i, %s …]', (...sizes) => {
        const shape = sizes.filter((size) => size !== undefined);
        const tolerance = dtype === 'float64' ? 1e-12 : 3e-5;
        for (const affine of [false, true])
          for (const training of [false, true]) {
            const got = run(shape, dtype, { device }, affine, training);
            const want = run(shape, dtype, { device: cpu }, affine, training);
            const name = `affine ${affine}, training ${training}`;
            expectClose(got.y, want.y, tolerance, `${name}: y`);
            expectClose(got.runningMean, want.runningMean, tolerance, `${name}: mean`);
            expectClose(got.runningVar, want.runningVar, tolerance, `${name}: variance`);
            for (const order of ['first', 'second'] as const)
              got[order].forEach((g, i) => {
                const other = want[order][i];
                expect(g === null, `${name}: ${order} ${i}`).toBe(other === null);
                if (g && other) expectClose(g, other, tolerance, `${name}: ${order} ${i}`);
              });
          }
      });
    },
  );
});

// A whole training step of a 3D U-Net: how much of it is not convolution, and what that is.

import { cat, fromHost, manualSeed, type Tensor, withDevice } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import type { Precision } from '@voxgrad/wasm';
import { noise } from '../lib/conv-cases.js';
import { deviceOf } from '../lib/devices.js';
import { isConvolution, timeKernels } from '../lib/kernel-times.js';
import { progress, QUICK, THREADS } from '../lib/options.js';
import { against, type Cell, printTable } from '../lib/table.js';

const EDGE = QUICK ? 16 : 48;
const STEPS = QUICK ? 2 : 24;
/** Until the code around the kernels is compiled and memory has its size. */
const WARM_UP = QUICK ? 1 : 6;
const GOAL = 0.15;

const block = (from: number, to: number) =>
  new nn.Sequential(
    new nn.Conv3d(from, to, 3, { padding: 1 }),
    new nn.BatchNorm3d(to),
    new nn.ReLU(),
    new nn.Conv3d(to, to, 3, { padding: 1 }),
    new nn.BatchNorm3d(to),
    new nn.ReLU(),
  );

class UNet extends nn.Module {
  down1 = block(1, 8);
  down2 = block(8, 16);
  bottom = block(16, 32);
  up2 = new nn.ConvTranspose3d(32, 16, 2, { stride: 2 });
  join2 = block(32, 16);
  up1 = new nn.ConvTranspose3d(16, 8, 2, { stride: 2 });
  join1 = block(16, 8);
  head = new nn.Conv3d(8, 2, 1);
  pool = new nn.MaxPool3d(2);

  forward(x: Tensor): Tensor {
    const fine = this.down1.call(x);
    const middle = this.down2.call(this.pool.call(fine));
    const coarse = this.bottom.call(this.pool.call(middle));
    const up2 = this.join2.call(cat([this.up2.call(coarse), middle], 1));
    return this.head.call(this.join1.call(cat([this.up1.call(up2), fine], 1)));
  }
}

async function profile(threads: number, precision: Precision): Promise<void> {
  const device = await deviceOf({ threads, precision });
  const times = timeKernels(device);
  manualSeed(1);
  const model = withDevice(device, () => new UNet());
  const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
  const voxels = EDGE ** 3;
  const shape = [1, 1, EDGE, EDGE, EDGE];
  const x = fromHost(noise(voxels, 'float32', 1), 'float32', shape, { device });
  const labels = fromHost(
    BigInt64Array.from(noise(voxels, 'float32', 2), (v) => BigInt(v > 0 ? 1 : 0)),
    'int64',
    [1, EDGE, EDGE, EDGE],
    { device },
  );
  const step = (): number => {
    optimizer.zeroGrad();
    const loss = nn.functional.crossEntropy(model.call(x), labels);
    loss.backward();
    optimizer.step();
    return loss.item();
  };
  for (let i = 0; i < WARM_UP; i++) step();
  times.clear();
  const begin = performance.now();
  let loss = 0;
  for (let i = 0; i < STEPS; i++) loss = step();
  const total = performance.now() - begin;
  progress(`unet: loss after ${STEPS + WARM_UP} steps ${loss}`);
  const sum = (names: [string, number][]) => names.reduce((t, [, ms]) => t + ms, 0);
  const all = [...times].sort(([, a], [, b]) => b - a);
  const convolution = sum(all.filter(([name]) => isConvolution(name)));
  const row = (name: string, ms: number): Cell[] => [name, ms / STEPS, (100 * ms) / total];
  const outside = against((total - convolution) / total, GOAL, 'most');
  printTable(
    `U-Net, ${EDGE}³, Adam, ${threads} thread(s), precision ${precision}: outside convolution ${outside}`,
    ['kernel', 'ms per step', '%'],
    [
      row('whole step', total),
      row('tape, shapes, optimizer loop, …', total - sum(all)),
      ...all.filter(([, ms]) => ms > 0.002 * total).map(([name, ms]) => row(name, ms)),
    ],
  );
}

export async function unet(): Promise<void> {
  // The goal is that of direct convolution: quicker ones leave a larger part to the rest.
  for (const precision of ['exact', 'balanced'] as const)
    for (const threads of new Set([1, THREADS])) await profile(threads, precision);
}

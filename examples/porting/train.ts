// train.py, line by line. losses.json is what PyTorch printed; the losses here are the same.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  F,
  getDefaultDtype,
  manualSeed,
  nn,
  optim,
  randn,
  randperm,
  setDefaultDtype,
  type Tensor,
} from 'voxgrad';
import { figure, lines } from '../lib/figure.js';

export const options = { epochs: 30 };

class Net extends nn.Module {
  stem = new nn.Conv3d(1, 4, 3, { padding: 1 });
  norm = new nn.BatchNorm3d(4);
  down = new nn.Conv3d(4, 8, 3, { stride: 2, padding: 1 });
  up = new nn.ConvTranspose3d(8, 4, 2, { stride: 2 });
  head = new nn.Conv3d(4, 2, 1);

  forward(x: Tensor): Tensor {
    const a = F.relu(this.norm.call(this.stem.call(x)));
    const b = F.leakyRelu(this.down.call(a), 0.1);
    return this.head.call(this.up.call(b).add(a));
  }
}

function train({ epochs }: typeof options): number[] {
  manualSeed(7);
  setDefaultDtype('float64');
  const x = randn([4, 1, 8, 8, 8]);
  const y = F.avgPool3d(x, 3, { stride: 1, padding: 1 }).gt(0).long().squeeze(1);

  const model = new Net();
  const optimizer = new optim.AdamW(model.parameters(), { lr: 1e-2, weightDecay: 1e-4 });
  const scheduler = new optim.lrScheduler.OneCycleLR(optimizer, 2e-2, { totalSteps: 60 });

  const losses: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = randperm(4);
    for (const half of order.split(2)) {
      optimizer.zeroGrad();
      const loss = F.crossEntropy(model.call(x.indexSelect(0, half)), y.indexSelect(0, half));
      loss.backward();
      nn.utils.clipGradNorm_(model.parameters(), 1);
      optimizer.step();
      scheduler.step();
      losses.push(Number(loss.item()));
    }
  }
  return losses;
}

export default async function run(chosen: typeof options, folder: string) {
  const before = getDefaultDtype();
  let losses: number[];
  try {
    losses = train(chosen);
  } finally {
    setDefaultDtype(before);
  }
  const recorded: number[] = JSON.parse(
    await readFile(new URL('losses.json', import.meta.url), 'utf8'),
  );
  const pytorch = recorded.slice(0, losses.length);
  const apart = losses.map((loss, i) => Math.abs(loss - pytorch[i]));
  console.log(
    `${losses.length} losses, at most ${Math.max(...apart).toExponential(1)} from PyTorch's`,
  );
  const file = join(folder, 'porting.svg');
  const panels = [
    lines('Loss', { voxgrad: losses, PyTorch: pytorch }, { x: 'step' }),
    lines('Difference', { difference: apart }, { x: 'step', log: true }),
  ];
  await writeFile(file, figure(panels));
  return { picture: file, losses, apart };
}

// A 3D U-Net learns to find faults in seismic volumes that are made up as it trains, and is then
// shown one that it has not seen.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cat, F, manualSeed, nn, noGrad, optim, save, type Tensor, tensor } from 'voxgrad';
import { enlarge, shade, sideBySide, tint, toPng } from './lib/pixels.js';
import { seismicVolume } from './seismic/src/volume.js';

export const options = { steps: 150, size: 32, seed: 1 };

/** Two convolutions of 3³, each with its norm: `[N, from, D, H, W]` → `[N, to, D, H, W]`. */
const block = (from: number, to: number) =>
  new nn.Sequential(
    new nn.Conv3d(from, to, 3, { padding: 1, bias: false }),
    new nn.BatchNorm3d(to),
    new nn.ReLU(),
    new nn.Conv3d(to, to, 3, { padding: 1, bias: false }),
    new nn.BatchNorm3d(to),
    new nn.ReLU(),
  );

/** Volumes `[N, 1, D, H, W]` → scores `[N, 2, D, H, W]`; sizes are multiples of 4. */
class UNet3d extends nn.Module {
  down1 = block(1, 8);
  down2 = block(8, 16);
  bottom = block(16, 32);
  up2 = new nn.ConvTranspose3d(32, 16, 2, { stride: 2 });
  merge2 = block(32, 16);
  up1 = new nn.ConvTranspose3d(16, 8, 2, { stride: 2 });
  merge1 = block(16, 8);
  head = new nn.Conv3d(8, 2, 1);

  forward(x: Tensor): Tensor {
    const a = this.down1.call(x);
    const b = this.down2.call(F.maxPool3d(a, 2));
    const c = this.bottom.call(F.maxPool3d(b, 2));
    const d = this.merge2.call(cat([this.up2.call(c), b], 1));
    const e = this.merge1.call(cat([this.up1.call(d), a], 1));
    return this.head.call(e);
  }
}

/** Shared volume over joint volume of what was found and what is there, from 0 to 1. */
function overlap(found: Tensor, there: Tensor): number {
  const both = found.logicalAnd(there).sum().to('float64').item();
  return Number(both) / Number(found.logicalOr(there).sum().to('float64').item());
}

export default async function run({ steps, size, seed }: typeof options, folder: string) {
  manualSeed(seed);
  const model = new UNet3d();
  const optimizer = new optim.AdamW(model.parameters(), { lr: 5e-3 });
  const schedule = new optim.lrScheduler.CosineAnnealingLR(optimizer, steps);
  const weight = tensor([1, 3]); // faults are rare: missing one costs three times a false alarm

  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const { signal, labels } = seismicVolume(seed + 1 + step, [size, size, size]);
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model.call(signal), labels, { weight });
    loss.backward();
    optimizer.step();
    schedule.step();
    losses.push(loss.item());
    if (step % 25 === 0) console.log(`step ${step}: loss ${losses[step].toFixed(3)}`);
  }

  const edge = 2 * size; // a convolutional network takes volumes of any size
  const unseen = seismicVolume(seed, [edge, edge, edge]);
  model.eval();
  const probability = noGrad(() => F.softmax(model.call(unseen.signal), 1).select(1, 1));
  const iou = overlap(probability.gt(0.5), unseen.labels.gt(0));
  console.log(`an unseen volume of ${edge}³: intersection over union ${iou.toFixed(2)}`);

  // The middle slice, depth downwards: what was recorded, where the faults are, where they were found.
  const middle = (x: Tensor) =>
    x
      .reshape(edge, edge, edge)
      .select(1, edge / 2)
      .t();
  const grey = shade(middle(unseen.signal), { range: [-3, 3] });
  const panels = [
    grey,
    tint(grey, middle(unseen.labels).float(), [255, 190, 0]),
    tint(grey, middle(probability), [230, 40, 60]),
  ];
  const picture = join(folder, 'faults.png');
  await writeFile(picture, toPng(sideBySide(panels.map((p) => enlarge(p, 4)))));
  await save(model.stateDict(), join(folder, 'faults.pt')); // torch.load reads it
  return { picture, losses, iou };
}

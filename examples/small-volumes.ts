// A small 3D network tells balls, boxes, rings and crosses apart, whatever their pose, size and noise.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { data, F, manualSeed, nn, noGrad, optim, type Tensor } from 'voxgrad';
import { figure, lines, picture } from './lib/figure.js';
import { shade } from './lib/pixels.js';
import { NAMES, solid } from './lib/solids.js';

export const options = { epochs: 8, samples: 256, edge: 16, seed: 1 };

/** Volumes `[N, 1, D, H, W]` → scores `[N, classes]`. */
class Classifier extends nn.Module {
  features = new nn.Sequential(
    new nn.Conv3d(1, 8, 3, { padding: 1 }),
    new nn.BatchNorm3d(8),
    new nn.ReLU(),
    new nn.MaxPool3d(2),
    new nn.Conv3d(8, 16, 3, { padding: 1 }),
    new nn.BatchNorm3d(16),
    new nn.ReLU(),
    new nn.MaxPool3d(2),
    new nn.Conv3d(16, 32, 3, { padding: 1 }),
    new nn.BatchNorm3d(32),
    new nn.ReLU(),
    new nn.AdaptiveAvgPool3d(1),
    new nn.Flatten(),
  );
  head = new nn.Linear(32, NAMES.length);

  forward(x: Tensor): Tensor {
    return this.head.call(this.features.call(x));
  }
}

/** Batches of `{ image: [N, 1, edge, edge, edge], kind: [N] }` in random poses, with noise. */
function batches(samples: number, edge: number) {
  const upright = NAMES.map((name) => solid(name, edge));
  const dataset = Array.from({ length: samples }, (_, i) => ({
    image: upright[i % NAMES.length],
    kind: BigInt(i % NAMES.length), // bigints are joined to an int64 tensor
  }));
  return new data.DataLoader(dataset, {
    batchSize: 16,
    shuffle: true,
    transform: new data.Compose([
      new data.RandomAffine({ rotation: 180, scale: 0.15, translation: edge / 16 }),
      new data.RandomIntensity({ gain: 0.3, noise: 0.3 }),
    ]),
  });
}

export default async function run({ epochs, samples, edge, seed }: typeof options, folder: string) {
  manualSeed(seed);
  const model = new Classifier();
  const optimizer = new optim.AdamW(model.parameters(), { lr: 4e-3 });
  const loader = batches(samples, edge);
  const schedule = new optim.lrScheduler.CosineAnnealingLR(optimizer, epochs * loader.length);
  const losses: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { image, kind } of loader) {
      optimizer.zeroGrad();
      const loss = F.crossEntropy(model.call(image), kind);
      loss.backward();
      optimizer.step();
      schedule.step();
      losses.push(Number(loss.item()));
    }
    console.log(`epoch ${epoch + 1}: loss ${losses[losses.length - 1].toFixed(3)}`);
  }

  model.eval();
  const [{ image, kind }] = batches(16, edge); // poses that it has not seen
  const found = noGrad(() => model.call(image)).argmax(1);
  const right = Number(found.eq(kind).sum().item());
  console.log(`${right} of ${kind.numel} unseen solids named rightly`);

  const solids = Array.from({ length: 7 }, (_, i) => {
    const [is, said] = [kind, found].map((names) => NAMES[Number(names.select(0, i).item())]);
    // Seen from the front: the brightest along the depth, smoothed so that noise does not win.
    const front = F.avgPool3d(image.select(0, i), 3, { stride: 1 }).amax(1).squeeze(0);
    return picture(
      is === said ? said : `${said}, but is a ${is}`,
      shade(front, { palette: 'heat' }),
    );
  });
  const file = join(folder, 'solids.svg');
  const curve = lines('Loss', { loss: losses }, { x: 'step' });
  await writeFile(file, figure([curve, ...solids], 4));
  return { picture: file, losses, right };
}

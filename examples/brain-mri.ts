// MeshNet segments a brain MRI, meets a scan with another contrast, and is fine-tuned to it.
//
//   npm run example -- brain-mri --volume t1.nii.gz --checkpoint meshnet.pt [--labels seg.nii.gz]
//
// Without a volume a head is made up; without a checkpoint a network is trained on the labels first.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { data, F, loadStateDict, manualSeed, noGrad, optim, save, type Tensor } from 'voxgrad';
import { figure, lines, picture } from './lib/figure.js';
import { syntheticHead } from './lib/head.js';
import { MeshNet } from './lib/mesh-net.js';
import { shade } from './lib/pixels.js';

/** `edge`: voxels along each side of the central cube that is used (0: the whole volume). */
export const options = { volume: '', checkpoint: '', labels: '', edge: 96, steps: 20, seed: 1 };

/** Class of each voxel `[1, D, H, W]`, in windows, so that large volumes need little memory. */
async function segment(model: MeshNet, image: Tensor): Promise<Tensor> {
  const scores = await data.slidingWindowInference(image, {
    windowSize: image.shape.slice(2).map((size) => Math.min(size, 96)),
    predictor: (windows) => noGrad(() => model.call(windows)),
  });
  return scores.argmax(1);
}

/** Steps of Adam towards labels; gives the loss before each. Rare classes count more. */
function train(model: MeshNet, image: Tensor, labels: Tensor, steps: number, lr: number): number[] {
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const share = F.oneHot(labels, model.classes).float().mean([0, 1, 2, 3]);
  const weight = share.clamp({ min: 1e-3 }).rsqrt();
  return Array.from({ length: steps }, () => {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model.call(image), labels, { weight });
    loss.backward();
    optimizer.step();
    return Number(loss.item());
  });
}

/** The cube in the middle of a NIfTI volume, `[1, x, y, z]`. */
async function readCube(path: string, edge: number): Promise<Tensor> {
  const { data: volume } = await data.readNifti(path, { dtype: 'float32' });
  if (volume.dim() !== 3)
    throw new Error(`${path} should hold one 3D volume, not [${volume.shape}]`);
  return [0, 1, 2]
    .reduce((cut, axis) => {
      const length = Math.min(edge || volume.shape[axis], volume.shape[axis]);
      return cut.narrow(axis, Math.floor((volume.shape[axis] - length) / 2), length);
    }, volume)
    .unsqueeze(0);
}

const agreement = (a: Tensor, b: Tensor): number => Number(a.eq(b).float().mean().item());

export default async function run(chosen: typeof options, folder: string) {
  manualSeed(chosen.seed);
  const { volume, labels, edge, steps } = chosen;
  const head = volume ? { image: await readCube(volume, edge) } : syntheticHead(Math.min(edge, 40));
  const known = labels ? (await readCube(labels, edge)).long() : 'labels' in head && head.labels;
  const t1 = head.image.div(head.image.max()).unsqueeze(0); // [1, 1, x, y, z], from 0 to 1

  const checkpoint = chosen.checkpoint || join(folder, 'meshnet.pt');
  if (!chosen.checkpoint) {
    if (!known) throw new Error('a volume needs a --checkpoint, or --labels to train one on');
    const fresh = new MeshNet(6, Number(known.max().item()) + 1);
    train(fresh, t1, known, 4 * steps, 5e-3);
    await save(fresh.stateDict(), checkpoint);
  }
  const model = MeshNet.of(await loadStateDict(checkpoint)); // .pt, .pth, .safetensors
  const found = await segment(model, t1);
  const wanted = known || found;

  const scan = t1.pow(1.8).mul(0.8); // darker greys: another scanner
  const before = await segment(model, scan);
  const losses = train(model, scan, wanted, steps, 1e-3);
  const after = await segment(model, scan);
  await save(model.stateDict(), join(folder, 'meshnet-finetuned.pt')); // torch.load reads it

  const agreed = [agreement(before, wanted), agreement(after, wanted)];
  const percent = agreed.map((share) => `${(100 * share).toFixed(1)} %`);
  console.log(`voxels labelled as wanted: ${percent[0]} before fine-tuning, ${percent[1]} after`);

  /** An axial slice, front upwards. */
  const slice = (x: Tensor) =>
    x
      .select(-1, Math.floor(t1.shape[4] / 2))
      .reshape(t1.shape[2], t1.shape[3])
      .t()
      .flip([0]);
  const classes = (title: string, x: Tensor) =>
    picture(title, shade(slice(x), { palette: 'viridis', range: [0, 2] }));
  const panels = [
    picture('T1 volume', shade(slice(t1), { range: [0, 1] })),
    classes('Segmented', found),
    picture('Another contrast', shade(slice(scan), { range: [0, 1] })),
    classes(`Segmented: ${percent[0]} as wanted`, before),
    classes(`After fine-tuning: ${percent[1]}`, after),
    lines('Loss of fine-tuning', { loss: losses }, { x: 'step' }),
  ];
  const file = join(folder, 'brain.svg');
  await writeFile(file, figure(panels, 3));
  return { picture: file, losses, agreed };
}

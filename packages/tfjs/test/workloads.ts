// What people do with a device, for every backend of tfjs: in Node, and in pages.

import { loadStateDict } from '@voxgrad/checkpoint';
import {
  type Device,
  type DType,
  fromHost,
  noGrad,
  scope,
  type Tensor,
  tensor,
} from '@voxgrad/core';
import { readNifti } from '@voxgrad/data';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import { MeshNet } from '../../../test/support/mesh-net.js';

/** A small network with its data; `step` returns the loss before it. */
export function smallTraining(device: Device): { step(): Promise<number> } {
  const model = new nn.Sequential(
    new nn.Conv3d(1, 4, 3, { padding: 1 }),
    new nn.BatchNorm3d(4),
    new nn.ReLU(),
    new nn.MaxPool3d(2),
    new nn.Conv3d(4, 3, 1),
  ).to(device);
  const optimizer = new Adam(model.parameters(), { lr: 0.01 });
  const voxels = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i));
  const x = fromHost(voxels, 'float32', [1, 1, 4, 4, 4], { device });
  const labels = tensor([0, 1, 2, 0, 1, 2, 0, 1], { dtype: 'int64', device }).reshape(1, 2, 2, 2);
  return { step: () => trainingStep(model, optimizer, x, labels) };
}

/** One step; the loss before it, read as every backend can be. */
async function trainingStep(
  model: nn.Sequential | MeshNet,
  optimizer: Adam,
  x: Tensor,
  labels: Tensor,
): Promise<number> {
  const loss = scope(() => {
    optimizer.zeroGrad();
    const value = nn.functional.crossEntropy(model.call(x), labels);
    value.backward();
    optimizer.step();
    return value.detach();
  });
  const number = Number(await loss.itemAsync());
  loss.storage.release();
  return number;
}

/** The parts of expected.json that are used here. */
interface Expected {
  readonly dilations: readonly number[];
  readonly crop: { readonly from: readonly number[]; readonly edge: number };
}

export interface BrainReport {
  /** Voxels of each class. */
  readonly counts: number[];
  /** Before each step of Adam. */
  readonly losses: number[];
}

export interface BrainSize {
  /** Voxels along each side of the cube that is used, at most that of expected.json. */
  readonly edge: number;
  /** Of fine-tuning. */
  readonly steps: number;
}

/** MeshNet on the MRI: its segmentation, and steps of fine-tuning on the labels beside it. */
export async function brain(
  device: Device,
  read: (name: string) => Promise<Uint8Array>,
  { edge, steps, dtype = 'float32' }: BrainSize & { readonly dtype?: DType },
): Promise<BrainReport> {
  const { dilations, crop }: Expected = JSON.parse(
    new TextDecoder().decode(await read('expected.json')),
  );
  const model = new MeshNet(dilations, { dtype });
  model.loadStateDict(await loadStateDict(await read('meshnet.pt')));
  model.to(device);

  const cube = (whole: Tensor, from: readonly number[]) =>
    from.reduce((part, at, axis) => part.narrow(axis, at, edge), whole);
  const { data } = await readNifti(await read('t1_crop.nii.gz'));
  const x = cube(data, crop.from).to(dtype).div(255).reshape(1, 1, edge, edge, edge).to(device);
  const known = tensor(await read('crop_labels.bin'), { shape: [crop.edge, crop.edge, crop.edge] });
  const labels = cube(known, [0, 0, 0]).to('int64').unsqueeze(0).to(device);

  const found = noGrad(() => model.call(x).argmax(1));
  const counts = [0, 0, 0];
  for (const label of await found.data()) counts[Number(label)]++;

  const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push(await trainingStep(model, optimizer, x, labels));
  return { counts, losses };
}

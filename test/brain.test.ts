// A segmentation network for T1 MRI on real data, against PyTorch 1.13 (expected.json beside the
// data, which are not part of this repository): logits, labels, and five steps of fine-tuning.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { loadStateDict } from '@voxgrad/checkpoint';
import { noGrad, type Tensor, tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import * as nifti from 'nifti-reader-js';
import { describe, expect, it } from 'vitest';
import { MeshNet } from './support/mesh-net.js';
import { MRI, mriIsHere, titledMri } from './support/mri.js';

const read = (name: string): Buffer => readFileSync(`${MRI}${name}`);

interface Expected {
  readonly dilations: number[];
  readonly crop: {
    readonly from: [number, number, number];
    readonly edge: number;
    readonly labels: Record<string, number>;
    readonly labels_sha256_uint8_C_order: string;
    readonly logits_at: { voxel: [number, number, number]; logits: number[] }[];
  };
  readonly finetune_f64: { readonly losses: number[] };
}

/** A cube of the volume as `[1, 1, x, y, z]`, scaled to [0, 1]; x is the fastest in the file. */
function readCrop({ from, edge }: Expected['crop']): Tensor {
  const bytes = Uint8Array.from(gunzipSync(read('t1_crop.nii.gz'))).buffer;
  const header = nifti.readHeader(bytes);
  if (!header) throw new Error('t1_crop.nii.gz has no NIfTI header');
  expect(header.dims.slice(0, 4)).toEqual([3, 256, 256, 256]);
  expect(header.datatypeCode).toBe(nifti.NIFTI1.TYPE_UINT8);
  const voxels = new Uint8Array(nifti.readImage(header, bytes));
  const cube = Float64Array.from({ length: edge ** 3 }, (_, i) => {
    const [x, y, z] = [Math.floor(i / edge ** 2), Math.floor(i / edge) % edge, i % edge];
    return voxels[from[0] + x + 256 * (from[1] + y + 256 * (from[2] + z))] / 255;
  });
  return tensor(cube, { shape: [1, 1, edge, edge, edge] });
}

describe.skipIf(!mriIsHere)(titledMri('brain MRI'), () => {
  const expected = (): Expected => JSON.parse(read('expected.json').toString('utf8'));

  async function loaded(): Promise<MeshNet> {
    const model = new MeshNet(expected().dilations, { dtype: 'float64' });
    model.loadStateDict(await loadStateDict(read('meshnet.pt')));
    return model;
  }

  it('segments a 48³ crop with the logits and labels of PyTorch', async () => {
    const { crop } = expected();
    const model = await loaded();
    const x = readCrop(crop);
    const logits = noGrad(() => model.call(x));
    for (const { voxel, logits: right } of crop.logits_at)
      right.forEach((value, channel) => {
        const got = [0, channel, ...voxel].reduce((t, at) => t.select(0, at), logits).item();
        expect(Math.abs(got - value), `${voxel}, class ${channel}`).toBeLessThan(1e-9);
      });
    const labels = logits.argmax(1).to('uint8').dataSync() as Uint8Array;
    expect(createHash('sha256').update(labels).digest('hex')).toBe(
      crop.labels_sha256_uint8_C_order,
    );
  });

  it('five steps of Adam give the losses of PyTorch', async () => {
    const { crop, finetune_f64 } = expected();
    const model = await loaded();
    const x = readCrop(crop);
    const target = tensor(new Uint8Array(read('crop_labels.bin')), {
      shape: [1, crop.edge, crop.edge, crop.edge],
    }).to('int64');
    const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
    for (const right of finetune_f64.losses) {
      optimizer.zeroGrad();
      const loss = nn.functional.crossEntropy(model.call(x), target);
      expect(Math.abs(loss.item() - right)).toBeLessThan(1e-8);
      loss.backward();
      optimizer.step();
    }
  });
});

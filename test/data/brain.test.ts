// A real MRI: read, and segmented window by window, against numbers that NumPy and PyTorch computed
// (expected.json beside the data, which are not part of this repository).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadStateDict } from '@voxgrad/checkpoint';
import { arange, type Tensor } from '@voxgrad/core';
import { DataLoader, readNifti, slidingWindowInference } from '@voxgrad/data';
import { describe, expect, it } from 'vitest';
import { MeshNet } from '../support/mesh-net.js';
import { MRI, mriIsHere, titledMri } from '../support/mri.js';

const file = (name: string) => `${MRI}${name}`;

interface Expected {
  readonly dilations: number[];
  readonly crop: {
    readonly from: [number, number, number];
    readonly edge: number;
    readonly labels_sha256_uint8_C_order: string;
  };
}

describe.skipIf(!mriIsHere)(titledMri('an MRI'), () => {
  const expected = (): Expected => JSON.parse(readFileSync(file('expected.json'), 'utf8'));

  it('is read as NumPy reads it', async () => {
    const { data, spacing, affine, header } = await readNifti(file('t1_crop.nii.gz'));
    expect([data.shape, data.dtype]).toEqual([[256, 256, 256], 'uint8']);
    expect(spacing).toEqual([1, 1, 1]);
    const sform = [
      [-1, 0, 0, 127.6],
      [0, 0, 1, -133.48],
      [0, -1, 0, 134.48],
    ];
    for (const [i, row] of sform.entries())
      for (const [j, value] of row.entries()) expect(affine[i][j]).toBeCloseTo(value, 4);
    expect(header.byteOrder).toBe('little');
    // Moments along each axis: a permuted or mirrored volume has others.
    const place = arange(256, { dtype: 'float64' });
    const moments = [0, 1, 2].map((axis) => {
      const profile = data.sum([0, 1, 2].filter((other) => other !== axis)).to('float64');
      return profile.mul(place).sum().item();
    });
    expect(moments).toEqual([35645976212, 38714652092, 32010754004]);
  });

  it('is segmented on a crop with the labels of PyTorch', async () => {
    const { dilations, crop } = expected();
    const model = new MeshNet(dilations, { dtype: 'float64' });
    model.loadStateDict(await loadStateDict(file('meshnet.pt')));
    const dataset = {
      length: 1,
      get: async (): Promise<Tensor> => {
        const { data } = await readNifti(file('t1_crop.nii.gz'));
        const cube = crop.from.reduce((x, at, axis) => x.narrow(axis, at, crop.edge), data);
        return cube.to('float64').div(255).unsqueeze(0);
      },
    };
    for await (const volumes of new DataLoader(dataset, { prefetch: 1 })) {
      const logits = await slidingWindowInference(volumes, {
        windowSize: crop.edge,
        predictor: (window) => model.forward(window),
      });
      const labels = logits.argmax(1).to('uint8').dataSync() as Uint8Array;
      const hash = createHash('sha256').update(labels).digest('hex');
      expect(hash).toBe(crop.labels_sha256_uint8_C_order);
    }
  });
});

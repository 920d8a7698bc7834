// The network of the MRI on a backend: what is asked of it, and what is right.

import { readFile } from 'node:fs/promises';
import { cpu } from '@voxgrad/core';
import { expect } from 'vitest';
import { MRI } from '../../../test/support/mri.js';
import { type BrainReport, type BrainSize, brain } from './workloads.js';

export const readMri = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(`${MRI}${name}`));

/** A corner of the cube; with VOXGRAD_RUNS (npm run test:long) the cube that PyTorch has numbers of. */
export const SIZE: BrainSize = process.env.VOXGRAD_RUNS
  ? { edge: 48, steps: 5 }
  : { edge: 16, steps: 2 };

let known: Promise<BrainReport> | undefined;

/** What float64 gives; test/brain.test.ts compares that with PyTorch. */
export function reference(): Promise<BrainReport> {
  known ??= brain(cpu, readMri, { ...SIZE, dtype: 'float64' });
  return known;
}

/** Losses as float32 gives them, and no more voxels of another class than rounding moves. */
export function expectAgreement(found: BrainReport, right: BrainReport): void {
  right.losses.forEach((loss, i) => {
    expect(Math.abs(found.losses[i] / loss - 1), `loss before step ${i}`).toBeLessThan(1e-4);
  });
  right.counts.forEach((count, label) => {
    const most = Math.max(1, SIZE.edge ** 3 / 2000); // 0.05 %
    expect(Math.abs(found.counts[label] - count), `voxels of class ${label}`).toBeLessThan(most);
  });
}

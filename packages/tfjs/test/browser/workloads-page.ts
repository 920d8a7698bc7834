// The page of the workloads: `?backend=webgl&edge=16&steps=2`; without an edge there is no MRI.

import '@voxgrad/core/methods';
import { type Held, held } from '../memory.js';
import { type BrainReport, brain, smallTraining } from '../workloads.js';
import { pageDevice, refusedByGpu, tf } from './page-device.js';

export interface WorkloadsReport {
  readonly brain: BrainReport | null;
  readonly losses: readonly number[];
  /** What tfjs holds after ten steps of training, and after 200 more. */
  readonly held: readonly Held[];
  readonly refusedByGpu: readonly string[];
}

const query = new URLSearchParams(location.search);
const [edge, steps] = ['edge', 'steps'].map((name) => Number(query.get(name)));

async function read(name: string): Promise<Uint8Array> {
  const response = await fetch(`data/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const training = smallTraining(pageDevice);
const losses: number[] = [];
const memory: Held[] = [];
/** Chromium's, with `--js-flags=--expose-gc`. */
const { gc } = globalThis as unknown as { gc: () => void };
for (const steps of [10, 200]) {
  for (let i = 0; i < steps; i++) losses.push(await training.step());
  memory.push(await held(tf, gc));
}
const report: WorkloadsReport = {
  losses,
  held: memory,
  brain: edge > 0 ? await brain(pageDevice, read, { edge, steps }) : null,
  refusedByGpu,
};
Object.assign(globalThis, { report });

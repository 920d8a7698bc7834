// The MeshNet of shared/data/brain over the whole volume, against PyTorch on as many threads, and the
// counts of its labels against those that PyTorch 1.13 found (expected.json).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadStateDict } from '@voxgrad/checkpoint';
import { fromHost, noGrad } from '@voxgrad/core';
import * as nifti from 'nifti-reader-js';
import { MeshNet } from '../../test/support/mesh-net.js';
import { MRI, mriIsHere } from '../../test/support/mri.js';
import { deviceOf } from '../lib/devices.js';
import { timeKernels } from '../lib/kernel-times.js';
import { interleaved } from '../lib/measure.js';
import { progress, QUICK, THREADS } from '../lib/options.js';
import { peakResidentMib } from '../lib/program.js';
import { against, type Cell, printTable } from '../lib/table.js';
import { TorchPeer, torchIsHere } from '../peers/torch.js';

const FULL = 256;
const EDGE = QUICK ? 48 : FULL;
const ROUNDS = QUICK ? 1 : 2;
const GOAL = 2;
/** Of all voxels. */
const COUNT_GOAL = 1e-4;

interface Expected {
  readonly dilations: number[];
  readonly full_volume_labels_f32: { readonly counts: Record<string, number> };
}

/** The first `EDGE` voxels along each axis as (x, y, z), scaled to [0, 1]; x is fastest in the file. */
function readVolume(): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(gunzipSync(readFileSync(`${MRI}t1_crop.nii.gz`))).buffer;
  const header = nifti.readHeader(bytes);
  if (!header) throw new Error('t1_crop.nii.gz has no NIfTI header');
  const voxels = new Uint8Array(nifti.readImage(header, bytes));
  const largest = voxels.reduce((a, b) => Math.max(a, b), 0);
  const volume = new Float32Array(EDGE ** 3);
  let at = 0;
  for (let x = 0; x < EDGE; x++)
    for (let y = 0; y < EDGE; y++)
      for (let z = 0; z < EDGE; z++) volume[at++] = voxels[x + FULL * (y + FULL * z)] / largest;
  return volume;
}

const countLabels = (labels: ArrayLike<bigint>): number[] => {
  const counts = [0, 0, 0];
  for (let i = 0; i < labels.length; i++) counts[Number(labels[i])]++;
  return counts;
};

const apart = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, n, i) => sum + Math.abs(n - b[i]), 0) / EDGE ** 3;

export async function brain(): Promise<void> {
  if (!mriIsHere) {
    progress('brain: skipped, the folder shared/data/brain is absent');
    return;
  }
  const expected = JSON.parse(readFileSync(`${MRI}expected.json`, 'utf8')) as Expected;
  const volume = readVolume();
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-bench-'));
  const peer = torchIsHere() ? new TorchPeer('torch_brain.py') : null;
  try {
    writeFileSync(join(folder, 'volume'), volume);
    await peer?.ask({
      do: 'load',
      weights: `${MRI}meshnet.pt`,
      volume: join(folder, 'volume'),
      edge: EDGE,
      dilations: expected.dilations,
    });
    const rows: Cell[][] = [];
    for (const threads of [1, THREADS]) rows.push(await compare(threads, volume, expected, peer));
    printTable(
      `MeshNet over ${EDGE}³ voxels, float32`,
      [
        'threads',
        'ours, s',
        'PyTorch, s',
        'times faster',
        'labels',
        'apart from expected.json',
        'apart from PyTorch here',
        'peak resident MiB',
      ],
      rows,
    );
  } finally {
    peer?.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compare(
  threads: number,
  volume: Float32Array<ArrayBuffer>,
  { dilations, full_volume_labels_f32 }: Expected,
  peer: TorchPeer | null,
): Promise<Cell[]> {
  const device = await deviceOf({ threads });
  const times = timeKernels(device);
  const model = new MeshNet(dilations);
  model.loadStateDict(await loadStateDict(readFileSync(`${MRI}meshnet.pt`)));
  model.to(device);
  const x = fromHost(volume, 'float32', [1, 1, EDGE, EDGE, EDGE], { device });
  let [ours, theirs]: number[][] = [[], []];
  const { ms, ratio } = await interleaved<string>(
    {
      ours: () => {
        times.clear();
        const labels = noGrad(() => model.call(x).argmax(1));
        ours = countLabels(labels.storage.array as BigInt64Array);
        const parts = [...times].map(([name, spent]) => `${name} ${(spent / 1000).toFixed(2)} s`);
        progress(`brain: ours, ${threads} thread(s): ${parts.join(', ')}`);
      },
      ...(peer && {
        theirs: async () => {
          progress(`brain: PyTorch, ${threads} thread(s)`);
          const answer = await peer.ask<{ counts: number[] }>({ do: 'run', threads });
          theirs = answer.counts;
        },
      }),
    },
    ROUNDS,
  );
  device.stop();
  const right = Object.values(full_volume_labels_f32.counts);
  return [
    String(threads),
    ms.ours / 1000,
    peer ? ms.theirs / 1000 : 'absent',
    peer ? against(ratio('theirs', 'ours'), GOAL) : '',
    ours.join(' '),
    EDGE === FULL ? against(apart(ours, right), COUNT_GOAL, 'most') : '',
    peer ? against(apart(ours, theirs), COUNT_GOAL, 'most') : '',
    peakResidentMib(),
  ];
}

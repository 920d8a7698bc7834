// Loading and saving a large state dict, against reading and writing as many bytes with node:fs.

import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, save } from '@voxgrad/checkpoint';
import { StateDict, tensor } from '@voxgrad/core';
import { interleaved } from '../lib/measure.js';
import { progress, QUICK } from '../lib/options.js';
import { against, type Cell, printTable } from '../lib/table.js';

const MIB = 2 ** 20;
const TOTAL_MIB = QUICK ? 20 : 200;

/** How the bytes are spread over tensors. */
const LAYOUTS: readonly (readonly [name: string, tensors: number])[] = [
  ['one tensor', 1],
  ['50 tensors', 50],
  ['2000 tensors', 2000],
];

/** Loading may take this many times as long as reading; the goal, saving likewise. */
const GOAL = 1.5;

function stateDict(tensors: number): StateDict {
  const floats = Math.floor((TOTAL_MIB * MIB) / 4 / tensors);
  const values = Float32Array.from({ length: floats }, (_, i) => i * 0.37);
  const names = Array.from({ length: tensors }, (_, i) => `layer${i}.weight`);
  return new StateDict(names.map((name) => [name, tensor(values.slice())]));
}

/** As save() leaves a file: on the disk when it returns. */
async function write(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'w');
  await handle.writeFile(bytes);
  await handle.sync();
  await handle.close();
}

export async function checkpoint(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-bench-'));
  try {
    const rows: Cell[][] = [];
    for (const [layout, tensors] of LAYOUTS)
      for (const format of ['torch', 'safetensors'] as const) {
        progress(`checkpoint: ${format}, ${layout}`);
        const [path, other] = [join(folder, 'model'), join(folder, 'bytes')];
        const dict = stateDict(tensors);
        await save(dict, path, { format });
        const bytes = await readFile(path);
        const { ms, ratio } = await interleaved({
          read: () => readFile(path),
          load: () => load(path),
          write: () => write(other, bytes),
          save: () => save(dict, path, { format }),
        });
        rows.push([
          format,
          layout,
          ms.read,
          ms.load,
          against(ratio('load', 'read'), GOAL, 'most'),
          ms.write,
          ms.save,
          against(ratio('save', 'write'), GOAL, 'most'),
        ]);
      }
    printTable(
      `A state dict of ${TOTAL_MIB} MiB, in milliseconds`,
      ['format', 'tensors', 'read', 'load', 'load / read', 'write', 'save', 'save / write'],
      rows,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

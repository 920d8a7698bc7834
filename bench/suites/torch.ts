// Against real PyTorch on the same thread counts, pass by pass.

import type { WasmDevice } from '@voxgrad/wasm';
import { openBlasFolder } from '../../packages/voxgrad/src/bench/peers/programs.js';
import type { FloatDType } from '../../packages/wasm/src/emit/lanes.js';
import { type ConvCase, dense, depthwise, GOAL_CASES, PASSES, runPass } from '../lib/conv-cases.js';
import { devicePair } from '../lib/devices.js';
import { interleaved, type Run } from '../lib/measure.js';
import { DTYPES, progress, QUICK, THREADS } from '../lib/options.js';
import { agreement, inFolder, peerCase } from '../lib/peer-case.js';
import { against, type Cell, printTable } from '../lib/table.js';
import { TorchPeer, torchIsHere } from '../peers/torch.js';

const ROUNDS = QUICK ? 1 : 3;

/** How many times faster than PyTorch, where there is a goal. */
const goalOf = ({ depthwise }: ConvCase, dtype: FloatDType): number | null =>
  depthwise ? (dtype === 'float64' ? 15 : 8) : null;

const HEAD = [
  'case',
  'pass',
  'ours, ms',
  'PyTorch, ms',
  'times faster',
  `ours, ${THREADS} threads`,
  `PyTorch, ${THREADS} threads`,
  'times faster',
  'difference',
];

async function rowsOf(
  convCase: ConvCase,
  dtype: FloatDType,
  peer: TorchPeer,
  { one, many }: { one: WasmDevice; many: WasmDevice },
): Promise<Cell[][]> {
  const { geometry: g } = convCase;
  const c = peerCase(convCase, dtype, one);
  const other = peerCase(convCase, dtype, many);
  const goal = goalOf(convCase, dtype);
  const factor = (x: number): Cell => (goal ? against(x, goal) : x);
  return inFolder(c, async (folder) => {
    const options = { dtype, groups: g.groups, padding: g.padding[0][0], ...c.shapes };
    await peer.ask({ do: 'case', folder, ...options });
    const errors = await peer.ask<Record<string, number>>({ do: 'compare' });
    const rows: Cell[][] = [];
    for (const pass of PASSES) {
      const theirs =
        (threads: number): Run =>
        () =>
          peer.ask({ do: 'run', pass, threads });
      const { ms, ratio } = await interleaved(
        {
          one: () => runPass(one, pass, g, c.data).release(),
          theirs: theirs(1),
          many: () => runPass(many, pass, g, other.data).release(),
          theirsMany: theirs(THREADS),
        },
        ROUNDS,
      );
      rows.push([
        convCase.name,
        pass,
        ms.one,
        ms.theirs,
        factor(ratio('theirs', 'one')),
        ms.many,
        ms.theirsMany,
        factor(ratio('theirsMany', 'many')),
        agreement(errors[pass], dtype),
      ]);
    }
    return rows;
  });
}

export async function torch(): Promise<void> {
  if (!torchIsHere()) {
    progress('torch: skipped, no python3 here has torch (Debian: python3-torch)');
    return;
  }
  const peer = new TorchPeer('torch_server.py');
  const devices = await devicePair();
  const cases = QUICK ? [depthwise(7, 24), dense(16, 32, 16)] : GOAL_CASES;
  const blas = openBlasFolder() ? 'OpenBLAS' : 'the BLAS that is there';
  for (const dtype of DTYPES) {
    const rows: Cell[][] = [];
    for (const convCase of cases) {
      progress(`torch: ${convCase.name} ${dtype}`);
      rows.push(...(await rowsOf(convCase, dtype, peer, devices)));
    }
    printTable(`Against PyTorch with ${blas}, ${dtype}`, HEAD, rows);
  }
  peer.stop();
}

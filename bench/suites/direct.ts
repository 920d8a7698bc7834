// Direct convolution as a fraction of the peak that is measured beside it; threads; same bits.

import type { Storage } from '@voxgrad/core';
import type { WasmDevice } from '@voxgrad/wasm';
import type { FloatDType } from '../../packages/wasm/src/emit/lanes.js';
import {
  type ConvCase,
  convFlops,
  dense,
  depthwise,
  GOAL_CASES,
  operands,
  PASSES,
  runPass,
} from '../lib/conv-cases.js';
import { devicePair } from '../lib/devices.js';
import { interleaved, type Run } from '../lib/measure.js';
import { DTYPES, progress, QUICK, THREADS } from '../lib/options.js';
import { gigaflops, peakFlops, peakRun } from '../lib/peak.js';
import { against, type Cell, printTable } from '../lib/table.js';

const GOALS = { forward: 0.8, input: 0.8, weight: 0.7 } as const;
const THREAD_GOAL = 1.8;

const bytesOf = ({ array }: Storage): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

async function rowsOf(
  convCase: ConvCase,
  dtype: FloatDType,
  { one, many }: { one: WasmDevice; many: WasmDevice },
): Promise<Cell[][]> {
  const { name, geometry } = convCase;
  // Storage lives on one device at a time, so each has operands of its own.
  const data = { one: operands(convCase, dtype), many: operands(convCase, dtype) };
  const runs: Record<string, Run> = {
    peak: peakRun(one, dtype),
    peaks: peakRun(many, dtype),
  };
  const same = new Map<string, boolean>();
  for (const pass of PASSES) {
    const [alone, together] = [
      runPass(one, pass, geometry, data.one),
      runPass(many, pass, geometry, data.many),
    ];
    same.set(pass, bytesOf(alone).equals(bytesOf(together)));
    alone.release();
    together.release();
    runs[pass] = () => runPass(one, pass, geometry, data.one).release();
    runs[`${pass}s`] = () => runPass(many, pass, geometry, data.many).release();
  }
  const { ms, ratio } = await interleaved(runs);
  const flops = convFlops(geometry);
  // The same work at the peak would take this part of the peak's own time.
  const part = flops / peakFlops(dtype);
  return PASSES.map((pass) => [
    name,
    pass,
    ms[pass],
    gigaflops(flops, ms[pass]),
    gigaflops(peakFlops(dtype), ms.peak),
    against(part * ratio('peak', pass), GOALS[pass]),
    part * ratio('peaks', `${pass}s`),
    against(ratio(pass, `${pass}s`), THREAD_GOAL),
    same.get(pass) ?? false,
  ]);
}

const HEAD = [
  'case',
  'pass',
  'ms',
  'GF',
  'peak',
  'of peak',
  `of peak, ${THREADS} threads`,
  `${THREADS} threads : 1`,
  'same bits',
];

export async function direct(): Promise<void> {
  const devices = await devicePair({ precision: 'exact' });
  const cases = QUICK ? [depthwise(7, 24), depthwise(9, 24), dense(16, 32, 16)] : GOAL_CASES;
  for (const dtype of DTYPES) {
    const rows: Cell[][] = [];
    for (const convCase of cases) {
      progress(`direct: ${convCase.name} ${dtype}`);
      rows.push(...(await rowsOf(convCase, dtype, devices)));
    }
    printTable(`Direct convolution, ${dtype}`, HEAD, rows);
  }
}

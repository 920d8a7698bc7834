// The multiply-add peak of WebAssembly here, one thread and several.

import { devicePair } from '../lib/devices.js';
import { interleaved } from '../lib/measure.js';
import { DTYPES, THREADS } from '../lib/options.js';
import { gigaflops, peakFlops, peakRun } from '../lib/peak.js';
import { printTable } from '../lib/table.js';

export async function peak(): Promise<void> {
  const { one, many } = await devicePair();
  const rows = [];
  for (const dtype of DTYPES) {
    const { ms, ratio } = await interleaved({
      one: peakRun(one, dtype),
      many: peakRun(many, dtype),
    });
    const [alone, together] = [ms.one, ms.many].map((t) => gigaflops(peakFlops(dtype), t));
    rows.push([dtype, alone, together, ratio('one', 'many')]);
  }
  printTable(
    'Multiply-add peak',
    ['dtype', 'GF, 1 thread', `GF, ${THREADS} threads`, 'ratio'],
    rows,
  );
}

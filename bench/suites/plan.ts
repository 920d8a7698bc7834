// What a plan of a whole model costs, and a log of 100 MB.

import { doctor, LogScan, npu, type PlanLayer, plan } from '@voxgrad/npu';
import { interleaved } from '../lib/measure.js';
import { progress } from '../lib/options.js';
import { against, printTable } from '../lib/table.js';

const GOAL_MS = 100;

/** Sixty different layers; every third is refused, which is where the plan looks for remedies. */
const LAYERS: readonly PlanLayer[] = Array.from({ length: 60 }, (_, i) => {
  const kernel = [3, 5, 9][i % 3];
  const channels = 4 + (i % 5);
  return {
    name: `layer${i}`,
    input: [1, channels, 64 + i, 96, i % 3 === 2 ? 200 + i : 60 + i],
    weight: [channels, 1, kernel, kernel, kernel],
    padding: kernel >> 1,
    groups: channels,
  };
});

export async function planSuite(): Promise<void> {
  progress('plan: 60 layers');
  const device = npu('Ascend910B1', { cann: '8.2.RC1' });
  const begin = performance.now();
  const { totals } = plan(device, LAYERS);
  const first = performance.now() - begin;
  const { ms } = await interleaved({ plan: () => plan(device, LAYERS) });

  progress('plan: a log of 100 MB');
  const line =
    '[INFO] 2026-01-01 12:00:00 step 17 aclnnConvolution conv3d forward torch ok code=0 /usr/lib/libfoo.so\n';
  const part = line.repeat(Math.ceil((1 << 20) / line.length));
  const times = [25, 100].map((parts) => {
    const start = performance.now();
    const scan = new LogScan();
    for (let i = 0; i < parts; i++) scan.add(part);
    doctor({ log: scan.end() });
    return (performance.now() - start) / 1000;
  });
  printTable(
    'plan and doctor',
    ['layers', 'refused', 'first plan ms', 'plan ms', 'log 25 MB s', 'log 100 MB s'],
    [
      [
        String(totals.layers),
        String(totals.refused),
        against(first, GOAL_MS, 'most'),
        against(ms.plan, GOAL_MS, 'most'),
        ...times,
      ],
    ],
  );
}

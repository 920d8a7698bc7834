// Fine-tunes a fault-finding network, which PyTorch trained and saved, on a synthetic volume: once
// per backward strategy and device. The losses agree; what runs underneath does not.
//
//   npm start -- [--seed 7] [--epochs 20]

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import cliProgress from 'cli-progress';
import { cpu, createTfjsDevice, npu, save } from 'voxgrad';
import { fineTune, type Run, type RunResult } from './finetune.js';
import { lossTable, reasons, strategyTable } from './report.js';
import { seismicVolume } from './volume.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '7' },
    epochs: { type: 'string', default: '20' },
  },
});
const seed = Number(values.seed);
const epochs = Number(values.epochs);
if (!Number.isInteger(seed) || !Number.isInteger(epochs) || epochs < 1) {
  console.error('usage: npm start -- [--seed INTEGER] [--epochs INTEGER of 1 or more]');
  process.exit(2);
}

// Long enough in depth that an Ascend 910B's own backward refuses the 9³ kernel.
const size = [4, 10, 380] as const;
const checkpoint = new URL('../checkpoint/faults.pt', import.meta.url);
const outputFolder = new URL('../output/', import.meta.url);
const output = new URL('faults-finetuned.pt', outputFolder);

tf.env().set('IS_TEST', true); // keeps tfjs from advertising its native backend
await tf.ready();
const runs: Run[] = [
  { name: 'cpu fused', device: cpu, strategy: 'fused' },
  { name: 'cpu composite', device: cpu, strategy: 'composite' },
  { name: 'npu', device: npu('Ascend910B1', { cann: '8.2.RC1' }) },
  { name: 'tfjs', device: createTfjsDevice(tf) },
];

console.log(`A volume of ${size.join(' × ')} voxels with faults, from seed ${seed}.`);
const volume = seismicVolume(seed, size);
console.log(
  `Fine-tuning ${fileURLToPath(checkpoint)} (written by PyTorch) for ${epochs} epochs, ${runs.length} times.\n`,
);

const results: { run: Run; result: RunResult }[] = [];
for (const run of runs) {
  const bar = new cliProgress.SingleBar({
    format: `  ${run.name.padEnd(14)} [{bar}] {value}/{total} epochs  loss {loss}`,
    noTTYOutput: true,
    notTTYSchedule: 10_000,
    hideCursor: true,
  });
  bar.start(epochs, 0, { loss: '…' });
  const result = await fineTune(run, checkpoint, volume, epochs, (loss) =>
    bar.increment({ loss: loss.toFixed(6) }),
  );
  bar.stop();
  results.push({ run, result });
}

console.log(`\nLosses\n${lossTable(results)}`);
console.log(`\nBackward strategy of each layer\n${strategyTable(results)}`);
console.log(`\nWhy\n${reasons(results)}`);

await mkdir(outputFolder, { recursive: true });
await save(results[0].result.model.stateDict(), fileURLToPath(output));
console.log(`\nSaved ${fileURLToPath(output)}; PyTorch reads it with torch.load.`);

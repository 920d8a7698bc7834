// What a run has measured so far, and how that is kept in a checkpoint: one column of float64 per
// number, so that a file with a million steps stays small and is read at once.

import { type Tensor, tensor } from '@voxgrad/core';
import { columnOf, fieldsOf, listOf, numberOf } from './read.js';

/** One update of the parameters. */
export interface StepRecord {
  /** Updates so far, this one counted: 1 for the first. */
  readonly step: number;
  /** Number of the epoch, from 0. */
  readonly epoch: number;
  /** Mean over the batches of the update, before it. */
  readonly loss: number;
  /** Norm of all gradients together, before clipping. */
  readonly gradNorm: number;
  /** Of the first parameter group, in this update. */
  readonly lr: number;
}

/** One epoch. */
export interface EpochRecord {
  readonly epoch: number;
  readonly step: number;
  /** Mean of the epoch's updates. */
  readonly loss: number;
  /** What validation returned; empty without one. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Time since the epoch began or was resumed. */
  readonly seconds: number;
}

export class History {
  readonly steps: StepRecord[] = [];
  readonly epochs: EpochRecord[] = [];
}

const STEP_COLUMNS = ['step', 'epoch', 'loss', 'gradNorm', 'lr'] as const;
/** In files, names are Python's. */
const FILE_NAMES = { step: 'step', epoch: 'epoch', loss: 'loss', gradNorm: 'grad_norm', lr: 'lr' };

export function packHistory({ steps, epochs }: History): object {
  const columns = STEP_COLUMNS.map((name): [string, Tensor] => [
    FILE_NAMES[name],
    tensor(
      Float64Array.from(steps, (record) => record[name]),
      { device: 'cpu' },
    ),
  ]);
  return { steps: Object.fromEntries(columns), epochs: epochs.map((record) => ({ ...record })) };
}

export function unpackHistory(packed: unknown): History {
  const history = new History();
  const fields = fieldsOf('history', packed);
  const steps = fieldsOf('history.steps', fields.get('steps'));
  const columns = STEP_COLUMNS.map((name) =>
    columnOf(`history.steps.${FILE_NAMES[name]}`, steps.get(FILE_NAMES[name])),
  );
  const [count] = columns.map((column) => column.length);
  for (let i = 0; i < count; i++) {
    const [step, epoch, loss, gradNorm, lr] = columns.map((column) => column[i]);
    history.steps.push({ step, epoch, loss, gradNorm, lr });
  }
  for (const item of listOf('history.epochs', fields.get('epochs'))) {
    const record = fieldsOf('history.epochs', item);
    const number = (name: string) => numberOf(`history.epochs.${name}`, record.get(name));
    const metrics = fieldsOf('history.epochs.metrics', record.get('metrics'));
    history.epochs.push({
      epoch: number('epoch'),
      step: number('step'),
      loss: number('loss'),
      seconds: number('seconds'),
      metrics: Object.fromEntries(
        [...metrics].map(([name, value]) => [name, numberOf(`metric ${name}`, value)]),
      ),
    });
  }
  return history;
}

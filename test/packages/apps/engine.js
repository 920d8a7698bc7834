// The worker of the small program.

import { VoxgradError } from '@voxgrad/core';
import { serveTasks } from 'voxgrad/worker';
import { train } from './train.js';

serveTasks({
  train: ({ steps }, task) =>
    train(steps, async (step) => {
      task.progress(step);
      await task.turn();
    }),
  sum: (numbers) => numbers.reduce((a, b) => a + b),
  fail: () => {
    throw new VoxgradError('SHAPE', 'no such shape');
  },
});

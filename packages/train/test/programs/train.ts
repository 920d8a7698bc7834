// Trains and saves after every update to the path that it is given; goes on from what is there. Prints a
// line when it begins, and at the end all that a run computes, as JSON.

import { randn } from '@voxgrad/core';
import { fit } from '../../src/index.js';
import { problem, weightsOf } from '../support.js';

const [, , path, pause] = process.argv;
const options = problem();
// Large enough that saving takes part of the time, and that writing it takes several turns.
const ballast = new Map([['ballast', randn([1 << 18])]]);
const stateful = { ballast: { stateDict: () => ballast, loadStateDict: () => {} } };

console.log('started');
const { history } = await fit({
  ...options,
  epochs: 3,
  earlyStopping: { patience: 100 },
  clipGradNorm: 1,
  stateful,
  checkpoint: { to: path, everySteps: 1 },
  callbacks: [{ onStep: () => new Promise((resolve) => setTimeout(resolve, Number(pause))) }],
});
console.log(
  JSON.stringify({
    losses: history.steps.map(({ loss }) => loss),
    epochs: history.epochs.map(({ loss, metrics }) => [loss, metrics]),
    weights: weightsOf(options.model),
  }),
);

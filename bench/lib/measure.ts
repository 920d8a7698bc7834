// The measuring of the suites: that of `voxgrad bench`, with the rounds of the command line.

import {
  interleaved as interleavedOver,
  type Measured,
  type Run,
} from '../../packages/voxgrad/src/bench/measure.js';
import { ROUNDS } from './options.js';

export { type Measured, median, type Run } from '../../packages/voxgrad/src/bench/measure.js';

/** Runs take turns; every round has one of each. */
export const interleaved = <K extends string>(
  runs: Readonly<Record<K, Run>>,
  rounds = ROUNDS,
): Promise<Measured<K>> => interleavedOver(runs, { rounds });

// Training steps of whole networks, and inference, against peers. `--edge=32` for smaller volumes.

import { modelContests } from '../../packages/voxgrad/src/bench/compare/cases.js';
import { compare } from '../lib/compare.js';
import { option, QUICK } from '../lib/options.js';

export const model = (): Promise<void> =>
  compare('model', modelContests(Number(option('--edge') ?? (QUICK ? 16 : 64))));

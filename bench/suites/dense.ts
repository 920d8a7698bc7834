// Dense 3×3×3 layers against peers, at every precision.

import { DENSE_CONTESTS } from '../../packages/voxgrad/src/bench/compare/cases.js';
import { compare } from '../lib/compare.js';
import { QUICK } from '../lib/options.js';

export const dense = (): Promise<void> =>
  compare('dense', QUICK ? DENSE_CONTESTS.slice(0, 1) : DENSE_CONTESTS);

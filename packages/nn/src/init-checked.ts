// torch.nn.init as users call it: the functions of init.ts, checked against their signatures.

import { checked } from '@voxgrad/core';
import * as unchecked from './init.js';
import { INIT } from './signatures.js';

export * from './init.js';

export const {
  calculateGain,
  constant_,
  dirac_,
  eye_,
  fans,
  kaimingNormal_,
  kaimingUniform_,
  normal_,
  ones_,
  orthogonal_,
  sparse_,
  truncNormal_,
  uniform_,
  xavierNormal_,
  xavierUniform_,
  zeros_,
} = checked(unchecked, INIT);

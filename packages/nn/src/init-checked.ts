// Written by scripts/signatures.mjs from the types; see there.

import { guard } from '@voxgrad/core';
import * as unchecked from './init.js';

export * from './init.js';

export const calculateGain = /* @__PURE__ */ guard(
  'calculateGain',
  'nonlinearity, #a?',
  unchecked.calculateGain,
);
export const constant_ = /* @__PURE__ */ guard('constant_', 'tensor, #value', unchecked.constant_);
export const dirac_ = /* @__PURE__ */ guard('dirac_', 'x, options', unchecked.dirac_);
export const eye_ = /* @__PURE__ */ guard('eye_', 'x', unchecked.eye_);
export const fans = /* @__PURE__ */ guard('fans', 'shape', unchecked.fans);
export const kaimingNormal_ = /* @__PURE__ */ guard(
  'kaimingNormal_',
  'tensor, options',
  unchecked.kaimingNormal_,
);
export const kaimingUniform_ = /* @__PURE__ */ guard(
  'kaimingUniform_',
  'tensor, options',
  unchecked.kaimingUniform_,
);
export const normal_ = /* @__PURE__ */ guard(
  'normal_',
  'tensor, mean, #std?, options',
  unchecked.normal_,
);
export const ones_ = /* @__PURE__ */ guard('ones_', 'tensor', unchecked.ones_);
export const orthogonal_ = /* @__PURE__ */ guard(
  'orthogonal_',
  'x, options, more',
  unchecked.orthogonal_,
);
export const resetAffine = /* @__PURE__ */ guard(
  'resetAffine',
  'weight, bias',
  unchecked.resetAffine,
);
export const sparse_ = /* @__PURE__ */ guard(
  'sparse_',
  'x, #sparsity, std, options',
  unchecked.sparse_,
);
export const truncNormal_ = /* @__PURE__ */ guard(
  'truncNormal_',
  'tensor, mean, #std?, #a?, #b?, options',
  unchecked.truncNormal_,
);
export const uniform_ = /* @__PURE__ */ guard(
  'uniform_',
  'tensor, a, #b?, options',
  unchecked.uniform_,
);
export const xavierNormal_ = /* @__PURE__ */ guard(
  'xavierNormal_',
  'tensor, given, more',
  unchecked.xavierNormal_,
);
export const xavierUniform_ = /* @__PURE__ */ guard(
  'xavierUniform_',
  'tensor, given, more',
  unchecked.xavierUniform_,
);
export const zeros_ = /* @__PURE__ */ guard('zeros_', 'tensor', unchecked.zeros_);

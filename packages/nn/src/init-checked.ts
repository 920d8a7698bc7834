// Written by scripts/signatures.mjs from the types; see there.

import { guard } from '@voxgrad/core';
import * as unchecked from './init.js';

export * from './init.js';

/** Recommended scale for a nonlinearity; `a` is the negative slope of leakyRelu. */
export const calculateGain = /* @__PURE__ */ guard(
  'calculateGain',
  'nonlinearity, #a?',
  unchecked.calculateGain,
);
/** Every element becomes `value`. */
export const constant_ = /* @__PURE__ */ guard('constant_', 'tensor, #value', unchecked.constant_);
/** The identity of convolutions: a one in the middle of the kernel from channel i to channel i. */
export const dirac_ = /* @__PURE__ */ guard('dirac_', 'x, options', unchecked.dirac_);
/** The identity: `x`, `[out, in]`, hands through as many inputs as it can. */
export const eye_ = /* @__PURE__ */ guard('eye_', 'x', unchecked.eye_);
/** Inputs and outputs that one unit of a weight `[out, in, ...kernel]` is connected to. */
export const fans = /* @__PURE__ */ guard('fans', 'shape', unchecked.fans);
/** N(0, gain² / fan). */
export const kaimingNormal_ = /* @__PURE__ */ guard(
  'kaimingNormal_',
  'tensor, options',
  unchecked.kaimingNormal_,
);
/**
 * U(−bound, bound) with bound = √3·gain / √fan (K. He et al., "Delving deep into rectifiers", 2015).
 */
export const kaimingUniform_ = /* @__PURE__ */ guard(
  'kaimingUniform_',
  'tensor, options',
  unchecked.kaimingUniform_,
);
/** Normal with `mean` (0) and standard deviation `std` (1). */
export const normal_ = /* @__PURE__ */ guard(
  'normal_',
  'tensor, mean, #std?, options',
  unchecked.normal_,
);
/** Fills a tensor with 1. */
export const ones_ = /* @__PURE__ */ guard('ones_', 'tensor', unchecked.ones_);
/**
 * A matrix with orthonormal rows or columns, whichever are fewer, for a tensor of `[rows, ...]`
 * (A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural
 * networks", 2013): Q of a normal matrix, with the signs that make it uniform (F. Mezzadri, "How to
 * generate random matrices from the classical compact groups", 2007).
 */
export const orthogonal_ = /* @__PURE__ */ guard(
  'orthogonal_',
  'x, options, more',
  unchecked.orthogonal_,
);
/** What Linear and the convolutions draw: weight first, then bias. */
export const resetAffine = /* @__PURE__ */ guard(
  'resetAffine',
  'weight, bias',
  unchecked.resetAffine,
);
/**
 * Normal numbers of `std`, of which the share `sparsity` in each column is zero (J. Martens, "Deep
 * learning via Hessian-free optimization", 2010).
 */
export const sparse_ = /* @__PURE__ */ guard(
  'sparse_',
  'x, #sparsity, std, options',
  unchecked.sparse_,
);
/**
 * Normal numbers, cut off below `a` and above `b`: uniform numbers through the inverse of the
 * distribution (J. Burkardt, "The Truncated Normal Distribution", 2014).
 */
export const truncNormal_ = /* @__PURE__ */ guard(
  'truncNormal_',
  'tensor, mean, #std?, #a?, #b?, options',
  unchecked.truncNormal_,
);
/** Uniform on [a, b), [0, 1) unless given. */
export const uniform_ = /* @__PURE__ */ guard(
  'uniform_',
  'tensor, a, #b?, options',
  unchecked.uniform_,
);
/** N(0, gain²·2 / (fanIn + fanOut)). */
export const xavierNormal_ = /* @__PURE__ */ guard(
  'xavierNormal_',
  'tensor, given, more',
  unchecked.xavierNormal_,
);
/**
 * U(−a, a) with a = √3·gain·√(2 / (fanIn + fanOut)) (X. Glorot and Y. Bengio, "Understanding the
 * difficulty of training deep feedforward neural networks", 2010).
 */
export const xavierUniform_ = /* @__PURE__ */ guard(
  'xavierUniform_',
  'tensor, given, more',
  unchecked.xavierUniform_,
);
/** Fills a tensor with 0. */
export const zeros_ = /* @__PURE__ */ guard('zeros_', 'tensor', unchecked.zeros_);

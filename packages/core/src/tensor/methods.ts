// The methods of a tensor: every row is an operation whose first argument is the tensor.

import * as binary from '../ops/binary.js';
import * as cast from '../ops/cast.js';
import { gather, indexSelect } from '../ops/indexing.js';
import * as inplace from '../ops/inplace.js';
import { cat } from '../ops/join.js';
import * as logical from '../ops/logical.js';
import { bmm, matmul, mm } from '../ops/matmul.js';
import * as reduce from '../ops/reduce.js';
import { logSoftmax, logsumexp, softmax } from '../ops/softmax.js';
import * as unary from '../ops/unary.js';
import * as views from '../ops/views.js';
import { Tensor } from './tensor.js';

const { variance, ...reductions } = reduce;
const { embed: _embed, ...movements } = views;
const { where: _where, ...arithmetic } = binary;

const methods = {
  ...unary,
  ...arithmetic,
  ...reductions,
  ...movements,
  ...cast,
  ...logical,
  ...inplace,
  var: variance,
  /** Joins this tensor with others along an axis. */
  cat: (x: Tensor, others: Tensor | readonly Tensor[], dim = 0): Tensor =>
    cat([x, ...[others].flat()], dim),
  gather,
  indexSelect,
  bmm,
  matmul,
  mm,
  softmax,
  logSoftmax,
  logsumexp,
};

type Method<F> = F extends (self: Tensor, ...args: infer A) => infer R ? (...args: A) => R : never;

export type TensorMethods = { [K in keyof typeof methods]: Method<(typeof methods)[K]> };

for (const [name, method] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, {
    value(this: Tensor, ...args: unknown[]) {
      return (method as (...all: unknown[]) => unknown)(this, ...args);
    },
    writable: true,
    configurable: true,
  });

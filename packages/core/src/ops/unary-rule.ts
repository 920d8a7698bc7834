// How the rows of unary.ts and gamma.ts become functions.

import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { UnaryName } from '../device/device.js';
import { Tensor } from '../tensor/tensor.js';
import { requireCompute, toFloat } from './operands.js';

/** A function of one tensor, element by element. */
export type Unary = (x: Tensor) => Tensor;

type Saves = 'input' | 'output' | 'nothing';
export type Rule = (g: Tensor, saved: Tensor) => Tensor;

function define(name: UnaryName, saves: Saves, rule: Rule): Op<undefined> {
  return defineOp({
    name,
    forward: ([x]) =>
      new Tensor({ device: x.device, shape: x.shape, storage: x.device.kernels.unary(name, x) }),
    saves: { inputs: saves === 'input' ? [0] : [], outputs: saves === 'output' ? [0] : [] },
    backward: ([g], context) => {
      if (g === null) return [null];
      if (saves === 'nothing') return [rule(g, g)];
      return [rule(g, saves === 'input' ? context.input(0) : context.output())];
    },
  });
}

/** A function that keeps the dtype, integers included. */
export function anyDtype(name: UnaryName, saves: Saves, rule: Rule): Unary {
  const op = define(name, saves, rule);
  return (x) => {
    requireTensors(name, { input: x });
    requireCompute(name, x.device, x.dtype);
    return op([x], undefined);
  };
}

/** A function with real values: integers become the default float dtype first. */
export function real(name: UnaryName, saves: Saves, rule: Rule): Unary {
  const keep = anyDtype(name, saves, rule);
  return (x) => {
    requireTensors(name, { input: x });
    return keep(toFloat(x));
  };
}

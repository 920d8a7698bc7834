// How a function of two operands is defined: `operands.ts` broadcasts and promotes, so that a rule
// sees two tensors of one shape and dtype.

import { defineOp } from '../autograd/op.js';
import type { BinaryName } from '../device/device.js';
import { getDefaultDtype, isFloat, resultType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { broadcastOperands, checkOperand, type TensorOrScalar } from './operands.js';

export type Binary = (a: Tensor, b: TensorOrScalar) => Tensor;
type Rule = (g: Tensor, a: Tensor, b: Tensor, needs: readonly boolean[]) => (Tensor | null)[];

/** Inputs of a product that its rule reads: the gradient of each is made with the other. */
export const otherFactors = (needs: readonly boolean[]): number[] => [
  ...(needs[1] ? [0] : []),
  ...(needs[0] ? [1] : []),
];

export function defineBinary(name: BinaryName, rule: (g: Tensor) => Tensor[]): Binary;
export function defineBinary(name: BinaryName, rule: Rule, saves: 'inputs'): Binary;
export function defineBinary(
  name: BinaryName,
  rule: Rule | ((g: Tensor) => Tensor[]),
  saves?: 'inputs',
): Binary {
  const op = defineOp({
    name,
    forward: ([a, b]) =>
      new Tensor({
        device: a.device,
        shape: a.shape,
        storage: a.device.kernels.binary(name, a, b),
      }),
    saves: { inputs: saves ? [0, 1] : [] },
    backward: ([g], context) => {
      if (g === null) return [null, null];
      if (!saves) return (rule as (g: Tensor) => Tensor[])(g);
      return (rule as Rule)(g, context.input(0), context.input(1), context.needs);
    },
  });
  return (a, b) => op(broadcastOperands(name, [a, b]), undefined);
}

/** For functions with real values: two integers become the default float dtype first. */
export const withRealValues =
  (name: string, f: Binary): Binary =>
  (a, b) => {
    const dtype = resultType(checkOperand(name, a), checkOperand(name, b));
    return isFloat(dtype) ? f(a, b) : f(cast(a, getDefaultDtype()), b);
  };

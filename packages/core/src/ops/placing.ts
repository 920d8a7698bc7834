// How an in-place form is made of the operation itself.

import { isGradEnabled } from '../autograd/mode.js';
import { dtypeError } from '../errors.js';
import { kindOf, torchName } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { cast, clone } from './cast.js';
import { overwrite } from './overwrite.js';

const KIND_ORDER = { bool: 0, integer: 1, float: 2 };

/** A result of a higher kind (float into an integer tensor) is refused, not truncated. */
function intoPlace(x: Tensor, result: Tensor, operation: string): Tensor {
  if (KIND_ORDER[kindOf(result.dtype)] > KIND_ORDER[kindOf(x.dtype)])
    throw dtypeError(
      `result type ${torchName(result.dtype)} can't be cast to the desired output type ${torchName(x.dtype)} (${operation})`,
    );
  return x.replaceWith(cast(result, x.dtype), operation);
}

/** `x` as a rule that saves it needs it: what is about to be overwritten is copied. */
function original(x: Tensor, args: readonly unknown[]): Tensor {
  const recorded = [x, ...args].some((arg) => arg instanceof Tensor && arg.requiresGrad);
  return isGradEnabled() && recorded ? clone(x) : x;
}

export type InPlace<A extends readonly unknown[]> = (x: Tensor, ...args: A) => Tensor;

/** The in-place form of an operation whose rule does not look at x. */
export const place =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) =>
    intoPlace(x, op(x, ...args), name);

/** The in-place form of an operation whose rule looks at x. */
export const placeSaved =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) =>
    intoPlace(x, op(original(x, args), ...args), name);

/** The in-place form of an operation without a gradient: what x had ends here. */
export const placeConstant =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) =>
    overwrite(x, cast(op(x, ...args), x.dtype), name);

// How an in-place form is made of the operation itself.

import { isGradEnabled } from '../autograd/mode.js';
import { dtypeError } from '../errors.js';
import { kindOf, torchName } from '../tensor/dtype.js';
import type { Storage } from '../tensor/storage.js';
import { releasing } from '../tensor/temporaries.js';
import { Tensor } from '../tensor/tensor.js';
import { cast, clone } from './cast.js';
import { overwrite } from './overwrite.js';

const NOTHING: ReadonlySet<Storage> = new Set();

const KIND_ORDER = { bool: 0, integer: 1, float: 2 };

/** A result of a higher kind (float into an integer tensor) is refused, not truncated. */
function intoPlace(x: Tensor, result: Tensor, operation: string): Tensor {
  if (KIND_ORDER[kindOf(result.dtype)] > KIND_ORDER[kindOf(x.dtype)])
    throw dtypeError(
      `result type ${torchName(result.dtype)} can't be cast to the desired output type ${torchName(x.dtype)} (${operation})`,
    );
  return x.replaceWith(cast(result, x.dtype), operation);
}

const isRecorded = (x: Tensor, args: readonly unknown[]): boolean =>
  isGradEnabled() && [x, ...args].some((arg) => arg instanceof Tensor && arg.requiresGrad);

export type InPlace<A extends readonly unknown[]> = (x: Tensor, ...args: A) => Tensor;

/** Writes what `op` gives into x; off the tape, everything made on the way goes back at once. */
function written<A extends readonly unknown[]>(
  name: string,
  op: InPlace<A>,
  x: Tensor,
  args: A,
  recorded: boolean,
): Tensor {
  const write = () => intoPlace(x, op(x, ...args), name);
  return recorded ? write() : releasing(write, () => NOTHING);
}

/** The in-place form of an operation whose rule does not look at x. */
export const place =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) =>
    written(name, op, x, args, isRecorded(x, args));

/** The in-place form of an operation whose rule looks at x: what is overwritten is copied first. */
export const placeSaved =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) => {
    const recorded = isRecorded(x, args);
    const original: InPlace<A> = (target, ...rest) =>
      op(recorded ? clone(target) : target, ...rest);
    return written(name, original, x, args, recorded);
  };

/** The in-place form of an operation without a gradient: what x had ends here. */
export const placeConstant =
  <A extends readonly unknown[]>(name: string, op: InPlace<A>): InPlace<A> =>
  (x, ...args) =>
    releasing(
      () => overwrite(x, cast(op(x, ...args), x.dtype), name),
      () => NOTHING,
    );

import { defineOp } from '../autograd/op.js';
import { Tensor } from '../tensor/tensor.js';

/** `value` in the place of `x`, whose own gradient is then zero. */
const overwriteOp = defineOp({
  name: 'overwrite',
  forward: ([, value]) => value.alias(),
  backward: ([g]) => [g && Tensor.filled(g.shape, 0, g.dtype, g.device), g],
});

/** Puts `value` in the place of `x`, for `operation`. */
export const overwrite = (x: Tensor, value: Tensor, operation: string): Tensor =>
  x.replaceWith(overwriteOp([x, value], undefined), operation);

// Bitwise operations on integers and bool; they carry no gradient.

import { requireTensors } from '../arguments.js';
import { defineOp } from '../autograd/op.js';
import type { BitwiseName } from '../device/device.js';
import { type DTypeKind, resultType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { broadcastOperands, checkOperand, requireKind, type TensorOrScalar } from './operands.js';

type Bitwise = (a: Tensor, b: TensorOrScalar) => Tensor;

function define(name: BitwiseName, ...kinds: DTypeKind[]): Bitwise {
  const op = defineOp({
    name,
    forward: ([a, b]) =>
      new Tensor({
        device: a.device,
        shape: a.shape,
        storage: a.device.kernels.bitwise(name, a, b),
      }),
    backward: 'none',
  });
  return (a, b) => {
    requireKind(name, resultType(checkOperand(name, a), checkOperand(name, b)), ...kinds);
    return op(broadcastOperands(name, [a, b]), undefined);
  };
}

/** Bits that a and b both have; of bools, logical and. */
export const bitwiseAnd: Bitwise = define('bitwiseAnd', 'integer', 'bool');
/** Bits that a or b has; of bools, logical or. */
export const bitwiseOr: Bitwise = define('bitwiseOr', 'integer', 'bool');
/** Bits that a and b differ in. */
export const bitwiseXor: Bitwise = define('bitwiseXor', 'integer', 'bool');
/** a · 2ᵇ of integers, as bits that move. */
export const bitwiseLeftShift: Bitwise = define('bitwiseLeftShift', 'integer');
/** ⌊a / 2ᵇ⌋ of integers; the sign stays. */
export const bitwiseRightShift: Bitwise = define('bitwiseRightShift', 'integer');

/** ~x; for bool, not x. */
export function bitwiseNot(x: Tensor): Tensor {
  requireTensors('bitwiseNot', { x });
  requireKind('bitwise_not_cpu', x.dtype, 'integer', 'bool');
  return bitwiseXor(x, x.dtype === 'bool' ? true : -1);
}

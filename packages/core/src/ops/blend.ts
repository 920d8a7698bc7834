// Sums of weighted tensors.

import { defineOp, type Op } from '../autograd/op.js';
import { dtypeError } from '../errors.js';
import { isFloat, kindOf, resultType, torchName } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { broadcastOperands, requireKind, type TensorOrScalar } from './operands.js';

const lerpOp: Op<undefined> = defineOp({
  name: 'lerp',
  // From the nearer end, so that a weight of 1 gives the end exactly.
  forward: ([start, end, weight]) => {
    const way = end.sub(start);
    return where(
      weight.abs().lt(0.5),
      start.add(weight.mul(way)),
      end.sub(way.mul(weight.neg().add(1))),
    );
  },
  saves: { inputs: [0, 1, 2] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [start, end, weight] = [context.input(0), context.input(1), context.input(2)];
    return [
      g.mul(weight.neg().add(1)),
      g.mul(weight),
      context.needs[2] ? g.mul(end.sub(start)) : null,
    ];
  },
});

/** start + weight·(end − start) */
export function lerp(start: Tensor, end: Tensor, weight: TensorOrScalar): Tensor {
  requireKind('lerp', start.dtype, 'float');
  for (const [name, x] of Object.entries({ end, weight }))
    if (x instanceof Tensor && x.dtype !== start.dtype)
      throw dtypeError(`expected dtype ${start.dtype} for \`${name}\` but got dtype ${x.dtype}`);
  return lerpOp(broadcastOperands('lerp', [start, end, weight], start.dtype), undefined);
}

/** x + value·a·b */
export function addcmul(x: Tensor, a: Tensor, b: Tensor, options: { value?: number } = {}): Tensor {
  const { value = 1 } = options;
  const whole = kindOf(resultType(x, a, b)) === 'float' ? value : Math.trunc(value);
  return x.add((whole === 1 ? a : a.mul(whole)).mul(b));
}

/** x + value·a / b */
export function addcdiv(x: Tensor, a: Tensor, b: Tensor, options: { value?: number } = {}): Tensor {
  const { value = 1 } = options;
  if (!isFloat(a.dtype) && !isFloat(b.dtype))
    throw dtypeError(
      `Integer division with addcdiv is no longer supported (got ${torchName(a.dtype)} and ` +
        `${torchName(b.dtype)}); convert one of them to a float dtype`,
    );
  return x.add((value === 1 ? a : a.mul(value)).div(b));
}

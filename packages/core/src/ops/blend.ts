// Sums of weighted tensors.

import { checkCall, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { dtypeError } from '../errors.js';
import { isFloat, resultType, torchName } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
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
  requireTensors('lerp', { start, end });
  requireKind('lerp', start.dtype, 'float');
  for (const [name, x] of Object.entries({ end, weight }))
    if (x instanceof Tensor && x.dtype !== start.dtype)
      throw dtypeError(`expected dtype ${start.dtype} for \`${name}\` but got dtype ${x.dtype}`);
  return lerpOp(broadcastOperands('lerp', [start, end, weight], start.dtype), undefined);
}

/** In the dtype of all three together: of two at a time it could come out narrower or wider. */
function alike(operation: string, ...tensors: Tensor[]): Tensor[] {
  const dtype = resultType(...tensors);
  requireKind(operation, dtype, 'integer', 'float');
  return tensors.map((t) => cast(t, dtype));
}

/** x + value·a·b */
export function addcmul(x: Tensor, a: Tensor, b: Tensor, options: { value?: number } = {}): Tensor {
  checkCall('addcmul', { x, a, b }, options, { value: true });
  const { value = 1 } = options;
  const [base, left, right] = alike('addcmul', x, a, b);
  const whole = isFloat(base.dtype) ? value : Math.trunc(value);
  return base.add((whole === 1 ? left : left.mul(whole)).mul(right));
}

/** x + value·a / b */
export function addcdiv(x: Tensor, a: Tensor, b: Tensor, options: { value?: number } = {}): Tensor {
  checkCall('addcdiv', { x, a, b }, options, { value: true });
  const { value = 1 } = options;
  if (!isFloat(a.dtype) && !isFloat(b.dtype))
    throw dtypeError(
      `Integer division with addcdiv is no longer supported (got ${torchName(a.dtype)} and ` +
        `${torchName(b.dtype)}); convert one of them to a float dtype`,
    );
  const [base, dividend, divisor] = alike('addcdiv', x, a, b);
  return base.add((value === 1 ? dividend : dividend.mul(value)).div(divisor));
}

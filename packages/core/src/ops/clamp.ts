import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { CompareName } from '../device/device.js';
import { argumentError } from '../errors.js';
import { Tensor } from '../tensor/tensor.js';
import { maximum, minimum, where } from './binary.js';
import { broadcastOperands, isScalar, type TensorOrScalar } from './operands.js';

/** A number, a tensor that broadcasts against the input, or null for no bound. */
export type Bound = TensorOrScalar | null;

/** Where a bound is met exactly the gradient goes to x alone (PyTorch), unlike that of maximum. */
const boundOp = (
  name: 'clampMin' | 'clampMax',
  limit: (x: Tensor, bound: Tensor) => Tensor,
  inside: CompareName & ('ge' | 'le'),
  outside: CompareName & ('lt' | 'gt'),
): Op<undefined> =>
  defineOp({
    name,
    forward: ([x, bound]) => limit(x, bound),
    saves: { inputs: [0, 1] },
    backward: ([g], context) => {
      if (g === null) return [null, null];
      const [x, bound] = [context.input(0), context.input(1)];
      return [
        where(x[inside](bound), g, 0),
        context.needs[1] ? where(x[outside](bound), g, 0) : null,
      ];
    },
  });

const minOp = boundOp('clampMin', maximum, 'ge', 'lt');
const maxOp = boundOp('clampMax', minimum, 'le', 'gt');

/** Where both bounds are equal, or where they are crossed, the lower one gets nothing (PyTorch). */
const clampOp: Op<undefined> = defineOp({
  name: 'clamp',
  forward: ([x, low, high]) => minimum(maximum(x, low), high),
  saves: { inputs: [0, 1, 2] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [x, low, high] = [context.input(0), context.input(1), context.input(2)];
    return [
      where(x.ge(low).mul(x.le(high)), g, 0),
      context.needs[1] ? where(low.lt(high).mul(x.lt(low)), g, 0) : null,
      context.needs[2] ? where(x.gt(high).add(high.lt(low)), g, 0) : null,
    ];
  },
});

/** max(x, min): {@link clamp} from below alone. */
export const clampMin = (x: Tensor, min: TensorOrScalar): Tensor =>
  minOp(broadcastOperands('clampMin', [x, min]), undefined);
/** min(x, max): {@link clamp} from above alone. */
export const clampMax = (x: Tensor, max: TensorOrScalar): Tensor =>
  maxOp(broadcastOperands('clampMax', [x, max]), undefined);

/**
 * Elements limited to [min, max], numbers or tensors: `clamp(x, 0, 1)`, `clamp(x, { min: 0 })`.
 * Either bound may be left out; where min exceeds max, the result is max.
 */
export function clamp(
  x: Tensor,
  min?: Bound | { readonly min?: Bound; readonly max?: Bound },
  max?: Bound,
): Tensor {
  requireTensors('clamp', { x });
  const positional = min === undefined || min === null || isScalar(min) || min instanceof Tensor;
  const bounds = positional ? { min, max } : min;
  const [low, high] = [bounds.min ?? null, bounds.max ?? null];
  if (low === null && high === null)
    throw argumentError("torch.clamp: At least one of 'min' or 'max' must not be None");
  if (low === null) return high === null ? x : clampMax(x, high);
  if (high === null) return clampMin(x, low);
  return clampOp(broadcastOperands('clamp', [x, low, high]), undefined);
}

/** {@link clamp} by its other name. */
export const clip: typeof clamp = clamp;

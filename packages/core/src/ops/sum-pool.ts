// Sums over windows, and the adjoint that gives each element of a window the window's number. Both
// are linear, so each is the other's derivative.

import { defineOp, type Op } from '../autograd/op.js';
import type { PoolGeometry } from '../device/device.js';
import { dtypeError } from '../errors.js';
import { defineBuiltin, registerBuiltin } from '../strategies/catalogue.js';
import { checkedResult } from '../strategies/checked-result.js';
import { windowSizes } from '../strategies/pool-taps.js';
import { select } from '../strategies/registry.js';
import { runStrategy } from '../strategies/run.js';
import {
  type SumPoolStrategy,
  sumPoolOperations,
  sumPoolStrategies,
} from '../strategies/sum-pool.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import type { SpatialRank } from './conv/geometry.js';
import { requireCompute } from './operands.js';
import { poolGeometry } from './pool-geometry.js';
import { reshape } from './views.js';

// Here and not with the other strategies, so that a page that does not pool does not hold them.
for (const operation of sumPoolOperations) defineBuiltin(operation);
for (const strategy of sumPoolStrategies) registerBuiltin(strategy);

/** The strategy that the registry chooses, run. */
function pooled(op: 'sumPool' | 'spreadPool', planes: Tensor, geometry: PoolGeometry): Tensor {
  const { device, dtype } = planes;
  const [outer] = planes.shape;
  const { input, output } = geometry;
  const call = { input: [outer, ...input], output, window: windowSizes(geometry), dtype };
  const strategy = select<SumPoolStrategy>(`${op}.forward`, call, device);
  const got = runStrategy(strategy, call, { planes, geometry }, [true, true, true]);
  const shape = [outer, ...(op === 'sumPool' ? output : input)];
  return checkedResult(strategy, 'result', got, { shape, dtype, device });
}

const sumPoolOp: Op<PoolGeometry> = defineOp({
  name: 'sumPool',
  forward: ([x], geometry) => pooled('sumPool', x, geometry),
  backward: ([g], { options }) => [g && spreadPoolOp([g], options)],
});

const spreadPoolOp: Op<PoolGeometry> = defineOp({
  name: 'spreadPool',
  forward: ([x], geometry) => pooled('spreadPool', x, geometry),
  backward: ([g], { options }) => [g && sumPoolOp([g], options)],
});

/** The windows of an axis, and what the sum over each is divided by. */
export interface AveragedAxis {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly counts: readonly number[];
}

/** One divisor per window, as a tensor that broadcasts, or a number where all are equal. */
function divisors(axes: readonly AveragedAxis[], like: Tensor): Tensor | number {
  const counts = axes.map((axis) => axis.counts);
  if (counts.every((list) => list.every((n) => n === list[0])))
    return counts.reduce((product, list) => product * (list[0] ?? 1), 1);
  const products = counts.reduce((all, list) => all.flatMap((a) => list.map((b) => a * b)), [1]);
  const wide = new Tensor({
    device: like.device,
    shape: counts.map((list) => list.length),
    storage: new Storage('float64', Float64Array.from(products)),
  });
  return cast(wide, like.dtype);
}

/** The mean of each window over the last `rank` axes; `divisor` stands for every count. */
export function meanPool(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  axes: readonly AveragedAxis[],
  divisor?: number,
): Tensor {
  if (!isFloat(x.dtype) && x.dtype !== 'int64')
    throw dtypeError(`"${operation}" not implemented for '${torchName(x.dtype)}'`);
  requireCompute(operation, x.device, x.dtype);
  const outerShape = x.shape.slice(0, -rank);
  const windows = axes.map(({ starts, ends }) => ({ starts, ends, step: 1 }));
  const geometry = poolGeometry(x.shape.slice(-rank), windows);
  const sums = sumPoolOp([reshape(x, [numelOf(outerShape), ...geometry.input])], geometry);
  const y = reshape(sums, [...outerShape, ...geometry.output.slice(3 - rank)]);
  if (isFloat(x.dtype)) return y.div(divisor ?? divisors(axes, y));
  const exact = cast(y, 'float64');
  return cast(exact.div(divisor ?? divisors(axes, exact)).trunc(), x.dtype);
}

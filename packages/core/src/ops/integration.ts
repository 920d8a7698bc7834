// Sums of trapezoids and estimates of slopes, along one dim.

import { checkCall, requireTensors } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { formatShape, normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { diff } from './arrange.js';
import { cumsum } from './cumulative.js';
import { cat } from './join.js';
import { scalarTensor, toFloat } from './operands.js';
import { sum } from './reduce.js';
import { expand, narrow, reshape } from './views.js';

/** Options of {@link trapezoid} and {@link cumulativeTrapezoid}. */
export interface TrapezoidOptions {
  /** The distance of neighbours, where no positions are given: 1 by default. */
  dx?: number;
  /** The last by default. */
  dim?: number;
}

/** `x` shown along dim `axis` of a tensor of `rank` dims. */
const along = (x: Tensor, axis: number, rank: number): Tensor =>
  reshape(x, [
    ...new Array<number>(axis).fill(1),
    x.numel,
    ...new Array<number>(rank - axis - 1).fill(1),
  ]);

/** The trapezoids between neighbours along the dim. */
function areas(
  y: Tensor,
  x: Tensor | null | undefined,
  { dx = 1, dim = -1 }: TrapezoidOptions,
): [Tensor, number] {
  requireTensors('trapezoid', { y });
  if (y.ndim === 0) throw shapeError('Dimension specified as -1 but tensor has no dimensions');
  const axis = normalizeDim(dim, y.ndim);
  const size = y.shape[axis];
  const count = Math.max(size - 1, 0);
  const both = narrow(y, axis, 0, count)
    .add(narrow(y, axis, size - count, count))
    .mul(0.5);
  if (!x) return [both.mul(dx), axis];
  const positions = x.ndim === 1 ? along(x, axis, y.ndim) : x;
  // A dim counted from the end means the same one in fewer dims.
  return [both.mul(diff(positions, { dim: axis - y.ndim })), axis];
}

function positionsOf(
  first: Tensor | TrapezoidOptions | null | undefined,
  options: TrapezoidOptions,
): [Tensor | null | undefined, TrapezoidOptions] {
  const isPositions = first instanceof Tensor || first === null || first === undefined;
  const given = isPositions ? options : first;
  checkOptions('trapezoid', given, { dx: true, dim: true });
  return [isPositions ? first : undefined, given];
}

/** The integral of `y` along a dim by trapezoids, over positions `x` or steps of `dx`. */
export function trapezoid(
  y: Tensor,
  x?: Tensor | TrapezoidOptions | null,
  options: TrapezoidOptions = {},
): Tensor {
  const [parts, axis] = areas(y, ...positionsOf(x, options));
  return sum(parts, axis);
}

/** {@link trapezoid} by its other name. */
export const trapz: typeof trapezoid = trapezoid;

/** {@link trapezoid} up to each position after the first. */
export function cumulativeTrapezoid(
  y: Tensor,
  x?: Tensor | TrapezoidOptions | null,
  options: TrapezoidOptions = {},
): Tensor {
  const [parts, axis] = areas(y, ...positionsOf(x, options));
  return cumsum(parts, axis);
}

/** Options of {@link gradient}. */
export interface GradientOptions {
  /** The distance of neighbours, or one per dim; or their positions, one vector per dim. */
  spacing?: number | readonly number[] | readonly Tensor[];
  /** All dims by default. */
  dim?: number | readonly number[];
  /** The order of the estimate at the two ends. */
  edgeOrder?: 1 | 2;
}

const GRADIENT_OPTIONS: OptionTable<GradientOptions> = {
  spacing: true,
  dim: true,
  edgeOrder: true,
};

/** Weights of three neighbours for the slope at the second (`at` 0) or at an end (±1). */
function weights(before: Tensor, after: Tensor, at: -1 | 0 | 1): [Tensor, Tensor, Tensor] {
  const whole = before.add(after);
  const [p, q, r] = [before.mul(whole), before.mul(after), after.mul(whole)];
  if (at === 0) return [after.div(p).neg(), after.sub(before).div(q), before.div(r)];
  if (at < 0) return [whole.add(before).div(p).neg(), whole.div(q), before.div(r).neg()];
  return [after.div(p), whole.div(q).neg(), whole.add(after).div(r)];
}

/** The slope along one dim; `steps` are the distances of neighbours there. */
function slope(x: Tensor, axis: number, steps: Tensor, edgeOrder: 1 | 2): Tensor {
  const size = x.shape[axis];
  const span = (from: number, count: number) => narrow(x, axis, from, count);
  const step = (from: number, count: number) => narrow(steps, axis, from, count);
  const at = (from: number, count: number, place: -1 | 0 | 1) =>
    weights(step(from, count), step(from + 1, count), place)
      .map((weight, i) => span(from + i, count).mul(weight))
      .reduce((a, b) => a.add(b));
  const edge = (from: number, place: -1 | 1) => {
    if (edgeOrder === 2) return at(place < 0 ? 0 : size - 3, 1, place);
    return span(from + 1, 1)
      .sub(span(from, 1))
      .div(step(from, 1));
  };
  const middle = size > 2 ? [at(0, size - 2, 0)] : [];
  return cat([edge(0, -1), ...middle, edge(size - 2, 1)], axis);
}

/**
 * Estimates of the derivative along each of `dim`, from both neighbours: a list of tensors of the
 * shape of `x`. Needs more than `edgeOrder` elements along each.
 */
export function gradient(input: Tensor, options: GradientOptions = {}): Tensor[] {
  checkCall('gradient', { input }, options, GRADIENT_OPTIONS);
  const { spacing = 1, dim, edgeOrder = 1 } = options;
  const x = toFloat(input);
  if (edgeOrder !== 1 && edgeOrder !== 2)
    throw argumentError('torch.gradient only supports edge_order=1 and edge_order=2.');
  const dims = dim === undefined ? x.shape.map((_, d) => d) : [dim].flat();
  const axes = dims.map((d) => normalizeDim(d, x.ndim));
  const given: readonly (number | Tensor)[] =
    typeof spacing === 'number' ? axes.map(() => spacing) : spacing;
  if (given.length !== axes.length)
    throw argumentError(
      `torch.gradient expected spacing to be unspecified, a scalar, or a list of length ${axes.length}, but got a list of length ${given.length}`,
    );
  return axes.map((axis, i) => {
    const size = x.ndim === 0 ? 0 : x.shape[axis];
    if (size <= edgeOrder)
      throw shapeError('torch.gradient expected each dimension size to be at least edge_order+1');
    const distance = given[i];
    if (distance instanceof Tensor && (distance.ndim !== 1 || distance.numel !== size))
      throw shapeError(
        'torch.gradient expected each element of `spacing` to have one dimension, and the length of the ' +
          `corresponding dim of self (${size}), but got shape ${formatShape(distance.shape)}`,
      );
    const steps =
      distance instanceof Tensor
        ? diff(distance)
        : expand(scalarTensor(distance, x.dtype, x.device), [size - 1]);
    return slope(x, axis, along(steps, axis, x.ndim), edgeOrder);
  });
}

// Writing to the positions that an index names, out of place.

import { checkCall, requireTensors } from '../arguments.js';
import { isGradEnabled } from '../autograd/mode.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { ScatterMode } from '../device/device.js';
import { alongDimension, argumentError, dtypeError, shapeError, VoxgradError } from '../errors.js';
import { isFloat } from '../tensor/dtype.js';
import { formatShape, normalizeDim, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { aroundAxis, gather, scatterAddOp } from './indexing.js';
import { commonDevice, type Scalar, scalarTensor } from './operands.js';
import { embed, expand, narrow, reshape } from './views.js';

const runScatter = (mode: ScatterMode, [base, index, source]: readonly Tensor[], axis: number) =>
  new Tensor({
    device: base.device,
    shape: base.shape,
    storage: alongDimension(axis, () =>
      base.device.kernels.scatter(
        mode,
        aroundAxis(base, axis),
        aroundAxis(index, axis),
        aroundAxis(source, axis),
      ),
    ),
  });

const setOp: Op<{ axis: number }> = defineOp({
  name: 'scatter',
  forward: (inputs, { axis }) => runScatter('set', inputs, axis),
  saves: { inputs: [1] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [index, { axis }] = [context.input(1), context.options];
    const nothing = expand(scalarTensor(0, g.dtype, g.device), index.shape);
    return [
      context.needs[0] ? setOp([g, index, nothing], { axis }) : null,
      null,
      context.needs[2] ? gather(g, axis, index) : null,
    ];
  },
});

/** The rule below takes zeros as constants, so that its own derivative at them would be wrong. */
function refuseSecondOrderAtZero(isZero: Tensor): void {
  if (isGradEnabled() && isZero.sum().item<bigint>() > 0n)
    throw new VoxgradError(
      'UNSUPPORTED',
      "the second derivative of scatterReduce('prod') is not implemented where the source is 0",
    );
}

const multiplyOp: Op<{ axis: number }> = defineOp({
  name: 'scatterMultiply',
  forward: (inputs, { axis }) => runScatter('mul', inputs, axis),
  saves: { inputs: [0, 1, 2] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [base, index, source] = [context.input(0), context.input(1), context.input(2)];
    const { axis } = context.options;
    const isZero = source.eq(0);
    refuseSecondOrderAtZero(isZero);
    const zeros = scatterAddOp([cast(isZero, g.dtype), index], { axis, size: base.shape[axis] });
    const ones = expand(scalarTensor(1, g.dtype, g.device), base.shape);
    // The product of the others: without a zero among them, that of the nonzero ones.
    const factors = multiplyOp([ones, index, where(isZero, 1, source)], { axis });
    const product = where(zeros.eq(0), factors, 0);
    const here = (x: Tensor) => gather(x, axis, index);
    const others = where(
      isZero,
      where(here(zeros).eq(1), here(factors), 0),
      here(product).div(where(isZero, 1, source)),
    );
    return [g.mul(product), null, here(g.mul(base)).mul(others)];
  },
});

/** Equal extremes share the gradient evenly. */
const extremeOp = (mode: 'amax' | 'amin'): Op<{ axis: number }> =>
  defineOp({
    name: `scatterReduce (${mode})`,
    forward: (inputs, { axis }) => runScatter(mode, inputs, axis),
    saves: { inputs: [0, 1, 2], outputs: [0] },
    backward: ([g], context) => {
      if (g === null) return [null, null, null];
      const [base, index, source] = [context.input(0), context.input(1), context.input(2)];
      const { axis } = context.options;
      const y = context.output();
      const ofBase = cast(base.eq(y), g.dtype);
      const ofSource = cast(source.eq(gather(y, axis, index)), g.dtype);
      const count = ofBase.add(scatterAddOp([ofSource, index], { axis, size: y.shape[axis] }));
      const share = g.div(count);
      return [share.mul(ofBase), null, gather(share, axis, index).mul(ofSource)];
    },
  });

const amaxOp = extremeOp('amax');
const aminOp = extremeOp('amin');

/** `x` up to `sizes` in every dim. */
const corner = (x: Tensor, sizes: readonly number[]): Tensor =>
  sizes.reduce((y, size, d) => (size === y.shape[d] ? y : narrow(y, d, 0, size)), x);

const replaceCornerOp: Op<undefined> = defineOp({
  name: 'replaceCorner',
  forward: ([x, y]) => {
    const out = x.clone();
    x.device.kernels.assign(corner(out, y.shape), y);
    return out;
  },
  backward: ([g], { inputs: [, { shape, dtype, device }] }) => [
    g && replaceCornerOp([g, Tensor.filled(shape, 0, dtype, device)], undefined),
    g && corner(g, shape),
  ],
});

interface Target {
  readonly axis: number;
  readonly base: Tensor;
  readonly index: Tensor;
  readonly source: Tensor;
}

/** Checks the operands of a scatter; 0-d tensors become `[1]`. */
function target(
  operation: string,
  x: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor | Scalar,
): Target {
  const axis = normalizeDim(dim, x.ndim);
  const rows = (t: Tensor) => (t.ndim === 0 ? reshape(t, 1) : t);
  const [base, at] = [rows(x), rows(index)];
  const from =
    source instanceof Tensor
      ? rows(source)
      : expand(scalarTensor(source, x.dtype, x.device), at.shape);
  commonDevice(operation, [base, at, from]);
  if (index.dtype !== 'int64')
    throw dtypeError(`${operation}(): Expected dtype int64 for index, but got ${index.dtype}`);
  if (from.dtype !== x.dtype)
    throw dtypeError(
      `${operation}(): Expected self.dtype to be equal to src.dtype, but got ${x.dtype} and ${from.dtype}`,
    );
  if (at.numel === 0) return { axis, base, index: at, source: from };
  for (const [name, t] of Object.entries({ self: base, src: from }))
    if (at.ndim !== t.ndim)
      throw shapeError(
        `Index tensor must have the same number of dimensions as ${name} tensor, but got ` +
          `${formatShape(index.shape)} and ${formatShape(t.shape)}`,
      );
  at.shape.forEach((size, d) => {
    if ((d !== axis && size > base.shape[d]) || size > from.shape[d])
      throw shapeError(
        `Expected index ${formatShape(index.shape)} to be smaller than self ${formatShape(x.shape)} ` +
          `apart from dimension ${axis} and to be smaller size than src ${formatShape(from.shape)}`,
      );
  });
  return { axis, base, index: at, source: corner(from, at.shape) };
}

type ScatterOp = (inputs: readonly Tensor[], options: { axis: number }) => Tensor;

/** Runs `op` on the part of the base that the index reaches, and puts the result back. */
function scatterWith(op: ScatterOp, x: Tensor, { axis, base, index, source }: Target): Tensor {
  if (index.numel === 0) return x.clone();
  const reached = base.shape.map((size, d) => (d === axis ? size : index.shape[d]));
  const changed = op([corner(base, reached), index, source], { axis });
  const whole = sameShape(reached, base.shape)
    ? changed
    : replaceCornerOp([base, changed], undefined);
  return reshape(whole, x.shape);
}

/**
 * `x` with `out[…, index[…, j, …], …] = source[…, j, …]` along `dim`; with `reduce`, what is there
 * is added to or multiplied. `source` is a tensor of the dtype of x or a number.
 */
export function scatter(
  x: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor | Scalar,
  options: { reduce?: 'add' | 'multiply' } = {},
): Tensor {
  checkCall('scatter', { x, index }, options, { reduce: true });
  const { reduce } = options;
  if (reduce === 'add') return scatterAdd(x, dim, index, source);
  if (reduce !== undefined && reduce !== 'multiply')
    throw argumentError('reduce argument must be either add or multiply.');
  const op = reduce === 'multiply' ? multiplyOp : setOp;
  return scatterWith(op, x, target('scatter', x, dim, index, source));
}

/** `x` with `source[…, j, …]` added at `[…, index[…, j, …], …]` along `dim`. */
export function scatterAdd(x: Tensor, dim: number, index: Tensor, source: Tensor | Scalar): Tensor {
  requireTensors('scatterAdd', { x, index });
  const { axis, base, index: at, source: terms } = target('scatter_add', x, dim, index, source);
  if (at.numel === 0) return x.clone();
  const sums = scatterAddOp([terms, at], { axis, size: base.shape[axis] });
  const whole = sameShape(sums.shape, base.shape)
    ? sums
    : embed(
        sums,
        base.shape,
        base.shape.map(() => 0),
      );
  return reshape(base.add(whole), x.shape);
}

/** How {@link scatterReduce} joins values that meet. */
export type ScatterReduction = 'sum' | 'prod' | 'mean' | 'amax' | 'amin';

/**
 * Reduces the elements of `source` that meet at one position of `x` along `dim`, together with
 * what is there unless `includeSelf` is false.
 */
export function scatterReduce(
  x: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor,
  reduce: ScatterReduction,
  options: { includeSelf?: boolean } = {},
): Tensor {
  checkCall('scatterReduce', { x, index, source }, options, { includeSelf: true });
  const checked = target('scatter_reduce', x, dim, index, source);
  const { includeSelf = true } = options;
  const startingFrom = (value: Scalar) => (includeSelf ? x : scatter(x, dim, index, value));
  if (reduce === 'sum') return scatterAdd(startingFrom(0), dim, index, source);
  if (reduce === 'mean') {
    const sum = scatterAdd(startingFrom(0), dim, index, source);
    const ones = expand(scalarTensor(1, x.dtype, x.device), x.shape);
    const count = scatterAdd(includeSelf ? ones : scatter(ones, dim, index, 0), dim, index, 1);
    const terms = where(count.lt(1), 1, count);
    return sum.div(terms, { roundingMode: isFloat(x.dtype) ? null : 'floor' });
  }
  const onto = (start: Tensor, op: ScatterOp) =>
    scatterWith(op, x, { ...checked, base: start.ndim === 0 ? reshape(start, 1) : start });
  if (reduce === 'prod') return onto(startingFrom(1), multiplyOp);
  if (reduce !== 'amax' && reduce !== 'amin')
    throw argumentError('reduce argument must be either sum, prod, mean, amax or amin.');
  const neutral = reduce === 'amax' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  // Integers have no infinity, but any of the sources will do: they carry no gradient.
  const start =
    isFloat(x.dtype) || includeSelf ? startingFrom(neutral) : scatter(x, dim, index, source);
  return onto(start, reduce === 'amax' ? amaxOp : aminOp);
}

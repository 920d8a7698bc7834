import { defineOp, type Op } from '../autograd/op.js';
import type { ArgReduceName, ReduceName } from '../device/device.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { type DType, isFloat, torchName } from '../tensor/dtype.js';
import { formatShape, normalizeDim, normalizeDims } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { leading, requireCompute } from './operands.js';
import { expand, permute, reshape, squeeze, unsqueeze } from './views.js';

/** One dimension or several; negative ones count from the end. */
export type Dim = number | readonly number[];

interface Axes {
  readonly axes: readonly number[];
}

const keptShape = (shape: readonly number[], axes: readonly number[]) =>
  shape.map((size, axis) => (axes.includes(axis) ? 1 : size));

/** Runs a reduction kernel: reduced axes go last; the result keeps them with size 1. */
function reduceAxes(name: ReduceName, x: Tensor, axes: readonly number[]): Tensor {
  const kept = x.shape.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]));
  const storage = x.device.kernels.reduce(name, permute(x, [...kept, ...axes]), axes.length);
  return new Tensor({ device: x.device, shape: keptShape(x.shape, axes), storage });
}

const sumOp: Op<Axes> = defineOp<Axes>({
  name: 'sum',
  forward: ([x], { axes }) => reduceAxes('sum', x, axes),
  backward: ([g], { inputs }) => [g && expand(g, inputs[0].shape)],
});

/** Equal extremes share the gradient evenly, as PyTorch's amax and amin. */
const extremeOp = (name: 'amax' | 'amin'): Op<Axes> =>
  defineOp<Axes>({
    name,
    forward: ([x], { axes }) => reduceAxes(name, x, axes),
    saves: { inputs: [0], outputs: [0] },
    backward: ([g], context) => {
      if (g === null) return [null];
      const mask = cast(context.input(0).eq(context.output()), g.dtype);
      return [mask.mul(g.div(sum(mask, context.options.axes, { keepdim: true })))];
    },
  });

const amaxOp = extremeOp('amax');
const aminOp = extremeOp('amin');

/** Whether a reduced dimension stays, with size 1. */
export interface KeepDim {
  keepdim?: boolean;
}

const KEEPDIM: OptionTable<KeepDim> = { keepdim: true };

const finish = (y: Tensor, axes: readonly number[], keepdim = false): Tensor =>
  keepdim || axes.length === 0
    ? y
    : reshape(
        y,
        y.shape.filter((_, axis) => !axes.includes(axis)),
      );

/** Options of {@link sum} and {@link prod}. */
export interface SumOptions extends KeepDim {
  /** Convert to this dtype first. */
  dtype?: DType;
}

const SUM_OPTIONS: OptionTable<SumOptions> = { ...KEEPDIM, dtype: true };

/** Sum over `dim` (all dims when omitted). Integers and bool add up in int64. */
export function sum(x: Tensor, dim?: Dim | SumOptions, more?: SumOptions): Tensor {
  const [over, options = {}] = leading('sum', x, SUM_OPTIONS, dim, more);
  const axes = normalizeDims(over, x.ndim);
  const dtype = options.dtype ?? (isFloat(x.dtype) ? x.dtype : 'int64');
  requireCompute('sum', x.device, dtype);
  return finish(sumOp([cast(x, dtype)], { axes }), axes, options.keepdim);
}

/** Mean over `dim`; NaN over nothing. */
export function mean(input: Tensor, dim?: Dim | SumOptions, more?: SumOptions): Tensor {
  const [over, options = {}] = leading('mean', input, SUM_OPTIONS, dim, more);
  const x = cast(input, options.dtype ?? input.dtype);
  requireFloat('mean', x);
  const axes = normalizeDims(over, x.ndim);
  return sum(x, axes.length === 0 ? undefined : axes, options).div(countOf(x, axes));
}

/** Options of {@link variance} and {@link std}. */
export interface VarianceOptions extends KeepDim {
  /** What is taken off the count in the denominator: 1 by default. */
  correction?: number;
  /** PyTorch's older word for correction 1 (true) or 0. */
  unbiased?: boolean;
}

const VARIANCE_OPTIONS: OptionTable<VarianceOptions> = {
  ...KEEPDIM,
  correction: true,
  unbiased: true,
};

interface Spread extends Axes {
  readonly freedom: number;
  /** Without dims, PyTorch does without the 0/0 of a single element. */
  readonly whole: boolean;
}

const varianceOp: Op<Spread> = defineOp<Spread>({
  name: 'var',
  forward: ([x], { axes, freedom }) => {
    const centred = x.sub(mean(x, axes, { keepdim: true }));
    return sum(centred.mul(centred), axes, { keepdim: true }).div(freedom);
  },
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const [x, { axes, freedom, whole }] = [context.input(0), context.options];
    if (whole && freedom === 0 && x.numel > 0)
      return [expand(g.mul(Number.POSITIVE_INFINITY), x.shape)];
    return [x.sub(mean(x, axes, { keepdim: true })).mul(g.mul(2 / freedom))];
  },
});

/** Variance over `dim`, with `n - correction` in the denominator (1 by default). */
export function variance(x: Tensor, dim?: Dim | VarianceOptions, more?: VarianceOptions): Tensor {
  const [over, options = {}] = leading('var', x, VARIANCE_OPTIONS, dim, more);
  requireFloat('var', x);
  const axes = normalizeDims(over, x.ndim);
  const correction = options.correction ?? (options.unbiased === false ? 0 : 1);
  const freedom = Math.max(0, countOf(x, axes) - correction);
  return finish(
    varianceOp([x], { axes, freedom, whole: over === undefined }),
    axes,
    options.keepdim,
  );
}

/** The root, whose derivative counts as 0 at 0: there is no direction in which to spread. */
const spreadOp: Op<undefined> = defineOp({
  name: 'std',
  forward: ([x]) => x.sqrt(),
  saves: { outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const y = context.output();
    return [g.div(y.mul(2)).maskedFill(y.eq(0), 0)];
  },
});

/** Standard deviation: the root of {@link variance}. */
export const std: typeof variance = (x, dim, options) =>
  spreadOp([variance(x, dim, options)], undefined);

const withMean =
  (name: string, spread: typeof variance) =>
  (x: Tensor, dim?: Dim | VarianceOptions, more?: VarianceOptions): Tensor[] => {
    const [over, options = {}] = leading(name, x, VARIANCE_OPTIONS, dim, more);
    return [spread(x, over, options), mean(x, over, { keepdim: options.keepdim })];
  };

/** `[variance, mean]` over `dim`. */
export const varMean = withMean('varMean', variance);
/** `[standard deviation, mean]` over `dim`. */
export const stdMean = withMean('stdMean', std);

/** {@link sum} with NaN counting as 0. */
export const nansum: typeof sum = (x, dim, more) => {
  const [over, options] = leading('nansum', x, SUM_OPTIONS, dim, more);
  return sum(isFloat(x.dtype) ? x.maskedFill(x.ne(x), 0) : x, over, options);
};

/** {@link mean} of the elements that are not NaN. */
export function nanmean(x: Tensor, dim?: Dim | SumOptions, options?: SumOptions): Tensor {
  const [over, given] = leading('nanmean', x, SUM_OPTIONS, dim, options);
  requireFloat('nanmean', x);
  return nansum(x, over, given).div(sum(x.eq(x), over, given));
}

const countOf = (x: Tensor, axes: readonly number[]) =>
  axes.reduce((n, axis) => n * x.shape[axis], 1);

function requireFloat(name: string, x: Tensor): void {
  if (!isFloat(x.dtype))
    throw dtypeError(
      `${name}(): could not infer output dtype. Input dtype must be a floating point dtype. Got: ${torchName(x.dtype)}`,
    );
}

function extreme(name: 'amax' | 'amin', x: Tensor, dim?: Dim | KeepDim, more?: KeepDim): Tensor {
  const [over, options = {}] = leading(name, x, KEEPDIM, dim, more);
  const axes = normalizeDims(over, x.ndim);
  const empty = axes.find((axis) => x.shape[axis] === 0);
  if (empty !== undefined)
    throw shapeError(
      `${name}(): Expected reduction dim ${empty} to have non-zero size. (input of shape ${formatShape(x.shape)})`,
    );
  requireCompute(name, x.device, x.dtype);
  const y = (name === 'amax' ? amaxOp : aminOp)([x], { axes });
  return finish(y, axes, options.keepdim);
}

/** Largest element over `dim`; NaN wins. */
export const amax = (x: Tensor, dim?: Dim | KeepDim, options?: KeepDim): Tensor =>
  extreme('amax', x, dim, options);
/** Smallest element over `dim`; NaN wins. */
export const amin = (x: Tensor, dim?: Dim | KeepDim, options?: KeepDim): Tensor =>
  extreme('amin', x, dim, options);

const argOp = (name: ArgReduceName): Op<undefined> =>
  defineOp({
    name,
    forward: ([x]) =>
      new Tensor({
        device: x.device,
        shape: x.shape.slice(0, -1),
        storage: x.device.kernels.argReduce(name, x),
      }),
    backward: 'none',
  });

const argmaxOp = argOp('argmax');
const argminOp = argOp('argmin');

function argExtreme(
  op: Op<undefined>,
  name: string,
  x: Tensor,
  first?: number | KeepDim,
  more?: KeepDim,
) {
  const [dim, options = {}] = leading(name, x, KEEPDIM, first, more);
  if (dim === undefined) {
    if (x.numel === 0)
      throw argumentError(
        `${name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.`,
      );
    const y = op([reshape(x, -1)], undefined);
    return options.keepdim
      ? reshape(
          y,
          x.shape.map(() => 1),
        )
      : y;
  }
  const axis = normalizeDim(dim, x.ndim);
  const moved = x.ndim === 0 ? reshape(x, 1) : x.transpose(axis, -1);
  if (moved.shape[moved.ndim - 1] === 0)
    throw shapeError(`${name}(): Expected reduction dim ${axis} to have non-zero size.`);
  const y = unsqueeze(op([moved], undefined), -1);
  if (x.ndim === 0) return reshape(y, []);
  const back = y.transpose(axis, -1);
  return options.keepdim ? back : squeeze(back, axis);
}

/** Position of the largest element along `dim` (of the flattened tensor when omitted), int64. */
export const argmax = (x: Tensor, dim?: number | KeepDim, options?: KeepDim): Tensor =>
  argExtreme(argmaxOp, 'argmax', x, dim, options);
/** Position of the smallest element along `dim`, int64. */
export const argmin = (x: Tensor, dim?: number | KeepDim, options?: KeepDim): Tensor =>
  argExtreme(argminOp, 'argmin', x, dim, options);

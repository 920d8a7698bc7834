// Running sums, products and extremes. Sums and products are linear recurrences
// h[t] = a[t]·h[t − 1] + b[t]; the adjoint of one is another, run backwards, so that a single
// operation serves every order, and no rule divides by an element that may be 0.

import { checkCall, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { ArgScanName } from '../device/device.js';
import { type DType, isFloat } from '../tensor/dtype.js';
import { normalizeDim, normalizeDims } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { gather } from './indexing.js';
import { cat } from './join.js';
import { isinf } from './logical.js';
import { leading, requireCompute, requireKind, scalarTensor } from './operands.js';
import type { SumOptions } from './reduce.js';
import { expand, flip, narrow, reshape, transpose } from './views.js';

/** The elements one step later along the last axis, after `first`. */
function delayed(x: Tensor, first: number): Tensor {
  const start = expand(scalarTensor(first, x.dtype, x.device), [...x.shape.slice(0, -1), 1]);
  return cat([start, narrow(x, -1, 0, x.shape[x.ndim - 1] - 1)], -1);
}

const reversed = (x: Tensor) => flip(x, -1);

const recurrenceOp: Op<undefined> = defineOp({
  name: 'recurrence',
  forward: ([a, b]) =>
    new Tensor({
      device: b.device,
      shape: b.shape,
      storage: b.device.kernels.recurrence(a, b),
    }),
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    // λ[t] = g[t] + a[t + 1]·λ[t + 1];  ∂b = λ,  ∂a[t] = λ[t]·h[t − 1]
    const later = delayed(reversed(context.input(0)), 0);
    const adjoint = reversed(recurrenceOp([later, reversed(g)], undefined));
    return [
      context.needs[0] ? adjoint.mul(delayed(context.output(), 0)) : null,
      context.needs[1] ? adjoint : null,
    ];
  },
});

/** Runs `f` with the axis last; what has no elements or no dims needs no `f`. */
function alongLast(x: Tensor, dim: number, f: (x: Tensor) => Tensor): Tensor {
  const axis = normalizeDim(dim, x.ndim);
  if (x.ndim === 0) return reshape(f(reshape(x, 1)), []);
  if (x.numel === 0) return x.clone();
  return transpose(f(transpose(x, axis, -1)), axis, -1);
}

const constant = (value: number, like: Tensor) =>
  expand(scalarTensor(value, like.dtype, like.device), like.shape);

const runningProduct = (x: Tensor): Tensor => {
  if (x.shape[x.ndim - 1] < 2) return x.clone();
  // The first element enters through b, the others as factors: as a factor of h[−1] = 0 it would
  // receive 0 times a gradient that may be infinite.
  const factors = cat(
    [constant(0, narrow(x, -1, 0, 1)), narrow(x, -1, 1, x.shape[x.ndim - 1] - 1)],
    -1,
  );
  const start = cat(
    [narrow(x, -1, 0, 1), constant(0, narrow(x, -1, 1, x.shape[x.ndim - 1] - 1))],
    -1,
  );
  return recurrenceOp([factors, start], undefined);
};

type Cumulative = (x: Tensor, dim: number, options?: { dtype?: DType }) => Tensor;

const cumulative =
  (name: string, run: (x: Tensor) => Tensor): Cumulative =>
  (x, dim, options = {}) => {
    checkCall(name, { x }, options, { dtype: true });
    const dtype = options.dtype ?? (isFloat(x.dtype) ? x.dtype : 'int64');
    requireCompute(name, x.device, dtype);
    return alongLast(cast(x, dtype), dim, run);
  };

/** Sums of the elements up to each one along `dim`. Integers and bool add up in int64. */
export const cumsum: Cumulative = cumulative('cumsum', (x) =>
  recurrenceOp([constant(1, x), x], undefined),
);
/** Products of the elements up to each one along `dim`. Integers and bool multiply in int64. */
export const cumprod: Cumulative = cumulative('cumprod', runningProduct);

const argScanOp = (name: ArgScanName): Op<undefined> =>
  defineOp({
    name,
    forward: ([x]) =>
      new Tensor({ device: x.device, shape: x.shape, storage: x.device.kernels.argScan(name, x) }),
    backward: 'none',
  });

function runningExtreme(name: ArgScanName) {
  const op = argScanOp(name);
  return (x: Tensor, dim: number): { values: Tensor; indices: Tensor } => {
    requireTensors(name, { x });
    requireCompute(name, x.device, x.dtype);
    const empty = x.numel === 0;
    const indices = empty ? cast(x, 'int64') : alongLast(x, dim, (y) => op([y], undefined));
    return { values: empty ? x.clone() : gather(x, dim, indices), indices };
  };
}

/** Largest element so far along `dim` and its position (the last of equal ones); NaN wins. */
export const cummax = runningExtreme('cummax');
/** Smallest element so far along `dim` and its position (the last of equal ones); NaN wins. */
export const cummin = runningExtreme('cummin');

/** log of the sums of exp(x) up to each element along `dim`, without overflow. */
export function logcumsumexp(input: Tensor, dim: number): Tensor {
  requireTensors('logcumsumexp', { input });
  requireKind('logcumsumexp', input.dtype, 'float');
  return alongLast(input, dim, (x) => {
    // Σ exp(x − m) for the running maximum m, which is rescaled whenever m grows. Being off the
    // tape, m cancels in value and derivative.
    const m = cummax(x.detach(), -1).values;
    const before = delayed(m, Number.NEGATIVE_INFINITY);
    const rescale = where(before.eq(m), 1, before.sub(m).exp());
    const top = where(isinf(m), 0, m);
    return recurrenceOp([rescale, x.sub(top).exp()], undefined)
      .log()
      .add(top);
  });
}

const prodOp: Op<undefined> = defineOp({
  name: 'prod',
  forward: ([x]) =>
    new Tensor({
      device: x.device,
      shape: x.shape.slice(0, -1),
      storage: x.device.kernels.reduce('prod', x, 1),
    }),
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    // The product of all others: of those before times of those behind.
    const x = context.input(0);
    if (x.numel === 0) return [x.clone()];
    const before = delayed(runningProduct(x), 1);
    const behind = reversed(delayed(runningProduct(reversed(x)), 1));
    return [g.unsqueeze(-1).mul(before).mul(behind)];
  },
});

/** Product over `dim` (of all elements when omitted). Integers and bool multiply in int64. */
export function prod(input: Tensor, first?: number | SumOptions, more?: SumOptions): Tensor {
  const [dim, options = {}] = leading('prod', input, { dtype: true, keepdim: true }, first, more);
  const dtype = options.dtype ?? (isFloat(input.dtype) ? input.dtype : 'int64');
  requireCompute('prod', input.device, dtype);
  const x = cast(input, dtype);
  const [axis] = dim === undefined ? [] : normalizeDims(dim, x.ndim);
  if (axis === undefined) {
    const y = prodOp([reshape(x, x.numel)], undefined);
    return options.keepdim
      ? reshape(
          y,
          x.shape.map(() => 1),
        )
      : y;
  }
  const y = prodOp([transpose(x, axis, -1)], undefined).unsqueeze(-1);
  const back = transpose(y, axis, -1);
  return options.keepdim ? back : back.squeeze(axis);
}

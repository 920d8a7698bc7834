// Arithmetic of two operands, broadcast and promoted by `operands.ts`, so that a rule sees two
// tensors of one shape.

import { defineOp } from '../autograd/op.js';
import type { BinaryName, CompareName } from '../device/device.js';
import { dtypeError } from '../errors.js';
import { getDefaultDtype, isFloat, resultType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { broadcastOperands, checkOperand, type TensorOrScalar } from './operands.js';

type Binary = (a: Tensor, b: TensorOrScalar) => Tensor;
type Rule = (g: Tensor, a: Tensor, b: Tensor, needs: readonly boolean[]) => (Tensor | null)[];

function define(name: BinaryName, rule: (g: Tensor) => Tensor[]): Binary;
function define(name: BinaryName, rule: Rule, saves: 'inputs'): Binary;
function define(
  name: BinaryName,
  rule: Rule | ((g: Tensor) => Tensor[]),
  saves?: 'inputs',
): Binary {
  const op = defineOp({
    name,
    forward: ([a, b]) =>
      new Tensor({
        device: a.device,
        shape: a.shape,
        storage: a.device.kernels.binary(name, a, b),
      }),
    saves: { inputs: saves ? [0, 1] : [] },
    backward: ([g], context) => {
      if (g === null) return [null, null];
      if (!saves) return (rule as (g: Tensor) => Tensor[])(g);
      return (rule as Rule)(g, context.input(0), context.input(1), context.needs);
    },
  });
  return (a, b) => op(broadcastOperands(name, [a, b]), undefined);
}

const addOp: Binary = define('add', (g) => [g, g]);
const subOp: Binary = define('sub', (g) => [g, g.neg()]);

/** a + alpha·b */
export const add = (a: Tensor, b: TensorOrScalar, options: { alpha?: number } = {}): Tensor =>
  addOp(a, scaled(b, options.alpha));

/** a − alpha·b */
export function sub(a: Tensor, b: TensorOrScalar, options: { alpha?: number } = {}): Tensor {
  const boolean = (x: TensorOrScalar) =>
    typeof x === 'boolean' || (x instanceof Tensor && x.dtype === 'bool');
  if (boolean(a) && boolean(b))
    throw dtypeError(
      'Subtraction, the `-` operator, with two bool tensors is not supported. Use logicalXor or convert first.',
    );
  return subOp(a, scaled(b, options.alpha));
}

function scaled(b: TensorOrScalar, alpha = 1): TensorOrScalar {
  if (alpha === 1) return b;
  return b instanceof Tensor ? mul(b, alpha) : Number(b) * alpha;
}

export const mul: Binary = define(
  'mul',
  (g, a, b, needs) => [needs[0] ? g.mul(b) : null, needs[1] ? g.mul(a) : null],
  'inputs',
);

const divOp: Binary = define(
  'div',
  (g, a, b, needs) => [
    needs[0] ? g.div(b) : null,
    needs[1] ? g.neg().mul(a.div(b).div(b)) : null, // this order does not square b: no early overflow
  ],
  'inputs',
);

/** True division: integers give the default float dtype. */
export function div(a: Tensor, b: TensorOrScalar): Tensor {
  const dtype = resultType(checkOperand('div', a), checkOperand('div', b));
  return isFloat(dtype) ? divOp(a, b) : divOp(cast(a, getDefaultDtype()), b);
}

const powOp: Binary = define(
  'pow',
  (g, a, b, needs) => [
    // b·a^(b−1); at b = 0 the derivative is 0 even where a^(−1) is infinite.
    needs[0] ? where(b.eq(0), g.mul(0), g.mul(b.mul(a.pow(b.sub(1))))) : null,
    // a^b·ln a; at a = 0 with b >= 0 the limit is 0.
    needs[1] ? where(a.eq(0).mul(b.ge(0)), g.mul(0), g.mul(a.pow(b).mul(a.log()))) : null,
  ],
  'inputs',
);

/** aᵇ. An integer base with a negative integer exponent is an error, as in PyTorch. */
export function pow(a: Tensor, b: TensorOrScalar): Tensor {
  if (typeof b === 'number') {
    if (!isFloat(a.dtype) && b < 0 && Number.isInteger(b))
      throw dtypeError('Integers to negative integer powers are not allowed.');
    if (b === 2) return mul(a, a); // the same value, and a cheaper rule
  }
  return powOp(a, b);
}

/** At a tie each side takes half of the gradient, as in PyTorch. */
const extremum = (name: 'maximum' | 'minimum', wins: CompareName): Binary =>
  define(
    name,
    (g, a, b) => {
      const half = a.eq(b).to(g.dtype).mul(0.5);
      return [
        g.mul(compare(wins, a, b).to(g.dtype).add(half)),
        g.mul(compare(wins, b, a).to(g.dtype).add(half)),
      ];
    },
    'inputs',
  );

/** The larger of each pair; NaN wins. */
export const maximum: Binary = extremum('maximum', 'gt');
/** The smaller of each pair; NaN wins. */
export const minimum: Binary = extremum('minimum', 'lt');

const compareOps = new Map<
  CompareName,
  (inputs: readonly Tensor[], options: undefined) => Tensor
>();

function compare(name: CompareName, a: Tensor, b: TensorOrScalar): Tensor {
  let op = compareOps.get(name);
  if (!op) {
    op = defineOp({
      name,
      forward: ([x, y]) =>
        new Tensor({
          device: x.device,
          shape: x.shape,
          storage: x.device.kernels.compare(name, x, y),
        }),
      backward: 'none',
    });
    compareOps.set(name, op);
  }
  return op(broadcastOperands(name, [a, b]), undefined);
}

// Comparisons give bool and carry no gradient.
export const eq: Binary = (a, b) => compare('eq', a, b);
export const ne: Binary = (a, b) => compare('ne', a, b);
export const lt: Binary = (a, b) => compare('lt', a, b);
export const le: Binary = (a, b) => compare('le', a, b);
export const gt: Binary = (a, b) => compare('gt', a, b);
export const ge: Binary = (a, b) => compare('ge', a, b);

const whereOp = defineOp({
  name: 'where',
  forward: ([condition, a, b]) =>
    new Tensor({
      device: a.device,
      shape: a.shape,
      storage: a.device.kernels.where(condition, a, b),
    }),
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const condition = context.input(0);
    const zeros = g.mul(0).detach();
    return [
      null,
      context.needs[1] ? where(condition, g, zeros) : null,
      context.needs[2] ? where(condition, zeros, g) : null,
    ];
  },
});

/** Elements of `a` where `condition` (bool) holds, else of `b`; all three broadcast. */
export function where(condition: Tensor, a: TensorOrScalar, b: TensorOrScalar): Tensor {
  if (condition.dtype !== 'bool')
    throw dtypeError(
      `where expected condition to be a boolean tensor, but got a tensor with dtype ${condition.dtype}`,
    );
  const dtype = resultType(checkOperand('where', a), checkOperand('where', b));
  const [c, x, y] = broadcastOperands('where', [condition, a, b], dtype);
  return whereOp([cast(c, 'bool'), x, y], undefined);
}

/** Elements limited to [min, max]; either bound may be omitted. */
export function clamp(x: Tensor, bounds: { min?: number; max?: number }): Tensor {
  // The gradient passes where the bound is met exactly (PyTorch), unlike that of maximum.
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds;
  let y = x;
  if (min > Number.NEGATIVE_INFINITY) y = where(y.lt(min), min, y);
  if (max < Number.POSITIVE_INFINITY) y = where(y.gt(max), max, y);
  return y;
}

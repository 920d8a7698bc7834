// Arithmetic of two operands, broadcast and promoted by `operands.ts`, so that a rule sees two
// tensors of one shape.

import { checkCall, notTensor, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { CompareName } from '../device/device.js';
import { argumentError, dtypeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { isFloat, resultType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { type Binary, defineBinary, otherFactors, withRealValues } from './binary-rule.js';
import { cast } from './cast.js';
import {
  broadcastOperands,
  checkOperand,
  isScalar,
  requireKind,
  type Scalar,
  scalarTensor,
  type TensorOrScalar,
  zeroOf,
} from './operands.js';

const addOp: Binary = defineBinary('add', (g) => [g, g]);
const subOp: Binary = defineBinary('sub', (g) => [g, g.neg()]);

/** a + alpha·b */
export function add(a: Tensor, b: TensorOrScalar, options: { alpha?: number } = {}): Tensor {
  checkOptions('add', options, { alpha: true });
  return addOp(a, scaled(b, options.alpha));
}

/** a − alpha·b */
export function sub(a: Tensor, b: TensorOrScalar, options: { alpha?: number } = {}): Tensor {
  checkCall('sub', { a }, options, { alpha: true });
  const boolean = (x: TensorOrScalar) =>
    typeof x === 'boolean' || (x instanceof Tensor && x.dtype === 'bool');
  if (boolean(a) && boolean(b))
    throw dtypeError(
      'Subtraction, the `-` operator, with two bool tensors is not supported. Use logicalXor or convert first.',
    );
  return subOp(a, scaled(b, options.alpha));
}

function scaled(b: Tensor, alpha?: number): Tensor;
function scaled(b: TensorOrScalar, alpha?: number): TensorOrScalar;
function scaled(b: TensorOrScalar, alpha = 1): TensorOrScalar {
  if (alpha === 1) return b;
  return b instanceof Tensor ? mul(b, alpha) : Number(b) * alpha;
}

const mulOp: Op<undefined> = defineOp({
  name: 'mul',
  forward: ([a, b]) =>
    new Tensor({ device: a.device, shape: a.shape, storage: a.device.kernels.binary('mul', a, b) }),
  saves: { inputs: otherFactors },
  backward: ([g], context) =>
    context.needs.map((need, i) => (g && need ? g.mul(context.input(1 - i)) : null)),
});

/** a · b with broadcasting; dtypes are promoted as in PyTorch. */
export const mul: Binary = (a, b) => mulOp(broadcastOperands('mul', [a, b]), undefined);

const divOp: Binary = defineBinary(
  'div',
  (g, a, b, needs) => [
    needs[0] ? g.div(b) : null,
    needs[1] ? g.neg().mul(a.div(b).div(b)) : null, // this order does not square b: no early overflow
  ],
  'inputs',
);

const trueDivide = withRealValues('div', divOp);

// One operation, since the derivative of trunc is 0 but 0 times that of the quotient may be NaN.
const truncDivideOp: Op<undefined> = defineOp({
  name: 'div',
  forward: ([a, b]) => divOp(a, b).trunc(),
  backward: ([g]) => [g && zeroOf(g), g && zeroOf(g)],
});

/** How {@link div} rounds: towards zero (`'trunc'`) or down (`'floor'`). */
export type RoundingMode = 'trunc' | 'floor';

/** True division: integers give the default float dtype, unless the quotient is rounded. */
export function div(
  a: Tensor,
  b: TensorOrScalar,
  options: { roundingMode?: RoundingMode | null } = {},
): Tensor {
  checkCall('div', { a }, options, { roundingMode: 'nullable' });
  const mode = options.roundingMode ?? null;
  if (mode === null) return trueDivide(a, b);
  if (mode === 'floor') return floorDivide(a, b);
  if (mode !== 'trunc')
    throw argumentError(
      `div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '${mode}'`,
    );
  if (isFloat(resultType(a, b))) return truncDivideOp(broadcastOperands('div', [a, b]), undefined);
  return floorDivide(sub(a, fmod(a, b)), b); // exact
}

const without =
  (name: string, f: Binary): Binary =>
  (a, b) => {
    requireKind(name, resultType(checkOperand(name, a), checkOperand(name, b)), 'integer', 'float');
    return f(a, b);
  };

/** ⌊a / b⌋, in integers where both are. */
export const floorDivide: Binary = without(
  'floorDivide',
  defineBinary('floorDivide', (g) => [zeroOf(g), zeroOf(g)]),
);

/** a − b·⌊a / b⌋: the sign of the divisor, as Python's %. */
export const remainder: Binary = without(
  'remainder',
  defineBinary('remainder', (g, a, b) => [g, g.mul(floorDivide(a, b)).neg()], 'inputs'),
);

/** a − b·trunc(a / b): the sign of the dividend, as C's fmod. */
export const fmod: Binary = without(
  'fmod',
  defineBinary(
    'fmod',
    (g, a, b) => [g, g.mul(div(a, b, { roundingMode: 'trunc' })).neg()],
    'inputs',
  ),
);

/** The angle of the point (b, a), from −π to π. */
export const atan2: Binary = withRealValues(
  'atan2',
  defineBinary(
    'atan2',
    (g, a, b) => {
      const square = a.mul(a).add(b.mul(b));
      return [g.mul(b).div(square), g.mul(a).div(square).neg()];
    },
    'inputs',
  ),
);

/** The magnitude of a with the sign of b. */
export const copysign: Binary = withRealValues(
  'copysign',
  defineBinary(
    'copysign',
    (g, a, b) => {
      const ratio = where(a.eq(0), 0, copysign(a, b).div(a)).detach(); // 1 or −1
      return [g.mul(ratio), zeroOf(g)];
    },
    'inputs',
  ),
);

const powOp: Binary = defineBinary(
  'pow',
  (g, a, b, needs) => [
    // b·a^(b−1); at b = 0 the derivative is 0 even where a^(−1) is infinite.
    needs[0] ? where(b.eq(0), zeroOf(g), g.mul(b.mul(a.pow(b.sub(1))))) : null,
    // a^b·ln a; at a = 0 with b >= 0 the limit is 0.
    needs[1] ? where(a.eq(0).mul(b.ge(0)), zeroOf(g), g.mul(a.pow(b).mul(a.log()))) : null,
  ],
  'inputs',
);

/** a to the power of a number; half powers by way of the root, so that −∞ has none [PyTorch]. */
const powNumberOp: Op<number> = defineOp<number>({
  name: 'pow',
  forward: ([a], b) => {
    if (b === 0.5) return a.sqrt();
    if (b === -0.5) return a.rsqrt();
    const [x, exponent] = broadcastOperands('pow', [a, b], a.dtype);
    const storage = a.device.kernels.binary('pow', x, exponent);
    return new Tensor({ device: a.device, shape: a.shape, storage });
  },
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const b = context.options;
    return [b === 0 ? zeroOf(g) : g.mul(pow(context.input(0), b - 1).mul(b))];
  },
});

/** aᵇ. An integer base with a negative integer exponent is an error, as in PyTorch. */
export function pow(a: Scalar, b: Tensor): Tensor;
export function pow(a: Tensor, b: TensorOrScalar): Tensor;
export function pow(a: TensorOrScalar, b: TensorOrScalar): Tensor {
  if (!(a instanceof Tensor)) {
    if (!isScalar(a) || !(b instanceof Tensor)) throw notTensor('pow', 'a', a);
    return powOp(scalarTensor(a, resultType(a, b), b.device), b);
  }
  if (typeof b === 'number') {
    if (!isFloat(a.dtype) && b < 0 && Number.isInteger(b))
      throw dtypeError('Integers to negative integer powers are not allowed.');
    if (b === 2 && a.dtype !== 'bool') return mul(a, a); // the same value, and a cheaper rule
    const dtype = resultType(a, b);
    if (isFloat(dtype)) return powNumberOp([cast(a, dtype)], b);
  }
  return powOp(a, b);
}

/** At a tie each side takes half of the gradient; where one is NaN both take all, as in PyTorch. */
const extremum = (name: 'maximum' | 'minimum', loses: 'lt' | 'gt'): Binary =>
  defineBinary(
    name,
    (g, a, b) => {
      const share = where(a.eq(b), g.mul(0.5), g);
      return [where(a[loses](b), 0, share), where(b[loses](a), 0, share)];
    },
    'inputs',
  );

/** The larger of each pair; NaN wins. */
export const maximum: Binary = extremum('maximum', 'lt');
/** The smaller of each pair; NaN wins. */
export const minimum: Binary = extremum('minimum', 'gt');

/** The larger of each pair; the number where one is NaN. At a tie the first takes the gradient. */
export const fmax: Binary = (a, b) => pick('fmax', a, b, (x, y) => x.ge(y));
/** The smaller of each pair; the number where one is NaN. At a tie the first takes the gradient. */
export const fmin: Binary = (a, b) => pick('fmin', a, b, (x, y) => x.le(y));

function pick(
  name: string,
  a: Tensor,
  b: TensorOrScalar,
  first: (x: Tensor, y: Tensor) => Tensor,
): Tensor {
  const [x, y] = broadcastOperands(name, [a, b]);
  return where(first(x, y).add(y.ne(y)), x, y);
}

/** b − alpha·a */
export function rsub(a: Tensor, b: TensorOrScalar, options: { alpha?: number } = {}): Tensor {
  checkCall('rsub', { a }, options, { alpha: true });
  return add(scaled(a, options.alpha).neg(), b);
}

/** {@link pow} in float64. */
export function floatPower(a: Scalar, b: Tensor): Tensor;
export function floatPower(a: Tensor, b: TensorOrScalar): Tensor;
export function floatPower(a: TensorOrScalar, b: TensorOrScalar): Tensor {
  const exponent = b instanceof Tensor ? cast(b, 'float64') : b;
  if (a instanceof Tensor) return pow(cast(a, 'float64'), exponent);
  if (!isScalar(a) || !(exponent instanceof Tensor)) throw notTensor('floatPower', 'a', a);
  return pow(a, exponent);
}

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
/** Where a = b: bool, with broadcasting. */
export const eq: Binary = (a, b) => compare('eq', a, b);
/** Where a ≠ b: bool, with broadcasting. */
export const ne: Binary = (a, b) => compare('ne', a, b);
/** Where a < b: bool, with broadcasting. */
export const lt: Binary = (a, b) => compare('lt', a, b);
/** Where a ≤ b: bool, with broadcasting. */
export const le: Binary = (a, b) => compare('le', a, b);
/** Where a > b: bool, with broadcasting. */
export const gt: Binary = (a, b) => compare('gt', a, b);
/** Where a ≥ b: bool, with broadcasting. */
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
    return [
      null,
      context.needs[1] ? where(condition, g, 0) : null,
      context.needs[2] ? where(condition, 0, g) : null,
    ];
  },
});

/** Elements of `a` where `condition` (bool) holds, else of `b`; all three broadcast. */
export function where(condition: Tensor, a: TensorOrScalar, b: TensorOrScalar): Tensor {
  requireTensors('where', { condition });
  if (condition.dtype !== 'bool')
    throw dtypeError(
      `where expected condition to be a boolean tensor, but got a tensor with dtype ${condition.dtype}`,
    );
  const dtype = resultType(checkOperand('where', a), checkOperand('where', b));
  const [c, x, y] = broadcastOperands('where', [condition, a, b], dtype);
  return whereOp([cast(c, 'bool'), x, y], undefined);
}

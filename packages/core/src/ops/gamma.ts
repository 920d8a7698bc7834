// The logarithm of the gamma function and what is made of its derivatives.

import { notTensor, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { digamma as digammaCurve, lgamma as lgammaCurve, zeta as zetaCurve } from '../cpu/gamma.js';
import { withCurves } from '../cpu/rare-curves.js';
import { argumentError, autogradError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { type Binary, defineBinary } from './binary-rule.js';
import { scalarTensor, toFloat } from './operands.js';
import { real, type Unary } from './unary-rule.js';

/** ln |Γ(x)|, element by element. */
export const lgamma: Unary = withCurves(
  { lgamma: lgammaCurve },
  real('lgamma', 'input', (g, x) => g.mul(digamma(x))),
);
/** The derivative of {@link lgamma}. */
export const digamma: Unary = withCurves(
  { digamma: digammaCurve },
  real('digamma', 'input', (g, x) => g.mul(polygamma(x, 1))),
);

const zeta: Binary = withCurves(
  { zeta: zetaCurve },
  defineBinary('zeta', () => {
    throw autogradError('the derivative of zeta is not implemented');
  }),
);

interface Order {
  readonly n: number;
}

const polygammaOp: Op<Order> = defineOp<Order>({
  name: 'polygamma',
  // (−1)ⁿ⁺¹ n! ζ(n + 1, x)
  forward: ([x], { n }) => {
    const factorial = Array.from({ length: n }, (_, i) => i + 1).reduce((a, b) => a * b, 1);
    return zeta(scalarTensor(n + 1, x.dtype, x.device), x).mul((-1) ** (n + 1) * factorial);
  },
  saves: { inputs: [0] },
  backward: ([g], context) => [
    g === null ? null : g.mul(polygamma(context.input(0), context.options.n + 1)),
  ],
});

/** The n-th derivative of {@link digamma}. torch's function has the order first, and so may this. */
export function polygamma(n: number, x: Tensor): Tensor;
export function polygamma(x: Tensor, n: number): Tensor;
export function polygamma(first: Tensor | number, second: Tensor | number): Tensor {
  const [x, n] = typeof first === 'number' ? [second, first] : [first, second];
  if (!(x instanceof Tensor)) throw notTensor('polygamma', 'x', x);
  if (typeof n !== 'number')
    throw argumentError(`polygamma(): expected a number for 'n', but got ${describe(n)}`);
  if (!(Number.isInteger(n) && n >= 0))
    throw argumentError(`polygamma(n, x) does not support negative n, got ${n}`);
  return n === 0 ? digamma(x) : polygammaOp([toFloat(x)], { n });
}

/** The logarithm of the gamma function of `p` dims, of x above (p − 1) / 2. */
export function mvlgamma(x: Tensor, p: number): Tensor {
  requireTensors('mvlgamma', { x });
  if (!(Number.isInteger(p) && p >= 1))
    throw argumentError('p has to be greater than or equal to 1');
  const terms = Array.from({ length: p }, (_, i) => lgamma(toFloat(x).sub(i / 2)));
  return terms.reduce((a, b) => a.add(b)).add(((p * (p - 1)) / 4) * Math.log(Math.PI));
}

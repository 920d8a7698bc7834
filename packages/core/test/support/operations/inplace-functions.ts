// In-place forms on a recorded copy, beyond inplace.ts.

import { at, positive, row, unary, wide } from './table.js';

/** Functions without arguments, and where they are smooth. */
const UNARY = [
  ...(['acos_', 'asin_', 'atanh_'] as const).map((name) => [name, -0.8, 0.8] as const),
  ...(['asinh_', 'atan_', 'tan_', 'sinh_', 'cosh_', 'exp2_', 'expm1_'] as const).map(
    (name) => [name, -1.3, 1.4] as const,
  ),
  ...(['erfc_', 'sgn_', 'sinc_', 'deg2rad_', 'rad2deg_'] as const).map(
    (name) => [name, -1.3, 1.4] as const,
  ),
  ...(['log2_', 'log10_', 'log1p_', 'lgamma_', 'digamma_'] as const).map(
    (name) => [name, 0.3, 3] as const,
  ),
  ['acosh_', 1.3, 3],
  ['frac_', -2.6, 2.7],
  ['logit_', 0.1, 0.9],
] as const;
for (const [name, from, to] of UNARY) unary(name, (x) => x.clone()[name]().add(x), from, to);
unary('polygamma_', (x) => x.clone().polygamma_(1), 0.5, 3);
unary('mvlgamma_', (x) => x.clone().mvlgamma_(2), 0.8, 3);

const BINARY = [
  ...(['hypot_', 'xlogy_', 'heaviside_', 'ldexp_', 'atan2_', 'copysign_'] as const),
  ...(['eq_', 'ne_', 'lt_', 'le_', 'gt_', 'ge_'] as const),
  ...(['logicalAnd_', 'logicalOr_', 'logicalXor_'] as const),
] as const;
for (const name of BINARY) row(name, (x, y) => x.clone()[name](y).add(x), ...positive([3, 2], [2]));
unary('logicalNot_', (x) => x.clone().logicalNot_().add(x));

row('cumsum_', (x) => x.clone().cumsum_(1), ...wide([2, 3]));
row('cumprod_', (x) => x.clone().cumprod_(0), ...wide([2, 3]));
row('renorm_', (x) => x.clone().renorm_(2, 0, 1.5), ...wide([3, 2]));
row('addmm_', (x, a, b) => x.clone().addmm_(a, b, { beta: 2 }), ...wide([2, 2], [2, 3], [3, 2]));
row('addmv_', (x, a, b) => x.clone().addmv_(a, b), ...wide([2], [2, 3], [3]));
row('addr_', (x, a, b) => x.clone().addr_(a, b), ...wide([2, 3], [2], [3]));
row('addbmm_', (x, a, b) => x.clone().addbmm_(a, b), ...wide([2, 2], [2, 2, 3], [2, 3, 2]));
row('baddbmm_', (x, a, b) => x.clone().baddbmm_(a, b), ...wide([2, 2, 2], [2, 2, 3], [2, 3, 2]));
row('put_', (x, y) => x.clone().put_(at(x, [4, 0]), y), ...wide([2, 3], [2]));
row(
  'indexReduce_',
  (x, y) => x.clone().indexReduce_(0, at(x, [2, 2]), y, 'amax'),
  ...wide([3, 2], [2, 2]),
);
row(
  'scatterReduce_',
  (x, y) => x.clone().scatterReduce_(1, at(x, [[2], [0]]), y, 'prod'),
  ...positive([2, 3], [2, 1]),
);
row('fillDiagonal_', (x) => x.clone().fillDiagonal_(2, { wrap: true }).mul(x), ...wide([5, 2]));

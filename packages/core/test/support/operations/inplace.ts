// In-place forms on a recorded copy.

import { at, positive, range, row, unary, wide } from './table.js';

row('add_', (x, y) => x.clone().add_(y, { alpha: 2 }), ...wide([3, 1, 2], [2]));
row('sub_', (x, y) => x.clone().sub_(y), ...wide([3, 2], []));
row('mul_', (x, y) => x.clone().mul_(y), ...wide([3, 2], [3, 1]));
row('div_', (x, y) => x.clone().div_(y), ...positive([3, 2], [3, 1]));
row('relu_', (x) => x.clone().relu_(), ...wide([3, 5]));
row('clamp_', (x) => x.clone().clamp_({ min: -0.5 }), ...wide([3, 5]));
row('fill_', (x) => x.clone().fill_(3).add(x), ...wide([3, 2]));
row('zero_', (x) => x.clone().zero_().add(x), ...wide([3, 2]));
row('copy_', (x, y) => x.clone().copy_(y).mul(x), ...wide([3, 2], [2]));

unary('neg_', (x) => x.clone().neg_());
unary('abs_', (x) => x.clone().abs_());
unary('sign_', (x) => x.clone().sign_().add(x));
unary('exp_', (x) => x.clone().exp_());
unary('log_', (x) => x.clone().log_(), 0.3, 3);
unary('sqrt_', (x) => x.clone().sqrt_(), 0.3, 3);
unary('rsqrt_', (x) => x.clone().rsqrt_(), 0.3, 3);
unary('reciprocal_', (x) => x.clone().reciprocal_(), 0.3, 3);
unary('square_', (x) => x.clone().square_());
unary('sin_', (x) => x.clone().sin_());
unary('cos_', (x) => x.clone().cos_());
unary('tanh_', (x) => x.clone().tanh_());
unary('sigmoid_', (x) => x.clone().sigmoid_());
unary('erf_', (x) => x.clone().erf_());
unary('erfinv_', (x) => x.clone().erfinv_(), -0.8, 0.8);
unary('floor_', (x) => x.clone().floor_().add(x), -2.6, 2.7);
unary('ceil_', (x) => x.clone().ceil_().add(x), -2.6, 2.7);
unary('round_', (x) => x.clone().round_().add(x), -2.6, 2.7);
unary('trunc_', (x) => x.clone().trunc_().add(x), -2.6, 2.7);
unary('clampMin_', (x) => x.clone().clampMin_(0.13));
unary('clampMax_', (x) => x.clone().clampMax_(0.13));
unary('nanToNum_', (x) => x.clone().nanToNum_());
unary('pow_', (x) => x.clone().pow_(3));
row('pow_', (x, y) => x.clone().pow_(y), ...positive([3, 2], [2]));
row('clamp_', (x, y) => x.clone().clamp_({ max: y }), ...wide([3, 5]), ...range(-1.9, 2.1, [5]));
row('floorDivide_', (x, y) => x.clone().floorDivide_(y).add(x), ...positive([3, 2], [2]));
row('remainder_', (x, y) => x.clone().remainder_(y), ...positive([3, 2], [2]));
row('fmod_', (x, y) => x.clone().fmod_(y), ...positive([3, 2], [2]));
row('lerp_', (x, y, w) => x.clone().lerp_(y, w), ...wide([3, 2], [2], [3, 1]));
row('addcmul_', (x, a, b) => x.clone().addcmul_(a, b), ...wide([3, 2], [2], [3, 1]));
row('addcdiv_', (x, a, b) => x.clone().addcdiv_(a, b), ...positive([3, 2], [2], [3, 1]));
row('maskedFill_', (x) => x.clone().maskedFill_(x.detach().gt(0.2), 3), ...wide([2, 3]));
row(
  'maskedScatter_',
  (x, y) => x.clone().maskedScatter_(x.detach().gt(0.2), y),
  ...wide([2, 3], [7]),
);
row('scatter_', (x, y) => x.clone().scatter_(1, at(x, [[2], [0]]), y), ...wide([2, 3], [2, 1]));
row(
  'scatterAdd_',
  (x, y) => x.clone().scatterAdd_(1, at(x, [[2], [0]]), y),
  ...wide([2, 3], [2, 1]),
);
row('indexAdd_', (x, y) => x.clone().indexAdd_(0, at(x, [1, 1]), y), ...wide([2, 3], [2, 3]));
row('indexCopy_', (x, y) => x.clone().indexCopy_(0, at(x, [2, 0]), y), ...wide([3, 2], [2, 2]));
row('indexFill_', (x) => x.clone().indexFill_(1, at(x, [0]), 2), ...wide([2, 3]));
row('indexPut_', (x, y) => x.clone().indexPut_([at(x, [1])], y), ...wide([2, 3], [3]));
row('tril_', (x) => x.clone().tril_(), ...wide([2, 3]));
row('triu_', (x) => x.clone().triu_(1), ...wide([3, 3]));

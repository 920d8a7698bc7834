// Functions of one, two or three tensors, element by element.

import * as vg from '../../../src/index.js';
import { binary, unary } from './table.js';

unary('neg', (x) => x.neg());
unary('abs', (x) => x.abs());
unary('sign', (x) => x.sign());
unary('relu', (x) => x.relu());
unary('floor', (x) => x.floor(), -2.6, 2.7);
unary('ceil', (x) => x.ceil(), -2.6, 2.7);
unary('round', (x) => x.round(), -2.6, 2.7);
unary('trunc', (x) => x.trunc(), -2.6, 2.7);
unary('exp', (x) => x.exp());
unary('expm1', (x) => x.expm1());
unary('log', (x) => x.log(), 0.3, 3);
unary('log1p', (x) => x.log1p(), -0.7, 3);
unary('sqrt', (x) => x.sqrt(), 0.3, 3);
unary('rsqrt', (x) => x.rsqrt(), 0.3, 3);
unary('reciprocal', (x) => x.reciprocal(), 0.3, 3);
unary('sin', (x) => x.sin());
unary('cos', (x) => x.cos());
unary('tan', (x) => x.tan(), -1.2, 1.2);
unary('tanh', (x) => x.tanh());
unary('sigmoid', (x) => x.sigmoid());
unary('square', (x) => x.square());
unary('clamp', (x) => x.clamp({ min: -0.71, max: 1.13 }));
unary('clamp', (x) => x.clamp({ max: 0.52 }));

// ---- two arguments, with broadcasting ----

binary('add', (a, b) => a.add(b));
binary('add', (a, b) => a.add(b, { alpha: -2.5 }));
binary('sub', (a, b) => a.sub(b));
binary('sub', (a, b) => a.sub(b, { alpha: 3 }));
binary('mul', (a, b) => a.mul(b));
binary('div', (a, b) => a.div(b), 0.4, 3);
binary('pow', (a, b) => a.pow(b), 0.4, 2);
unary('pow', (x) => x.pow(3));
unary('pow', (x) => x.pow(2));
unary('pow', (x) => x.pow(-1.5), 0.4, 2);
unary('add', (x) => x.add(2));
unary('sub', (x) => x.sub(0.5, { alpha: 2 }));
unary('mul', (x) => x.mul(-3));
unary('div', (x) => x.div(4));
binary('maximum', (a, b) => a.maximum(b));
binary('minimum', (a, b) => a.minimum(b));
binary('where', (a, b) => vg.where(a.detach().gt(0.1), a, b));
unary('where', (x) => vg.where(x.detach().gt(0.1), x, 2));
unary('where', (x) => vg.where(x.detach().gt(0.1), 2, x));

// One row per differentiable operation and kind of call. Derivatives are checked on every row
// (derivatives.test.ts), and every device computes every row as the reference does (test/devices).

import type { Tensor } from '../../src/index.js';
import * as vg from '../../src/index.js';
import { filled } from './numbers.js';

export interface Input {
  readonly shape: readonly number[];
  /** Values are spread over (from, to). */
  readonly from: number;
  readonly to: number;
}

export interface Row {
  /** The exported function or method. */
  readonly op: string;
  readonly title: string;
  readonly inputs: readonly Input[];
  readonly run: (...xs: Tensor[]) => Tensor | Tensor[];
}

type Shape = readonly number[];

/** Values of one input: a range, and its shapes, one per row. */
const range = (from: number, to: number, ...shapes: Shape[]): Input[] =>
  shapes.map((shape) => ({ shape, from, to }));

const ODD: readonly Shape[] = [[3, 1, 5], [], [0, 3]];
const wide = (...shapes: Shape[]) => range(-2, 2, ...shapes);
const positive = (...shapes: Shape[]) => range(0.3, 2.5, ...shapes);

const rows: Row[] = [];

function row(op: string, run: Row['run'], ...inputs: Input[]): void {
  const shapes = inputs.map(({ shape }) => `[${shape.join(', ')}]`).join(' × ');
  const source = run
    .toString()
    .replace(/\s+/g, ' ')
    .replaceAll(/__vite_ssr_import_\d+__\./g, '');
  rows.push({ op, title: `${op} ${shapes}: ${source}`, run, inputs });
}

/** A function of one tensor, on odd shapes with values of (from, to). */
function unary(op: string, run: (x: Tensor) => Tensor, from = -2, to = 2): void {
  for (const input of range(from, to, ...ODD)) row(op, run as Row['run'], input);
}

// ---- one argument ----

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

const BROADCASTS: readonly (readonly [Shape, Shape])[] = [
  [
    [3, 1, 5],
    [2, 5],
  ],
  [[], [3, 2]],
  [
    [2, 1, 3],
    [2, 4, 1],
  ],
  [[1], [0, 3]],
];

/** A function of two tensors; the values of the second lie between those of the first. */
function binary(op: string, run: (a: Tensor, b: Tensor) => Tensor, from = -2, to = 2): void {
  for (const [a, b] of BROADCASTS)
    row(op, run as Row['run'], ...range(from, to, a), ...range(from + 0.03, to + 0.03, b));
}

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

// ---- reductions ----

for (const [name, reduce] of [
  ['sum', (x: Tensor, ...a: Parameters<Tensor['sum']>) => x.sum(...a)],
  ['mean', (x: Tensor, ...a: Parameters<Tensor['mean']>) => x.mean(...a)],
  ['amax', (x: Tensor, ...a: Parameters<Tensor['amax']>) => x.amax(...a)],
  ['amin', (x: Tensor, ...a: Parameters<Tensor['amin']>) => x.amin(...a)],
  ['var', (x: Tensor, ...a: Parameters<Tensor['var']>) => x.var(...a)],
  ['std', (x: Tensor, ...a: Parameters<Tensor['std']>) => x.std(...a)],
] as const) {
  row(name, (x) => reduce(x), ...wide([3, 1, 5]));
  row(name, (x) => reduce(x, 0), ...wide([3, 1, 5]));
  row(name, (x) => reduce(x, [0, -1]), ...wide([3, 2, 5]));
  row(name, (x) => reduce(x, [2, 0], { keepdim: true }), ...wide([3, 2, 5]));
  row(name, (x) => reduce(x, 1), ...wide([0, 3]));
}
for (const input of wide([], [1])) {
  row('sum', (x) => x.sum(), input);
  row('mean', (x) => x.mean(0), input);
  row('amax', (x) => x.amax(), input);
  row('amin', (x) => x.amin(-1), input);
}
row('sum', (x) => x.sum(0), ...wide([0, 3]));
row('var', (x) => x.var(1, { correction: 0 }), ...wide([2, 3]));
row('std', (x) => x.std(1, { correction: 0, keepdim: true }), ...wide([2, 3]));
row('amax', (x) => vg.cat([x, x]).amax(0), ...wide([2, 3])); // ties share the gradient
row('logsumexp', (x) => x.logsumexp(1), ...wide([3, 2, 5]));
row('logsumexp', (x) => x.logsumexp([0, -1], { keepdim: true }), ...wide([3, 2, 5]));
for (const input of wide([3, 1, 5], [], [0, 3])) {
  row('softmax', (x) => x.softmax(-1), input);
  row('logSoftmax', (x) => x.logSoftmax(0), input);
}
row('softmax', (x) => x.softmax(1), ...wide([2, 3, 2]));
row('logSoftmax', (x) => x.logSoftmax(1), ...wide([2, 3, 2]));

// ---- shapes ----

row('reshape', (x) => x.reshape(5, -1), ...wide([3, 1, 5]));
row('reshape', (x) => x.reshape(1, 1), ...wide([]));
row('reshape', (x) => x.permute(2, 1, 0).reshape([15]), ...wide([3, 1, 5]));
row('view', (x) => x.contiguous().view([15, 1]), ...wide([3, 1, 5]));
row('permute', (x) => x.permute(2, 0, 1), ...wide([3, 1, 5]));
row('transpose', (x) => x.transpose(0, -1), ...wide([3, 1, 5]));
row('t', (x) => x.t(), ...wide([3, 2]));
row('expand', (x) => x.expand(2, 3, 4, -1), ...wide([3, 1, 5]));
row('expand', (x) => x.expand(2, 3), ...wide([]));
row('expandAs', (x) => x.expandAs(vg.zeros([2, 3], { device: 'cpu' })), ...wide([2, 1]));
row('sumToSize', (x) => x.sumToSize([1, 5]), ...wide([3, 2, 5]));
row('sumToSize', (x) => x.sumToSize([]), ...wide([3, 2]));
row('unsqueeze', (x) => x.unsqueeze(-1), ...wide([3, 2]));
row('squeeze', (x) => x.squeeze(), ...wide([3, 1, 5, 1]));
row('squeeze', (x) => x.squeeze(1), ...wide([3, 1, 5]));
row('flatten', (x) => x.flatten(1), ...wide([3, 1, 5]));
row('narrow', (x) => x.narrow(2, 1, 3), ...wide([3, 1, 5]));
row('narrow', (x) => x.narrow(0, -2, 0), ...wide([3, 2]));
row('slice', (x) => x.slice(1, 1, undefined, 3), ...wide([2, 6]));
row('slice', (x) => x.slice(0, -2, 3), ...wide([3, 2]));
row('select', (x) => x.select(1, -1), ...wide([2, 3, 2]));
row('flip', (x) => x.flip([0, 2]), ...wide([3, 1, 5]));
row('embed', (x) => vg.embed(x, [4, 9], [1, 2], { steps: [1, 3], value: 0.5 }), ...wide([2, 3]));
row('cat', (a, b) => vg.cat([a, b], 1), ...wide([2, 1, 3], [2, 4, 3]));
row('cat', (a, b) => vg.cat([a, b, a], -1), ...wide([3], [0]));
row('stack', (a, b) => vg.stack([a, b], 1), ...wide([2, 3], [2, 3]));
row('stack', (a, b) => vg.stack([b, a]), ...wide([], []));

/** Whole numbers on the device of `x`. */
const at = (x: Tensor, list: vg.NestedList): Tensor =>
  vg.tensor(list, { dtype: 'int64', device: x.device });

row('gather', (x) => x.gather(1, at(x, [[2, 0, 2, 1, 1]])), ...wide([1, 3]));
row('gather', (x) => x.gather(0, at(x, [[1], [1], [0]])), ...wide([2, 3]));
row('indexSelect', (x) => x.indexSelect(1, at(x, [2, 0, 2])), ...wide([2, 3, 2]));
row('indexSelect', (x) => x.indexSelect(0, at(x, [])), ...wide([2, 3]));

const PAIRS = [2, 1, 0, 2];
for (const mode of ['constant', 'reflect', 'replicate', 'circular'] as const) {
  row('pad', (x) => vg.pad(x, PAIRS, { mode }), ...wide([2, 4, 3]));
  row('pad', (x) => vg.pad(x, [-1, 2], { mode }), ...wide([2, 4]));
}
row('pad', (x) => vg.pad(x, [1, 0, 2, 3], { value: 1.5 }), ...wide([0, 2]));

// ---- conversions and copies ----

row('clone', (x) => x.clone(), ...wide([3, 1, 5]));
row('contiguous', (x) => x.transpose(0, 2).contiguous(), ...wide([3, 1, 5]));

// ---- products ----

row('bmm', (a, b) => a.bmm(b), ...wide([2, 3, 1], [2, 1, 4]));
row('bmm', (a, b) => a.bmm(b), ...wide([2, 3, 0], [2, 0, 2]));
row('mm', (a, b) => a.mm(b), ...wide([3, 2], [2, 5]));
for (const [a, b] of [
  [[3], [3]],
  [[3], [3, 2]],
  [[2, 3], [3]],
  [
    [2, 3],
    [3, 1],
  ],
  [
    [2, 1, 3, 2],
    [3, 2, 3],
  ],
  [[2], [3, 2, 4]],
  [[3, 2, 4], [4]],
  [
    [0, 2, 3],
    [3, 2],
  ],
])
  row('matmul', (x, y) => x.matmul(y), ...wide(a, b));
row('linear', (x, w, b) => vg.linear(x, w, b), ...wide([2, 1, 3], [4, 3], [4]));
row('linear', (x, w) => vg.linear(x, w), ...wide([3], [2, 3]));

// ---- pooling ----

row('maxPool1d', (x) => vg.maxPool1d(x, 3, { stride: 2, padding: 1 }), ...wide([2, 1, 7]));
row('maxPool1d', (x) => vg.maxPool1d(x, 2, { ceilMode: true }), ...wide([2, 5]));
row('maxPool2d', (x) => vg.maxPool2d(x, [2, 3], { stride: [2, 1] }), ...wide([1, 2, 5, 4]));
row('maxPool2d', (x) => vg.maxPool2d(x, 2, { dilation: 2 }), ...wide([0, 2, 4, 4]));
row('maxPool3d', (x) => vg.maxPool3d(x, 2), ...wide([1, 2, 4, 3, 5]));
row('maxPool3d', (x) => vg.maxPool3d(x, 2, { stride: 1, padding: 1 }), ...wide([1, 2, 3, 2]));
row('maxPool3dWithIndices', (x) => vg.maxPool3dWithIndices(x, 2).output, ...wide([1, 1, 2, 3, 4]));

// ---- in place ----

row('add_', (x, y) => x.clone().add_(y, { alpha: 2 }), ...wide([3, 1, 2], [2]));
row('sub_', (x, y) => x.clone().sub_(y), ...wide([3, 2], []));
row('mul_', (x, y) => x.clone().mul_(y), ...wide([3, 2], [3, 1]));
row('div_', (x, y) => x.clone().div_(y), ...positive([3, 2], [3, 1]));
row('relu_', (x) => x.clone().relu_(), ...wide([3, 5]));
row('clamp_', (x) => x.clone().clamp_({ min: -0.5 }), ...wide([3, 5]));
row('fill_', (x) => x.clone().fill_(3).add(x), ...wide([3, 2]));
row('zero_', (x) => x.clone().zero_().add(x), ...wide([3, 2]));
row('copy_', (x, y) => x.clone().copy_(y).mul(x), ...wide([3, 2], [2]));

export const operationRows: readonly Row[] = rows;

/** The inputs of a row: float64 on the cpu. */
export const inputsOf = (r: Row): Tensor[] =>
  r.inputs.map(({ shape, from, to }) => filled(shape, from, to));

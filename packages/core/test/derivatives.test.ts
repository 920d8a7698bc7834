// First and second derivatives of every differentiable operation against central differences, in
// float64, in the slow and the fast mode of gradcheck, from contiguous and strided memory.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromHost, gradcheck, gradgradcheck, type Tensor, where } from '../src/index.js';
import { convolutionDerivatives } from './support/convolution-derivatives.js';
import { LAYOUTS } from './support/layouts.js';
import { inputsOf, operationRows } from './support/operations.js';

/** Every entry where it matters most; one random projection elsewhere. */
const MODES = [
  { layout: 'contiguous', mode: 'slow', fastMode: false },
  { layout: 'permuted', mode: 'fast', fastMode: true },
  { layout: 'strided', mode: 'fast', fastMode: true },
] as const;

describe.each(MODES)('derivatives, $mode mode, $layout inputs', ({ layout, fastMode }) => {
  it.each(operationRows.map((r) => [r.title, r] as const))('%s', (_, r) => {
    const leaves = () => inputsOf(r).map((x) => LAYOUTS[layout](x).requiresGrad_());
    expect(gradcheck(r.run, leaves(), { fastMode })).toBe(true);
    expect(gradgradcheck(r.run, leaves(), { fastMode })).toBe(true);
  });
});

// ---- nothing is forgotten ----

const because = (reason: string, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, reason]));

/** Exports of src/ops that carry no gradient, or whose gradient is checked elsewhere. */
const WITHOUT_ROW: Readonly<Record<string, string>> = {
  ...because('a comparison gives bool', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'isclose'),
  ...because('gives bool', 'logicalNot', 'logicalAnd', 'logicalOr', 'logicalXor', 'all', 'any'),
  ...because('gives bool', 'isnan', 'isinf', 'isfinite', 'isposinf', 'isneginf', 'signbit', 'bool'),
  ...because('gives bool', 'isin'),
  ...because('gives a boolean', 'allclose', 'equal'),
  ...because('gives positions', 'argmax', 'argmin', 'argsort', 'searchsorted', 'bucketize'),
  ...because('gives positions', 'nonzero', 'flatNonzero', 'argwhere'),
  ...because('counts', 'countNonzero', 'bincount', 'histc', 'histogram'),
  ...because('no derivative in PyTorch either', 'unique', 'uniqueConsecutive'),
  ...because('takes integers', 'bitwiseAnd', 'bitwiseOr', 'bitwiseXor', 'bitwiseNot'),
  ...because('takes integers', 'bitwiseLeftShift', 'bitwiseRightShift'),
  ...because('takes integers', 'gcd', 'lcm', 'gcd_', 'lcm_', 'bitwiseNot_', 'bitwiseAnd_'),
  ...because('takes integers', 'bitwiseOr_', 'bitwiseXor_'),
  ...because('takes integers', 'bitwiseLeftShift_', 'bitwiseRightShift_'),
  ...because('gives integers', 'long', 'int', 'short', 'char', 'byte'),
  ...because('float64 only: pow', 'floatPower', 'floatPower_'),
  ...because(
    'too coarse for differences: autograd.test.ts',
    ...['to', 'cast', 'typeAs', 'double', 'float', 'half', 'bfloat16'],
  ),
  ...because(
    'random; its gradient of 0 is checked in autograd.test.ts',
    ...['uniform_', 'normal_', 'bernoulli_', 'exponential_', 'geometric_', 'cauchy_'],
    ...['logNormal_', 'random_'],
  ),
  ...because(
    'needs kernels of a device: packages/wasm/test/batch-norm.test.ts',
    ...['nativeBatchNorm', 'channelAffine', 'fusesRelu', 'hasBatchNorm'],
  ),
  ...because('random draws', 'bernoulli', 'poisson', 'normal', 'multinomial'),
  ...because('what random operations are made with', 'overwrite', 'sample', 'numbersOf'),
  ...because('what convolutions check their tensors with', 'checkTensors'),
  ...because(
    'what other operations are made with',
    'anyDtype',
    'defineBinary',
    'real',
    'withRealValues',
    'otherFactors',
    ...['place', 'placeSaved', 'placeConstant', 'matricesOf', 'pivotsOf', 'invertInto'],
    'aroundAxis',
  ),
  ...because('the derivative of gather; its own is checked by gradgradcheck', 'scatterAddOp'),
  ...because("the row is called 'var', as the method", 'variance'),
  ...because('fillDiagonal_ writes what it gives', 'fillDiagonal'),
  ...because('pad, by axes', 'padAxes'),
  ...because('makes a constant', 'indexTensor'),
  ...because('the sign within derivatives, which passes nothing back', 'slopeSign'),
  ...because('avgPool and adaptiveAvgPool behind their checks', 'meanPool'),
  ...because('maxPool and adaptiveMaxPool behind their checks', 'pickMaxima'),
  ...because('unfoldDim, and the two axes of unfold and fold', 'slidingWindows', 'overlapAdd'),
  ...because('conv3d and convTranspose3d behind their checks', 'conv', 'convTransposed'),
  ...because(
    'the derivative of conv; its own is checked by gradgradcheck',
    ...['convBackward', 'convInput', 'convWeight'],
  ),
};

/** Files of src/ops that hold no operations. */
const NO_OPERATIONS = ['operands.ts', 'conv/geometry.ts', 'pool-geometry.ts'];

const OPS = new URL('../src/ops/', import.meta.url);

async function exportedFunctions(): Promise<[name: string, value: unknown][]> {
  const files = readdirSync(OPS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !NO_OPERATIONS.includes(file),
  );
  const modules = await Promise.all(
    files.map((file): Promise<object> => import(/* @vite-ignore */ new URL(file, OPS).href)),
  );
  return modules.flatMap((module) =>
    Object.entries(module).filter(([, value]) => typeof value === 'function'),
  );
}

it('every function of src/ops has a row in operations.ts or a reason for having none', async () => {
  const rows = new Set([...operationRows, ...convolutionDerivatives].map((r) => r.op));
  const functions = await exportedFunctions();
  expect(functions.length).toBeGreaterThan(80);
  // A second name of a function needs no row of its own.
  const known = functions.filter(([name]) => rows.has(name) || name in WITHOUT_ROW);
  const values = new Set(known.map(([, value]) => value));
  expect(functions.filter(([, value]) => !values.has(value)).map(([name]) => name)).toEqual([]);
  const names = functions.map(([name]) => name);
  const stale = Object.keys(WITHOUT_ROW).filter((name) => !names.includes(name));
  expect(stale).toEqual([]);
});

it('what has no row because it carries no gradient carries none', () => {
  const flags: Record<string, (x: Tensor) => Tensor> = {
    eq: (x) => x.eq(1),
    ne: (x) => x.ne(1),
    lt: (x) => x.lt(1),
    le: (x) => x.le(1),
    gt: (x) => x.gt(1),
    ge: (x) => x.ge(1),
    logicalNot: (x) => x.logicalNot(),
    logicalAnd: (x) => x.logicalAnd(x),
    logicalOr: (x) => x.logicalOr(x),
    logicalXor: (x) => x.logicalXor(x),
    isnan: (x) => x.isnan(),
    isinf: (x) => x.isinf(),
    isfinite: (x) => x.isfinite(),
    all: (x) => x.all(),
    any: (x) => x.any(),
    argmax: (x) => x.argmax(),
    argmin: (x) => x.argmin(),
    bool: (x) => x.bool(),
    long: (x) => x.long(),
  };
  const [x] = inputsOf(operationRows[0]);
  x.requiresGrad = true;
  for (const [name, op] of Object.entries(flags)) expect(op(x).requiresGrad, name).toBe(false);
});

describe('no gradient comes out of an infinite one where there is none', () => {
  const infinite = () => fromHost(Float64Array.of(Infinity, Infinity), 'float64', [2]);
  const x = () => fromHost(Float64Array.of(-1, 2), 'float64', [2], { requiresGrad: true });
  it.each<[string, (x: Tensor) => Tensor]>([
    ['where', (x) => where(x.detach().gt(0), x, 5)],
    ['relu', (x) => x.relu()],
    ['clamp', (x) => x.clamp({ min: 0 })],
  ])('%s', (_, op) => {
    const leaf = x();
    op(leaf).backward(infinite());
    expect(leaf.grad?.tolist()).toEqual([0, Infinity]); // as PyTorch
  });
});

// First and second derivatives of every differentiable operation against central differences, in
// float64, in the slow and the fast mode of gradcheck, from contiguous and strided memory.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gradcheck, gradgradcheck, type Tensor } from '../src/index.js';
import { convolutionDerivatives } from './support/convolutionDerivatives.js';
import { LAYOUTS } from './support/layouts.js';
import { inputsOf, operationRows } from './support/operations.js';

describe.each([
  ['slow', false],
  ['fast', true],
])('derivatives, %s mode', (_, fastMode) => {
  describe.each(Object.entries(LAYOUTS))('%s inputs', (_, layout) => {
    it.each(operationRows.map((r) => [r.title, r] as const))('%s', (_, r) => {
      const leaves = () => inputsOf(r).map((x) => layout(x).requiresGrad_());
      expect(gradcheck(r.run, leaves(), { fastMode })).toBe(true);
      expect(gradgradcheck(r.run, leaves(), { fastMode })).toBe(true);
    });
  });
});

// ---- nothing is forgotten ----

/** Exports of src/ops that carry no gradient, or whose gradient is checked elsewhere. */
const WITHOUT_ROW: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].map((op) => [op, 'a comparison gives bool']),
  ),
  ...Object.fromEntries(
    ['logicalNot', 'logicalAnd', 'logicalOr', 'logicalXor', 'isnan', 'isinf', 'isfinite'].map(
      (op) => [op, 'gives bool'],
    ),
  ),
  all: 'gives bool',
  any: 'gives bool',
  argmax: 'gives positions',
  argmin: 'gives positions',
  bool: 'gives bool',
  long: 'gives integers',
  to: 'float32 is too coarse for differences: autograd.test.ts',
  cast: 'float32 is too coarse for differences: autograd.test.ts',
  double: 'float32 is too coarse for differences: autograd.test.ts',
  float: 'float32 is too coarse for differences: autograd.test.ts',
  uniform_: 'random; its gradient of 0 is checked in autograd.test.ts',
  normal_: 'random; its gradient of 0 is checked in autograd.test.ts',
  bernoulli_: 'random; its gradient of 0 is checked in autograd.test.ts',
  variance: "the row is called 'var', as the method",
  padAxes: 'pad, by axes',
  indexTensor: 'makes a constant',
  poolOutputSize: 'arithmetic of sizes',
  convBackward: 'the derivative of conv; its own is checked by gradgradcheck',
  conv: 'conv3d behind its checks',
  convInput: 'the derivative of conv; its own is checked by gradgradcheck',
  convWeight: 'the derivative of conv; its own is checked by gradgradcheck',
  convTransposed: 'convTranspose3d behind its checks',
};

/** Files of src/ops that hold no operations. */
const NO_OPERATIONS = ['operands.ts', 'conv/geometry.ts'];

const OPS = new URL('../src/ops/', import.meta.url);

async function exportedFunctions(): Promise<string[]> {
  const files = readdirSync(OPS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !NO_OPERATIONS.includes(file),
  );
  const modules = await Promise.all(
    files.map((file): Promise<object> => import(/* @vite-ignore */ new URL(file, OPS).href)),
  );
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
}

it('every function of src/ops has a row in operations.ts or a reason for having none', async () => {
  const rows = new Set([...operationRows, ...convolutionDerivatives].map((r) => r.op));
  const functions = await exportedFunctions();
  expect(functions.length).toBeGreaterThan(80);
  const forgotten = functions.filter((name) => !rows.has(name) && !(name in WITHOUT_ROW));
  expect(forgotten).toEqual([]);
  const stale = Object.keys(WITHOUT_ROW).filter((name) => !functions.includes(name));
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

// What TypeScript would not let through is refused to plain JavaScript too, by every function, method
// and class: an argument too many, anything but a number where one belongs, and first arguments of
// classes that are nothing of the kind.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import BUILDING_BLOCKS from '../../../scripts/building-blocks.json' with { type: 'json' };
import * as coreExports from '../../core/src/index.js';
import { MORE_METHODS } from '../../core/src/more-signatures.js';
import { METHODS, OTHER_METHODS } from '../../core/src/signatures.js';
import * as vg from '../src/index.js';

type Loose = (...args: readonly unknown[]) => unknown;
type Class = new (...args: readonly unknown[]) => unknown;

const x = () =>
  vg.tensor([
    [1, 2],
    [3, 4],
  ]);
const isFunction = (value: unknown): value is Loose => typeof value === 'function';

type Row = [name: string, f: Loose, parameters: string[]];
const parametersIn = (text: string) => (text === '' ? [] : text.split(', '));

/** The functions of `home` that a generated file of checked functions has. */
function checkedIn(home: object, file: string): Row[] {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const rows = source.matchAll(/guard(?:Hiding)?\(\s*'(\w+)',\s*'([^']*)'/g);
  return [...rows].map(([, name, text]) => [name, Reflect.get(home, name), parametersIn(text)]);
}

const GUARDED = checkedIn(vg, 'core/src/checked.ts');
const HOMES: [string, Row[]][] = [
  ['voxgrad', GUARDED],
  ['F', checkedIn(vg.F, 'nn/src/functional-checked.ts')],
  ['init', checkedIn(vg.init, 'nn/src/init-checked.ts')],
];

it('the signatures are those of the types', { timeout: 120_000 }, () => {
  const script = fileURLToPath(new URL('../../../scripts/signatures.mjs', import.meta.url));
  const { status, stderr } = spawnSync('node', [script, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('covers what there is', () => {
  const guarded = new Set(GUARDED.map(([name]) => name));
  const open = Object.entries(vg).flatMap(([name, f]) =>
    isFunction(f) && /^[a-z]/.test(name) && !guarded.has(name) ? [name] : [],
  );
  // What core exports is checked, but for what is named there; other packages check for themselves.
  const core = new Set(Object.keys(coreExports));
  expect(open.filter((name) => core.has(name)).sort()).toEqual([...BUILDING_BLOCKS].sort());
  expect(GUARDED.length).toBeGreaterThan(350);
  expect(METHOD_ROWS.length).toBeGreaterThan(400);
  expect(METHOD_ROWS.find(([name]) => name === 'cat')?.[2]).toEqual(['x', 'others', '#dim?']);
  const all = new Set(METHOD_ROWS.map(([name]) => name));
  expect(OTHER_METHODS.split(' ').filter((name) => !all.has(name))).toEqual([]);
});

describe.each(HOMES)('%s', (_, functions) => {
  it.each(functions)('%s', (name, f, names) => {
    if (!names.at(-1)?.startsWith('...')) {
      const surplus = [...names.map(() => undefined), 7];
      expect(() => f(...surplus)).toThrow(vg.VoxgradError);
      expect(() => f(...surplus)).toThrow(/ takes /);
    }
    names.forEach((argument, at) => {
      if (!argument.startsWith('#')) return;
      const args = names.map((other) => (other.startsWith('#') ? 1 : x()));
      args[at] = {} as never;
      expect(() => f(...args), `${name} ${argument}`).toThrow(/expected a number for/);
    });
  });
});

const METHOD_ROWS = Object.entries({ ...METHODS, ...MORE_METHODS }).flatMap(([text, names]) =>
  names
    .split(' ')
    .map((name): Row => [name, Reflect.get(vg.Tensor.prototype, name), parametersIn(text)]),
);

describe('methods', () => {
  it.each(METHOD_ROWS)('%s', (_name, method, names) => {
    if (!names.at(-1)?.startsWith('...')) {
      const surplus = [...names.slice(1).map(() => undefined), 7];
      expect(() => method.apply(x(), surplus)).toThrow(/ takes /);
    }
    names.forEach((argument, at) => {
      if (at === 0 || !argument.startsWith('#')) return;
      const args: unknown[] = names.slice(1).map((other) => (other.startsWith('#') ? 1 : x()));
      args[at - 1] = { [argument.replace(/[#?]/g, '')]: 1 };
      expect(() => method.apply(x(), args)).toThrow(/expected a number for .*give it by position/);
    });
  });
});

const classesOf = (home: object): [string, Class][] =>
  Object.entries(home).flatMap(([name, value]): [string, Class][] =>
    typeof value === 'function' && /^[A-Z]/.test(name) ? [[name, value as unknown as Class]] : [],
  );

const optimizer = () => new vg.optim.SGD([new vg.nn.Parameter(x())], { lr: 0.1 });
const BAD: readonly unknown[] = [
  null,
  undefined,
  1,
  -1,
  'x',
  {},
  [],
  [null],
  [1],
  () => 1,
  Number.NaN,
];

/** The text of an error that is not voxgrad's, of making an object or of its first use. */
function bareError(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    if (!(error instanceof vg.VoxgradError)) return String(error);
  }
  return undefined;
}

const CLASSES: [string, [string, Class][]][] = [
  ['nn', classesOf(vg.nn)],
  [
    'optim',
    classesOf(vg.optim).filter(([name]) => !/^(PerParameter)?Optimizer$|^Averaged/.test(name)),
  ],
  ['lrScheduler', classesOf(vg.optim.lrScheduler).filter(([name]) => name !== 'LRScheduler')],
  ['data', classesOf(vg.data)],
];

describe.each(CLASSES)('classes of %s', (home, classes) => {
  it.each(classes)('%s', (name, Made) => {
    for (const first of BAD) {
      expect(
        bareError(() => new Made(first)),
        `new ${name}(${String(first)})`,
      ).toBeUndefined();
      for (const second of BAD)
        for (const start of home === 'lrScheduler' ? [optimizer(), first] : [first, x()]) {
          const call = () => new Made(start, second, second);
          expect(bareError(call), `new ${name}(…, ${String(second)})`).toBeUndefined();
        }
    }
    if (home !== 'nn' || /^(Identity|Sequential|Module|Parameter)$/.test(name)) return;
    const surplus = [...new Array<undefined>(6), 7];
    expect(() => new Made(...surplus)).toThrow(vg.VoxgradError);
  });
});

describe('in the words of what was called', () => {
  const loose = (f: unknown) => f as Loose;
  const made = (Made: unknown, ...args: unknown[]) => new (Made as Class)(...args);
  const parameter = () => new vg.nn.Parameter(x());
  it.each<[string, () => unknown, string | RegExp]>([
    ['a pool’s padding', () => made(vg.nn.MaxPool3d, 3, 2, 1), '{ stride: 2, padding: 1 }'],
    ['F.avgPool3d', () => loose(vg.F.avgPool3d)(x(), 3, 2, 1), '{ stride: 2, padding: 1 }'],
    ['norm({ p })', () => x().norm({ p: 1 } as never), /norm\(\): expected a number/],
    ['Linear(2)', () => made(vg.nn.Linear, 2), "Linear(): expected a number for 'outFeatures'"],
    [
      'softmax',
      () => loose(vg.F.softmax)(x(), { dim: 0 }),
      "softmax(): expected a number for 'dim'",
    ],
    ['InstanceNorm3d', () => made(vg.nn.InstanceNorm3d, { numFeatures: 2 }), 'give it by position'],
    ['ReflectionPad3d', () => made(vg.nn.ReflectionPad3d, 1, 2), 'takes at most (padding)'],
    ['Softmax', () => made(vg.nn.Softmax, 1, { bogus: 1 }), 'takes at most (dim)'],
    ['a layer without options', () => made(vg.nn.Sigmoid, 5), 'Sigmoid() takes no arguments'],
    ['ldexp', () => vg.ldexp(x(), {} as never), 'expected a Tensor or a number'],
    ['logit', () => vg.logit(x(), { ep: 0.1 } as never), "did you mean 'eps'"],
    [
      'clipGradValue',
      () => loose(vg.nn.utils.clipGradValue_)([parameter()], undefined),
      'clipValue',
    ],
    ['a generator', () => vg.rand([1], { generator: 5 as never }), "a Generator for 'generator'"],
    ['setState', () => new vg.Generator().setState({} as never), 'setState()'],
    [
      'unique({ dim })',
      () => vg.unique(x(), { dim: 0 } as never),
      'along a dim are not implemented',
    ],
    ['unflatten', () => x().unflatten(0, 2 as never), "a list of numbers for 'sizes'"],
    ['fill_', () => x().fill_(x() as never), 'only supports 0-dimension'],
    ['broadcastShapes', () => vg.broadcastShapes(1 as never), 'broadcastShapes()'],
    [
      'EMA',
      () => new vg.optim.ExponentialMovingAverage([x()]).loadStateDict(null as never),
      'a Map',
    ],
    ['GradScaler', () => new vg.optim.GradScaler().step(null as never), 'is not an Optimizer'],
    ['update', () => new vg.optim.GradScaler().update('x' as never), 'newScale'],
    ['F.multiHeadAttention', () => loose(vg.F.multiHeadAttention)(), 'multiHeadAttention()'],
    ...Object.entries(vg.nn.utils.parametrize)
      .filter(([name]) => !/^[A-Z]/.test(name))
      .map(([name, f]): [string, () => unknown, string] => [
        name,
        () => loose(f)(null),
        'a Module',
      ]),
    [
      'a module without forward',
      () => loose(Reflect.get(vg.nn.Module.prototype, 'call')).call(made(vg.nn.Module)),
      'missing the required "forward"',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(vg.VoxgradError);
    expect(call).toThrow(message);
  });
});

describe('what PyTorch takes is taken', () => {
  it('flip with dims one by one', () => {
    const wanted = [
      [4, 3],
      [2, 1],
    ];
    for (const y of [x().flip(0, 1), x().flip([0, 1]), vg.flip(x(), 0, 1), vg.flip(x(), [-1, 0])])
      expect(y.tolist()).toEqual(wanted);
  });

  it('numbers as bases, and the order first', () => {
    expect(vg.pow(2, vg.tensor([1n, 2n])).tolist()).toEqual([2n, 4n]);
    expect(vg.pow(2.5, vg.tensor([1n, 2n])).tolist()).toEqual([2.5, 6.25]);
    expect(vg.floatPower(2, vg.tensor([1n, 2n])).dtype).toBe('float64');
    expect(vg.polygamma(1, x()).tolist()).toEqual(vg.polygamma(x(), 1).tolist());
    const z = vg.tensor([1, 2], { requiresGrad: true });
    vg.pow(2, z).sum().backward();
    expect(z.grad?.tolist()).toEqual([2, 4].map((v) => Math.fround(v * Math.fround(Math.LN2))));
  });

  it('fill_ with a tensor of no dims, which gets the gradient', () => {
    const value = vg.tensor(3, { requiresGrad: true });
    x().mul(1).fill_(value).sum().backward();
    expect(value.grad?.item()).toBe(4);
  });

  it('the tensors of norms by position', () => {
    const y = vg.tensor([
      [1, 2, 5],
      [3, 4, 1],
    ]);
    const [mean, variance, w, b] = [
      [1, 2, 3],
      [4, 5, 6],
      [1, 2, 1],
      [0, 1, 2],
    ].map((v) => vg.tensor(v));
    const same = (a: vg.Tensor, c: vg.Tensor) => expect(a.tolist()).toEqual(c.tolist());
    same(
      vg.F.batchNorm(y, mean, variance, w, b),
      vg.F.batchNorm(y, { runningMean: mean, runningVar: variance, weight: w, bias: b }),
    );
    same(vg.F.batchNorm(y, null, null, { training: true }), vg.F.batchNorm(y, { training: true }));
    same(
      vg.F.layerNorm(y, [3], w, b, { eps: 1 }),
      vg.F.layerNorm(y, [3], { weight: w, bias: b, eps: 1 }),
    );
    same(vg.F.groupNorm(y, 3, null, b, { eps: 1 }), vg.F.groupNorm(y, 3, { bias: b, eps: 1 }));
    const z = y.unsqueeze(0);
    same(
      vg.F.instanceNorm(z, null, null, null, null, { eps: 1 }),
      vg.F.instanceNorm(z, { eps: 1 }),
    );
    expect(() => vg.F.layerNorm(y, [3], w, b, 1e-5 as never)).toThrow(/options object/);
  });
});

describe('numbers of PyTorch', () => {
  it('slopes of smoothL1Loss with beta 0 at a tie', () => {
    const [a, b] = [1, 2].map(() => vg.tensor([1, 2], { requiresGrad: true }));
    vg.F.smoothL1Loss(a, b, { beta: 0, reduction: 'sum' }).backward();
    expect([a.grad?.tolist(), b.grad?.tolist()]).toEqual([
      [-1, -1],
      [-1, -1],
    ]);
  });

  it('edges of an empty histogram', () => {
    expect(vg.histogram(vg.zeros([0]), 4).binEdges.tolist()).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  it.each(['float32', 'float64', 'float16'] as const)('integers of %s out of range', (dtype) => {
    const y = vg.tensor([Number.NaN, Infinity, -Infinity, -300.5, 300], { dtype, device: 'cpu' });
    const least = -2147483648;
    expect(y.int().tolist()).toEqual([least, least, least, -300, 300]);
    expect(y.short().tolist()).toEqual([0, 0, 0, -300, 300]);
    expect(y.byte().tolist()).toEqual([0, 0, 0, 212, 44]);
  });
});

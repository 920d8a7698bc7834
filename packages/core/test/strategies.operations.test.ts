// Operations other than convolutions behind the registry: those that bring strategies, recorded ones
// whose forward a user replaces, and a user's own.

import { afterEach, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { defined, expectClose, filled, thrownBy } from './support/numbers.js';

const { strategies } = vg;

/** The reference device with kernels for batch norm and Adam, as faster devices bring them. */
const fast = (() => {
  const composed = (x: vg.View) => new vg.Tensor({ device: vg.cpu, ...x });
  const kernels: vg.Kernels = {
    ...vg.cpuKernels,
    batchNorm(view, _weight, _bias, eps) {
      const x = composed(view);
      const axes = x.shape.flatMap((_, i) => (i === 1 ? [] : [i]));
      const mean = x.mean(axes, { keepdim: true });
      const variance = x.sub(mean).square().mean(axes, { keepdim: true });
      const y = x.sub(mean).div(variance.add(eps).sqrt());
      return { y: y.storage, mean: mean.storage, variance: variance.storage };
    },
    adamStep(views) {
      composed(views.parameter).fill_(42);
    },
  };
  return new vg.Device('fast', 'cpu', vg.cpu.capabilities, kernels);
})();

const names = (entries: readonly vg.TraceEntry[]) => entries.map((e) => `${e.op} ${e.strategy}`);

const added: [op: string, name: string][] = [];

/** Registers a strategy until the end of the test. */
function add<C, T, R>(strategy: vg.Strategy<C, T, R>): void {
  strategies.register(strategy);
  added.push([strategy.op, strategy.name]);
}

afterEach(() => {
  for (const [op, name] of added.splice(0)) strategies.unregister(op, name);
  strategies.use({ 'batchNorm.forward': null });
});

describe('batch norm', () => {
  const norm = (device: vg.Device) => {
    const x = filled([2, 3, 4, 2]).to(device).requiresGrad_();
    const w = filled([3]).to(device).requiresGrad_();
    const b = filled([3]).to(device).requiresGrad_();
    const { y } = vg.nativeBatchNorm(x, w, b, 1e-5);
    return { leaves: [x, w, b], y };
  };

  it('lists what runs where, with reasons', () => {
    const [fused, composite] = strategies.list('batchNorm.forward', 'cpu');
    expect(fused).toMatchObject({ name: 'fused', kind: 'fused', ok: false });
    expect(fused.reasons).toEqual(['the device has no batchNorm kernel']);
    expect(composite).toMatchObject({ name: 'composite', ok: true });
    expect(strategies.list('batchNorm.forward', fast)[0]).toMatchObject({ ok: true });
    expect(strategies.list('batchNorm', fast)[0].reasons).toEqual([
      'the device has no batchNormBackward kernel',
    ]);
  });

  it('explains a call that a user writes', () => {
    const call = { input: [2, 3, 4, 2], dtype: 'float64' };
    expect(strategies.explain('batchNorm.forward', call, fast).chosen).toBe('fused');
    expect(strategies.explain('batchNorm.forward', call, 'cpu').chosen).toBe('composite');
    expect(
      strategies.explain('batchNorm.forward', { input: [2, 3], dtype: 'float16' }, fast),
    ).toMatchObject({
      chosen: 'composite',
      considered: [{ reasons: ['batchNorm takes float32 and float64, not float16'] }, {}],
    });
    expect(thrownBy(() => strategies.explain('batchNorm', { shape: [1] })).message).toContain(
      "explain('batchNorm'): expected a call with input: number[]",
    );
  });

  it('forward and backward run what use and with say', () => {
    const run = () => norm(fast).y.sum().backward();
    expect(names(strategies.trace(run))).toEqual([
      'batchNorm.forward fused',
      'batchNorm composite',
    ]);
    strategies.use({ 'batchNorm.forward': 'composite' });
    expect(names(strategies.trace(run))[0]).toBe('batchNorm.forward composite');
    strategies.with({ 'batchNorm.forward': 'fused' }, () => {
      expect(names(strategies.trace(run))[0]).toBe('batchNorm.forward fused');
    });
    expect(thrownBy(() => strategies.with({ batchNorm: 'fused' }, run)).message).toBe(
      "batchNorm: the forced strategy 'fused' cannot run on fast: the device has no batchNormBackward kernel",
    );
  });

  it('has derivatives of every order', () => {
    const f = (x: vg.Tensor, w: vg.Tensor, b: vg.Tensor) => vg.nativeBatchNorm(x, w, b, 1e-3).y;
    const inputs = [filled([2, 2, 3]), filled([2]), filled([2])].map((t) => t.requiresGrad_());
    expect(vg.gradcheck(f, inputs)).toBe(true);
    expect(vg.gradgradcheck(f, inputs)).toBe(true);
  });

  it("takes a user's backward, and checks what it returns", () => {
    const mine: vg.Strategy<never, { input: vg.Tensor; weight: vg.Tensor }, unknown> = {
      op: 'batchNorm',
      name: 'mine',
      kind: 'custom',
      supports: () => ({ ok: true, reasons: ['always'] }),
      cost: () => 0,
      run: (_, { input, weight }) => [input.mul(0).add(7), weight, weight],
    };
    add(mine);
    const { leaves, y } = norm(vg.cpu);
    y.sum().backward();
    expect(defined(leaves[0].grad).flatten().tolist()).toEqual(new Array(48).fill(7));
    strategies.unregister('batchNorm', 'mine');
    add({ ...mine, run: () => [null, null, null] });
    expect(thrownBy(() => norm(vg.cpu).y.sum().backward()).message).toContain(
      "strategy 'mine' of batchNorm must return the gradient of the input as a Tensor",
    );
  });
});

describe('a step of Adam', () => {
  const step = (device: vg.Device) => {
    const [parameter, gradient, mean, square] = [1, 2, 3, 4].map((n) =>
      vg.full([5], n, { device }),
    );
    vg.adamStep(
      { parameter, gradient, mean, square, largest: null },
      { beta1: 0.5, beta2: 0.75, eps: 0, size: 0.25, root: 2 },
    );
    return parameter;
  };

  it('composed: p − size·m / (√v / root)', () => {
    const m = 0.5 * 3 + 0.5 * 2;
    const v = 0.75 * 4 + 0.25 * 2 ** 2;
    expect(step(vg.cpu).tolist()).toEqual(new Array(5).fill(1 - (0.25 * m) / (Math.sqrt(v) / 2)));
  });

  it('fused where the device has a kernel, and counted as an in-place write', () => {
    const entries = strategies.trace(() => {
      const parameter = step(fast);
      expect(parameter.tolist()).toEqual(new Array(5).fill(42));
      expect(parameter.storage.version).toBeGreaterThan(0);
    });
    expect(names(entries)).toEqual(['adam.step fused']);
    strategies.with({ 'adam.step': 'composite' }, () => {
      expect(step(fast).tolist()).toEqual(step(vg.cpu).tolist());
    });
  });

  it('composed where tensors do not fit the kernel', () => {
    const call = { parameter: [5], dtype: 'float32', plain: false };
    expect(strategies.explain('adam.step', call, fast)).toMatchObject({
      chosen: 'composite',
      considered: [{ reasons: ['adamStep takes contiguous tensors of one dtype and device'] }, {}],
    });
  });
});

describe('max pooling', () => {
  const inputs: [string, () => vg.Tensor][] = [
    ['plain values', () => filled([2, 3, 5, 7, 6])],
    ['equal values', () => vg.ones([1, 2, 5, 4, 6])],
    ['NaN', () => vg.where(filled([2, 2, 5, 6, 7]).gt(0.3), Number.NaN, filled([2, 2, 5, 6, 7]))],
    ['−∞', () => vg.full([1, 1, 4, 4, 4], Number.NEGATIVE_INFINITY)],
  ];
  const options: [string, vg.MaxPoolOptions][] = [
    ['by 2', {}],
    ['overlapping', { stride: 1 }],
    ['padded, dilated, ceiled', { stride: 2, padding: 1, dilation: 2, ceilMode: true }],
  ];

  it.each(inputs.flatMap((a) => options.map((b) => [a[0], b[0], a[1], b[1]] as const)))(
    'composite finds the places of the kernel: %s, %s',
    (_, __, x, option) => {
      const run = (strategy: string) =>
        strategies.with({ maxPool: strategy }, () => vg.maxPool3dWithIndices(x(), 2, option));
      const [a, b] = [run('fused'), run('composite')];
      expect(b.indices.flatten().tolist()).toEqual(a.indices.flatten().tolist());
      expect(b.output.flatten().tolist()).toEqual(a.output.flatten().tolist());
    },
  );

  it('explains and traces, by its plain name too', () => {
    const entries = strategies.trace(() => vg.maxPool2d(filled([1, 2, 4, 4]), 2));
    expect(names(entries)).toEqual(['maxPool.forward fused']);
    expect(strategies.explain('maxPool', entries[0].call as object).chosen).toBe('fused');
  });
});

describe('sums over windows', () => {
  const options = { stride: 2, padding: 1, ceilMode: true, countIncludePad: false };
  const derive = (x: vg.Tensor) => {
    const leaf = x.detach().requiresGrad_();
    const y = vg.avgPool3d(leaf, 3, options);
    return [y, ...vg.grad(y.mul(y).sum(), leaf).map((g) => defined(g))];
  };

  it('composites give what the kernels give, forward and backward', () => {
    const x = filled([2, 3, 4, 5, 6]);
    const by = (name: string) =>
      strategies.with({ sumPool: name, spreadPool: name }, () => derive(x));
    const right = by('fused');
    by('composite').forEach((got, i) => {
      expectClose(got, right[i], 1e-12, `result ${i}`);
    });
    const entries = strategies.trace(() => by('composite'));
    expect(names(entries)).toEqual(
      expect.arrayContaining(['sumPool.forward composite', 'spreadPool.forward composite']),
    );
    expect(strategies.explain('sumPool', entries[0].call as object).chosen).toBe('fused');
  });

  it('what is infinite stays in its windows', () => {
    const x = vg.ones([1, 1, 1, 1, 6], { dtype: 'float64' });
    x.select(4, 5).fill_(Number.POSITIVE_INFINITY);
    const run = (name: string) =>
      strategies.with({ sumPool: name }, () =>
        vg
          .avgPool3d(x, [1, 1, 4], { stride: 2, padding: [0, 0, 1] })
          .flatten()
          .tolist(),
      );
    expect(run('composite')).toEqual(run('fused'));
  });

  it('whole numbers stay whole', () => {
    const x = vg.arange(24).reshape(1, 1, 2, 3, 4);
    const run = (name: string) =>
      strategies.with({ sumPool: name }, () => vg.avgPool3d(x, 2).tolist());
    expect(run('composite')).toEqual(run('fused'));
  });
});

describe('the gradient of a ReLU', () => {
  const slope = (): unknown => {
    const x = vg.tensor([-1, 0, 2, Number.NaN], { dtype: 'float64', requiresGrad: true });
    vg.relu(x).backward(vg.tensor([3, 4, 5, 6], { dtype: 'float64' }));
    return defined(x.grad).tolist();
  };
  // PyTorch: threshold_backward keeps the gradient where the output is not <= 0.
  const RIGHT = [0, 0, 5, 6];

  it('is an operation of the registry: forced, traced, explained', () => {
    expect(slope()).toEqual(RIGHT);
    const entries = strategies.trace(() => {
      expect(strategies.with({ 'relu.backward': 'composite' }, slope)).toEqual(RIGHT);
    });
    expect(names(entries)).toContain('relu.backward composite');
    const call = entries.find(({ op }) => op === 'relu.backward')?.call;
    expect(strategies.explain('relu.backward', call as object, 'cpu').chosen).toBe('fused');
    const kernels = { ...vg.cpuKernels, reluBackward: undefined };
    const bare = new vg.Device('bare', 'cpu', vg.cpu.capabilities, kernels);
    expect(strategies.explain('relu.backward', call as object, bare).chosen).toBe('composite');
  });

  it('takes a strategy of a user, and names one that returns nonsense', () => {
    const mine = (run: () => unknown) => ({
      ...{ op: 'relu.backward', name: 'mine', kind: 'custom' as const },
      supports: () => ({ ok: true, reasons: ['always'] }),
      cost: () => -1,
      run,
    });
    add(mine(() => vg.full([4], 7, { dtype: 'float64' })));
    expect(slope()).toEqual([7, 7, 7, 7]);
    strategies.unregister('relu.backward', 'mine');
    add(mine(() => vg.full([3], 7, { dtype: 'float64' })));
    expect(thrownBy(slope).message).toMatch(/'mine' of relu.backward must return the gradient/);
    strategies.unregister('relu.backward', 'mine');
    expect(slope()).toEqual(RIGHT);
  });
});

describe('recorded operations', () => {
  /** Doubles what relu gives, to be seen. */
  const doubled: vg.RecordedStrategy = {
    op: 'relu',
    name: 'mine',
    kind: 'custom',
    supports: ({ dtype }) =>
      dtype === 'float64'
        ? { ok: true, reasons: ['float64'] }
        : { ok: false, reasons: [`only float64, not ${dtype}`] },
    cost: () => 0,
    run: (_, { inputs }) => inputs[0].mul(2),
  };

  it('have a strategy called builtin, and take others at run time', () => {
    expect(strategies.list('relu')).toEqual([
      { op: 'relu.forward', name: 'builtin', kind: 'fused' },
    ]);
    add(doubled);
    const x = vg.tensor([-1, 2], { dtype: 'float64', requiresGrad: true });
    let y = x;
    const entries = strategies.trace(() => {
      y = vg.relu(x);
    });
    expect(names(entries)).toEqual(['relu.forward mine']);
    expect(y.tolist()).toEqual([-2, 4]);
    expect(vg.relu(x.to('float32')).tolist()).toEqual([0, 2]); // refused, so builtin
    expect(strategies.with({ relu: 'builtin' }, () => vg.relu(x)).tolist()).toEqual([0, 2]);
    strategies.unregister('relu', 'mine');
    expect(vg.relu(x).tolist()).toEqual([0, 2]);
    expect(strategies.trace(() => vg.relu(x))).toEqual([]); // nothing to choose, nothing to tell
  });

  it('keep their derivative rule', () => {
    add({ ...doubled, op: 'logSoftmax', run: (_, { builtin }) => builtin() });
    const entries = strategies.trace(() => {
      expect(vg.gradgradcheck((x) => vg.logSoftmax(x, 1), [filled([2, 3]).requiresGrad_()])).toBe(
        true,
      );
    });
    expect(new Set(names(entries))).toEqual(new Set(['logSoftmax.forward mine']));
  });

  it('explain themselves', () => {
    add(doubled);
    const call = { inputs: [[2]], dtype: 'float32' };
    expect(strategies.explain('relu', call)).toMatchObject({
      op: 'relu.forward',
      chosen: 'builtin',
      considered: [{ name: 'builtin' }, { ok: false, reasons: ['only float64, not float32'] }],
    });
  });

  it('name a strategy that returns no tensor', () => {
    add({ ...doubled, run: () => 3 as never });
    const x = vg.ones([1], { dtype: 'float64' });
    expect(thrownBy(() => vg.relu(x)).message).toContain(
      "strategy 'mine' of relu must return tensors on cpu, but returned 3",
    );
  });

  it.each([
    ['a slip of the pen', 'conv3d.foward', "did you mean 'conv3d.forward'"],
    [
      'a function made of other operations',
      'logsumexp',
      'logsumexp is composed of other operations',
    ],
    ['no name', '', "no operation called ''"],
  ])('are not what was meant: %s', (_, op, message) => {
    const error = thrownBy(() => strategies.register({ ...doubled, op }));
    expect(error).toMatchObject({ code: 'STRATEGY' });
    expect(error.message).toContain(message);
  });
});

describe("an operation of the user's own", () => {
  const doubling = (
    name: string,
    price: number,
  ): vg.Strategy<{ n: number }, vg.Tensor, vg.Tensor> => ({
    op: 'my.op',
    name,
    kind: 'custom',
    supports: ({ n }) =>
      n > 0 ? { ok: true, reasons: ['yes'] } : { ok: false, reasons: ['n must be above 0'] },
    cost: ({ n }) => price * n,
    run: ({ n }, x) => x.mul(n),
  });

  it('is run by the cheapest, the forced or no one', () => {
    add(doubling('mine', 2));
    add(doubling('other', 1));
    const x = vg.ones([2]);
    const run = (n: number, strategy?: string) =>
      strategies.run<{ n: number }, vg.Tensor, vg.Tensor>('my.op', { n }, x, { strategy });
    const entries = strategies.trace(() => {
      expect(run(3).tolist()).toEqual([3, 3]);
      run(3, 'mine');
    });
    expect(names(entries)).toEqual(['my.op other', 'my.op mine']);
    expect(entries[0].call).toEqual({ n: 3 });
    expect(thrownBy(() => run(0)).message).toBe(
      'my.op: no strategy can run this call on cpu:\n  mine refused: n must be above 0\n  other refused: n must be above 0',
    );
  });

  it('may say how its calls are told apart, and is decided once then', () => {
    let asked = 0;
    strategies.define<{ n: number }, vg.Tensor>({ op: 'counted.op', key: ({ n }) => String(n) });
    add({
      ...doubling('mine', 1),
      op: 'counted.op',
      supports: () => {
        asked++;
        return { ok: true, reasons: [] };
      },
    });
    for (const n of [1, 1, 2, 1, 2]) strategies.explain('counted.op', { n });
    expect(asked).toBe(2);
    expect(thrownBy(() => strategies.define({ op: 'counted.op' })).message).toContain(
      "there is an operation 'counted.op' already",
    );
  });
});

it('results of composite and fused agree', () => {
  const x = filled([2, 2, 3]);
  const [a, b] = [vg.cpu, fast].map((d) =>
    vg.nativeBatchNorm(x.to(d), null, null, 1e-5).y.to('cpu'),
  );
  expectClose(b, a, 1e-14);
});

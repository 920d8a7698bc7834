// The registry: who runs a call, who may force it, and what a user's own strategy can rely on.

import { afterEach, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { defined, expectClose, filled, thrownBy } from './support/numbers.js';

const { strategies } = vg;

const CALL = { input: [1, 2, 4, 5, 3], weight: [3, 2, 2, 3, 2], stride: 2, padding: 1 };

/** A backward through one convolution; returns the gradients. */
function backward(options: vg.ConvCallOptions = {}, device: vg.Device = vg.cpu): vg.Tensor[] {
  const x = filled(CALL.input).to(device).requiresGrad_();
  const w = filled(CALL.weight).to(device).requiresGrad_();
  const y = vg.conv3d(x, w, null, { stride: CALL.stride, padding: CALL.padding, ...options });
  return vg.grad(y.square().sum(), [x, w]).map((g) => defined(g));
}

const ran = (fn: () => unknown, op = 'conv3d') =>
  strategies.trace(fn).flatMap((entry) => (entry.op === op ? [entry.strategy] : []));

/** The composite backward under another name, as a user may write it. */
const mine = (change: Partial<vg.ConvBackwardStrategy> = {}): vg.ConvBackwardStrategy => ({
  op: 'conv3d',
  name: 'mine',
  kind: 'custom',
  supports: () => ({ ok: true, reasons: ['always'] }),
  cost: () => 1,
  // One multiply-and-sum per element of the gradients: short, slow and independent of the rest.
  run({ geometry: g }, { gradOutput, input, weight }, needs) {
    const read = (x: vg.Tensor | null) => (x === null ? null : x.contiguous().dataSync());
    const [gy, x, w] = [gradOutput, input, weight].map(read);
    const shapes = [vg.inputShape(g), vg.weightShape(g), [g.outChannels]];
    const [dx, dw, db] = shapes.map((shape) => new Float64Array(vg.numelOf(shape)));
    const [ci, co] = [g.inChannels / g.groups, g.outChannels / g.groups];
    let at = 0;
    for (let n = 0; n < g.batch; n++)
      for (let o = 0; o < g.outChannels; o++)
        for (let p = 0; p < vg.volume(g.output); p++, at++) {
          const out = unflatten(p, g.output);
          const gradient = Number(defined(gy)[at]);
          db[o] += gradient;
          for (let i = 0; i < ci; i++)
            for (let k = 0; k < vg.volume(g.kernel); k++) {
              const tap = unflatten(k, g.kernel);
              const from = vg.mapTriple(
                (a) => out[a] * g.stride[a] - g.padding[a][0] + tap[a] * g.dilation[a],
              );
              if (!vg.AXES.every((a) => from[a] >= 0 && from[a] < g.input[a])) continue;
              const channel = n * g.inChannels + Math.floor(o / co) * ci + i;
              const xAt = channel * vg.volume(g.input) + flatten(from, g.input);
              const wAt = (o * ci + i) * vg.volume(g.kernel) + k;
              if (w) dx[xAt] += gradient * Number(w[wAt]);
              if (x) dw[wAt] += gradient * Number(x[xAt]);
            }
        }
    const [a, b, c] = [dx, dw, db].map((values, i) =>
      needs[i] ? vg.tensor(values, { shape: shapes[i], dtype: gradOutput.dtype }) : null,
    );
    return [a, b, c];
  },
  ...change,
});

const unflatten = (at: number, [, h, w]: vg.Triple): vg.Triple => [
  Math.floor(at / (h * w)),
  Math.floor(at / w) % h,
  at % w,
];
const flatten = ([d, y, x]: vg.Triple, [, h, w]: vg.Triple) => (d * h + y) * w + x;

afterEach(() => {
  strategies.unregister('conv3d', 'mine');
  strategies.use({ conv3d: null, 'conv3d.forward': null });
});

describe('list, register, unregister', () => {
  it('lists names and kinds; conv1d and conv2d are conv3d', () => {
    const builtin = [
      { op: 'conv3d', name: 'fused', kind: 'fused' },
      { op: 'conv3d', name: 'composite', kind: 'composite' },
    ];
    expect(strategies.list('conv3d')).toEqual(expect.arrayContaining(builtin));
    expect(strategies.list('conv1d')).toEqual(strategies.list('conv3d'));
    expect(strategies.list('conv2d.forward')).toEqual(strategies.list('conv3d.forward'));
    expect(thrownBy(() => strategies.list('conv4d')).message).toMatch(
      /no operation called 'conv4d' has strategies; known: .*conv3d, conv3d\.forward/,
    );
  });

  it('registers at run time and forgets again', () => {
    strategies.register(mine());
    expect(strategies.list('conv3d').map((s) => s.name)).toContain('mine');
    expect(strategies.unregister('conv3d', 'mine')).toBe(true);
    expect(strategies.unregister('conv3d', 'mine')).toBe(false);
    expect(thrownBy(() => backward({ backward: 'mine' }))).toMatchObject({ code: 'STRATEGY' });
  });

  it('refuses a name twice, and half a strategy', () => {
    strategies.register(mine());
    expect(thrownBy(() => strategies.register(mine())).message).toContain(
      "conv3d already has a strategy called 'mine'; unregister it first",
    );
    const half = { ...mine(), name: 'half', cost: undefined } as never;
    expect(thrownBy(() => strategies.register(half)).message).toContain(
      "'half' lacks the function cost",
    );
  });
});

describe('who decides: the call, then the scope, then use, then cost', () => {
  it('cost, where nobody does', () => {
    expect(ran(() => backward())).toEqual(['fused']);
    strategies.register(mine({ cost: () => 0 }));
    expect(ran(() => backward())).toEqual(['mine']);
  });

  it('use decides everywhere until it lets go', () => {
    strategies.use({ conv3d: 'composite' });
    expect(ran(() => backward())).toEqual(['composite']);
    strategies.use({ conv3d: null });
    expect(ran(() => backward())).toEqual(['fused']);
  });

  it('with decides inside, also over use, and the innermost first', () => {
    strategies.use({ conv3d: 'composite' });
    strategies.with({ conv3d: 'fused' }, () => {
      expect(ran(() => backward())).toEqual(['fused']);
      strategies.with({ conv2d: 'composite' }, () => {
        expect(ran(() => backward())).toEqual(['composite']);
      });
    });
    expect(ran(() => backward())).toEqual(['composite']);
  });

  it('the call decides over everything', () => {
    strategies.use({ conv3d: 'fused' });
    strategies.with({ conv3d: 'fused' }, () => {
      expect(ran(() => backward({ backward: 'composite' }))).toEqual(['composite']);
    });
  });

  it('a convolution recorded in a scope keeps its choice for a backward outside', () => {
    const x = filled(CALL.input).requiresGrad_();
    const y = strategies.with({ conv3d: 'composite' }, () => vg.conv3d(x, filled(CALL.weight)));
    expect(ran(() => y.sum().backward(null, { retainGraph: true }))).toEqual(['composite']);
    strategies.with({ conv3d: 'fused' }, () => {
      expect(ran(() => y.sum().backward())).toEqual(['fused']);
    });
  });

  it('the forward has strategies of its own', () => {
    const forward = () =>
      ran(() => vg.conv3d(filled(CALL.input), filled(CALL.weight)), 'conv3d.forward');
    expect(forward()).toEqual(['fused']);
    expect(strategies.with({ 'conv3d.forward': 'composite' }, forward)).toEqual(['composite']);
  });

  it('a scope ends with an error, and refuses promises', () => {
    expect(() =>
      strategies.with({ conv3d: 'composite' }, () => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(ran(() => backward())).toEqual(['fused']);
    expect(() => strategies.with({}, async () => {})).toThrow('returned a promise');
    expect(() => strategies.trace(async () => {})).toThrow('expected a synchronous function');
  });

  it.each([
    ['use', () => strategies.use({ conv3d: 'none' })],
    ['with', () => strategies.with({ conv3d: 'none' }, () => 0)],
    ['the call', () => backward({ backward: 'none' })],
  ])('unknown names in %s are refused with the known ones', (_, fn) => {
    const error = thrownBy(fn);
    expect(error).toMatchObject({ code: 'STRATEGY' });
    expect(error.message).toContain("no strategy called 'none'; known: fused, fused:direct");
  });
});

describe('explain and trace', () => {
  it('explain chooses what runs, with reasons and costs, without running it', () => {
    const { chosen, considered } = strategies.explain('conv3d', CALL);
    expect(chosen).toBe('fused');
    for (const { name, ok, reasons, cost } of considered) {
      expect(ok, name).toBe(true);
      expect(reasons.length, name).toBeGreaterThan(0);
      expect(cost, name).toBeGreaterThan(0);
    }
  });

  it('explain follows use and with', () => {
    strategies.use({ conv3d: 'composite' });
    expect(strategies.explain('conv3d', CALL).chosen).toBe('composite');
    strategies.with({ conv3d: 'fused' }, () => {
      expect(strategies.explain('conv3d', CALL).chosen).toBe('fused');
    });
  });

  it('explain refuses what is no call', () => {
    for (const call of [{}, { input: [1, 1], weight: [1, 1] }, { input: 3, weight: [1] }])
      expect(thrownBy(() => strategies.explain('conv3d', call))).toMatchObject({
        code: 'ARGUMENT',
      });
    expect(
      thrownBy(() => strategies.explain('conv3d', { ...CALL, weight: [3, 5, 2, 3, 2] })),
    ).toMatchObject({ code: 'SHAPE' });
  });

  it('trace tells op, strategy, device and a call that explain takes', () => {
    const site = {};
    const entries = strategies.trace(() => vg.atSite(site, () => backward()));
    expect(entries.map((e) => e.op)).toEqual(['conv3d.forward', 'conv3d']);
    const [, entry] = entries;
    expect(entry).toMatchObject({ strategy: 'fused', kind: 'fused', device: 'cpu', site });
    expect(entry.call).toEqual({
      ...CALL,
      stride: [2, 2, 2],
      padding: [1, 1, 1],
      dilation: [1, 1, 1],
      groups: 1,
      dtype: 'float64',
      bias: false,
      needs: [true, true, false],
    });
    expect(strategies.explain('conv3d', entry.call as object).chosen).toBe('fused');
  });

  it('trace says what forced a strategy', () => {
    const reasonOf = (fn: () => unknown) => strategies.trace(fn).at(-1)?.reasons[0];
    expect(reasonOf(() => backward({ backward: 'composite' }))).toBe('forced by the call');
    expect(reasonOf(() => strategies.with({ conv3d: 'composite' }, () => backward()))).toBe(
      'forced by strategies.with',
    );
    strategies.use({ conv3d: 'composite' });
    expect(reasonOf(() => backward())).toBe('forced by strategies.use');
  });

  it('trace keeps the rank that the user wrote', () => {
    const entries = strategies.trace(() => vg.conv2d(filled([1, 1, 3, 3]), filled([1, 1, 2, 2])));
    expect(entries[0].call).toMatchObject({
      input: [1, 1, 3, 3],
      weight: [1, 1, 2, 2],
      stride: [1, 1],
    });
  });

  it('traces may be nested', () => {
    let inner: unknown[] = [];
    const outer = strategies.trace(() => {
      backward();
      inner = strategies.trace(() => backward());
    });
    expect([outer.length, inner.length]).toEqual([4, 2]);
  });
});

describe('a device that refuses', () => {
  const refusal: vg.Refusal = {
    check: 'L1',
    message: 'needs 9 bytes of 8',
    code: 'E1234',
    needBytes: 9,
    limitBytes: 8,
  };
  const tight = new vg.Device(
    'tight',
    'cpu',
    {
      ...vg.cpu.capabilities,
      checkConv: (kernel, call) =>
        kernel === 'convBackward' ? [refusal] : vg.cpu.capabilities.checkConv(kernel, call),
    },
    vg.cpuKernels,
  );

  it('unforced, the next one runs, and the trace says why', () => {
    const entries = strategies.trace(() => backward({}, tight));
    expect(entries.at(-1)).toMatchObject({ strategy: 'composite', device: 'tight' });
    expect(entries.at(-1)?.reasons).toContain('fused refused: E1234: needs 9 bytes of 8');
  });

  it("forced, it throws with the device's code and text", () => {
    const error = thrownBy(() => backward({ backward: 'fused' }, tight));
    expect(error).toMatchObject({ code: 'E1234' });
    expect(error.message).toBe(
      "conv3d: the forced strategy 'fused' cannot run on tight: E1234: needs 9 bytes of 8",
    );
  });

  it('where all refuse, each refusal is listed', () => {
    const others = strategies.list('conv3d').filter((s) => s.kind === 'composite');
    expect(others.length).toBeGreaterThan(0);
    strategies.register({
      ...mine(),
      op: 'test.op',
      supports: () => ({ ok: false, reasons: ['not today'] }),
    });
    const { chosen, considered } = strategies.explain('test.op', {});
    expect(chosen).toBeNull();
    expect(considered).toEqual([
      { name: 'mine', ok: false, reasons: ['not today'], cost: Number.POSITIVE_INFINITY },
    ]);
    strategies.unregister('test.op', 'mine');
  });
});

describe("a user's own strategy", () => {
  it('computes what the built-in ones do, and has second and third order for free', () => {
    strategies.register(mine());
    const [dx, dw] = backward({ backward: 'mine' });
    const [rightDx, rightDw] = backward();
    expectClose(dx, rightDx, 1e-14);
    expectClose(dw, rightDw, 1e-14);
    const leaves = () =>
      [filled([1, 2, 3, 2, 3]), filled([2, 1, 2, 1, 2])].map((t) => t.requiresGrad_());
    const call = (x: vg.Tensor, w: vg.Tensor) =>
      vg.conv3d(x, w, null, { groups: 2, stride: 2, padding: 1, backward: 'mine' });
    expect(ran(() => vg.gradgradcheck(call, leaves())).every((name) => name === 'mine')).toBe(true);
    const first = (x: vg.Tensor, w: vg.Tensor) =>
      defined(vg.grad(call(x, w).pow(3).sum(), x, { createGraph: true })[0]);
    expect(vg.gradgradcheck(first, leaves(), { fastMode: true })).toBe(true);
  });

  it.each([
    ['no gradient where one is wanted', () => [null, null, null]],
    ['a gradient of another shape', () => [vg.zeros([2]), vg.zeros([2]), null]],
    [
      'a gradient of another dtype',
      () => [vg.zeros(CALL.input, { dtype: 'float32' }), vg.zeros(CALL.weight), null],
    ],
    ['something else', () => [1, 2, 3]],
    ['nothing', () => undefined],
  ])('that returns %s is named', (_, run) => {
    strategies.register(mine({ run: run as never }));
    const error = thrownBy(() => backward({ backward: 'mine' }));
    expect(error).toMatchObject({ name: 'VoxgradError', code: 'STRATEGY' });
    expect(error.message).toContain("strategy 'mine'");
  });

  it('of the forward that returns nonsense is named too', () => {
    strategies.register({ ...mine(), op: 'conv3d.forward', run: () => vg.zeros([1]) });
    const choice = { 'conv3d.forward': 'mine' };
    const error = thrownBy(() => strategies.with(choice, () => backward()));
    strategies.unregister('conv3d.forward', 'mine');
    expect(error).toMatchObject({ code: 'STRATEGY' });
    expect(error.message).toContain(
      "strategy 'mine' of conv3d.forward must return the output as a Tensor",
    );
  });

  it('that throws keeps its own error', () => {
    const failing = () => {
      throw new Error('out of cheese');
    };
    strategies.register(mine({ run: failing }));
    expect(() => backward({ backward: 'mine' })).toThrow('out of cheese');
  });

  it('is not taped inside', () => {
    strategies.register(
      mine({
        run: (call, tensors, needs) => {
          expect(vg.isGradEnabled()).toBe(false);
          return mine().run(call, tensors, needs);
        },
      }),
    );
    backward({ backward: 'mine' });
  });
});

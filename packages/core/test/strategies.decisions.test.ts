// What decides among strategies: costs, calibrations and quarantine; that decisions are remembered no
// longer than they hold; and how they are shown.

import { afterEach, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import {
  addGuard,
  quarantine,
  quarantineChanged,
  releaseQuarantine,
} from '../src/strategies/quarantine.js';
import { filled, thrownBy } from './support/numbers.js';

const { strategies } = vg;

const CALL = { input: [1, 2, 4, 5, 3], weight: [3, 2, 2, 3, 2], stride: 2, padding: 1 };

const chosen = (call: object = CALL, device: vg.DeviceLike = 'cpu', op = 'conv3d') =>
  strategies.explain(op, call, device).chosen;

const priced = (cost: number): vg.ConvBackwardStrategy => ({
  op: 'conv3d',
  name: 'priced',
  kind: 'custom',
  supports: () => ({ ok: true, reasons: ['always'] }),
  cost: () => cost,
  run: () => [null, null, null],
});

/** A device of its own, so that nothing is left on the reference one. */
const deviceOf = (change: Partial<vg.Capabilities> = {}, name = 'other') =>
  new vg.Device(name, 'cpu', { ...vg.cpu.capabilities, ...change }, vg.cpuKernels);

afterEach(() => {
  strategies.unregister('conv3d', 'priced');
  strategies.use({ conv3d: null });
  strategies.useCalibration(null, 'cpu');
});

describe('decisions are remembered', () => {
  it('as one frozen explanation for calls that are alike', () => {
    const first = strategies.explain('conv3d', CALL);
    expect(strategies.explain('conv3d', { ...CALL, stride: [2, 2, 2] })).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(first.considered)).toBe(true);
  });

  it.each<[string, object]>([
    ['input', { input: [2, 2, 4, 5, 3] }],
    ['stride', { stride: 1 }],
    ['padding', { padding: 2 }],
    ['dilation', { dilation: [1, 2, 1] }],
    ['dtype', { dtype: 'float64' }],
    ['bias', { bias: true }],
    ['needs', { needs: [true, false, false] }],
    ['formats', { formats: { input: 'ND' } }],
  ])('apart for another %s', (_, change) => {
    const first = strategies.explain('conv3d', CALL);
    expect(strategies.explain('conv3d', { ...CALL, ...change })).not.toBe(first);
  });

  it('for the checked call that strategies are asked about', () => {
    const { input, weight, ...options } = CALL;
    const geometry = vg.convGeometry('conv3d', 3, input, weight, null, options);
    const call = { geometry, dtype: 'float32', bias: false, needs: [true, true, false] };
    expect(strategies.explain('conv3d', call)).toBe(strategies.explain('conv3d', CALL));
    expect(() => strategies.explain('conv3d', { ...call, geometry: { input } })).toThrow(
      /expected a call \{ input: number\[\], weight/,
    );
  });

  it('apart for the rank that the user wrote: devices treat conv2d in their own way', () => {
    const flat = { input: [1, 1, 4, 4], weight: [1, 1, 2, 2] };
    const deep = { input: [1, 1, 1, 4, 4], weight: [1, 1, 1, 2, 2] };
    expect(strategies.explain('conv2d', flat)).not.toBe(strategies.explain('conv3d', deep));
  });

  it('apart for each device', () => {
    const refusing = deviceOf({ checkConv: () => [{ check: 'all', message: 'nothing runs' }] });
    expect(chosen()).toBe('fused');
    expect(chosen(CALL, refusing)).toBe('composite');
    expect(chosen()).toBe('fused');
  });

  it('until a strategy comes or goes', () => {
    expect(chosen()).toBe('fused');
    strategies.register(priced(0));
    expect(chosen()).toBe('priced');
    strategies.unregister('conv3d', 'priced');
    expect(chosen()).toBe('fused');
  });

  it('until somebody decides', () => {
    expect(strategies.explain('conv3d', CALL)).toMatchObject({ chosen: 'fused', forcedBy: null });
    strategies.use({ conv3d: 'composite' });
    expect(strategies.explain('conv3d', CALL)).toMatchObject({
      chosen: 'composite',
      forcedBy: 'strategies.use',
    });
    strategies.with({ conv3d: 'fused' }, () => expect(chosen()).toBe('fused'));
    expect(chosen()).toBe('composite');
  });

  it('asking a strategy once for calls that are alike', () => {
    let asked = 0;
    strategies.register({
      ...priced(0),
      supports: () => ({ ok: true, reasons: [`asked ${++asked}`] }),
    });
    for (let i = 0; i < 3; i++) expect(chosen()).toBe('priced');
    expect(asked).toBe(1);
  });
});

describe('quarantine', () => {
  it('takes a strategy out of the choice, and shows the evidence', () => {
    const device = deviceOf();
    quarantine(device, 'conv3d', 'fused', 'dw differs by 0.5 on [1, 1, 3, 3, 3]');
    const { chosen, considered } = strategies.explain('conv3d', CALL, device);
    expect(chosen).toBe('composite');
    expect(considered[0]).toEqual({
      name: 'fused',
      ok: false,
      reasons: ['dw differs by 0.5 on [1, 1, 3, 3, 3]'],
      cost: Number.POSITIVE_INFINITY,
    });
    expect(strategies.list('conv3d', device)[0]).toMatchObject({ ok: false });
    expect(strategies.explain('conv3d', CALL, 'cpu').chosen).toBe('fused');
    expect(releaseQuarantine(device, 'conv3d', 'fused')).toBe(true);
    expect(strategies.explain('conv3d', CALL, device).chosen).toBe('fused');
  });

  it('holds against whoever forces it', () => {
    const device = deviceOf();
    quarantine(device, 'conv3d', 'fused', 'it errs');
    const x = filled(CALL.input).to(device).requiresGrad_();
    const y = vg.conv3d(x, filled(CALL.weight).to(device), null, { backward: 'fused' });
    expect(thrownBy(() => y.sum().backward()).message).toBe(
      "conv3d: the forced strategy 'fused' cannot run on other: it errs",
    );
  });

  it('may be found out by a guard, which is asked about the one that would run', () => {
    const device = deviceOf();
    const asked: string[] = [];
    let verdict: string | null = 'not compared yet';
    addGuard('test', (on, op, name) => {
      if (on !== device) return null;
      asked.push(`${op} ${name}`);
      return name === 'fused' ? verdict : null;
    });
    expect(strategies.explain('conv3d', CALL, device)).toMatchObject({
      chosen: 'composite',
      considered: [{ ok: false, reasons: ['not compared yet'] }, { ok: true }, {}],
    });
    expect(asked).toEqual(['conv3d fused', 'conv3d composite']);
    verdict = null;
    quarantineChanged();
    expect(strategies.explain('conv3d', CALL, device).chosen).toBe('fused');
    addGuard('test', () => null);
  });
});

describe('costs', () => {
  it('count what a device says of its passes', () => {
    const strided = { ...CALL, needs: [true, false, false] };
    const rates = { perCall: 1, perElement: 1, perRemainder: 0 };
    expect(chosen(strided, deviceOf({ rates }))).toBe('fused');
    expect(chosen(strided, deviceOf({ rates: { ...rates, perRemainder: 1e6 } }))).toBe('composite');
  });

  it.each([Number.NaN, '3', undefined])('of %s refuse a strategy', (cost) => {
    strategies.register(priced(cost as number));
    expect(strategies.explain('conv3d', CALL).considered.at(-1)).toMatchObject({
      name: 'priced',
      ok: false,
      reasons: ['its cost() is not a number'],
    });
  });
});

describe('calibration', () => {
  /** A call of the class below, and what a device may have measured of it. */
  const call = { input: [1, 8, 16, 16, 16], weight: [8, 8, 3, 3, 3], padding: 1 };
  const measured = (micros: Readonly<Record<string, number>>): vg.Calibration => ({
    kind: 'voxgrad.calibration',
    version: 1,
    device: 'cpu',
    conditions: 'type: cpu',
    entries: Object.entries(micros).map(([strategy, time]) => ({
      op: 'conv3d',
      dtype: 'float32',
      shapeClass: 'dense, k3, dense steps, large, both',
      strategy,
      micros: time,
      cost: 1000,
    })),
  });
  const valid = () => measured({ fused: 10, composite: 1 });

  /** An operation whose calls take no time, so that a calibration gets through all of them. */
  const timed = { op: 'timed.op', kind: 'custom', cost: () => 5 } as const;
  const yes = () => ({ ok: true, reasons: ['yes'] });
  interface Timed {
    readonly dtype: vg.DType;
    readonly n: number;
  }

  it('measures every strategy that runs, for each class and dtype', () => {
    const ran: string[] = [];
    strategies.define<Timed, vg.Tensor>({
      op: timed.op,
      shapeClass: ({ n }) => `n = ${n}`,
      samples: (dtype) => [1, 2].map((n) => ({ dtype, n })),
      tensors: ({ dtype, n }, device) => vg.ones([n], { dtype, device }),
    });
    for (const name of ['a', 'b'])
      strategies.register<Timed, vg.Tensor, void>({
        ...timed,
        name,
        supports: yes,
        run: ({ n, dtype }, x) => {
          expect(vg.isGradEnabled()).toBe(false);
          ran.push(`${name} ${n} ${dtype} ${x.shape} ${x.dtype}`);
        },
      });
    strategies.register({
      ...timed,
      name: 'no',
      supports: () => ({ ok: false, reasons: [] }),
      run: () => 0,
    });
    strategies.register({
      ...timed,
      name: 'never',
      cost: () => 1 / 0,
      supports: yes,
      run: () => 0,
    });
    const { entries, ...head } = strategies.calibrate('cpu', { ops: [timed.op], budgetMs: 60_000 });
    expect(head).toEqual({
      kind: 'voxgrad.calibration',
      version: 1,
      device: 'cpu',
      conditions: 'type: cpu',
    });
    const classes = ['float32', 'float64'].flatMap((d) => [1, 2].map((n) => [d, n] as const));
    expect(
      new Set(entries.map((e) => `${e.strategy} ${e.dtype} ${e.shapeClass} ${e.cost}`)),
    ).toEqual(new Set(classes.flatMap(([d, n]) => [`a ${d} n = ${n} 5`, `b ${d} n = ${n} 5`])));
    expect(new Set(ran)).toEqual(
      new Set(classes.flatMap(([d, n]) => [`a ${n} ${d} ${n} ${d}`, `b ${n} ${d} ${n} ${d}`])),
    );
    for (const { micros } of entries) expect(micros).toBeGreaterThan(0);
    strategies.useCalibration(JSON.parse(JSON.stringify({ ...head, entries })));
    const only = strategies.calibrate('cpu', { ops: [timed.op], dtypes: ['float64'] });
    expect(new Set(only.entries.map((e) => e.dtype))).toEqual(new Set(['float64']));
    for (const name of ['a', 'b', 'no', 'never']) strategies.unregister(timed.op, name);
  });

  it('brings samples of convolutions and the other built-in operations', () => {
    const device = deviceOf({ synchronous: true });
    const ops = ['conv3d', 'conv3d.forward', 'convTranspose3d.forward', 'adam.step', 'batchNorm'];
    const { entries } = strategies.calibrate(device, { ops, budgetMs: 300 });
    for (const { op, strategy } of entries)
      expect(strategies.list(op).map((s) => s.name)).toContain(strategy);
  });

  it('decides, also after a way through JSON, and the same way each time', () => {
    const text = JSON.stringify(valid());
    expect(chosen(call)).toBe('fused');
    for (let i = 0; i < 2; i++) {
      strategies.useCalibration(JSON.parse(text));
      expect(chosen(call)).toBe('composite');
      expect(strategies.calibrationOf('cpu')).toEqual(JSON.parse(text));
      strategies.useCalibration(null, 'cpu');
      expect(chosen(call)).toBe('fused');
    }
  });

  it('judges a strategy that came later in the unit of the others', () => {
    strategies.useCalibration(measured({ fused: 1, composite: 2, tiled: 1 }));
    const [fused] = strategies.explain('conv3d', call).considered;
    strategies.register(priced(fused.cost * 1000 * 2));
    const considered = strategies.explain('conv3d', call).considered;
    expect(considered.at(-1)?.cost).toBeCloseTo(2 * fused.cost, 5);
    expect(chosen(call)).toBe('fused');
  });

  it('leaves classes that it lacks to the shipped costs', () => {
    const before = strategies.explain('conv3d', CALL).considered;
    strategies.useCalibration(valid()); // of another class
    expect(strategies.explain('conv3d', CALL).considered).toEqual(before);
  });

  it.each<[string, () => unknown, string]>([
    ['something else', () => ({ a: 1 }), 'expected what strategies.calibrate returned'],
    ['another version', () => ({ ...valid(), version: 0 }), 'is of version 0'],
    ['other conditions', () => ({ ...valid(), conditions: 'threads: 8' }), 'calibrate it again'],
    ['half an entry', () => ({ ...valid(), entries: [{ op: 'conv3d' }] }), 'entry 0 lacks'],
    [
      'a time of 0',
      () => ({ ...valid(), entries: valid().entries.map((e) => ({ ...e, micros: 0 })) }),
      'must have micros and cost above 0',
    ],
  ])('refuses %s', (_, make, message) => {
    const error = thrownBy(() => strategies.useCalibration(make() as vg.Calibration));
    expect(error).toMatchObject({ code: 'ARGUMENT' });
    expect(error.message).toContain(message);
  });

  it('refuses another device, and a name that no device has', () => {
    const calibration = valid();
    expect(thrownBy(() => strategies.useCalibration(calibration, deviceOf())).message).toContain(
      'was made on cpu and says nothing about other',
    );
    const lost = { ...calibration, device: 'gone' };
    expect(thrownBy(() => strategies.useCalibration(lost))).toMatchObject({ code: 'DEVICE' });
  });

  it.each<[string, () => unknown, string]>([
    ['a budget of 0', () => strategies.calibrate('cpu', { budgetMs: 0 }), 'must be above 0'],
    ['no samples', () => strategies.calibrate('cpu', { ops: ['relu'] }), 'brings no sample calls'],
    [
      'an asynchronous device',
      () => strategies.calibrate(deviceOf({ synchronous: false })),
      'other is asynchronous',
    ],
  ])('cannot be made with %s', (_, make, message) => {
    expect(thrownBy(make).message).toContain(message);
  });
});

describe('the table', () => {
  it('of an explanation: one row for each strategy, all reasons', () => {
    const device = deviceOf({
      checkConv: (kernel) =>
        kernel === 'convBackward'
          ? [{ check: 'L1', code: 'E9', message: 'needs 9 bytes\nof 8' }]
          : [],
    });
    const call = { input: [1, 7, 8, 8, 8], weight: [7, 1, 3, 3, 3], padding: 1, groups: 7 };
    const text = strategies.table(strategies.explain('conv3d', call, device));
    const lines = text.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'conv3d on other',
      'input [1, 7, 8, 8, 8] · weight [7, 1, 3, 3, 3] · padding 1 · groups 7 · float32 · gradients of input, weight',
      'chosen: composite',
      '',
    ]);
    expect(lines[4]).toMatch(/^ {2}strategy {3}runs {2}cost +reasons$/);
    expect(lines[6]).toMatch(/^ {2}fused {6}no {4}- +E9: needs 9 bytes$/);
    expect(lines[7].trim()).toBe('of 8');
    expect(lines[7].indexOf('of')).toBe(lines[4].indexOf('reasons'));
    expect(lines[8]).toMatch(/^> composite {2}yes {3}\d.* {2}input gradient by forward kernel/);
  });

  it('says who forced, and that none can', () => {
    strategies.use({ conv3d: 'composite' });
    expect(strategies.table(strategies.explain('conv3d', CALL))).toContain(
      'chosen: composite, forced by strategies.use',
    );
    strategies.register({
      ...priced(1),
      op: 'refusing.op',
      supports: () => ({ ok: false, reasons: ['never'] }),
    });
    expect(strategies.table(strategies.explain('refusing.op', { n: 1 }))).toContain(
      'chosen: none, every strategy is refused',
    );
    strategies.unregister('refusing.op', 'priced');
  });

  it('of a trace: equal calls in one row', () => {
    const x = filled([1, 1, 3, 3]).requiresGrad_();
    const entries = strategies.trace(() => {
      for (let i = 0; i < 3; i++)
        vg.conv2d(x, filled([1, 1, 2, 2]))
          .sum()
          .backward();
    });
    const lines = strategies.table(entries).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^times {2}operation +device {2}strategy {2}call +reasons$/);
    expect(lines[2]).toMatch(/^3 +conv3d\.forward {2}cpu +fused +input \[1, 1, 3, 3\]/);
    expect(lines[3]).toContain('gradients of input');
  });

  it('refuses anything else', () => {
    for (const what of [3, null, {}, [1]])
      expect(thrownBy(() => strategies.table(what as never))).toMatchObject({ code: 'ARGUMENT' });
  });
});

// Whether the registry chooses well: on random convolutions every strategy that can run takes its
// turns, and the chosen one is held against the fastest. And what the choosing itself costs.

import {
  conv3d,
  cpu,
  type Device,
  noGrad,
  ones,
  scope,
  strategies,
  type Tensor,
} from '@voxgrad/core';
import { randoms } from '../../test/support/randoms.js';
import { deviceOf } from '../lib/devices.js';
import { median } from '../lib/measure.js';
import { progress, QUICK, THREADS } from '../lib/options.js';
import { against, type Cell, printTable } from '../lib/table.js';

type Op = 'conv3d' | 'conv3d.forward';

interface Call {
  readonly input: number[];
  readonly weight: number[];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly groups: number;
  readonly dtype: 'float32' | 'float64';
  readonly needs: readonly [boolean, boolean, boolean];
}

const CALLS = QUICK ? 30 : 200;
/** "Within 25% of the best strategy's time on at least 90% of 200 random calls." */
const SLACK = 1.25;
const GOAL = 0.9;
const GOAL_EXPLAIN_US = 50;
const GOAL_DISPATCH_US = 20;
/** Short calls take more turns: their times scatter most. */
const [WARM_UPS, LEAST_ROUNDS, MOST_ROUNDS] = [5, 7, 45];
const MS_PER_CALL = QUICK ? 20 : 60;

/** `--device=wasm`: that one alone. */
const ASKED = process.argv.find((arg) => arg.startsWith('--device='))?.slice('--device='.length);

/** Layers as networks for volumes have them: mostly k3, often depthwise, sometimes strided or dilated. */
function randomCall(random: () => number, mostWork: number): Call {
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];
  for (;;) {
    const kernel = one([1, 1, 2, 3, 3, 3, 3, 3, 5, 5, 7, 9]);
    const kind = one(['dense', 'dense', 'dense', 'depthwise', 'depthwise', 'grouped']);
    const channels = one([1, 2, 3, 4, 7, 8, 12, 16, 32]);
    const groups = kind === 'dense' ? 1 : kind === 'depthwise' ? channels : channels % 2 ? 1 : 2;
    const outChannels = kind === 'dense' ? one([1, 2, 4, 7, 8, 16, 32]) : channels * one([1, 1, 2]);
    const stride = one([1, 1, 1, 1, 2, 2, 3]);
    const dilation = one([1, 1, 1, 1, 1, 2]);
    const edges = [0, 1, 2].map(() => one([3, 4, 6, 8, 10, 12, 16, 20, 24, 32]));
    const padding = random() < 0.8 ? Math.floor((dilation * (kernel - 1)) / 2) : 0;
    const span = dilation * (kernel - 1) + 1;
    const batch = one([1, 1, 1, 2, 4]);
    const input = [batch, channels, ...edges];
    const weight = [outChannels, channels / groups, kernel, kernel, kernel];
    const needs = one([
      [true, true, false],
      [true, true, false],
      [true, true, true],
      [true, false, false],
      [false, true, false],
    ] as const);
    if (edges.some((edge) => edge + 2 * padding < span)) continue;
    const outputs = edges.map((e) => Math.floor((e + 2 * padding - span) / stride) + 1);
    const work =
      (batch * outChannels * channels * kernel ** 3 * outputs.reduce((a, b) => a * b)) / groups;
    if (work > mostWork) continue;
    return {
      input,
      weight,
      stride,
      padding,
      dilation,
      groups,
      needs,
      dtype: one(['float32', 'float32', 'float64']),
    };
  }
}

function tensorsOf(op: Op, call: Call, device: Device) {
  const { dtype, input, weight } = call;
  const x = ones(input, { dtype, device });
  const w = ones(weight, { dtype, device });
  if (op === 'conv3d.forward') return { input: x, weight: w };
  const y = noGrad(() => conv3d(x, w, null, optionsOf(call)));
  return { gradOutput: ones([...y.shape], { dtype, device }), input: x, weight: w };
}

const optionsOf = ({ stride, padding, dilation, groups }: Call) => ({
  stride,
  padding,
  dilation,
  groups,
});

interface Judged {
  readonly call: Call;
  readonly ms: Readonly<Record<string, number>>;
  readonly best: string;
  readonly chosen: string;
}

/** Runs take turns, each round beginning with another one, so that none always follows the slowest. */
function inTurns(runs: Readonly<Record<string, () => void>>): Record<string, number> {
  const names = Object.keys(runs);
  const times = new Map(names.map((name): [string, number[]] => [name, []]));
  let [rounds, spent] = [0, 0];
  while (rounds < WARM_UPS + LEAST_ROUNDS || (spent < MS_PER_CALL && rounds < MOST_ROUNDS)) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + rounds) % names.length];
      const start = performance.now();
      runs[name]();
      const taken = performance.now() - start;
      if (rounds < WARM_UPS) continue;
      times.get(name)?.push(taken);
      spent += taken;
    }
    rounds++;
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

function judge(op: Op, call: Call, device: Device): Judged {
  const { considered, chosen } = strategies.explain(op, call, device);
  const tensors = tensorsOf(op, call, device);
  const runs: Record<string, () => void> = {};
  for (const { name: strategy, ok } of considered)
    if (ok)
      runs[strategy] = () =>
        noGrad(() =>
          scope(() => {
            strategies.run(op, call, tensors, { device, needs: call.needs, strategy });
          }),
        );
  const ms = inTurns(runs);
  const best = Object.keys(ms).reduce((a, b) => (ms[b] < ms[a] ? b : a));
  return { call, ms, best, chosen: chosen ?? 'none' };
}

const share = (judged: readonly Judged[], chosen: (j: Judged) => string): number =>
  judged.filter((j) => j.ms[chosen(j)] <= SLACK * j.ms[j.best]).length / judged.length;

const describe = (c: Call): string =>
  `${c.dtype} [${c.input}] × [${c.weight}] s${c.stride} p${c.padding} d${c.dilation} g${c.groups} ${c.needs.map(Number).join('')}`;

function selectionOn(device: Device, mostWork: number): Cell[][] {
  const rows: Cell[][] = [];
  for (const op of ['conv3d', 'conv3d.forward'] as const) {
    progress(`selection: ${op} on ${device.name}`);
    const random = randoms(20261201);
    const judged: Judged[] = [];
    for (let i = 0; i < CALLS; i++) judged.push(judge(op, randomCall(random, mostWork), device));
    const calibration = strategies.calibrate(device, { ops: [op] });
    strategies.useCalibration(calibration, device);
    const calibrated = share(judged, (j) => strategies.explain(op, j.call, device).chosen ?? '');
    strategies.useCalibration(null, device);
    const names = [...new Set(judged.flatMap((j) => Object.keys(j.ms)))];
    const wins = names.map((name) => `${name} ${judged.filter((j) => j.best === name).length}`);
    const slowdowns = judged.map((j) => j.ms[j.chosen] / j.ms[j.best]);
    rows.push([
      device.name,
      op,
      against(
        share(judged, (j) => j.chosen),
        GOAL,
      ),
      against(calibrated, GOAL),
      median(slowdowns),
      Math.max(...slowdowns),
      wins.join(', '),
    ]);
    for (const j of judged)
      if (j.ms[j.chosen] > SLACK * j.ms[j.best] && process.argv.includes('--misses'))
        progress(
          `  ${describe(j.call)}: ${Object.entries(j.ms)
            .map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
            .join(', ')}; chosen ${j.chosen}`,
        );
  }
  return rows;
}

/** Microseconds of one call, the median over many batches. */
function micros(run: () => unknown, times = 500): number {
  const batches = Array.from({ length: 15 }, () => {
    const start = performance.now();
    for (let i = 0; i < times; i++) run();
    return ((performance.now() - start) * 1000) / times;
  });
  return median(batches);
}

/** A convolution whose strategy returns what it was given: all that is left is the way there. */
function dispatch(device: Device): { forward: number; trained: number } {
  const options = { device, dtype: 'float32' } as const;
  const x = ones([1, 4, 8, 8, 8], options);
  const w = ones([4, 4, 3, 3, 3], options);
  const y = ones([1, 4, 8, 8, 8], options);
  const free = {
    kind: 'custom',
    supports: () => ({ ok: true, reasons: ['free'] }),
    cost: () => 0,
  } as const;
  strategies.register({ ...free, op: 'conv3d.forward', name: 'free', run: (): Tensor => y });
  strategies.register({ ...free, op: 'conv3d', name: 'free', run: () => [x, w, null] });
  const forward = micros(() => noGrad(() => conv3d(x, w, null, { padding: 1 })));
  const leaf = w.detach().requiresGrad_();
  const gradient = ones([1, 4, 8, 8, 8], options);
  const trained = micros(() => {
    conv3d(x, leaf, null, { padding: 1 }).backward(gradient);
    leaf.grad = null;
  });
  strategies.unregister('conv3d.forward', 'free');
  strategies.unregister('conv3d', 'free');
  return { forward, trained };
}

export async function selection(): Promise<void> {
  const wasm = await deviceOf({ threads: THREADS });
  const rows = [
    ...(ASKED === 'cpu' ? [] : selectionOn(wasm, 2e7)),
    ...(ASKED === 'wasm' ? [] : selectionOn(cpu, 4e5)),
  ];
  printTable(
    `The chosen strategy against the best, ${CALLS} random calls each, wasm with ${THREADS} threads`,
    ['device', 'operation', 'within 25%', 'calibrated', 'median', 'worst', 'fastest'],
    rows,
  );
  const call = { input: [1, 7, 296, 296, 168], weight: [7, 1, 9, 9, 9], padding: 4, groups: 7 };
  const { forward, trained } = dispatch(wasm);
  printTable(
    'What choosing costs, in microseconds',
    ['what', 'µs'],
    [
      [
        'explain, decided before',
        against(
          micros(() => strategies.explain('conv3d', call, wasm)),
          GOAL_EXPLAIN_US,
          'most',
        ),
      ],
      ['F.conv3d without its kernel', against(forward, GOAL_DISPATCH_US, 'most')],
      ['F.conv3d and its backward without their kernels', trained],
    ],
  );
}

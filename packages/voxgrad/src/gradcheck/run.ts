// Derivatives on a device, case by case: against central differences where it computes float64, else
// against float64 on the reference device, whose derivatives are those that the tests check.

import {
  type Device,
  getDevice,
  grad,
  gradcheck,
  gradgradcheck,
  numelOf,
  strategies,
  type Tensor,
  tensor,
  VoxgradError,
} from '@voxgrad/core';
import { type GradcheckCase, gradcheckCases } from './cases.js';

/** How a case went: right, wrong, or not run because a forced strategy refuses the call. */
export type Outcome = 'ok' | 'wrong' | 'refused';

export interface GradcheckRow {
  readonly group: string;
  readonly name: string;
  /** The strategy that was forced, for convolutions. */
  readonly strategy: string | null;
  readonly outcome: Outcome;
  /** What is wrong, or why it was refused. */
  readonly message: string | null;
  /** Relative error of the gradients, where they were compared with the reference. */
  readonly error: number | null;
}

export interface GradcheckResult {
  readonly device: string;
  readonly dtype: 'float64' | 'float32';
  readonly against: 'central differences' | 'the reference in float64';
  readonly rows: readonly GradcheckRow[];
  readonly totals: Readonly<Record<Outcome, number>>;
}

export interface GradcheckRunOptions {
  readonly device: Device;
  /** Cases whose group, name or strategy holds this text. */
  readonly only?: string;
  readonly progress?: (text: string) => void;
}

/** How far float32 may be from float64, relative to the largest element; sums are short here. */
const TOLERANCE = 1e-4;

export async function runGradcheck(options: GradcheckRunOptions): Promise<GradcheckResult> {
  const { device, only = '', progress } = options;
  const exact = device.capabilities.computes.has('float64') && device.capabilities.synchronous;
  const check = exact ? checkDifferences : checkReference;
  const rows: GradcheckRow[] = [];
  for (const entry of gradcheckCases)
    for (const strategy of strategiesFor(entry, device)) {
      const title = [entry.group, entry.name, strategy ?? ''].join(' ');
      if (!title.includes(only)) continue;
      progress?.(title);
      const found = await outcomeOf(() => check(entry, device, strategy), strategy);
      rows.push({ group: entry.group, name: entry.name, strategy, ...found });
      await new Promise((resolve) => setImmediate(resolve)); // for signals
    }
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length;
  return {
    device: device.name,
    dtype: exact ? 'float64' : 'float32',
    against: exact ? 'central differences' : 'the reference in float64',
    rows,
    totals: { ok: count('ok'), wrong: count('wrong'), refused: count('refused') },
  };
}

/** Every strategy of a convolution's backward on the device; no choice for anything else. */
const strategiesFor = ({ strategiesOf }: GradcheckCase, device: Device): (string | null)[] =>
  strategiesOf === undefined
    ? [null]
    : [null, ...strategies.list('conv3d', device).map(({ name }) => name)];

/** Runs `fn` with a strategy for backwards, and for the forwards that have one of that name. */
function forced<T>(name: string | null, device: Device, fn: () => T): T {
  if (name === null) return fn();
  const ops = ['conv3d', 'conv3d.forward', 'convTranspose3d.forward'].filter((op) =>
    strategies.list(op, device).some((strategy) => strategy.name === name),
  );
  return strategies.with(Object.fromEntries(ops.map((op) => [op, name])), fn);
}

async function outcomeOf(
  fn: () => Promise<number | null>,
  strategy: string | null,
): Promise<Pick<GradcheckRow, 'outcome' | 'message' | 'error'>> {
  try {
    const error = await fn();
    const wrong = error !== null && !(error <= TOLERANCE);
    const message = wrong
      ? `gradients differ from the reference by ${error.toExponential(1)}`
      : null;
    return { outcome: wrong ? 'wrong' : 'ok', message, error };
  } catch (error) {
    if (!(error instanceof VoxgradError)) throw error;
    // A device that was told to take a strategy says what it has against it.
    const refused = error.message.includes(`the forced strategy '${strategy}' cannot run`);
    return { outcome: refused ? 'refused' : 'wrong', message: error.message, error: null };
  }
}

/** Larger Jacobians are compared by one random projection each. */
const WHOLE = 120;

type Check = (
  entry: GradcheckCase,
  device: Device,
  strategy: string | null,
) => Promise<number | null>;

const checkDifferences: Check = async ({ run, inputs, range }, device, strategy) => {
  const leaves = () => inputs.map((shape, i) => spread(shape, range, i).to(device).requiresGrad_());
  const fastMode = inputs.some((shape) => numelOf(shape) > WHOLE);
  forced(strategy, device, () => {
    gradcheck(run, leaves(), { fastMode });
    gradgradcheck(run, leaves(), { fastMode: true });
  });
  return null;
};

const checkReference: Check = async ({ run, inputs, range }, device, strategy) => {
  const gradientsOn = (place: Device, dtype: 'float32' | 'float64') => {
    const leaves = inputs.map((shape, i) =>
      spread(shape, range, i).to('float32').to(dtype).to(place).requiresGrad_(),
    );
    const output = run(...leaves);
    const gradOutputs = spread(output.shape, [0.5, 1.5], 7).to(dtype).to(place);
    return grad(output, leaves, { gradOutputs });
  };
  const ours = forced(strategy, device, () => gradientsOn(device, 'float32'));
  const reference = gradientsOn(getDevice('cpu'), 'float64');
  let worst = 0;
  for (const [i, gradient] of ours.entries()) {
    const [a, b] = await Promise.all([numbers(gradient), numbers(reference[i])]);
    const scale = b.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1);
    a.forEach((value, at) => {
      const difference = Math.abs(value - b[at]) / scale;
      if (!(difference <= worst)) worst = difference;
    });
  }
  return worst;
};

const numbers = async (x: Tensor | null): Promise<number[]> =>
  x === null ? [] : Array.from(await x.data(), Number);

/**
 * Different values over a range, none near 0, where some derivatives jump; the fractional parts of the
 * multiples of the golden ratio.
 */
function spread(
  shape: readonly number[],
  [low, high]: readonly [number, number],
  seed: number,
): Tensor {
  const values = Float64Array.from({ length: numelOf(shape) }, (_, i) => {
    const value = low + (high - low) * (((i + 1) * 0.618_033_988_749_895 + seed * 0.37) % 1);
    return Math.abs(value) < 0.03 ? value + 0.06 : value;
  });
  return tensor(values, { shape, device: 'cpu' });
}

// The measurement behind a calibration: for each class of calls one small sample, every strategy that
// takes it, in turns, so that what slows the machine down slows all of them down.

import { enterOperation, leaveOperation } from '../autograd/mode.js';
import type { Device } from '../device/device.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { checkDType, type DType } from '../tensor/dtype.js';
import { describe } from '../tensor/shape.js';
import { releasing } from '../tensor/temporaries.js';
import {
  CALIBRATION_VERSION,
  type Calibration,
  type CalibrationEntry,
  conditionsOf,
  notTimeable,
} from './calibration.js';
import { type Entry, known, operationNames } from './catalogue.js';
import { decide } from './decision.js';

/** Options of {@link strategies.calibrate}. */
export interface CalibrateOptions {
  /** Operations to measure; all that bring samples if omitted. */
  ops?: readonly string[];
  /** Dtypes to measure; float32 and float64, where the device computes them, if omitted. */
  dtypes?: readonly DType[];
  /** Time to spend, in milliseconds. Classes that are not reached keep the shipped costs. */
  budgetMs?: number;
}

const OPTIONS: OptionTable<CalibrateOptions> = { ops: true, dtypes: true, budgetMs: true };

const USUAL_BUDGET_MS = 5000;
const WARM_UPS = 2;
const TURNS = 5;

/**
 * Measures the strategies of a device on small calls of each class. The result decides once
 * `strategies.useCalibration(calibration)` was called, in this process or, kept as JSON, in another.
 * @returns times in microseconds; its choices are the same whenever it is used
 * @throws VoxgradError DEVICE on an asynchronous device
 */
export function calibrate(device?: DeviceLike, options: CalibrateOptions = {}): Calibration {
  checkOptions('strategies.calibrate', options, OPTIONS);
  const target = getDevice(device);
  if (!target.capabilities.synchronous) throw notTimeable(target);
  const { budgetMs = USUAL_BUDGET_MS } = options;
  if (typeof budgetMs !== 'number' || !(budgetMs > 0))
    throw argumentError(
      `strategies.calibrate(): budgetMs must be above 0, but got ${describe(budgetMs)}`,
    );
  const jobs = jobsOf(target, options);
  const end = performance.now() + budgetMs;
  const entries: CalibrationEntry[] = [];
  for (const job of jobs) {
    if (performance.now() >= end) break;
    entries.push(...measure(job, target, end));
  }
  const conditions = conditionsOf(target);
  const head = { kind: 'voxgrad.calibration', version: CALIBRATION_VERSION } as const;
  return { ...head, device: target.name, conditions, entries };
}

interface Job {
  readonly entry: Entry;
  readonly dtype: DType;
  readonly call: unknown;
}

function jobsOf(device: Device, { ops, dtypes }: CalibrateOptions): Job[] {
  const names = ops ?? operationNames().filter((op) => known(op).operation.samples);
  const wanted = (dtypes ?? ['float32', 'float64']).map((dtype) => checkDType(dtype));
  const perOp = names.map((op) => {
    const entry = known(op);
    const { samples, tensors } = entry.operation;
    if (!samples || !tensors)
      throw argumentError(
        `strategies.calibrate(): '${op}' brings no sample calls to measure; those that do: ` +
          operationNames()
            .filter((name) => known(name).operation.samples)
            .join(', '),
      );
    return wanted
      .filter((dtype) => device.capabilities.computes.has(dtype))
      .flatMap((dtype): Job[] => samples(dtype).map((call) => ({ entry, dtype, call })));
  });
  // Each operation's first sample, then each one's second, …: a short budget reaches all of them.
  const longest = Math.max(0, ...perOp.map((jobs) => jobs.length));
  return Array.from({ length: longest }, (_, i) =>
    perOp.flatMap((jobs) => jobs.slice(i, i + 1)),
  ).flat();
}

/** Times of one job; nothing where the budget ends before each strategy had its turns. */
function measure({ entry, dtype, call }: Job, device: Device, end: number): CalibrationEntry[] {
  const { operation } = entry;
  const { candidates } = decide(operation.op, call, device);
  const able = candidates
    .filter((c) => c.support.ok)
    .map(({ strategy }) => ({
      strategy,
      cost: strategy.cost(call as never, device.capabilities),
      times: [] as number[],
    }))
    .filter(({ cost }) => Number.isFinite(cost)); // the others are never the choice
  if (able.length < 2) return []; // nothing to choose
  const tensors = operation.tensors?.(call as never, device);
  const needs = operation.needs?.(call as never) ?? [true, true, true];
  for (let turn = -WARM_UPS; turn < TURNS; turn++)
    for (let i = 0; i < able.length; i++) {
      if (performance.now() >= end) return [];
      // None always follows the slowest.
      const { strategy, times } = able[(i + turn + WARM_UPS) % able.length];
      const start = performance.now();
      untaped(() => strategy.run(call as never, tensors as never, needs));
      if (turn >= 0) times.push((performance.now() - start) * 1000);
    }
  const shapeClass = operation.shapeClass?.(call as never) ?? '';
  return able.map(({ strategy, cost, times }) => ({
    op: operation.op,
    dtype,
    shapeClass,
    strategy: strategy.name,
    micros: Math.max(middle(times), 1e-3), // clocks are coarse in browsers
    cost: Math.max(cost, 1e-9),
  }));
}

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1];

function untaped(run: () => unknown): void {
  const mode = enterOperation();
  try {
    releasing(run, () => new Set());
  } finally {
    leaveOperation(mode);
  }
}

// Measured time in place of estimated cost: for each class of calls, how long a strategy takes per unit
// of its own cost. A calibration is data: the same one always leads to the same choices.

import type { Device } from '../device/device.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError, VoxgradError } from '../errors.js';
import { shared } from '../shared.js';
import { checkDType, type DType } from '../tensor/dtype.js';
import { describe } from '../tensor/shape.js';
import type { AnyStrategy } from './catalogue.js';
import type { AnyOperation } from './operation.js';

/** Raised when classes of calls or costs mean something else than before. */
export const CALIBRATION_VERSION = 1;

/** One strategy on one class of calls. */
export interface CalibrationEntry {
  readonly op: string;
  readonly dtype: DType;
  /** See {@link Operation.shapeClass}. */
  readonly shapeClass: string;
  readonly strategy: string;
  /** Median time of the measured call, in microseconds. */
  readonly micros: number;
  /** What the strategy estimated for that call. */
  readonly cost: number;
}

/** What {@link calibrate} measured on a device; plain data, to be kept as JSON. */
export interface Calibration {
  readonly kind: 'voxgrad.calibration';
  readonly version: number;
  /** Name of the device. */
  readonly device: string;
  /** What else was the same during the measurement, such as the number of threads. */
  readonly conditions: string;
  readonly entries: readonly CalibrationEntry[];
}

/** Microseconds per unit of cost, by class and strategy. */
type Factors = ReadonlyMap<string, ReadonlyMap<string, number>>;

const state = shared('strategies.calibration', () => ({
  byDevice: new WeakMap<Device, { calibration: Calibration; factors: Factors }>(),
  version: 0,
}));

export const calibrationVersion = (): number => state.version;

/** Threads and the like: `threads: 2`, where the device counts them. */
export const conditionsOf = (device: Device): string => {
  const { threads } = device as { threads?: unknown };
  const { profile } = device.capabilities;
  return [
    `type: ${device.type}`,
    ...(profile === null ? [] : [`profile: ${profile}`]),
    ...(typeof threads === 'number' ? [`threads: ${threads}`] : []),
  ].join(', ');
};

const classKey = (op: string, dtype: string, shapeClass: string) => `${op}|${dtype}|${shapeClass}`;

/**
 * Lets a calibration decide on the device that it was made on, or with null the shipped costs again.
 * @param calibration what {@link calibrate} returned, also after a way through JSON
 * @throws VoxgradError ARGUMENT where it is none, or was made by another version or on another device
 */
export function useCalibration(calibration: Calibration | null, device?: DeviceLike): void {
  if (calibration === null) {
    state.byDevice.delete(getDevice(device));
    state.version++;
    return;
  }
  checkCalibration(calibration);
  const target = getDevice(device ?? calibration.device);
  if (target.name !== calibration.device)
    throw argumentError(
      `strategies.useCalibration(): this calibration was made on ${calibration.device} and says nothing ` +
        `about ${target.name}; run strategies.calibrate('${target.name}')`,
    );
  const conditions = conditionsOf(target);
  if (conditions !== calibration.conditions)
    throw argumentError(
      `strategies.useCalibration(): ${target.name} is now (${conditions}), and was (${calibration.conditions}) ` +
        'when it was calibrated; calibrate it again',
    );
  state.byDevice.set(target, { calibration, factors: factorsOf(calibration) });
  state.version++;
}

/** The calibration that decides on a device, or null. */
export const calibrationOf = (device?: DeviceLike): Calibration | null =>
  state.byDevice.get(getDevice(device))?.calibration ?? null;

function checkCalibration(calibration: Calibration): void {
  const fail = (what: string): never => {
    throw argumentError(`strategies.useCalibration(): ${what}`);
  };
  if (typeof calibration !== 'object' || calibration?.kind !== 'voxgrad.calibration')
    fail(`expected what strategies.calibrate returned, but got ${describe(calibration)}`);
  if (calibration.version !== CALIBRATION_VERSION)
    fail(
      `this calibration is of version ${describe(calibration.version)}, and voxgrad now makes and reads ` +
        `version ${CALIBRATION_VERSION}; calibrate again`,
    );
  if (typeof calibration.device !== 'string') fail('it names no device');
  if (!Array.isArray(calibration.entries)) fail('it has no list of entries');
  for (const [i, entry] of calibration.entries.entries()) {
    const { op, shapeClass, strategy, micros, cost } = (entry ?? {}) as CalibrationEntry;
    if (![op, shapeClass, strategy].every((text) => typeof text === 'string'))
      fail(`entry ${i} lacks op, shapeClass or strategy: ${describe(entry)}`);
    if (![micros, cost].every((n) => Number.isFinite(n) && n > 0))
      fail(`entry ${i} (${op}, ${strategy}) must have micros and cost above 0`);
    checkDType(entry.dtype);
  }
}

function factorsOf({ entries }: Calibration): Factors {
  const factors = new Map<string, Map<string, number>>();
  for (const { op, dtype, shapeClass, strategy, micros, cost } of entries) {
    const key = classKey(op, dtype, shapeClass);
    const byStrategy = factors.get(key) ?? new Map<string, number>();
    factors.set(key, byStrategy.set(strategy, micros / cost));
  }
  return factors;
}

/**
 * `cost` as microseconds where the device is calibrated for such calls, else as it is. A strategy that
 * came later is judged by the middle one of those measured, so that all of a call have one unit.
 */
export function calibratedCost(
  device: Device,
  operation: AnyOperation,
  strategy: AnyStrategy,
  call: unknown,
  cost: number,
): number {
  const factors = state.byDevice.get(device)?.factors;
  if (!factors || !operation.shapeClass) return cost;
  const { dtype } = call as { dtype?: DType };
  const shapeClass = operation.shapeClass(call as never);
  const measured = factors.get(classKey(operation.op, String(dtype), shapeClass));
  if (!measured) return cost;
  const sorted = [...measured.values()].sort((a, b) => a - b);
  return cost * (measured.get(strategy.name) ?? sorted[sorted.length >> 1]);
}

/** The error of a device that cannot be timed. */
export const notTimeable = (device: Device): VoxgradError =>
  new VoxgradError(
    'DEVICE',
    `strategies.calibrate(): ${device.name} is asynchronous: a call returns before its work is done, so it ` +
      'cannot be timed',
  );

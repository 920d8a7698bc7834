// Trust is earned: kernels of a device that this project did not write run only after they agreed
// with the reference. A device with the capability `foreign` is asked here before each use; who judges
// is `strategies/certify`, which core registers.

import type { ConvCall } from '../ops/conv/geometry.js';
import { shared } from '../shared.js';
import type { Capabilities, ConvKernelName, Device, Kernels, Refusal } from './device.js';

/** The calls that a kernel may not run, and the evidence. */
export interface Conviction {
  readonly concerns: (call: ConvCall | null) => boolean;
  readonly reason: string;
}

/** What is held against a kernel; it may compare it now and remember the outcome. */
type Judge = (device: Device, kernel: keyof Kernels) => readonly Conviction[];

const state = shared('trust', () => ({
  judge: undefined as Judge | undefined,
  /** The kernels of foreign devices as they brought them. */
  kernels: new WeakMap<Device, Kernels>(),
}));

export function setJudge(judge: Judge): void {
  state.judge = judge;
}

/** The kernels that a device brought, trusted or not. */
export const rawKernels = (device: Device): Kernels => state.kernels.get(device) ?? device.kernels;

/** Why `device` may not run `kernel` (on `call`), or null. */
export const distrust = (
  device: Device,
  kernel: keyof Kernels,
  call: ConvCall | null = null,
): string | null =>
  state.judge?.(device, kernel).find(({ concerns }) => concerns(call))?.reason ?? null;

/** The check of a foreign device: its own refusals first, then what its kernels were convicted of. */
export const trustedCheck =
  (device: Device, check: Capabilities['checkConv']): Capabilities['checkConv'] =>
  (kernel: ConvKernelName, call: ConvCall): readonly Refusal[] => {
    const refusals = check(kernel, call);
    if (refusals.length > 0) return refusals;
    const message = distrust(device, kernel, call);
    return message === null ? [] : [{ check: 'certify', message, code: 'QUARANTINE' }];
  };

/**
 * The kernels of a foreign device as everyone but the judge sees them. Those that the strategies of
 * an operation stand for are guarded there, with reasons; here are the others.
 */
export function trustedKernels(device: Device, kernels: Kernels): Kernels {
  state.kernels.set(device, kernels);
  return {
    ...kernels,
    get reluBackward() {
      return distrust(device, 'reluBackward') === null ? kernels.reluBackward : undefined;
    },
  };
}

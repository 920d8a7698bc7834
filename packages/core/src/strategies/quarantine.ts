// Strategies that a device may not use: a kernel that was compared with the reference and erred, with
// the evidence. Selection asks here before anything runs, and tells the reason.

import type { Device } from '../device/device.js';
import { shared } from '../shared.js';

/**
 * Asked about a strategy of a device before it may run: the reason why not, or null. It may find that
 * out at first and remember it; what it answers holds until {@link quarantineChanged}.
 */
export type Guard = (device: Device, op: string, strategy: string) => string | null;

const state = shared('strategies.quarantine', () => ({
  /** Device to `op/strategy` to reason. */
  reasons: new WeakMap<Device, Map<string, string>>(),
  guards: new Map<string, Guard>(),
  version: 0,
}));

const key = (op: string, strategy: string): string => `${op}/${strategy}`;

/** Grows whenever an answer of {@link isQuarantined} may have changed. */
export const quarantineVersion = (): number => state.version;

/** Makes selection ask again; for guards whose answers changed. */
export function quarantineChanged(): void {
  state.version++;
}

/** Keeps `device` from running a strategy of `op`; `reason` carries the evidence. */
export function quarantine(device: Device, op: string, strategy: string, reason: string): void {
  const reasons = state.reasons.get(device) ?? new Map<string, string>();
  state.reasons.set(device, reasons.set(key(op, strategy), reason));
  quarantineChanged();
}

/** Lets a strategy run again. Returns whether it was quarantined. */
export function releaseQuarantine(device: Device, op: string, strategy: string): boolean {
  const released = state.reasons.get(device)?.delete(key(op, strategy)) ?? false;
  quarantineChanged();
  return released;
}

/** Adds a guard under a name; a second copy of the library replaces it. */
export function addGuard(name: string, guard: Guard): void {
  state.guards.set(name, guard);
  quarantineChanged();
}

/** Why a strategy of `op` is in quarantine already, or null; no guard is asked. */
export const quarantineReason = (device: Device, op: string, strategy: string): string | null =>
  state.reasons.get(device)?.get(key(op, strategy)) ?? null;

/** Why `device` may not run a strategy of `op`, or null. Guards may find out now. */
export function isQuarantined(device: Device, op: string, strategy: string): string | null {
  const reason = quarantineReason(device, op, strategy);
  if (reason !== null) return reason;
  for (const guard of state.guards.values()) {
    const found = guard(device, op, strategy);
    if (found !== null) return found;
  }
  return null;
}

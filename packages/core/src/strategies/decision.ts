// One decision: every strategy asked, the cheapest that may run taken. Decisions are remembered by
// device and call, since a training loop asks the same questions at every step.

import type { Device } from '../device/device.js';
import { VoxgradError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { calibratedCost, calibrationVersion } from './calibration.js';
import {
  type AnyStrategy,
  catalogueVersion,
  type Entry,
  find,
  isOfferedOn,
  known,
} from './catalogue.js';
import { isQuarantined, quarantineReason, quarantineVersion } from './quarantine.js';
import type { Support } from './types.js';

export interface Candidate {
  readonly strategy: AnyStrategy;
  readonly support: Support;
  readonly cost: number;
}

export interface Decision {
  readonly candidates: readonly Candidate[];
  readonly chosen: Candidate | null;
  /** Why the chosen one: what the others were refused for, and what it says of itself. */
  readonly reasons: readonly string[];
}

/** Decisions of one device; forgotten when `stamp` is not that of today, or when there are many. */
interface Memory {
  stamp: string;
  readonly decisions: Map<string, Decision>;
}

const MOST_REMEMBERED = 4096;

const state = shared('strategies.decisions', () => ({ byDevice: new WeakMap<Device, Memory>() }));

/** Changes whenever something changes that decisions depend on besides device and call. */
export const decisionStamp = (): string =>
  `${catalogueVersion()}.${quarantineVersion()}.${calibrationVersion()}`;

function memoryOf(device: Device): Map<string, Decision> {
  const stamp = decisionStamp();
  const memory = state.byDevice.get(device) ?? { stamp, decisions: new Map<string, Decision>() };
  state.byDevice.set(device, memory);
  if (memory.stamp !== stamp || memory.decisions.size > MOST_REMEMBERED) {
    memory.decisions.clear();
    memory.stamp = stamp;
  }
  return memory.decisions;
}

/** The decision among all strategies of `op`, a canonical name. */
export function decide(op: string, call: unknown, device: Device): Decision {
  return remember(op, '', call, device, (entry) => cheapest(entry, call, device));
}

/** The decision that somebody made: the strategy called `name`, if it may run. */
export function decideFor(op: string, name: string, call: unknown, device: Device): Decision {
  const strategy = find(op, name);
  return remember(op, name, call, device, () => {
    // What it costs does not matter to whoever forces it.
    const support = supportOfStrategy(strategy, call, device.capabilities);
    const candidate = allowed(op, { strategy, support, cost: 0 }, device);
    const chosen = candidate.support.ok ? candidate : null;
    return { candidates: [candidate], chosen, reasons: candidate.support.reasons };
  });
}

function remember(
  op: string,
  name: string,
  call: unknown,
  device: Device,
  make: (entry: Entry) => Decision,
): Decision {
  const entry = known(op);
  const { key } = entry.operation;
  if (!key) return make(entry);
  const memory = memoryOf(device);
  const text = `${op} ${name} ${key(call as never)}`;
  const found = memory.get(text);
  if (found) return found;
  const decision = make(entry);
  // Asking may have run a comparison that changed what is known; then the memory has a new stamp.
  memoryOf(device).set(text, decision);
  return decision;
}

function cheapest({ operation, strategies }: Entry, call: unknown, device: Device): Decision {
  const here = strategies.filter((strategy) => isOfferedOn(strategy, device));
  const candidates = here.map((strategy) => {
    const asked = ask(strategy, call, device);
    if (!asked.support.ok) return asked;
    const reason = quarantineReason(device, operation.op, strategy.name);
    if (reason !== null) return refusedFor(strategy, reason);
    const cost = calibratedCost(device, operation, strategy, call, asked.cost);
    return cost === asked.cost ? asked : { ...asked, cost };
  });
  // From the cheapest on: whoever would run is asked for, and the dearer ones need not be.
  const order = candidates
    .map((_, i) => i)
    .sort((a, b) =>
      candidates[a].cost < candidates[b].cost
        ? -1
        : Number(candidates[a].cost > candidates[b].cost),
    );
  let chosen: Candidate | null = null;
  for (const i of order) {
    if (!candidates[i].support.ok) continue;
    candidates[i] = allowed(operation.op, candidates[i], device);
    if (!candidates[i].support.ok) continue;
    chosen = candidates[i];
    break;
  }
  return {
    candidates,
    chosen,
    reasons: [...refusals(candidates), ...(chosen?.support.reasons ?? [])],
  };
}

/** `fused refused: …` for each that cannot run. */
export const refusals = (candidates: readonly Candidate[]): string[] =>
  candidates
    .filter((c) => !c.support.ok)
    .map((c) => `${c.strategy.name} refused: ${c.support.reasons.join('; ')}`);

const refusedFor = (strategy: AnyStrategy, reason: string): Candidate => ({
  strategy,
  support: { ok: false, reasons: [reason] },
  cost: Number.POSITIVE_INFINITY,
});

/** The candidate, refused with the evidence where it is in quarantine. */
function allowed(op: string, candidate: Candidate, device: Device): Candidate {
  const { strategy, support } = candidate;
  if (!support.ok) return candidate;
  const reason = isQuarantined(device, op, strategy.name);
  return reason === null ? candidate : refusedFor(strategy, reason);
}

function ask(strategy: AnyStrategy, call: unknown, { capabilities }: Device): Candidate {
  const support = supportOfStrategy(strategy, call, capabilities);
  if (!support.ok) return { strategy, support, cost: Number.POSITIVE_INFINITY };
  const cost: unknown = strategy.cost(call as never, capabilities);
  if (typeof cost !== 'number' || Number.isNaN(cost))
    return refusedFor(strategy, 'its cost() is not a number');
  return { strategy, support, cost };
}

/** What a strategy answers; one that answers anything else is refused with that as the reason. */
function supportOfStrategy(
  strategy: AnyStrategy,
  call: unknown,
  capabilities: Device['capabilities'],
): Support {
  const answer: unknown = strategy.supports(call as never, capabilities);
  const { ok, reasons } = (answer ?? {}) as Partial<Support>;
  if (typeof ok === 'boolean' && Array.isArray(reasons)) return answer as Support;
  const reason = `its supports() must answer { ok, reasons }, but answered ${describe(answer)}`;
  return { ok: false, reasons: [reason] };
}

/** The error of a call that nobody may run, or whose forced strategy may not. */
export function cannotRun(
  op: string,
  device: Device,
  { candidates }: Decision,
  forced: boolean,
): VoxgradError {
  if (!forced)
    return new VoxgradError(
      'STRATEGY',
      `${op}: no strategy can run this call on ${device.name}:\n${refusals(candidates)
        .map((r) => `  ${r}`)
        .join('\n')}`,
    );
  const [{ strategy, support }] = candidates;
  const [first] = support.refusals ?? [];
  const text = support.reasons.join('; ');
  return new VoxgradError(
    first?.code ?? 'STRATEGY',
    `${op}: the forced strategy '${strategy.name}' cannot run on ${device.name}: ${text}`,
  );
}

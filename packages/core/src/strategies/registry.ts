// Which strategy runs a call: the forced one if there is one, else the cheapest that the device's
// capabilities support. Every decision can be explained, and traced while a program runs.

import { currentSite } from '../autograd/mode.js';
import type { Device, Refusal } from '../device/device.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { calibrationVersion } from './calibration.js';
import type { ConvCallLike } from './call.js';
import {
  type AnyStrategy,
  addStrategy,
  canonical,
  catalogueVersion,
  checkStrategy,
  known,
  removeStrategy,
} from './catalogue.js';
import { dropChoice, type Forcing, forcedName } from './choices.js';
import { cannotRun, decide, decideFor, decisionStamp } from './decision.js';
import { replaceForward, restoreForward } from './recorded.js';
import { recordedName } from './recorded-operation.js';
import { runRecorded } from './run-recorded.js';
import type { ConvBackwardStrategy, Strategy, StrategyKind } from './types.js';

/** A strategy with whether it runs a call, why, and at what cost. */
export interface Considered {
  readonly name: string;
  readonly ok: boolean;
  readonly reasons: readonly string[];
  /** The device's refusals, with code, numbers and source, where it has refused. */
  readonly refusals?: readonly Refusal[];
  /** Infinity where it cannot run. */
  readonly cost: number;
}

/** Which strategy runs a call, and what was considered. */
export interface Explanation {
  readonly op: string;
  readonly device: string;
  /** The call in full, as users write it. */
  readonly call: unknown;
  /** The strategy that would run; null where none can. */
  readonly chosen: string | null;
  /** Who decided, where it was not cost: `strategies.use` or `strategies.with`. */
  readonly forcedBy: string | null;
  readonly considered: readonly Considered[];
}

/** One operation that ran: by which strategy, where, and why. */
export interface TraceEntry {
  readonly op: string;
  readonly strategy: string;
  readonly kind: StrategyKind;
  readonly device: string;
  /** Why this one: what forced it, or what the others were refused for. */
  readonly reasons: readonly string[];
  /** The call in the form that `explain` takes. */
  readonly call: unknown;
  /** The object (module) on whose behalf the call ran. */
  readonly site: object | undefined;
}

const state = shared('strategies', () => ({
  traces: [] as TraceEntry[][],
  uncontested: new Map<string, { version: number; answer: boolean }>(),
  explanations: new WeakMap<Device, { stamp: string; byKey: Map<string, Explanation> }>(),
}));

/**
 * Adds a strategy at run time; its name must be new for its operation. `supports` and `cost` are asked
 * once for calls that are alike, and must answer by what they are given.
 *
 * A recorded operation that has no strategies of its own (`relu`, `matmul`, …) takes some for its
 * forward, beside its `builtin` one; its derivative rule stays.
 *
 * @throws VoxgradError ARGUMENT for half a strategy, STRATEGY for an operation that there is not
 */
export function register<C, T, R>(strategy: Strategy<C, T, R>): void {
  const checked = strategy as unknown as AnyStrategy;
  checkStrategy(checked);
  addStrategy(checked);
  const op = canonical(strategy.op);
  const recorded = recordedName(op);
  if (recorded === null || isBuiltin(op)) return;
  replaceForward(recorded, (definition, inputs, options) =>
    runRecorded(definition, inputs, options, (call, device) => select(op, call, device)),
  );
}

/** Whether the operation asks the registry by itself. */
const isBuiltin = (op: string): boolean => !known(op).strategies.some((s) => s.name === 'builtin');

/** Removes a strategy again. Returns whether it was there. */
export function unregister(op: string, name: string): boolean {
  const removed = removeStrategy(op, name);
  dropChoice(canonical(op), name);
  const recorded = recordedName(canonical(op));
  if (recorded !== null && known(op).strategies.length === 1) restoreForward(recorded);
  return removed;
}

/**
 * The strategy for a call, chosen and written to the active traces.
 * @param op canonical name
 * @throws VoxgradError with the device's code where a forced strategy cannot run
 */
export function select<S extends AnyStrategy | ConvBackwardStrategy>(
  op: string,
  call: unknown,
  device: Device,
  forcing: Forcing = {},
): S {
  const forced = forcedName(op, forcing);
  const decision = forced ? decideFor(op, forced.name, call, device) : decide(op, call, device);
  const { chosen } = decision;
  if (!chosen) throw cannotRun(op, device, decision, forced !== null);
  const { strategy } = chosen;
  if (state.traces.length > 0) {
    const { plain } = known(op).operation;
    const entry: TraceEntry = {
      op,
      strategy: strategy.name,
      kind: strategy.kind,
      device: device.name,
      reasons: forced ? [`forced by ${forced.by}`, ...decision.reasons] : decision.reasons,
      call: plain ? plain(call as never) : call,
      site: currentSite(),
    };
    for (const trace of state.traces) trace.push(entry);
  }
  return strategy as unknown as S;
}

/**
 * Whether nobody takes part in the choice for `op`, a canonical name with the built-in `fused` and
 * `composite`: no strategy of a user, nothing forced, no calibration, and no trace that wants to know. An
 * operation that is over in a microsecond asks this instead of {@link select}.
 */
export function isUncontested(op: string): boolean {
  if (state.traces.length > 0 || forcedName(op, {}) !== null) return false;
  const version = catalogueVersion() + calibrationVersion();
  const found = state.uncontested.get(op);
  if (found?.version === version) return found.answer;
  const isOwn = ({ name }: AnyStrategy) => name === 'fused' || name === 'composite';
  const answer = calibrationVersion() === 0 && known(op).strategies.every(isOwn);
  state.uncontested.set(op, { version, answer });
  return answer;
}

/** The strategy that a call would run by cost; null where somebody forced one. */
export const choiceByCost = (op: string, call: unknown, device: Device): string | null =>
  forcedName(op, {}) ? null : (decide(op, call, device).chosen?.strategy.name ?? null);

/**
 * Which strategy would run a call and why, without running it.
 * @param call for a convolution `{ input, weight, stride, padding, … }`, see {@link ConvCallLike}, or
 *   the checked {@link ConvCall} that strategies are asked about
 */
export function explain(op: string, call: ConvCallLike | object, device?: DeviceLike): Explanation {
  const name = canonical(op);
  const { operation } = known(op);
  if (typeof call !== 'object' || call === null)
    throw argumentError(`explain('${op}'): expected a call, but got ${describe(call)}`);
  const full: unknown = operation.normalize ? operation.normalize(op, call) : call;
  const target = getDevice(device);
  const forced = forcedName(name, {});
  const key = operation.key?.(full as never);
  const text = key === undefined ? null : `${name} ${forced?.name} ${forced?.by} ${key}`;
  const found = text === null ? undefined : explanationsOf(target).get(text);
  if (found) return found;
  const { candidates, chosen } = decide(name, full, target);
  const taken = forced ? decideFor(name, forced.name, full, target).chosen : chosen;
  const explanation: Explanation = Object.freeze({
    op: name,
    device: target.name,
    call: operation.plain ? operation.plain(full as never) : full,
    chosen: taken?.strategy.name ?? null,
    forcedBy: forced?.by ?? null,
    considered: Object.freeze(
      candidates.map(({ strategy, support, cost }) =>
        Object.freeze({
          name: strategy.name,
          ok: support.ok,
          reasons: Object.freeze([...support.reasons]),
          ...(support.refusals?.length && { refusals: Object.freeze([...support.refusals]) }),
          cost,
        }),
      ),
    ),
  });
  if (text !== null) explanationsOf(target).set(text, explanation);
  return explanation;
}

const MOST_REMEMBERED = 1024;

function explanationsOf(device: Device): Map<string, Explanation> {
  const stamp = decisionStamp();
  const known = state.explanations.get(device);
  if (known?.stamp === stamp && known.byKey.size <= MOST_REMEMBERED) return known.byKey;
  const byKey = new Map<string, Explanation>();
  state.explanations.set(device, { stamp, byKey });
  return byKey;
}

/** Runs `fn` and returns what strategies ran, in order. */
export function trace(fn: () => unknown): TraceEntry[] {
  const entries: TraceEntry[] = [];
  state.traces.push(entries);
  try {
    if (fn() instanceof Promise)
      throw argumentError(
        'strategies.trace(): expected a synchronous function, but it returned a promise',
      );
  } finally {
    state.traces.splice(state.traces.lastIndexOf(entries), 1);
  }
  return entries;
}

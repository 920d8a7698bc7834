// Which strategy runs a call: the forced one if there is one, else the cheapest that the device's
// capabilities support. Every decision can be explained, and traced while a program runs.

import { currentSite } from '../autograd/mode.js';
import type { Capabilities, Device } from '../device/device.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError, VoxgradError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { type ConvCallLike, isConvOp, normalizeConvCall, plainConvCall } from './call.js';
import type { ConvBackwardStrategy, Strategy, StrategyKind, Support } from './types.js';

const KINDS: readonly StrategyKind[] = ['fused', 'composite', 'tiled', 'custom'];

/** A strategy whose call and tensors the registry does not look into. */
type AnyStrategy = Strategy<never, never, unknown>;

/** Operation names to the name of the strategy to force; null gives the choice back. */
export type Choices = Readonly<Record<string, string | null>>;

export interface Considered {
  readonly name: string;
  readonly ok: boolean;
  readonly reasons: readonly string[];
  readonly cost: number;
}

export interface Explanation {
  readonly chosen: string | null;
  readonly considered: readonly Considered[];
}

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
  byOp: new Map<string, AnyStrategy[]>(),
  global: new Map<string, string>(),
  scopes: [] as Choices[],
  traces: [] as TraceEntry[][],
}));

/** One- and two-dimensional convolutions are three-dimensional ones with unit axes. */
const canonical = (op: string): string => op.replace(/^(conv|convTranspose)[12]d/, '$13d');

function known(op: string): AnyStrategy[] {
  const list = state.byOp.get(canonical(op));
  if (list) return list;
  throw new VoxgradError(
    'STRATEGY',
    `no operation called '${op}' has strategies; known: ${[...state.byOp.keys()].join(', ')}`,
  );
}

/** Adds a strategy at run time; its name must be new for its operation. */
export function register<C, T, R>(strategy: Strategy<C, T, R>): void {
  if (typeof strategy !== 'object' || strategy === null || typeof strategy.op !== 'string')
    throw argumentError(
      `strategies.register(): expected { op, name, kind, supports, cost, run }, but got ${describe(strategy)}`,
    );
  const op = canonical(strategy.op);
  if (typeof strategy.name !== 'string' || strategy.name === '')
    throw argumentError(
      `strategies.register(): expected a name, but got ${describe(strategy.name)}`,
    );
  if (!KINDS.includes(strategy.kind))
    throw argumentError(
      `strategies.register(): kind must be one of ${KINDS.join(', ')}, but got ${describe(strategy.kind)}`,
    );
  for (const part of ['supports', 'cost', 'run'] as const)
    if (typeof strategy[part] !== 'function')
      throw argumentError(`strategies.register(): '${strategy.name}' lacks the function ${part}`);
  const list = state.byOp.get(op) ?? [];
  if (list.some((s) => s.name === strategy.name))
    throw argumentError(
      `strategies.register(): ${op} already has a strategy called '${strategy.name}'; unregister it first`,
    );
  state.byOp.set(op, [...list, strategy as unknown as AnyStrategy]);
}

/** Registers a built-in; a second copy of the library finds it there already. */
export function registerBuiltin<C, T, R>(strategy: Strategy<C, T, R>): void {
  if (!state.byOp.get(strategy.op)?.some((s) => s.name === strategy.name)) register(strategy);
}

/** Removes a strategy again. Returns whether it was there. */
export function unregister(op: string, name: string): boolean {
  const list = known(op);
  const rest = list.filter((s) => s.name !== name);
  state.byOp.set(canonical(op), rest);
  // A choice of what is gone would make every later call fail.
  if (state.global.get(canonical(op)) === name) state.global.delete(canonical(op));
  return rest.length < list.length;
}

export interface StrategyInfo {
  readonly op: string;
  readonly name: string;
  readonly kind: StrategyKind;
}

/** The strategies of an operation. */
export const list = (op: string, _device?: DeviceLike): StrategyInfo[] =>
  known(op).map(({ name, kind }) => ({ op: canonical(op), name, kind }));

function checkChoices(choices: Choices): void {
  if (typeof choices !== 'object' || choices === null)
    throw argumentError(
      `strategies: expected choices such as { conv3d: 'composite' }, but got ${describe(choices)}`,
    );
  for (const [op, name] of Object.entries(choices)) if (name !== null) find(op, name);
}

function find(op: string, name: string): AnyStrategy {
  const found = known(op).find((s) => s.name === name);
  if (found) return found;
  throw new VoxgradError(
    'STRATEGY',
    `${op} has no strategy called ${describe(name)}; known: ${known(op)
      .map((s) => s.name)
      .join(', ')}`,
  );
}

/** Throws unless `name` is undefined or a strategy of `op`. */
export function checkStrategyName(op: string, name: string | undefined): void {
  if (name !== undefined) find(op, name);
}

/** Forces strategies globally, by operation: `use({ conv3d: 'composite' })`; null lets go. */
export function use(choices: Choices): void {
  checkChoices(choices);
  for (const [op, name] of Object.entries(choices)) {
    if (name === null) state.global.delete(canonical(op));
    else state.global.set(canonical(op), name);
  }
}

/**
 * Forces strategies while `fn` runs. Convolutions recorded inside keep the choice for their
 * backward, unless another scope is active when that runs.
 */
function withChoices<T>(choices: Choices, fn: () => T): T {
  checkChoices(choices);
  const normalized = Object.fromEntries(
    Object.entries(choices).map(([op, name]) => [canonical(op), name]),
  );
  state.scopes.push(normalized);
  try {
    const result = fn();
    if (result instanceof Promise)
      throw argumentError(
        'strategies.with(): the function returned a promise, but the scope ends as soon as it ' +
          'returns; pass { backward } to the calls or modules instead',
      );
    return result;
  } finally {
    state.scopes.pop();
  }
}

export { withChoices as with };

/** The choice of the innermost scope that names `op`. */
export function scopedChoice(op: string): string | null | undefined {
  for (let i = state.scopes.length - 1; i >= 0; i--) {
    const choice = state.scopes[i][canonical(op)];
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** What a call may force, from the strongest to the weakest. */
export interface Forcing {
  /** Named by the call or its module. */
  readonly explicit?: string;
  /** The scope in which the call was recorded. */
  readonly recorded?: string | null;
}

function forcedName(op: string, forcing: Forcing): { name: string; by: string } | null {
  if (forcing.explicit !== undefined) return { name: forcing.explicit, by: 'the call' };
  const active = scopedChoice(op);
  const scoped = active === undefined ? forcing.recorded : active;
  if (scoped === null) return null; // a scope that gives the choice back, also from `use`
  if (scoped !== undefined) return { name: scoped, by: 'strategies.with' };
  const global = state.global.get(op);
  return global === undefined ? null : { name: global, by: 'strategies.use' };
}

interface Candidate {
  readonly strategy: AnyStrategy;
  readonly support: Support;
  readonly cost: number;
}

function consider(op: string, call: unknown, capabilities: Capabilities): Candidate[] {
  return known(op).map((strategy) => {
    const support = supportOfStrategy(strategy, call, capabilities);
    const cost = support.ok ? strategy.cost(call as never, capabilities) : Number.POSITIVE_INFINITY;
    if (Number.isNaN(cost)) return refusedFor(strategy, 'its cost() is not a number');
    return { strategy, support, cost };
  });
}

const refusedFor = (strategy: AnyStrategy, reason: string): Candidate => ({
  strategy,
  support: { ok: false, reasons: [reason] },
  cost: Number.POSITIVE_INFINITY,
});

/** What a strategy answers; one that answers anything else is refused with that as the reason. */
function supportOfStrategy(
  strategy: AnyStrategy,
  call: unknown,
  capabilities: Capabilities,
): Support {
  const answer: unknown = strategy.supports(call as never, capabilities);
  const { ok, reasons } = (answer ?? {}) as Partial<Support>;
  if (typeof ok === 'boolean' && Array.isArray(reasons)) return answer as Support;
  const reason = `its supports() must answer { ok, reasons }, but answered ${describe(answer)}`;
  return { ok: false, reasons: [reason] };
}

const cheapest = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates
    .filter((c) => c.support.ok)
    .reduce<Candidate | undefined>(
      (best, c) => (best && best.cost <= c.cost ? best : c),
      undefined,
    );

function refused(op: string, device: Device, { strategy, support }: Candidate): VoxgradError {
  const [first] = support.refusals ?? [];
  const text = support.reasons.join('; ');
  return new VoxgradError(
    first?.code ?? 'STRATEGY',
    `${op}: the forced strategy '${strategy.name}' cannot run on ${device.name}: ${text}`,
  );
}

function choose(
  op: string,
  call: unknown,
  device: Device,
  forcing: Forcing,
): { candidate: Candidate; reasons: string[] } {
  const forced = forcedName(op, forcing);
  if (forced) {
    const strategy = find(op, forced.name);
    const support = supportOfStrategy(strategy, call, device.capabilities);
    const candidate = { strategy, support, cost: 0 };
    if (!support.ok) throw refused(op, device, candidate);
    return { candidate, reasons: [`forced by ${forced.by}`, ...support.reasons] };
  }
  const candidates = consider(op, call, device.capabilities);
  const candidate = cheapest(candidates);
  const refusals = candidates
    .filter((c) => !c.support.ok)
    .map((c) => `${c.strategy.name} refused: ${c.support.reasons.join('; ')}`);
  if (!candidate)
    throw new VoxgradError(
      'STRATEGY',
      `${op}: no strategy can run this call on ${device.name}:\n${refusals.map((r) => `  ${r}`).join('\n')}`,
    );
  return { candidate, reasons: [...refusals, ...candidate.support.reasons] };
}

/**
 * The strategy for a call, chosen and written to the active traces.
 * @throws VoxgradError with the device's code where a forced strategy cannot run
 */
export function select<S extends AnyStrategy | ConvBackwardStrategy>(
  op: string,
  call: unknown,
  device: Device,
  forcing: Forcing = {},
): S {
  const { candidate, reasons } = choose(op, call, device, forcing);
  const { strategy } = candidate;
  if (state.traces.length > 0) {
    const entry: TraceEntry = {
      op,
      strategy: strategy.name,
      kind: strategy.kind,
      device: device.name,
      reasons,
      call: isConvOp(op) ? plainConvCall(call as never) : call,
      site: currentSite(),
    };
    for (const trace of state.traces) trace.push(entry);
  }
  return strategy as unknown as S;
}

/** Which strategy would run a call and why, without running it. */
export function explain(op: string, call: ConvCallLike | object, device?: DeviceLike): Explanation {
  const name = canonical(op);
  const full = isConvOp(name) ? normalizeConvCall(op, call as ConvCallLike) : call;
  const { capabilities } = getDevice(device);
  const candidates = consider(name, full, capabilities);
  const forced = forcedName(name, {});
  const chosen = forced
    ? candidates.find((c) => c.strategy.name === forced.name && c.support.ok)
    : cheapest(candidates);
  return {
    chosen: chosen?.strategy.name ?? null,
    considered: candidates.map(({ strategy, support, cost }) => ({
      name: strategy.name,
      ok: support.ok,
      reasons: support.reasons,
      cost,
    })),
  };
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

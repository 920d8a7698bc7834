// Which operations have strategies, and which strategies they have.

import type { Device } from '../device/device.js';
import { argumentError, VoxgradError } from '../errors.js';
import { isFunctionName } from '../guard.js';
import { likelyName } from '../options.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import type { AnyOperation, Operation } from './operation.js';
import { isRecorded, recordedEntry } from './recorded-operation.js';
import type { Strategy, StrategyKind } from './types.js';

const KINDS: readonly StrategyKind[] = ['fused', 'composite', 'tiled', 'custom'];

/** A strategy whose call and tensors the registry does not look into. */
export type AnyStrategy = Strategy<never, never, unknown>;

/** Whether `strategy` has a place on a device; elsewhere who forces it hears why it does not run. */
export const isOfferedOn = ({ offeredOn }: AnyStrategy, { capabilities }: Device): boolean =>
  offeredOn === undefined || offeredOn(capabilities);

/** An operation and its strategies, in the order in which they are asked. */
export interface Entry {
  readonly operation: AnyOperation;
  readonly strategies: readonly AnyStrategy[];
}

const state = shared('strategies.catalogue', () => ({
  entries: new Map<string, Entry>(),
  version: 0,
}));

/** Grows whenever a decision may come out differently from before. */
export const catalogueVersion = (): number => state.version;

export function catalogueChanged(): void {
  state.version++;
}

/** Recorded operations that the registry knows under other names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  convolution: 'conv3d.forward',
  convolutionBackward: 'conv3d',
};

const CONVOLUTIONS = /^(conv|convTranspose)[12]d/;

/**
 * The name under which the registry knows an operation. One- and two-dimensional convolutions are
 * three-dimensional ones with unit axes; an operation that has only a forward may be named without
 * saying so.
 */
export function canonical(op: string): string {
  const name = CONVOLUTIONS.test(op) ? op.replace(CONVOLUTIONS, '$13d') : op;
  if (state.entries.has(name)) return name;
  if (state.entries.has(`${name}.forward`)) return `${name}.forward`;
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return isRecorded(name) ? `${name}.forward` : name;
}

/** What is known of `op`; a recorded operation is noted when it is first asked about. */
export function entryOf(op: string): Entry | undefined {
  const name = canonical(op);
  const entry = state.entries.get(name);
  if (entry) return entry;
  const recorded = recordedEntry(name);
  if (recorded) state.entries.set(name, recorded);
  return recorded;
}

/** The entry of `op`, or an error that lists what there is. */
export function known(op: string): Entry {
  const entry = typeof op === 'string' ? entryOf(op) : undefined;
  if (entry) return entry;
  throw unknownOperation(op);
}

export const unknownOperation = (op: unknown): VoxgradError => {
  const name = typeof op === 'string' ? `'${op}'` : describe(op);
  const names = operationNames();
  const likely = typeof op === 'string' ? likelyName(op, names) : undefined;
  return new VoxgradError(
    'STRATEGY',
    `no operation called ${name} has strategies; known: ${names.join(', ')}` +
      `${likely ? ` (did you mean '${likely}'?)` : ''}, and every recorded operation by its name, such as relu or matmul`,
  );
};

export function find(op: string, name: string): AnyStrategy {
  const { strategies } = known(op);
  const found = strategies.find((s) => s.name === name);
  if (found) return found;
  throw new VoxgradError(
    'STRATEGY',
    `${op} has no strategy called ${describe(name)}; known: ${strategies.map((s) => s.name).join(', ')}`,
  );
}

/** Throws unless `name` is undefined or a strategy of `op`. */
export function checkStrategyName(op: string, name: string | undefined): void {
  if (name !== undefined) find(op, name);
}

/** Makes an operation known; a second copy of the library finds it there already. */
export function defineBuiltin<C, T>(operation: Operation<C, T>): void {
  if (!state.entries.has(operation.op))
    state.entries.set(operation.op, { operation: operation as AnyOperation, strategies: [] });
}

/**
 * Says more of an operation of the user's own than its name: how its calls are told apart and measured.
 * Without it, {@link addStrategy} takes an operation that nobody knows for the user's own.
 * @throws VoxgradError ARGUMENT where the name is taken
 */
export function define<C, T>(operation: Operation<C, T>): void {
  if (typeof operation !== 'object' || operation === null || typeof operation.op !== 'string')
    throw argumentError(
      `strategies.define(): expected { op, key?, … }, but got ${describe(operation)}`,
    );
  const { op } = operation;
  if (entryOf(op))
    throw argumentError(`strategies.define(): there is an operation '${op}' already`);
  checkOwnName(op);
  defineBuiltin(operation);
  catalogueChanged();
}

/** Throws where a name is one that the registry would never be asked about. */
function checkOwnName(op: string): void {
  const plain = op.replace(/\.forward$/, '');
  if (isFunctionName(plain))
    throw new VoxgradError(
      'STRATEGY',
      `${plain} is composed of other operations, and takes no strategy of its own; register one for ` +
        'those that `strategies.trace` or a recorded graph shows, or for one of ' +
        operationNames().join(', '),
    );
  const likely = likelyName(op, operationNames());
  if (op === '' || likely) throw unknownOperation(op);
}

export function checkStrategy(strategy: AnyStrategy): void {
  if (typeof strategy !== 'object' || strategy === null || typeof strategy.op !== 'string')
    throw argumentError(
      `strategies.register(): expected { op, name, kind, supports, cost, run }, but got ${describe(strategy)}`,
    );
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
}

/** Adds a strategy to an operation; one that nobody knows is the user's own. */
export function addStrategy(strategy: AnyStrategy): void {
  const op = canonical(strategy.op);
  if (!entryOf(op)) define({ op });
  const { operation, strategies } = known(op);
  if (strategies.some((s) => s.name === strategy.name))
    throw argumentError(
      `strategies.register(): ${op} already has a strategy called '${strategy.name}'; unregister it first`,
    );
  state.entries.set(op, { operation, strategies: [...strategies, strategy] });
  catalogueChanged();
}

/** Registers a built-in; a second copy of the library finds it there already. */
export function registerBuiltin<C, T, R>(strategy: Strategy<C, T, R>): void {
  const there = entryOf(strategy.op)?.strategies.some((s) => s.name === strategy.name);
  if (!there) addStrategy(strategy as unknown as AnyStrategy);
}

/** Takes a strategy away. Returns whether it was there. */
export function removeStrategy(op: string, name: string): boolean {
  const { operation, strategies } = known(op);
  const rest = strategies.filter((s) => s.name !== name);
  state.entries.set(canonical(op), { operation, strategies: rest });
  catalogueChanged();
  return rest.length < strategies.length;
}

/** Names of all operations that are known so far. */
export const operationNames = (): string[] => [...state.entries.keys()];

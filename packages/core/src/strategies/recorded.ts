// Operations that have one way to run, their own forward, until a user registers another one. The
// table is asked by every operation, so it knows nothing but names and what takes a forward's place.

import { shared } from '../shared.js';
import type { Tensor } from '../tensor/tensor.js';

/** The part of an operation's definition that can be replaced. */
export interface RecordedForward<O> {
  readonly name: string;
  forward(inputs: readonly Tensor[], options: O): Tensor | Tensor[];
}

/** Runs an operation by a strategy in place of its own forward. */
export type Replacement = (
  definition: RecordedForward<never>,
  inputs: readonly Tensor[],
  options: unknown,
) => Tensor | Tensor[];

const state = shared('strategies.recorded', () => ({
  names: new Set<string>(),
  replacements: new Map<string, Replacement>(),
}));

/** Notes that there is an operation of this name. */
export function nameRecorded(name: string): void {
  state.names.add(name);
}

export const isRecorded = (name: string): boolean => state.names.has(name);

/** What runs in place of the forwards of operations, by name; nearly always empty. */
export const replacements: ReadonlyMap<string, Replacement> = state.replacements;

export function replaceForward(name: string, replacement: Replacement): void {
  state.replacements.set(name, replacement);
}

export function restoreForward(name: string): void {
  state.replacements.delete(name);
}

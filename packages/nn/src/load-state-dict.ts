import {
  describe,
  formatShape,
  noGrad,
  reshape,
  StateDict,
  sameShape,
  Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { join } from './key.js';
import type { Module } from './module.js';

/** Keys that a state dict lacked, and keys that nothing took. */
export interface LoadResult {
  readonly missingKeys: string[];
  readonly unexpectedKeys: string[];
}

/** PyTorch prints sizes as `torch.Size([2, 1])`. */
const torchSize = (shape: readonly number[]) => `torch.Size(${formatShape(shape)})`;

const quoted = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');

/** Copies `given` into `module`; all checks come before the first write. */
export function loadInto(
  module: Module,
  given: StateDict | Map<string, Tensor>,
  strict: boolean,
): LoadResult {
  if (!(given instanceof Map))
    throw new VoxgradError('STATE_DICT', `Expected a state dict (a Map), got ${describe(given)}.`);
  const state = new Map(given);
  const metadata = given instanceof StateDict ? given.metadata : undefined;
  const targets = new Map<string, Tensor>();
  const unexpected = new Set<string>();
  for (const [prefix, part] of modulesWithAliases(module)) {
    part.upgradeState(state, prefix, metadata?.get(prefix)?.version);
    const own = part.ownState().map(({ name }) => name);
    for (const { name, value } of part.ownState()) targets.set(join(prefix, name), value);
    const below = part.namedChildren().map(([name]) => name);
    for (const key of strayKeys(state, prefix, own, below)) unexpected.add(key);
  }
  const missingKeys = [...targets.keys()].filter((key) => !state.has(key));
  const unexpectedKeys = [...unexpected];
  const keys = { missingKeys, unexpectedKeys };
  const hooks = module
    .modules()
    .flatMap((part) => part.loadHooks().map((hook) => () => hook(part, keys)));
  // Hooks run after the writes and may excuse keys; without any, nothing is written first.
  const problems = strict && hooks.length === 0 ? keyProblems(keys) : [];
  const refuse = (all: readonly string[]) => {
    if (all.length === 0) return;
    throw new VoxgradError(
      'STATE_DICT',
      `Error(s) in loading state_dict for ${module.constructor.name}:\n\t${all.join('\n\t')}${prefixHint(strict, targets, state)}`,
    );
  };
  const writes: [Tensor, Tensor][] = [];
  for (const [key, target] of targets) {
    if (!state.has(key)) continue;
    const fit = fitted(key, state.get(key), target);
    if (typeof fit === 'string') problems.push(fit);
    else writes.push([target, fit]);
  }
  refuse(problems);
  noGrad(() => {
    for (const [target, source] of writes) target.copy_(source);
  });
  for (const hook of hooks) hook();
  if (strict && hooks.length > 0) refuse(keyProblems(keys));
  return keys;
}

const keyProblems = ({ missingKeys, unexpectedKeys }: LoadResult): string[] => [
  ...(missingKeys.length > 0 ? [`Missing key(s) in state_dict: ${quoted(missingKeys)}. `] : []),
  ...(unexpectedKeys.length > 0
    ? [`Unexpected key(s) in state_dict: ${quoted(unexpectedKeys)}. `]
    : []),
];

/** Keys right below `prefix` that are neither a tensor nor a child of its module. */
function strayKeys(
  state: ReadonlyMap<string, unknown>,
  prefix: string,
  own: readonly string[],
  children: readonly string[],
): string[] {
  const start = prefix === '' ? '' : `${prefix}.`;
  return [...state.keys()].filter((key) => {
    if (!key.startsWith(start)) return false;
    const rest = key.slice(start.length);
    return !own.includes(rest) && !children.includes(rest.split('.')[0]);
  });
}

/** What to copy into `target`, or the words for why `source` does not fit. */
function fitted(key: string, source: unknown, target: Tensor): Tensor | string {
  if (!(source instanceof Tensor))
    return (
      `While copying the parameter named "${key}", expected a Tensor from checkpoint but ` +
      `received ${describe(source)}`
    );
  // Old files hold 0-d values as one-element tensors.
  const fitting = target.ndim === 0 && sameShape(source.shape, [1]) ? reshape(source, []) : source;
  if (sameShape(fitting.shape, target.shape)) return fitting;
  return (
    `size mismatch for ${key}: copying a param with shape ${torchSize(source.shape)} from checkpoint, ` +
    `the shape in current model is ${torchSize(target.shape)}.`
  );
}

/** Shared modules appear under each of their names, as in PyTorch's state dicts. */
function modulesWithAliases(module: Module, prefix = ''): [string, Module][] {
  const below = module
    .namedChildren()
    .flatMap(([name, child]) => modulesWithAliases(child, join(prefix, name)));
  return [[prefix, module], ...below];
}

/** Wrappers such as DataParallel put a word before every key; say so when that is all that is wrong. */
function prefixHint(
  strict: boolean,
  targets: Map<string, Tensor>,
  state: Map<string, Tensor>,
): string {
  if (!strict) return '';
  const bare = [...state.keys()].map((key) =>
    key.replace(/(?<=^|\.)(_orig_mod\.)+/g, '').replace(/^(module\.)+/, ''),
  );
  const stripped = bare.some((key) => !state.has(key));
  return stripped && bare.every((key) => targets.has(key))
    ? "\nThe keys carry a wrapper's prefix: load with { stripPrefixes: true } to take it off."
    : '';
}

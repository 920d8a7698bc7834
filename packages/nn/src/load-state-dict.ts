import {
  formatShape,
  noGrad,
  reshape,
  StateDict,
  sameShape,
  type Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { join } from './key.js';
import type { Module } from './module.js';

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
  const state = new Map(given);
  const metadata = given instanceof StateDict ? given.metadata : undefined;
  const targets = new Map<string, Tensor>();
  for (const [prefix, part] of modulesWithAliases(module)) {
    part.upgradeState(state, prefix, metadata?.get(prefix)?.version);
    for (const { name, value } of part.ownState()) targets.set(join(prefix, name), value);
  }
  const missingKeys = [...targets.keys()].filter((key) => !state.has(key));
  const unexpectedKeys = [...state.keys()].filter((key) => !targets.has(key));
  const problems: string[] = [];
  if (strict && unexpectedKeys.length > 0)
    problems.push(`Unexpected key(s) in state_dict: ${quoted(unexpectedKeys)}. `);
  if (strict && missingKeys.length > 0)
    problems.push(`Missing key(s) in state_dict: ${quoted(missingKeys)}. `);
  const writes: [Tensor, Tensor][] = [];
  for (const [key, target] of targets) {
    const source = state.get(key);
    if (source === undefined) continue;
    // Old files hold 0-d values as one-element tensors.
    const fitting =
      target.ndim === 0 && sameShape(source.shape, [1]) ? reshape(source, []) : source;
    if (sameShape(fitting.shape, target.shape)) writes.push([target, fitting]);
    else
      problems.push(
        `size mismatch for ${key}: copying a param with shape ${torchSize(source.shape)} from checkpoint, ` +
          `the shape in current model is ${torchSize(target.shape)}.`,
      );
  }
  if (problems.length > 0)
    throw new VoxgradError(
      'STATE_DICT',
      `Error(s) in loading state_dict for ${module.constructor.name}:\n\t${problems.join('\n\t')}${prefixHint(strict, targets, state)}`,
    );
  noGrad(() => {
    for (const [target, source] of writes) target.copy_(source);
  });
  return { missingKeys, unexpectedKeys };
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
  const bare = [...state.keys()].map((key) => key.replace(/^((module|_orig_mod)\.)+/, ''));
  const stripped = bare.some((key) => !state.has(key));
  return stripped && bare.every((key) => targets.has(key))
    ? "\nThe keys carry a wrapper's prefix: load with { stripPrefixes: true } to take it off."
    : '';
}

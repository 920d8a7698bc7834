// Finding a model's state dict in what a checkpoint holds, and cleaning its keys.

import { StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError, formatPath } from './error.js';
import type { Loaded, LoadedKey } from './value.js';

/**
 * Keys under which training scripts put the model, most specific first: PyTorch Lightning, MONAI
 * and most scripts say `state_dict`, nnU-Net `network_weights`, others name the variable.
 */
const WRAPPINGS: readonly string[] = [
  'state_dict',
  'model_state_dict',
  'model_state',
  'network_weights',
  'model',
  'net',
  'network',
  'module',
  'weights',
  'params',
];

/** Wrappings within wrappings are looked into this deep. */
const MAX_WRAPPINGS = 3;

/** The state dict in `value`, alone or wrapped as training scripts do. */
export function findStateDict(value: Loaded): StateDict {
  const found = unwrap(value, MAX_WRAPPINGS);
  if (found !== undefined) return found;
  throw new CheckpointError(
    'STATE_DICT',
    `holds no state dict where one is looked for: it is ${describe(value)}. Take it out of ` +
      'what load(…) returns',
  );
}

function unwrap(value: Loaded, depth: number): StateDict | undefined {
  if (value instanceof StateDict) return value;
  if (!(value instanceof Map)) return undefined;
  const own = asStateDict(value);
  if (own !== undefined || depth === 0) return own;
  for (const key of WRAPPINGS) {
    const inner = value.get(key);
    const found = inner === undefined ? undefined : unwrap(inner, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A Map of tensors under text keys, as a StateDict; undefined for other or empty Maps. */
function asStateDict(map: ReadonlyMap<LoadedKey, Loaded>): StateDict | undefined {
  const dict = new StateDict();
  for (const [key, value] of map) {
    if (typeof key !== 'string' || !(value instanceof Tensor)) return undefined;
    dict.set(key, value);
  }
  return dict.size > 0 ? dict : undefined;
}

const MAX_LISTED = 20;

function describe(value: Loaded): string {
  if (value instanceof Map) {
    const listed = [...value]
      .slice(0, MAX_LISTED)
      .map(([key, item]) => `${quote(key)}: ${kind(item)}`);
    const more = value.size > MAX_LISTED ? `, and ${value.size - MAX_LISTED} more` : '';
    return value.size === 0 ? 'an empty dict' : `a dict with the keys ${listed.join(', ')}${more}`;
  }
  return kind(value);
}

const quote = (key: LoadedKey): string =>
  typeof key === 'string' ? JSON.stringify(key) : String(key);

function kind(value: Loaded): string {
  if (value instanceof Tensor) return 'a tensor';
  if (value instanceof Map) return `a dict of ${value.size}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null) return 'None';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `module` is put first by DataParallel, `_orig_mod` wherever torch.compile wrapped a module. */
function unwrapped(modules: readonly string[]): string[] {
  const compiled = modules.filter((name) => name !== '_orig_mod');
  const first = compiled.findIndex((name) => name !== 'module');
  return first < 0 ? [] : compiled.slice(first);
}

/** The key of a parameter without wrappers; its last step is the parameter's own name. */
function strippedKey(key: string): string {
  const steps = key.split('.');
  return [...unwrapped(steps.slice(0, -1)), ...steps.slice(-1)].join('.');
}

/** Renames the keys of `dict` in place, and those of its metadata. */
export function stripPrefixes<K extends LoadedKey, V>(dict: Map<K | string, V>): void {
  const entries = [...dict];
  dict.clear();
  for (const [key, value] of entries) {
    const name = typeof key === 'string' ? strippedKey(key) : key;
    if (dict.has(name))
      throw new CheckpointError(
        'STATE_DICT',
        `two keys become ${formatPath([name])} without their prefixes; load without stripPrefixes`,
      );
    dict.set(name, value);
  }
  if (dict instanceof StateDict && dict.metadata !== undefined)
    dict.metadata = new Map(
      [...dict.metadata].map(([name, facts]) => [unwrapped(name.split('.')).join('.'), facts]),
    );
}

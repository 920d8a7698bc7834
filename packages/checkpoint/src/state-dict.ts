// Finding a model's state dict in what a checkpoint holds, and cleaning its keys.

import { StateDict } from '@voxgrad/core';
import { CheckpointError, formatPath } from './error.js';
import type { LoadedKey } from './value.js';

/**
 * Keys under which training scripts put the model, most specific first: PyTorch Lightning, MONAI
 * and most scripts say `state_dict`, nnU-Net `network_weights`, others name the variable.
 */
export const WRAPPINGS: readonly string[] = [
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
export const MAX_WRAPPINGS = 3;

/** The error of a file in which no state dict was found, but `what`. */
export const nothingFound = (what: string): CheckpointError =>
  new CheckpointError(
    'STATE_DICT',
    `holds no state dict where one is looked for: it is ${what}. Take it out of what load(…) returns`,
  );

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

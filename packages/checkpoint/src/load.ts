import { checkOptions, type DeviceLike, getDevice, StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError } from './error.js';
import type { Checkpoint, ReadOptions, StateDictPlace, Unreadable } from './format.js';
import { chooser, type Only } from './only.js';
import { withCheckpoint } from './open.js';
import { checkKinds } from './option-kinds.js';
import type { CheckpointSource, SourceOptions } from './source.js';
import { nothingFound } from './state-dict.js';
import type { Loaded, LoadedKey } from './value.js';

export interface LoadOptions extends SourceOptions {
  /** Where the tensors live; the default device if omitted. */
  device?: DeviceLike;
  /**
   * Takes wrappers' names out of the keys of state dicts: `module.` (DataParallel) from the front,
   * `_orig_mod.` (torch.compile) from anywhere, in whatever order they are nested.
   */
  stripPrefixes?: boolean;
  /**
   * Which tensors to read; the others are left out of dicts, and null in lists. Names are those that
   * `inspect` lists, for `loadStateDict` the keys within the state dict, both before prefixes are
   * stripped. Of a torch file, a small tensor may then be read without the rest of a large storage,
   * whose checksum is not compared.
   */
  only?: Only;
  /**
   * Called for each entry that has no counterpart here (complex, quantized and sparse tensors,
   * objects of unknown classes): it is left out of dicts, and null in lists. If omitted, one
   * `console.warn` names them all.
   */
  onUnreadable?: (entry: Unreadable) => void;
  /**
   * `tensors`: reads a pickled `nn.Module` or a TorchScript program as the state dict put together
   * from its parameters and buffers. None of its code is run, so what its own `state_dict()` would
   * change is not.
   */
  pickledModules?: 'tensors';
}

const OPTIONS = {
  device: true,
  stripPrefixes: true,
  only: true,
  onUnreadable: true,
  pickledModules: true,
  signal: true,
  headers: true,
  expansionLimit: true,
} as const;

/**
 * Reads a checkpoint, told by content, whatever its name: what `torch.save` of any PyTorch wrote
 * (`.pt`, `.pth`: zip archives, the pickles before version 1.6, the tar archives before 0.2), the
 * tensors of a TorchScript program (with `pickledModules`), safetensors, arrays of NumPy (`.npy`,
 * `.npz`), or the `model.json` of a layers model of TensorFlow.js.
 * Nothing in the file is run, and an object that would need to be is left out.
 *
 * @param source a path (in Node), a URL or http(s) address, a Blob, an ArrayBuffer or a view of one;
 *   of a model of several files, all of them by name. Of an address whose server has ranges, as of a
 *   file or Blob, only what is needed is read.
 * @returns Python dicts as Maps (state dicts as `StateDict`), lists, tuples and `torch.Size` as
 *   arrays, tensors as `Tensor`; tensors that shared a storage still do. Files of named tensors are
 *   a `StateDict`, a `.npy` a tensor.
 * @throws CheckpointError saying what the file is, where it broke and what to do
 */
export async function load(source: CheckpointSource, options: LoadOptions = {}): Promise<Loaded> {
  checkOptions('load', options, OPTIONS);
  checkKinds('load', options);
  getDevice(options.device); // one that does not exist is noticed before anything is read
  return withCheckpoint(source, options, (checkpoint) => {
    const names = checkpoint.tensors.map(({ name }) => name);
    return read(checkpoint, options, chooser(options.only, names));
  });
}

/**
 * Reads the state dict in a checkpoint, alone or under one of the keys that training scripts use
 * (`state_dict`, `model`, `model_state_dict`, `net`, `module`, `network_weights`, …), and no tensors
 * beside it.
 *
 * @param source as for {@link load}
 * @throws CheckpointError as {@link load}, and with the keys found if there is no state dict
 */
export async function loadStateDict(
  source: CheckpointSource,
  options: LoadOptions = {},
): Promise<StateDict> {
  checkOptions('loadStateDict', options, OPTIONS);
  checkKinds('loadStateDict', options);
  getDevice(options.device); // one that does not exist is noticed before anything is read
  return withCheckpoint(source, options, async (checkpoint) => {
    const pickledModules = options.pickledModules === 'tensors';
    const { path, prefix } = checkpoint.findStateDict?.({ pickledModules }) ?? WHOLE;
    const names = checkpoint.tensors.map(({ name }) => name).filter((n) => n.startsWith(prefix));
    const chosen = chooser(
      options.only,
      names.map((name) => name.slice(prefix.length)),
    );
    const value = await read(
      checkpoint,
      options,
      (name) => name.startsWith(prefix) && chosen(name.slice(prefix.length)),
    );
    return asStateDict(path.reduce<Loaded>(below, value));
  });
}

const WHOLE: StateDictPlace = { path: [], prefix: '' };

function below(value: Loaded, key: LoadedKey): Loaded {
  const map: ReadonlyMap<LoadedKey, Loaded> | undefined = value instanceof Map ? value : undefined;
  return map?.get(key) ?? null;
}

function asStateDict(value: Loaded): StateDict {
  if (value instanceof StateDict) return value;
  if (!(value instanceof Map)) throw nothingFound(value instanceof Tensor ? 'a tensor' : 'no dict');
  const dict = new StateDict();
  for (const [key, item] of value) if (item instanceof Tensor) dict.set(String(key), item);
  return dict;
}

async function read(
  checkpoint: Checkpoint,
  options: LoadOptions,
  wanted: ReadOptions['wanted'],
): Promise<Loaded> {
  const { device, stripPrefixes = false, onUnreadable, pickledModules } = options;
  if (pickledModules !== undefined && pickledModules !== 'tensors')
    throw new CheckpointError(
      'VALUE',
      `the option 'pickledModules' takes 'tensors', not ${String(pickledModules)}`,
    );
  const left: Unreadable[] = [];
  const value = await checkpoint.load({
    device: getDevice(device),
    stripPrefixes,
    pickledModules: pickledModules === 'tensors',
    wanted,
    report: onUnreadable ?? ((entry) => left.push(entry)),
  });
  if (left.length > 0) console.warn(warning(left));
  return value;
}

const MAX_NAMED = 20;

function warning(left: readonly Unreadable[]): string {
  const lines = left
    .slice(0, MAX_NAMED)
    .map(({ name, unreadable }) => `  ${name}: ${unreadable ?? 'cannot be represented'}`);
  const more = left.length > MAX_NAMED ? [`  … and ${left.length - MAX_NAMED} more`] : [];
  const count =
    left.length === 1
      ? '1 entry of the checkpoint is'
      : `${left.length} entries of the checkpoint are`;
  return [`${count} left out (take note of them with onUnreadable):`, ...lines, ...more].join('\n');
}

// What the three file formats of torch.save have in common once they are unpickled.

import { CheckpointError } from '../error.js';
import type { Checkpoint, Format, ReadOptions, StateDictPlace } from '../format.js';
import { MAX_WRAPPINGS, nothingFound, WRAPPINGS } from '../state-dict.js';
import { Description, type ListedTensor } from './describe.js';
import { materialize } from './materialize.js';
import { moduleAdvice } from './modules.js';
import { readStorages, type StorageFile } from './storages.js';
import type { InertObject, PyValue, StorageRef, TensorRef } from './values.js';
import { inWords, keyOf, type View, viewOf } from './view.js';

/** A file that was unpickled to `value`, and whose storages are to be read from `file`. */
export function torchCheckpoint(format: Format, value: PyValue, file: StorageFile): Checkpoint {
  const placeOf = ({ key }: StorageRef) => (typeof key === 'string' ? file.placeOf(key) : {});
  const description = new Description(value, placeOf);
  const { outline, unreadable } = description;
  return {
    format,
    tensors: description.tensors.map(({ info }) => info),
    ...(outline && { outline }),
    unreadable,
    findStateDict: (options) => findStateDict(description, options),
    async load(options) {
      const wanted = wantedRefs(description.tensors, options);
      const partial = wanted.length < description.tensors.length;
      return materialize(description, await readStorages(file, wanted, { partial }), options);
    },
  };
}

const wantedRefs = (
  tensors: readonly ListedTensor[],
  { wanted, pickledModules }: ReadOptions,
): TensorRef[] =>
  tensors
    .filter(({ info, inModule }) => wanted(info.name) && (pickledModules || !inModule))
    .flatMap(({ ref }) => ref ?? []);

/** Looks for a state dict in the value itself and under the keys that training scripts use. */
function findStateDict(
  description: Description,
  { pickledModules }: Pick<ReadOptions, 'pickledModules'>,
): StateDictPlace {
  const modules: InertObject[] = [];

  const find = (value: PyValue, path: readonly string[]): StateDictPlace | undefined => {
    const view = viewOf(value);
    const isOne = view.kind === 'state dict' || (view.kind === 'module' && pickledModules);
    if (isOne && typeof value === 'object' && value !== null)
      return { path, prefix: description.prefixOf(value) };
    if (view.kind === 'module') modules.push(view.module);
    if (view.kind !== 'dict' || path.length >= MAX_WRAPPINGS) return undefined;
    for (const key of WRAPPINGS) {
      const inner = view.entries.get(key);
      const found = inner === undefined ? undefined : find(inner, [...path, key]);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const place = find(description.value, []);
  if (place !== undefined) return place;
  if (modules.length > 0) {
    const { what, advice } = moduleAdvice(modules[0]);
    throw new CheckpointError('REFUSED', `holds ${what}, not its state dict. ${advice}`);
  }
  const root = viewOf(description.value);
  if (root.kind === 'unreadable')
    throw new CheckpointError(
      root.code,
      `${root.what} cannot be loaded. ${root.advice}`,
      root.where,
    );
  throw nothingFound(describe(root));
}

const MAX_LISTED = 20;

function describe(view: View): string {
  if (view.kind !== 'dict' || view.entries.size === 0) return inWords(view);
  const listed = [...view.entries].slice(0, MAX_LISTED).map(([key, item]) => {
    const name = keyOf(key);
    return `${typeof name === 'string' ? JSON.stringify(name) : String(name)}: ${inWords(viewOf(item))}`;
  });
  const rest = view.entries.size - MAX_LISTED;
  return `a dict with the keys ${listed.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}

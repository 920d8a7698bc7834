import { checkOptions } from '@voxgrad/core';
import { CheckpointError } from './error.js';
import { npzContents } from './numpy/write.js';
import { checkKinds } from './option-kinds.js';
import { safetensorsContents } from './safetensors/write.js';
import { torchContents } from './torch/write.js';
import type { Contents } from './write/contents.js';
import type { PumpOptions } from './write/pump.js';
import { type SaveTarget, targetName, writeBytes, writeTo } from './write/targets.js';

export type SaveFormat = 'torch' | 'safetensors' | 'npz';

export interface SaveOptions extends PumpOptions {
  /** `torch` if omitted, unless the name ends in `.safetensors` or `.npz`. */
  readonly format?: SaveFormat;
  /**
   * Of `torch`, whether storages are written no further than the tensors look into them; a small view
   * of a large tensor is then a small file. Tensors that overlap still share their elements, and
   * tensors with gaps are packed if they can be. If omitted, storages are whole, as torch.save's are.
   */
  readonly compact?: boolean;
  /** Of `safetensors`, texts to keep beside the tensors, such as `{ format: 'pt' }`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const FORMATS: Record<SaveFormat, (value: unknown, options: SaveOptions) => Contents> = {
  torch: (value, { compact = false }) => torchContents(value, { compact }),
  safetensors: (value, { metadata }) => safetensorsContents(value, metadata),
  npz: npzContents,
};

/** Options that only one format has. */
const OWN_OPTIONS = { compact: 'torch', metadata: 'safetensors' } as const;

/**
 * Saves a value as a file that PyTorch reads, or NumPy.
 *
 * `torch` takes tensors, state dicts, Maps and plain objects (dicts), arrays (lists), Sets, byte
 * arrays, numbers (integral ones as int), bigints, texts, booleans and null, nested at will; tensors
 * that share a storage share it in the file. Keys of Maps keep their type, those of plain objects are
 * texts. `safetensors` and `npz` take a map from names to tensors, and write each tensor for itself.
 *
 * Beyond the tensors themselves, a save needs some megabytes of memory, however large the file is.
 * No tensor may change until the promise is settled; a save that notices such a change fails.
 *
 * @param target where to write: a path (in Node; all or nothing: whatever goes wrong or is killed, the
 *   old file stays whole), a WritableStream, or a FileSystemFileHandle; undefined for the bytes alone
 * @returns the bytes if there is no target
 * @throws CheckpointError naming the place in `value` of what cannot be saved
 */
export async function save(
  value: unknown,
  target: SaveTarget,
  options?: SaveOptions,
): Promise<void>;
export async function save(
  value: unknown,
  target?: undefined,
  options?: SaveOptions,
): Promise<Uint8Array<ArrayBuffer>>;
export async function save(
  value: unknown,
  target?: SaveTarget,
  options: SaveOptions = {},
): Promise<Uint8Array<ArrayBuffer> | void> {
  checkOptions('save', options, ['format', 'compact', 'metadata', 'onProgress', 'signal']);
  checkKinds('save', options);
  const format = options.format ?? formatOf(targetName(target));
  if (!Object.hasOwn(FORMATS, format))
    throw new CheckpointError(
      'VALUE',
      `save() writes the formats torch, safetensors and npz, not ${String(format)}`,
    );
  for (const name of ['compact', 'metadata'] as const) {
    const home = OWN_OPTIONS[name];
    if (options[name] !== undefined && format !== home)
      throw new CheckpointError('VALUE', `the option '${name}' is for ${home}, not for ${format}`);
  }
  options.signal?.throwIfAborted();
  const contents = FORMATS[format](value, options);
  if (target === undefined) return writeBytes(contents, options);
  await writeTo(target, contents, options);
}

const formatOf = (name: string): SaveFormat => {
  if (/\.safetensors$/i.test(name)) return 'safetensors';
  return /\.npz$/i.test(name) ? 'npz' : 'torch';
};

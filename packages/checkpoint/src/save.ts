import { CheckpointError } from './error.js';
import { writeAtomically } from './files.js';
import { writeSafetensors } from './safetensors/write.js';
import { writeTorch } from './torch/write.js';

export type SaveFormat = 'torch' | 'safetensors';

export interface SaveOptions {
  /** `torch` if omitted, unless the path ends in `.safetensors`. */
  format?: SaveFormat;
}

const WRITERS: Record<SaveFormat, (value: unknown) => Promise<Uint8Array>> = {
  torch: writeTorch,
  safetensors: writeSafetensors,
};

/**
 * Saves a value as a file that PyTorch reads.
 *
 * `torch` takes tensors, state dicts, Maps and plain objects (dicts), arrays (lists), Sets, byte
 * arrays, numbers (integral ones as int), bigints, texts, booleans and null, nested at will; tensors
 * that share a storage share it in the file. `safetensors` takes a map from names to tensors.
 *
 * @param path where to write, all or nothing; undefined for the bytes alone
 * @returns the bytes if there is no path
 * @throws CheckpointError naming the place in `value` of what cannot be saved
 */
export async function save(
  value: unknown,
  path: string | URL,
  options?: SaveOptions,
): Promise<void>;
export async function save(
  value: unknown,
  path?: undefined,
  options?: SaveOptions,
): Promise<Uint8Array>;
export async function save(
  value: unknown,
  path?: string | URL,
  options: SaveOptions = {},
): Promise<Uint8Array | void> {
  const byName = path !== undefined && String(path).endsWith('.safetensors');
  const format = options.format ?? (byName ? 'safetensors' : 'torch');
  if (!Object.hasOwn(WRITERS, format))
    throw new CheckpointError(
      'VALUE',
      `save() writes the formats ${Object.keys(WRITERS).join(' and ')}, not ${String(format)}`,
    );
  const bytes = await WRITERS[format](value);
  if (path === undefined) return bytes;
  await writeAtomically(path, bytes);
}

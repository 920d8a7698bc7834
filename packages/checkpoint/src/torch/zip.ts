// The zip container of torch.save (caffe2/serialize/inline_container.cc): `<prefix>/data.pkl` with
// the object, `<prefix>/data/<key>` with each storage.

import { type ArchiveEntry, dataStart, isStored, readDirectory, readEntry } from '../archive.js';
import { crc32 } from '../crc32.js';
import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';
import type { StoragePlace } from './describe.js';
import { Places } from './places.js';

/** Entries of a single word. */
const WORDS = ['version', 'byteorder', '.format_version', '.storage_alignment'];
export const MAX_WORD_BYTES = 64;

/** A data.pkl beyond this is no description of tensors. PyTorch does not deflate it. */
const MAX_PICKLE_BYTES = 512 * 2 ** 20;
const MAX_DEFLATED_PICKLE_BYTES = 32 * 2 ** 20;

export interface Archive {
  /** Full name of an entry given without the prefix, as messages show it. */
  fullName(name: string): string;
  /** Uncompressed size of an entry, or undefined if there is none. */
  sizeOf(name: string): number | undefined;
  /** The content of data.pkl. */
  readPickle(): Promise<Uint8Array<ArrayBuffer>>;
  /** The content of an entry of at most `limit` bytes, checked, in a buffer of its own. */
  read(name: string, limit?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Bytes `begin` to `end` of a stored entry, without its checksum. */
  readPart(name: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Where the content of an entry is in the file. */
  placeOf(name: string): Promise<StoragePlace>;
}

/** Reads the directory of a torch.save archive. */
export async function openArchive(source: Source): Promise<Archive> {
  const entries = await readDirectory(source);
  const prefix = findPrefix(entries);
  const archive = new TorchArchive(source, prefix, entries);
  await archive.detectChecksums();
  return archive;
}

/** The folder of data.pkl, with its slash: the file's base name when it was saved, or `archive`. */
function findPrefix(entries: ReadonlyMap<string, ArchiveEntry>): string {
  const names = [...entries.keys()];
  const pickle = names.find((name) => /^([^/]+\/)?data\.pkl$/.test(name));
  if (pickle === undefined) throw notTorch(names);
  return pickle.slice(0, -'data.pkl'.length);
}

function notTorch(names: readonly string[]): CheckpointError {
  if (names.length > 0 && names.every((name) => name.endsWith('.npy')))
    return new CheckpointError(
      'FORMAT',
      'is a set of NumPy arrays (.npz), not a checkpoint. Save it in Python as safetensors',
    );
  const listed = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');
  return new CheckpointError(
    'FORMAT',
    `is a zip archive, but not one of torch.save: it has no data.pkl, but ${listed || 'nothing'}. ` +
      'If it packs a checkpoint, unpack it and load the file inside',
  );
}

class TorchArchive implements Archive {
  readonly #source: Source;
  readonly #prefix: string;
  readonly #entries: ReadonlyMap<string, ArchiveEntry>;
  readonly #places: Places;
  #hasChecksums = true;

  constructor(source: Source, prefix: string, entries: ReadonlyMap<string, ArchiveEntry>) {
    this.#source = source;
    this.#prefix = prefix;
    this.#entries = entries;
    this.#places = new Places(source, entries.values());
  }

  fullName(name: string): string {
    return this.#prefix + name;
  }

  sizeOf(name: string): number | undefined {
    return this.#entries.get(this.fullName(name))?.uncompressedSize;
  }

  /**
   * PyTorch can be told not to compute checksums (`torch.serialization.set_crc32_options`), and
   * then none of them is right; the entries of single words tell. Versions that do not write
   * `byteorder` cannot be told so.
   */
  async detectChecksums(): Promise<void> {
    if (this.sizeOf('byteorder') === undefined) return;
    const wrong: string[] = [];
    const words = WORDS.filter((name) => this.sizeOf(name) !== undefined);
    this.#hasChecksums = false;
    for (const name of words)
      if (crc32(await this.read(name, MAX_WORD_BYTES)) !== this.#entry(name).crc32)
        wrong.push(name);
    this.#hasChecksums = wrong.length < words.length;
    if (this.#hasChecksums && wrong.length > 0)
      throw new CheckpointError('CORRUPT', 'is damaged: its checksum does not match its bytes', {
        entry: this.fullName(wrong[0]),
      });
  }

  readPickle(): Promise<Uint8Array<ArrayBuffer>> {
    const stored = isStored(this.#entry('data.pkl'));
    return this.read('data.pkl', stored ? MAX_PICKLE_BYTES : MAX_DEFLATED_PICKLE_BYTES);
  }

  async read(name: string, limit?: number): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.#entry(name);
    const checksum = this.#hasChecksums;
    const begin = checksum ? this.#places.likely(entry) : undefined;
    return readEntry(this.#source, entry, { checksum, limit, begin });
  }

  async readPart(name: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.#entry(name);
    const start = await dataStart(this.#source, entry);
    return this.#source.read(start + begin, end - begin, entry.filename);
  }

  async placeOf(name: string): Promise<StoragePlace> {
    const entry = this.#entry(name);
    return {
      entry: entry.filename,
      ...(isStored(entry) && { begin: await this.#places.beginOf(entry) }),
    };
  }

  #entry(name: string): ArchiveEntry {
    const entry = this.#entries.get(this.fullName(name));
    if (entry !== undefined) return entry;
    throw new CheckpointError('CORRUPT', 'is missing from the archive', {
      entry: this.fullName(name),
    });
  }
}

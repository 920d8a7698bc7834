// The zip container of torch.save (caffe2/serialize/inline_container.cc): `<prefix>/data.pkl` with
// the object, `<prefix>/data/<key>` with each storage. zip.js reads the central directory, which
// alone has the right sizes, and inflates; this file reads what is stored and adds the bounds.

import * as zip from '@zip.js/zip.js';
import { CheckpointError, reason } from '../error.js';
import type { Source } from '../source.js';
import { crc32 } from './crc32.js';

/**
 * How much more than the file's own size its entries may hold together: deflated ones could be a
 * bomb, and stored ones could all claim the same bytes.
 */
const MAX_EXPANSION = 2 * 2 ** 30;

/** `version` and `byteorder` are single words. */
export const MAX_WORD_BYTES = 64;

/**
 * In this thread: workers cost more than they save here, and need a URL to start from. Names are
 * only looked up, never written to, so none is unsafe.
 */
const ZIP_OPTIONS = { useWebWorkers: false, filenameValidation: 'tolerant' } as const;

export interface Archive {
  /** Full name of an entry given without the prefix, as messages show it. */
  fullName(name: string): string;
  /** Uncompressed size of an entry, or undefined if there is none. */
  sizeOf(name: string): number | undefined;
  /** The content of an entry of at most `limit` bytes, checked, in a buffer of its own. */
  read(name: string, limit?: number): Promise<Uint8Array<ArrayBuffer>>;
}

class SourceReader extends zip.Reader<Source> {
  readonly #source: Source;

  constructor(source: Source) {
    super(source);
    this.#source = source;
    this.size = source.size;
  }

  override readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    return this.#source.read(offset, Math.min(length, this.size - offset));
  }
}

/** Reads the directory of a torch.save archive. */
export async function openArchive(source: Source): Promise<Archive> {
  const entries = await readDirectory(source);
  const prefix = findPrefix(entries);
  const archive = new TorchArchive(source, prefix, entries);
  await archive.detectChecksums();
  return archive;
}

async function readDirectory(source: Source): Promise<Map<string, zip.FileEntry>> {
  let list: zip.Entry[];
  try {
    list = await new zip.ZipReader(new SourceReader(source), ZIP_OPTIONS).getEntries();
  } catch (error) {
    throw new CheckpointError(
      'CORRUPT',
      `the zip archive has no readable directory (${reason(error)}). It stands at the end of the ` +
        'file, so the download or copy may be incomplete',
      {},
      { cause: error },
    );
  }
  const entries = new Map<string, zip.FileEntry>();
  let total = 0;
  for (const entry of list) {
    if (entry.directory) continue;
    if (entries.has(entry.filename))
      throw new CheckpointError('CORRUPT', 'is in the archive twice', { entry: entry.filename });
    entries.set(entry.filename, entry);
    total += entry.uncompressedSize;
  }
  if (total > source.size + MAX_EXPANSION)
    throw new CheckpointError(
      'LIMIT',
      `the entries of this archive of ${source.size} bytes announce ${total} bytes`,
    );
  return entries;
}

/** The folder of data.pkl, with its slash: the file's base name when it was saved, or `archive`. */
function findPrefix(entries: ReadonlyMap<string, zip.FileEntry>): string {
  const names = [...entries.keys()];
  const pickle = names.find((name) => /^([^/]+\/)?data\.pkl$/.test(name));
  if (pickle === undefined) throw notTorch(names);
  const prefix = pickle.slice(0, -'data.pkl'.length);
  if (entries.has(`${prefix}constants.pkl`))
    throw new CheckpointError(
      'UNSUPPORTED',
      'is a TorchScript program (torch.jit.save). Save its weights in Python: ' +
        'torch.save(torch.jit.load(path).state_dict(), other)',
    );
  return prefix;
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
  readonly #entries: ReadonlyMap<string, zip.FileEntry>;
  #hasChecksums = false;

  constructor(source: Source, prefix: string, entries: ReadonlyMap<string, zip.FileEntry>) {
    this.#source = source;
    this.#prefix = prefix;
    this.#entries = entries;
  }

  fullName(name: string): string {
    return this.#prefix + name;
  }

  sizeOf(name: string): number | undefined {
    return this.#entries.get(this.fullName(name))?.uncompressedSize;
  }

  /**
   * PyTorch can be told not to compute checksums (`torch.serialization.set_crc32_options`), and
   * then none of them is right. A two-byte entry tells.
   */
  async detectChecksums(): Promise<void> {
    const version = this.#entries.get(this.fullName('version'));
    this.#hasChecksums =
      version === undefined || crc32(await this.read('version', MAX_WORD_BYTES)) === version.crc32;
  }

  async read(name: string, limit = Number.POSITIVE_INFINITY): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.#entries.get(this.fullName(name));
    const where = { entry: this.fullName(name) };
    if (entry === undefined)
      throw new CheckpointError('CORRUPT', 'is missing from the archive', where);
    if (entry.uncompressedSize > limit)
      throw new CheckpointError(
        'LIMIT',
        `has ${entry.uncompressedSize} bytes, more than the ${limit} that make sense`,
        where,
      );
    if (entry.encrypted)
      throw new CheckpointError('UNSUPPORTED', 'is encrypted. Unpack it and load that', where);
    const bytes =
      entry.compressionMethod === STORED
        ? await readStored(this.#source, entry)
        : await inflate(entry);
    if (this.#hasChecksums && crc32(bytes) !== entry.crc32)
      throw new CheckpointError(
        'CORRUPT',
        'is damaged: its checksum does not match its bytes. Fetch the file again',
        where,
      );
    return bytes;
  }
}

const STORED = 0;

/** Straight from its place: the data follows a local header whose sizes may be blank. */
async function readStored(source: Source, entry: zip.FileEntry): Promise<Uint8Array<ArrayBuffer>> {
  const { filename, offset, compressedSize, uncompressedSize } = entry;
  const header = new DataView((await source.read(offset, LOCAL_HEADER_BYTES, filename)).buffer);
  if (header.getUint32(0, true) !== LOCAL_HEADER || compressedSize !== uncompressedSize)
    throw new CheckpointError('CORRUPT', 'is not where the directory says', { entry: filename });
  const [nameLength, extraLength] = [header.getUint16(26, true), header.getUint16(28, true)];
  const start = offset + LOCAL_HEADER_BYTES + nameLength + extraLength;
  return source.read(start, uncompressedSize, filename);
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

async function inflate(entry: zip.FileEntry): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const target = new ExactWriter(entry.uncompressedSize);
    await entry.getData(target, ZIP_OPTIONS);
    return target.bytes();
  } catch (error) {
    throw new CheckpointError(
      'CORRUPT',
      `cannot be unpacked (${reason(error)})`,
      { entry: entry.filename },
      { cause: error },
    );
  }
}

/** Takes exactly as many bytes as an entry announces, into a buffer of that size. */
class ExactWriter extends zip.Writer<Uint8Array<ArrayBuffer>> {
  readonly #target: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(size: number) {
    super();
    this.#target = new Uint8Array(size);
  }

  override writeUint8Array(chunk: Uint8Array): Promise<void> {
    if (this.#length + chunk.length > this.#target.length)
      throw new Error(`it holds more than the ${this.#target.length} bytes that it announces`);
    this.#target.set(chunk, this.#length);
    this.#length += chunk.length;
    return Promise.resolve();
  }

  bytes(): Uint8Array<ArrayBuffer> {
    if (this.#length === this.#target.length) return this.#target;
    throw new Error(`it holds ${this.#length} bytes, but announces ${this.#target.length}`);
  }
}

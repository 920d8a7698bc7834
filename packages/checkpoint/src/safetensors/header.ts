// The header of a safetensors file, checked as strictly as the reference reader does
// (github.com/huggingface/safetensors, safetensors/src/tensor.rs): a file has one reading or none.
//
// Layout: u64 header length, little-endian · JSON header · tensor data. The header maps names to
// `{ dtype, shape, data_offsets: [begin, end] }`, offsets counting from the end of the header, and
// `__metadata__` to a map of strings.

import { CheckpointError } from '../error.js';
import { inMessage, parseJson } from '../json.js';
import type { Source } from '../source.js';
import { MAX_DIMS } from '../value.js';
import { ELEMENTS } from './dtypes.js';

const LENGTH_BYTES = 8;
/** The limit of the reference implementation, in reading and in writing. */
export const MAX_HEADER_BYTES = 100_000_000;

export interface TensorEntry {
  readonly name: string;
  /** A key of `ELEMENTS`. */
  readonly element: string;
  readonly shape: readonly number[];
  /** Where its bytes are, from the start of the file. */
  readonly begin: number;
  readonly length: number;
}

export interface Header {
  /** In the order of their data. */
  readonly entries: readonly TensorEntry[];
  /** What `__metadata__` maps to what. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Reads and checks the header. */
export async function readHeader(source: Source): Promise<Header> {
  const length = new DataView((await source.read(0, LENGTH_BYTES)).buffer).getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES)
    throw corrupt(`announces a header of ${length} bytes; ${MAX_HEADER_BYTES} is the limit`, 0);
  const header = parse(await source.read(LENGTH_BYTES, Number(length)));
  const dataStart = LENGTH_BYTES + Number(length);
  const entries: TensorEntry[] = [];
  let metadata: Header['metadata'];
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') metadata = metadataOf(value);
    else entries.push(entryOf(name, value, dataStart));
  }
  entries.sort((a, b) => a.begin - b.begin || a.length - b.length);
  checkTiling(entries, dataStart, source.size);
  return { entries, metadata };
}

function parse(bytes: Uint8Array): object {
  if (bytes[0] !== 0x7b) throw corrupt('the header does not begin with {', LENGTH_BYTES);
  const { text, value: header } = parseJson(bytes, 'the header', LENGTH_BYTES);
  if (!isObject(header)) throw corrupt('the header is not a JSON object', LENGTH_BYTES);
  const twice = duplicateKey(text);
  if (twice !== undefined)
    throw corrupt(`the header has the key ${inMessage(twice)} twice`, LENGTH_BYTES);
  return header;
}

/**
 * A key that an object in valid JSON `text` has twice, or undefined. JSON.parse takes the last and
 * other readers the first, so that one file would hold two different models.
 */
function duplicateKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{') open.push(new Set());
    else if (char === '}') open.pop();
    else if (char === '"') {
      const start = at++;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      let next = at + 1;
      while (/\s/.test(text[next])) next++;
      if (text[next] !== ':') continue;
      const key = JSON.parse(text.slice(start, at + 1)) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

function metadataOf(value: unknown): Header['metadata'] {
  if (value === null) return undefined; // what the reference takes for none
  if (!isObject(value) || !Object.values(value).every((text) => typeof text === 'string'))
    throw corrupt('is not a map of strings', undefined, '__metadata__');
  return value as Readonly<Record<string, string>>;
}

function entryOf(name: string, value: unknown, dataStart: number): TensorEntry {
  if (!isObject(value)) throw corrupt('is not described by an object', undefined, name);
  const { dtype, shape, data_offsets: offsets } = value as Record<string, unknown>;
  const element = typeof dtype === 'string' ? ELEMENTS.get(dtype) : undefined;
  if (typeof dtype !== 'string' || element === undefined)
    throw new CheckpointError('UNSUPPORTED', `has the unknown dtype ${inMessage(dtype)}`, {
      entry: name,
    });
  if (!isSizes(shape) || shape.length > MAX_DIMS)
    throw corrupt(`has no shape of up to ${MAX_DIMS} non-negative integers`, undefined, name);
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[0] > offsets[1])
    throw corrupt('has no data_offsets of two integers in order', undefined, name);
  const [begin, end] = offsets;
  // In bigints: the product of hostile sizes must not wrap or round.
  const bits = shape.reduce((product, n) => product * BigInt(n), BigInt(element.bits));
  if (bits !== BigInt(end - begin) * 8n)
    throw corrupt(
      `of shape [${shape.join(', ')}] and dtype ${dtype} takes ${bits / 8n} bytes, but its ` +
        `data_offsets span ${end - begin}`,
      undefined,
      name,
    );
  return { name, element: dtype, shape, begin: dataStart + begin, length: end - begin };
}

/** The tensors, in order, cover the data exactly: no hole, no overlap, nothing after. */
function checkTiling(entries: readonly TensorEntry[], dataStart: number, fileSize: number): void {
  let at = dataStart;
  for (const { name, begin, length } of entries) {
    if (begin !== at)
      throw corrupt(
        `begins at byte ${begin}, but ${begin < at ? 'the tensor before it ends' : 'the data before it end'} at ${at}`,
        undefined,
        name,
      );
    at += length;
  }
  if (at > fileSize)
    throw corrupt(
      `the tensors take ${at} bytes with the header, but the file ends at byte ${fileSize}; the ` +
        'download or copy may be incomplete',
      fileSize,
    );
  if (at < fileSize) throw corrupt(`has ${fileSize - at} bytes after the last tensor`, at);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);

const corrupt = (text: string, offset?: number, entry?: string) =>
  new CheckpointError('CORRUPT', text, { entry, offset });

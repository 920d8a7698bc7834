// NumPy's .npy format, versions 1 to 3: a magic text, a version, the length of a header, the header
// as a Python dict, and the elements.
// Source: numpy/lib/format.py and https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// (The package npyjs was measured against this: it refuses big-endian files, does not compare the
// data with the shape, reads complex numbers as twice as many floats, and brings a fetch polyfill.)

import { contiguousStrides, type DType } from '@voxgrad/core';
import { type ByteOrder, bytesPer, type FileDType } from '../elements.js';
import { CheckpointError } from '../error.js';
import { MAX_DIMS } from '../value.js';
import { type Literal, parseLiteral } from './literal.js';

/** Type codes of `descr` without the byte order. */
const TYPES: ReadonlyMap<string, FileDType> = new Map([
  ['b1', 'bool'],
  ['i1', 'int8'],
  ['u1', 'uint8'],
  ['i2', 'int16'],
  ['u2', 'uint16'],
  ['i4', 'int32'],
  ['u4', 'uint32'],
  ['i8', 'int64'],
  ['u8', 'uint64'],
  ['f2', 'float16'],
  ['f4', 'float32'],
  ['f8', 'float64'],
]);

const CODES: ReadonlyMap<DType, string> = new Map(
  [...TYPES].flatMap(([code, type]): [DType, string][] =>
    type === 'uint16' || type === 'uint32' || type === 'uint64'
      ? []
      : [[type, `${bytesPer(type) === 1 ? '|' : '<'}${code}`]],
  ),
);

/** By the letter of the type code: what there is no dtype for, and what to save instead. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['c', 'complex numbers: save their .real and .imag as two arrays'],
  ['O', 'Python objects, which are code: save numbers instead'],
  ['U', 'text: only numbers make a tensor'],
  ['S', 'bytes of text: only numbers make a tensor'],
  ['V', 'records: save each field as an array of its own'],
  ['M', 'dates: save them as numbers (.astype("int64"))'],
  ['m', 'time spans: save them as numbers (.astype("int64"))'],
  ['f', 'floats of extended precision: save them as float64'],
]);

const MAGIC = '\x93NUMPY';

/** Magic, version and the longer form of the header's length. */
export const NPY_PREAMBLE_BYTES = 12;

/** Only records need more than a few hundred bytes, and those have no dtype here. */
const MAX_HEADER_BYTES = 2 ** 20;

export interface NpyHeader {
  /** As NumPy writes it, such as `<f4`; a record's is its fields. */
  readonly descr: string;
  /** Undefined for elements that have no counterpart here. */
  readonly type: FileDType | undefined;
  /** What those elements are and what to save instead. */
  readonly unreadable: string | undefined;
  readonly order: ByteOrder;
  readonly shape: readonly number[];
  /** In elements: the first axis varies fastest in Fortran order, the last one otherwise. */
  readonly strides: readonly number[];
  readonly fortran: boolean;
  /** Where the elements begin, in bytes from the start of the file. */
  readonly start: number;
}

/** How long the header at the start of `file` is with all that stands before it, in bytes. */
export function npyStart(file: Uint8Array): number {
  if (!Array.from(MAGIC).every((char, i) => file[i] === char.charCodeAt(0)))
    throw damaged(`does not begin with ${JSON.stringify(MAGIC)}`);
  const major = file[MAGIC.length];
  if (file.length < NPY_PREAMBLE_BYTES) throw damaged('ends inside its header');
  if (major < 1 || major > 3)
    throw new CheckpointError(
      'UNSUPPORTED',
      `has .npy version ${major}; versions 1 to 3 are known`,
    );
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = major > 1 ? 12 + view.getUint32(8, true) : 10 + view.getUint16(8, true);
  if (start > MAX_HEADER_BYTES)
    throw new CheckpointError(
      'LIMIT',
      `announces a header of ${start} bytes; ${MAX_HEADER_BYTES} is the limit`,
    );
  return start;
}

/** Reads the header from the first `npyStart(file)` bytes of `file`, which may be all of it. */
export function readNpyHeader(file: Uint8Array): NpyHeader {
  const start = npyStart(file);
  if (file.length < start) throw damaged('ends inside its header');
  const major = file[MAGIC.length];
  const bytes = file.subarray(major > 1 ? 12 : 10, start);
  const header = parseLiteral(new TextDecoder(major > 2 ? 'utf-8' : 'latin1').decode(bytes));
  if (!(header instanceof Map)) throw damaged('its header is not a Python dict');
  const [descr, fortran, sizes] = ['descr', 'fortran_order', 'shape'].map((key) => header.get(key));
  if (descr === undefined || typeof fortran !== 'boolean' || !Array.isArray(sizes))
    throw damaged('its header lacks descr, fortran_order or shape');
  const shape = sizes.filter((n) => Number.isSafeInteger(n) && n >= 0) as number[];
  if (shape.length < sizes.length || shape.length > MAX_DIMS)
    throw damaged(`its shape (${sizes.join(', ')}) cannot be`);
  return { ...elementsOf(descr), shape, fortran, strides: stridesOf(shape, fortran), start };
}

const stridesOf = (shape: readonly number[], fortran: boolean): readonly number[] =>
  fortran ? contiguousStrides(shape.toReversed()).toReversed() : contiguousStrides(shape);

function elementsOf(descr: Literal): Pick<NpyHeader, 'descr' | 'type' | 'unreadable' | 'order'> {
  const text = typeof descr === 'string' ? descr : '|V';
  const [, order = '|', code = text] = /^([<>|=]?)(.*)$/s.exec(text) ?? [];
  const type = TYPES.get(code);
  const unreadable =
    type === undefined
      ? `holds ${ADVICE.get(code.charAt(0)) ?? `elements of the unknown type '${text}'`}`
      : undefined;
  return { descr: text, type, unreadable, order: order === '>' ? 'big' : 'little' };
}

/**
 * @throws CheckpointError if `length` bytes of elements are not what the header announces; of
 *   elements without a counterpart here, the size is not known, and any length is right
 */
export function checkNpyLength({ type, shape, descr }: NpyHeader, length: number): void {
  if (type === undefined) return;
  // In bigints: the product of hostile sizes must not wrap or round.
  const need = shape.reduce((product, n) => product * BigInt(n), BigInt(bytesPer(type)));
  if (need === BigInt(length)) return;
  throw new CheckpointError(
    'CORRUPT',
    `its header says ${need} bytes of elements (shape (${shape.join(', ')}) of '${descr}'), but ` +
      `there are ${length}${length < need ? '; the download or copy may be incomplete' : ''}`,
  );
}

/**
 * All that stands before the elements of an array in row-major order, little-endian; a multiple of
 * 64 bytes long, as NumPy makes it. Undefined for bfloat16, which NumPy does not have.
 */
export function npyHeader(
  dtype: DType,
  shape: readonly number[],
): Uint8Array<ArrayBuffer> | undefined {
  const descr = CODES.get(dtype);
  if (descr === undefined) return undefined;
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Version 1 holds 65535 bytes, far more than 64 sizes take.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const header = new Uint8Array(length).fill(0x20);
  const before = `${MAGIC}\x01\x00`;
  for (let i = 0; i < before.length; i++) header[i] = before.charCodeAt(i);
  new DataView(header.buffer).setUint16(8, length - 10, true);
  header.set(new TextEncoder().encode(text), 10);
  header[length - 1] = 0x0a;
  return header;
}

const damaged = (text: string) =>
  new CheckpointError('CORRUPT', `${text}; write it again with numpy.save`);

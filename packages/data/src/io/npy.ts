// NumPy's .npy format, versions 1 to 3.
// Source: numpy/lib/format.py and https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// (The package npyjs was measured against this: it refuses big-endian files, does not compare the
// data with the shape, reads complex numbers as twice as many floats, and brings a fetch polyfill.)

import { type CreateOptions, checkOptions, fromHost, numelOf, type Tensor } from '@voxgrad/core';
import { bytesPer, decode, dtypeFor, type FileDType } from './elements.js';
import { type Content, type DataSource, fileError, readContent, wrongFormat } from './source.js';

/** Type codes of `descr` without the byte order. */
const TYPES: Readonly<Record<string, FileDType>> = {
  b1: 'bool',
  i1: 'int8',
  u1: 'uint8',
  i2: 'int16',
  u2: 'uint16',
  i4: 'int32',
  u4: 'uint32',
  i8: 'int64',
  u8: 'uint64',
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
};

const ADVICE: Readonly<Record<string, string>> = {
  c: 'complex numbers: save their .real and .imag as two arrays',
  O: 'Python objects, which are code: save numbers instead',
  U: 'text: only numbers make a tensor',
  S: 'bytes of text: only numbers make a tensor',
  V: 'records: save each field as an array of its own',
  M: 'dates: save them as numbers (.astype("int64"))',
  m: 'time spans: save them as numbers (.astype("int64"))',
  f: 'floats of extended precision: save them as float64',
};

const MAGIC = '\x93NUMPY';

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Where the elements begin. */
  readonly start: number;
}

/**
 * An array that `numpy.save` wrote, in its shape. A Fortran-ordered one comes as a strided view
 * (`contiguous()` copies it); uint16 as int32, uint32 and uint64 as int64. Gzip is inflated first.
 * @throws VoxgradError with code 'FORMAT', 'CORRUPT' or 'UNSUPPORTED'
 */
export async function readNpy(
  source: DataSource,
  options: { device?: CreateOptions['device'] } = {},
): Promise<Tensor> {
  checkOptions('readNpy', options, ['device']);
  const content = await readContent(source);
  const { descr, fortran, shape, start } = readHeader(content);
  const type = TYPES[descr.slice(1)];
  if (type === undefined)
    throw fileError(
      'UNSUPPORTED',
      content.name,
      `holds ${ADVICE[descr[1]] ?? `elements of the unknown type '${descr}'`}`,
    );
  const count = numelOf(shape);
  const [need, have] = [count * bytesPer(type), content.bytes.length - start];
  if (have !== need)
    throw fileError(
      'CORRUPT',
      content.name,
      `its header says ${need} bytes of elements (shape (${shape.join(', ')}) of '${descr}'), but there are ${have}` +
        (have < need ? '; the download or copy may be incomplete' : ''),
    );
  const array = decode(content, start, count, type, descr[0] === '>' ? 'big' : 'little');
  const made = fromHost(array, dtypeFor(type), fortran ? shape.toReversed() : shape, options);
  return fortran ? made.permute(shape.map((_, axis) => shape.length - 1 - axis)) : made;
}

function readHeader(content: Content): Header {
  const { bytes, name } = content;
  const latin1 = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (latin1(0, 6) !== MAGIC) throw wrongFormat(content, '.npy file');
  const damaged = (text: string) =>
    fileError('CORRUPT', name, `${text}; write it again with numpy.save`);
  const major = bytes[6];
  if (!(major >= 1 && major <= 3))
    throw fileError('UNSUPPORTED', name, `has .npy version ${major}; versions 1 to 3 are known`);
  const wide = major > 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const textStart = wide ? 12 : 10;
  if (bytes.length < textStart) throw damaged('ends inside its header');
  const start = textStart + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (start > bytes.length) throw damaged('ends inside its header');
  // A record type can make a long header, which is refused anyway.
  const text = latin1(textStart, Math.min(start, textStart + 65_536));
  const descr = /'descr'\s*:\s*'([<>|=]?[a-zA-Z]\d*)[^']*'/.exec(text)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const sizes = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(text)?.[1];
  if (descr === undefined && /'descr'\s*:\s*\[/.test(text))
    throw fileError('UNSUPPORTED', name, `holds ${ADVICE.V}`);
  if (descr === undefined || fortran === undefined || sizes === undefined)
    throw damaged('its header lacks descr, fortran_order or shape');
  const shape = (sizes.match(/\d+/g) ?? []).map(Number);
  if (!shape.every(Number.isSafeInteger)) throw damaged(`its shape (${sizes}) cannot be`);
  const ordered = /^[<>|=]/.test(descr) ? descr : `|${descr}`;
  return { descr: ordered, fortran: fortran === 'True', shape, start };
}

// NIfTI-1 and NIfTI-2 volumes in one file. nifti-reader-js reads the header; sizes, elements and the
// affine are taken from it here, so that a header that lies is refused and not followed.
// Source: https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h

import { bytesPer, dtypeFor, type FileDType } from '@voxgrad/checkpoint/arrays';
import {
  type CreateOptions,
  checkOptions,
  type DType,
  fromHost,
  numelOf,
  type Tensor,
} from '@voxgrad/core';
import type { NIFTI1, NIFTI2 } from 'nifti-reader-js';
import { decode } from './elements.js';
import { type Content, type DataSource, fileError, readContent, wrongFormat } from './source.js';

/** Type codes of the header (DT_…). */
const TYPES: Readonly<Record<number, FileDType>> = {
  2: 'uint8',
  4: 'int16',
  8: 'int32',
  16: 'float32',
  64: 'float64',
  256: 'int8',
  512: 'uint16',
  768: 'uint32',
  1024: 'int64',
  1280: 'uint64',
};

const OTHER_TYPES: Readonly<Record<number, string>> = {
  1: 'single bits',
  32: 'complex numbers',
  128: 'RGB colours',
  1536: 'floats of 128 bits',
  1792: 'complex numbers',
  2048: 'complex numbers',
  2304: 'RGBA colours',
};

const UNITS: Readonly<Record<number, NiftiHeader['unit']>> = { 1: 'm', 2: 'mm', 3: 'µm' };

/** What the file says about itself. */
export interface NiftiHeader {
  readonly version: 1 | 2;
  readonly byteOrder: 'little' | 'big';
  /** Sizes, x first. */
  readonly dims: readonly number[];
  /** Element type in the file. */
  readonly type: FileDType;
  /** Of `spacing` and `affine`. */
  readonly unit: 'm' | 'mm' | 'µm' | 'unknown';
  /** How the affine was made; 0 is unknown (NIFTI_XFORM_…). */
  readonly qformCode: number;
  readonly sformCode: number;
  readonly description: string;
  /** The range that the writer suggests for display, or zeros. */
  readonly displayRange: readonly [min: number, max: number];
}

/** A volume of a NIfTI file with what the file says about it. */
export interface NiftiImage {
  /**
   * `[x, y, z]` or `[x, y, z, t, …]`: the axes in the order in which the affine counts them (as in
   * nibabel). x is the fastest in the file, so this is a strided view; `data.permute(2, 1, 0)` is
   * `[z, y, x]` in row-major order without a copy.
   */
  readonly data: Tensor;
  /** Distance of neighbouring elements along each axis of `data`, in `header.unit` (time: see the file). */
  readonly spacing: readonly number[];
  /** 4 × 4: from `[i, j, k, 1]` to patient coordinates (right, anterior, superior). */
  readonly affine: readonly (readonly number[])[];
  /** A stored element v stands for v · slope + inter. Without scaling 1 and 0. */
  readonly slope: number;
  readonly inter: number;
  readonly header: NiftiHeader;
}

/** Options of {@link readNifti}. */
export interface NiftiOptions {
  /** Apply slope and inter; `data` is then float32 or the `dtype` given. */
  scale?: boolean;
  /** Convert the elements to this dtype. */
  dtype?: DType;
  device?: CreateOptions['device'];
}

/**
 * A NIfTI volume (.nii, .nii.gz, told by content).
 * @throws VoxgradError with code 'FORMAT', 'CORRUPT' or 'UNSUPPORTED'
 */
export async function readNifti(
  source: DataSource,
  options: NiftiOptions = {},
): Promise<NiftiImage> {
  checkOptions('readNifti', options, ['scale', 'dtype', 'device']);
  const content = await readContent(source);
  const { version, fields } = await readHeader(content);
  const header = describeHeader(content, version, fields);
  const { dims, type, byteOrder } = header;
  const count = numelOf(dims);
  const start = Math.round(fields.vox_offset);
  const [need, have] = [count * bytesPer(type), content.bytes.length - start];
  if (!(start >= HEADER_BYTES[header.version] && have >= need))
    throw fileError(
      'CORRUPT',
      content.name,
      `its header says ${dims.join(' × ')} elements of ${type} (${need} bytes) from byte ${start} on, but the ` +
        `file ends at byte ${content.bytes.length}; the download or copy may be incomplete`,
    );
  const array = decode(content, start, count, type, byteOrder);
  const { slope, inter } = scaling(fields);
  const dtype = options.dtype ?? (options.scale ? 'float32' : undefined);
  const stored = fromHost(array, dtypeFor(type), dims.toReversed(), { device: options.device });
  const wanted = dtype === undefined ? stored : stored.to(dtype);
  const valued = options.scale ? wanted.mul(slope).add(inter) : wanted;
  const spacing = dims.map((_, axis) => Math.abs(fields.pixDims[axis + 1]));
  return {
    data: valued.permute(dims.map((_, axis) => dims.length - 1 - axis)),
    spacing,
    affine: affineOf(content, fields, header),
    slope,
    inter,
    header,
  };
}

const HEADER_BYTES = { 1: 348, 2: 540 } as const;

interface RawHeader {
  readonly version: 1 | 2;
  readonly fields: NIFTI1 | NIFTI2;
}

async function readHeader(content: Content): Promise<RawHeader> {
  // Loaded at first use: the package is ESM only, and CommonJS reaches it this way alone.
  const nifti = await import('nifti-reader-js');
  const { buffer, byteOffset, length } = content.bytes;
  const head = (size: number) => buffer.slice(byteOffset, byteOffset + Math.min(length, size));
  // Exactly the header: extensions are not asked for, and a damaged one shall not matter.
  const version = nifti.isNIFTI1(head(HEADER_BYTES[1])) ? 1 : 2;
  const bytes = head(HEADER_BYTES[version]);
  if (bytes.byteLength < HEADER_BYTES[version] || !nifti.isNIFTI(bytes))
    throw wrongFormat(content, 'NIfTI image');
  const fields = version === 1 ? new nifti.NIFTI1() : new nifti.NIFTI2();
  try {
    fields.readHeader(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw fileError('CORRUPT', content.name, `its NIfTI header is damaged (${reason})`, error);
  }
  return { version, fields };
}

function describeHeader({ name }: Content, version: 1 | 2, raw: NIFTI1 | NIFTI2): NiftiHeader {
  const [rank, ...sizes] = raw.dims;
  const dims = sizes.slice(0, rank);
  if (!(rank >= 1 && rank <= 7) || !dims.every((size) => Number.isSafeInteger(size) && size >= 1))
    throw fileError(
      'CORRUPT',
      name,
      `its NIfTI header gives impossible sizes (dim = ${raw.dims.join(', ')})`,
    );
  const type = TYPES[raw.datatypeCode];
  if (type === undefined) {
    const what =
      OTHER_TYPES[raw.datatypeCode] ?? `elements of the unknown type ${raw.datatypeCode}`;
    throw fileError('UNSUPPORTED', name, `holds ${what}; convert it to a numeric type first`);
  }
  return {
    version,
    byteOrder: raw.littleEndian ? 'little' : 'big',
    dims,
    type,
    unit: UNITS[raw.xyzt_units & 7] ?? 'unknown',
    qformCode: raw.qform_code,
    sformCode: raw.sform_code,
    description: raw.description,
    displayRange: [raw.cal_min, raw.cal_max],
  };
}

/** "If scl_slope is nonzero, the data values are scaled": NaN and 0 mean none. */
function scaling({ scl_slope: slope, scl_inter: inter }: NIFTI1 | NIFTI2) {
  if (!Number.isFinite(slope) || slope === 0) return { slope: 1, inter: 0 };
  return { slope, inter: Number.isFinite(inter) ? inter : 0 };
}

/** The sform where there is one, else the qform, else the spacing alone. */
function affineOf({ bytes }: Content, raw: NIFTI1 | NIFTI2, header: NiftiHeader): number[][] {
  const last = [0, 0, 0, 1];
  if (header.sformCode > 0) {
    // Read here: the library fills `affine` by rules of its own.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const little = header.byteOrder === 'little';
    const entry = (at: number) =>
      header.version === 1
        ? view.getFloat32(280 + 4 * at, little)
        : view.getFloat64(400 + 8 * at, little);
    return [...[0, 4, 8].map((row) => [0, 1, 2, 3].map((column) => entry(row + column))), last];
  }
  if (header.qformCode > 0) return raw.getQformMat();
  const spacing = [1, 2, 3].map((axis) => Math.abs(raw.pixDims[axis]) || 1);
  return [...spacing.map((step, i) => [0, 1, 2, 3].map((j) => (i === j ? step : 0))), last];
}

// NIfTI files made for the tests, field by field.

export interface NiftiFields {
  readonly version?: 1 | 2;
  readonly little?: boolean;
  readonly dims: readonly number[];
  readonly type: number;
  readonly bits: number;
  readonly spacing?: readonly number[];
  readonly slope?: number;
  readonly inter?: number;
  /** Rows of the sform. */
  readonly sform?: readonly (readonly number[])[];
  /** b, c, d and the offsets of the qform. */
  readonly qform?: readonly number[];
  readonly magic?: string;
  /** Offset of the first element. */
  readonly start?: number;
}

/** Where the fields of a header lie, and how wide they are in it. */
const LAYOUTS = {
  1: {
    size: 348,
    magicAt: 344,
    magic: 'n+1\0',
    dim: 40,
    type: 70,
    bits: 72,
    pixdim: 76,
    start: 108,
    slope: 112,
    units: 123,
    qcode: 252,
    scode: 254,
    quaternion: 256,
    sform: 280,
  },
  2: {
    size: 540,
    magicAt: 4,
    magic: 'n+2\0\r\n\x1a\n',
    dim: 16,
    type: 12,
    bits: 14,
    pixdim: 104,
    start: 168,
    slope: 176,
    units: 500,
    qcode: 344,
    scode: 348,
    quaternion: 352,
    sform: 400,
  },
} as const;

/** A header, four bytes without extension, and `data`. */
export function niftiFile(fields: NiftiFields, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const { version = 1, little = true, dims, spacing = [], slope = 0, inter = 0 } = fields;
  const at = LAYOUTS[version];
  const start = fields.start ?? at.size + 4;
  const bytes = new Uint8Array(start + data.length);
  const view = new DataView(bytes.buffer);
  const wide = version === 2;
  const real = (offset: number, index: number, value: number) =>
    wide
      ? view.setFloat64(offset + 8 * index, value, little)
      : view.setFloat32(offset + 4 * index, value, little);
  const code = (offset: number, value: number) =>
    wide ? view.setInt32(offset, value, little) : view.setInt16(offset, value, little);
  view.setInt32(0, at.size, little);
  [dims.length, ...dims, ...Array(7 - dims.length).fill(1)].forEach((size: number, i) => {
    if (wide) view.setBigInt64(at.dim + 8 * i, BigInt(size), little);
    else view.setInt16(at.dim + 2 * i, size, little);
  });
  view.setInt16(at.type, fields.type, little);
  view.setInt16(at.bits, fields.bits, little);
  [1, ...spacing].forEach((step, i) => {
    real(at.pixdim, i, step);
  });
  if (wide) view.setBigInt64(at.start, BigInt(start), little);
  else view.setFloat32(at.start, start, little);
  real(at.slope, 0, slope);
  real(at.slope, 1, inter);
  if (wide) view.setInt32(at.units, 2, little);
  else view.setUint8(at.units, 2);
  code(at.qcode, fields.qform ? 1 : 0);
  code(at.scode, fields.sform ? 2 : 0);
  fields.qform?.forEach((value, i) => {
    real(at.quaternion, i, value);
  });
  fields.sform?.flat().forEach((value, i) => {
    real(at.sform, i, value);
  });
  bytes.set(Buffer.from(fields.magic ?? at.magic, 'latin1'), at.magicAt);
  bytes.set(data, start);
  return bytes;
}

// The storage formats of CANN: how the elements of a tensor lie in memory.
//
//   ND        row-major, any number of dimensions
//   NCDHW     row-major, five dimensions of a volume
//   NDC1HWC0  channels in blocks of C0 innermost: [N, D, ⌈C / C0⌉, H, W, C0]
//   FRACTAL_Z_3D  a weight in blocks for the cube unit: [D·⌈C / C0⌉·H·W, ⌈N / 16⌉, 16, C0]

import { argumentError, type DType, describe, shapeError } from '@voxgrad/core';
import { BLOCK, channelBlock } from '../checks/units.js';
import { nearest } from '../profile/nearest.js';
import type { SourceKey } from '../profile/sources.js';

export interface FormatInfo {
  /** `aclFormat`, as `torch_npu.get_npu_format` returns it. */
  readonly id: number;
  readonly source: SourceKey;
}

const table = <N extends string>(source: SourceKey, ids: Readonly<Record<N, number>>) =>
  Object.fromEntries(
    Object.entries<number>(ids).map(([name, id]) => [name, { id, source }]),
  ) as Readonly<Record<N, FormatInfo>>;

/** Formats with a number in `aclFormat`. */
export const ACL_FORMATS = table('aclfmt', {
  UNDEFINED: -1,
  NCHW: 0,
  NHWC: 1,
  ND: 2,
  NC1HWC0: 3,
  FRACTAL_Z: 4,
  NC1HWC0_C04: 12,
  HWCN: 16,
  NDHWC: 27,
  FRACTAL_NZ: 29,
  NCDHW: 30,
  NDC1HWC0: 32,
  FRACTAL_Z_3D: 33,
  NC: 35,
  NCL: 47,
  FRACTAL_NZ_C0_16: 50,
  FRACTAL_NZ_C0_32: 51,
  FRACTAL_NZ_C0_2: 52,
  FRACTAL_NZ_C0_4: 53,
  FRACTAL_NZ_C0_8: 54,
});

/** Formats that only the graph engine knows. */
export const GRAPH_FORMATS = table('geformat', {
  DHWCN: 31,
  CN: 34,
  DHWNC: 36,
  FRACTAL_Z_3D_TRANSPOSE: 37,
});

export type FormatName = keyof typeof ACL_FORMATS;

/** What a tensor of a device here can have; the base ones are row-major. Source: infer_fmt. */
export const BASE_FORMATS = ['ND', 'NCL', 'NCHW', 'NCDHW'] as const;
/** The blocked ones, which torch_npu calls internal. Source: infer_fmt. */
export const INTERNAL_FORMATS = ['NDC1HWC0', 'FRACTAL_Z_3D'] as const;

export type BaseFormat = (typeof BASE_FORMATS)[number];
export type InternalFormat = (typeof INTERNAL_FORMATS)[number];
export type StorageFormat = BaseFormat | InternalFormat;

const CASTABLE: readonly string[] = [...BASE_FORMATS, ...INTERNAL_FORMATS];

export const isInternal = (format: string): format is InternalFormat =>
  (INTERNAL_FORMATS as readonly string[]).includes(format);

/** `aclFormat` of a name: `NCDHW` is 30. */
export const formatId = (format: FormatName): number => ACL_FORMATS[format].id;

/** What a new tensor of `rank` dimensions is stored in. Source: infer_fmt. */
export const baseFormat = (rank: number): BaseFormat =>
  rank === 5 ? 'NCDHW' : rank === 4 ? 'NCHW' : 'ND';

/**
 * The format that `format`, a name or an id, means.
 * @param where what the error begins with
 */
export function findFormat(format: unknown, where = 'formatCast()'): StorageFormat {
  const named =
    typeof format === 'number'
      ? Object.entries(ACL_FORMATS).find(([, { id }]) => id === format)?.[0]
      : format;
  if (typeof named === 'string' && CASTABLE.includes(named)) return named as StorageFormat;
  const known = typeof named === 'string' && Object.hasOwn(ACL_FORMATS, named);
  const near = nearest(String(named ?? format), CASTABLE, CASTABLE.length)
    .map((name) => `${name} (${formatId(name as StorageFormat)})`)
    .join(', ');
  throw argumentError(
    known
      ? `${where}: ${named} (${formatId(named as FormatName)}) is no format of a 3D convolution's tensors; this device has ${near}`
      : `${where}: no format is called ${describe(format)}; the nearest known are ${near}`,
  );
}

/** Dimensions that a format is for. Source: infer_fmt. */
const DIMS: Partial<Record<StorageFormat, number>> = {
  NCL: 3,
  NCHW: 4,
  NCDHW: 5,
  NDC1HWC0: 5,
  FRACTAL_Z_3D: 5,
};

/** Throws unless a tensor of `shape` can be stored in `format`. */
export function checkFormatShape(format: StorageFormat, shape: readonly number[]): void {
  const dims = DIMS[format];
  if (dims !== undefined && dims !== shape.length)
    throw shapeError(
      `formatCast(): ${format} (${formatId(format)}) takes a tensor of ${dims} dims, but got ` +
        `${shape.length}: [${shape.join(', ')}]`,
    );
}

/** The dimensions in memory of a tensor of `shape` and `dtype`; see the head of this file. */
export function shapeInMemory(
  format: StorageFormat,
  shape: readonly number[],
  dtype: DType,
): number[] {
  if (!isInternal(format)) return [...shape];
  const [n, c, d, h, w] = shape;
  const c0 = channelBlock(dtype);
  const c1 = Math.ceil(c / c0);
  return format === 'NDC1HWC0'
    ? [n, d, c1, h, w, c0]
    : [d * c1 * h * w, Math.ceil(n / BLOCK), BLOCK, c0];
}

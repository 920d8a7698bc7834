import {
  type ByteOrder,
  bytesPer,
  dtypeFor,
  FILE_DTYPES,
  type FileDType,
  isFileDType,
} from '@voxgrad/checkpoint/arrays';
import {
  type CreateOptions,
  checkOptions,
  checkShape,
  describe,
  formatShape,
  fromHost,
  numelOf,
  type OptionTable,
  type Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { decode } from './elements.js';
import { type DataSource, fileError, readContent } from './source.js';

/** Options of {@link readRaw}. */
export interface RawOptions {
  /** Sizes of the volume, the slowest axis first (row-major). */
  shape: readonly number[];
  /** Of the elements in the file; uint16 is read as int32, uint32 and uint64 as int64. */
  dtype: FileDType;
  /** 'little' unless given. */
  byteOrder?: ByteOrder;
  /** Bytes before the first element, 0 by default. */
  offset?: number;
  /** Accept bytes after the last element, which otherwise hint at a wrong shape or dtype. */
  allowTrailing?: boolean;
  device?: CreateOptions['device'];
}

const RAW_OPTIONS: OptionTable<RawOptions> = {
  shape: true,
  dtype: true,
  byteOrder: true,
  offset: true,
  allowTrailing: true,
  device: true,
};

/**
 * A volume without a header. Gzip is inflated first.
 * @throws VoxgradError ('CORRUPT') where shape, dtype and offset do not account for the bytes
 */
export async function readRaw(source: DataSource, options: RawOptions): Promise<Tensor> {
  checkOptions('readRaw', options ?? null, RAW_OPTIONS);
  const { dtype, byteOrder = 'little', offset = 0 } = options;
  const shape = checkShape(options.shape, 'readRaw');
  if (!isFileDType(dtype))
    throw new VoxgradError(
      'DTYPE',
      `readRaw(): expected a dtype (one of ${FILE_DTYPES.join(', ')}), but got ${describe(dtype)}`,
    );
  if (byteOrder !== 'little' && byteOrder !== 'big')
    throw new VoxgradError(
      'ARGUMENT',
      `readRaw(): byteOrder must be 'little' or 'big', but got ${describe(byteOrder)}`,
    );
  if (!(Number.isInteger(offset) && offset >= 0))
    throw new VoxgradError(
      'ARGUMENT',
      `readRaw(): offset must be a number of bytes, but got ${describe(offset)}`,
    );
  const content = await readContent(source);
  const need = numelOf(shape) * bytesPer(dtype);
  const have = content.bytes.length - offset;
  if (have < need || (have > need && !options.allowTrailing))
    throw fileError(
      'CORRUPT',
      content.name,
      `holds ${Math.max(have, 0)} bytes from byte ${offset} on, but ${formatShape(shape)} of ${dtype} takes ${need}; ` +
        `check shape, dtype and offset${have > need ? ', or pass allowTrailing' : ''}`,
    );
  const array = decode(content, offset, numelOf(shape), dtype, byteOrder);
  return fromHost(array, dtypeFor(dtype), shape, { device: options.device });
}

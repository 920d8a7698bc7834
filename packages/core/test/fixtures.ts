// The files in test/fixtures, made by real PyTorch; test/oracle/README.md says what they hold.

import { readFileSync } from 'node:fs';
import { type DType, type HostArray, hostArrayOver } from '../src/tensor/dtype.js';

const FOLDER = new URL('../../../test/fixtures/', import.meta.url);

export interface FixtureTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Row-major elements. float16 and bfloat16 are raw words, bool is 0 or 1. */
  readonly data: HostArray;
}

const DTYPES: Readonly<Record<string, DType>> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  I64: 'int64',
  I32: 'int32',
  I16: 'int16',
  I8: 'int8',
  U8: 'uint8',
  BOOL: 'bool',
};

interface HeaderEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [start: number, end: number];
}

/** The bytes of `test/fixtures/<name>`. */
export const readBytes = (name: string): Buffer => readFileSync(new URL(name, FOLDER));

/** The content of `test/fixtures/<name>.json`. */
export const readJson = <T>(name: string): T =>
  JSON.parse(readBytes(`${name}.json`).toString('utf8')) as T;

/** The tensors of `test/fixtures/<name>.safetensors`, by name. */
export function readSafetensors(name: string): Map<string, FixtureTensor> {
  const bytes = readBytes(`${name}.safetensors`);
  const dataStart = 8 + Number(bytes.readBigUInt64LE(0));
  const header: Record<string, HeaderEntry> = JSON.parse(bytes.toString('utf8', 8, dataStart));
  const tensors = new Map<string, FixtureTensor>();
  for (const [key, entry] of Object.entries(header)) {
    if (key === '__metadata__') continue;
    const dtype = DTYPES[entry.dtype];
    if (dtype === undefined) throw new Error(`${name}: ${key} has the dtype ${entry.dtype}`);
    const [start, end] = entry.data_offsets;
    // A copy, because the bytes of a file need not be aligned.
    const { buffer } = new Uint8Array(bytes.subarray(dataStart + start, dataStart + end));
    const length = entry.shape.reduce((product, size) => product * size, 1);
    tensors.set(key, { dtype, shape: entry.shape, data: hostArrayOver(dtype, buffer, 0, length) });
  }
  return tensors;
}

/** The tensor `key` of a fixture; an unknown name is an error rather than undefined. */
export function fixtureTensor(tensors: Map<string, FixtureTensor>, key: string): FixtureTensor {
  const tensor = tensors.get(key);
  if (tensor === undefined) throw new Error(`no tensor ${key} in the fixture`);
  return tensor;
}

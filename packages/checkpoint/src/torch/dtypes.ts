// PyTorch's names of element types. Storage classes are those of torch/__init__.py.

import { bytesPerElement, type DType } from '@voxgrad/core';
import type { WidenedType } from '../widen.js';
import { DTypeName, StorageClass } from './values.js';

const HELD: Readonly<Record<string, DType>> = {
  float64: 'float64',
  double: 'float64',
  float32: 'float32',
  float: 'float32',
  float16: 'float16',
  half: 'float16',
  bfloat16: 'bfloat16',
  int64: 'int64',
  long: 'int64',
  int32: 'int32',
  int: 'int32',
  int16: 'int16',
  short: 'int16',
  int8: 'int8',
  uint8: 'uint8',
  bool: 'bool',
};

const WIDENED: readonly WidenedType[] = ['uint16', 'uint32', 'uint64'];

const NOT_HELD: readonly string[] = [
  'complex32 complex64 complex128 cfloat cdouble chalf',
  'qint8 quint8 qint32 quint4x2 quint2x4',
  'float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2',
].flatMap((line) => line.split(' '));

/** All of torch.<dtype>, as PyTorch pickles them. */
export const DTYPE_NAMES: readonly DTypeName[] = [
  ...Object.entries(HELD).map(([name, dtype]) => new DTypeName(name, dtype)),
  ...WIDENED.map((name) => new DTypeName(name, name)),
  ...NOT_HELD.map((name) => new DTypeName(name, undefined)),
];

/** The storage class of each dtype. */
export const STORAGE_NAMES: Readonly<Record<DType, string>> = {
  float64: 'DoubleStorage',
  float32: 'FloatStorage',
  float16: 'HalfStorage',
  bfloat16: 'BFloat16Storage',
  int64: 'LongStorage',
  int32: 'IntStorage',
  int16: 'ShortStorage',
  int8: 'CharStorage',
  uint8: 'ByteStorage',
  bool: 'BoolStorage',
};

const UNSUPPORTED_STORAGES: readonly (readonly [
  name: string,
  unit: number,
  kind: string,
  dtype: string,
])[] = [
  ['ComplexHalfStorage', 4, 'complex', 'complex32'],
  ['ComplexFloatStorage', 8, 'complex', 'complex64'],
  ['ComplexDoubleStorage', 16, 'complex', 'complex128'],
  ['QInt8Storage', 1, 'quantized', 'qint8'],
  ['QUInt8Storage', 1, 'quantized', 'quint8'],
  ['QInt32Storage', 4, 'quantized', 'qint32'],
  ['QUInt4x2Storage', 1, 'quantized', 'quint4x2'],
  ['QUInt2x4Storage', 1, 'quantized', 'quint2x4'],
];

/** How to get rid of tensors of a kind in Python. */
export const CONVERSIONS: Readonly<Record<string, string>> = {
  complex: 'Save torch.view_as_real(t) instead of t',
  quantized: 'Save t.dequantize() instead of t',
  sparse: 'Save t.to_dense() instead of t',
  nested: 'Save its parts, t.unbind(), instead of t',
  meta: 'The file holds its shape but no numbers; save the model after it has been filled',
};

/** All storage classes, by their name within `torch`. */
export const STORAGE_CLASSES: readonly StorageClass[] = [
  ...Object.entries(STORAGE_NAMES).map(([dtype, name]) => typed(name, dtype as DType)),
  ...UNSUPPORTED_STORAGES.map(
    ([name, unit, kind, dtype]) => new StorageClass(name, undefined, unit, { kind, dtype }),
  ),
  ...['UntypedStorage', '_UntypedStorage'].map((name) => new StorageClass(name, undefined, 1)),
];

function typed(name: string, dtype: DType): StorageClass {
  return new StorageClass(name, dtype, bytesPerElement(dtype));
}

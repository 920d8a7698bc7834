// NumPy's scalars and arrays, which training checkpoints hold as metrics and histories. Scalars
// become numbers and texts, arrays tensors. Formats: numpy/core/src/multiarray (`scalar`,
// `_reconstruct`, `array_setstate`, `arraydescr_setstate`) and numpy/core/numeric.py (`_frombuffer`).

import { contiguousStrides, cpu, fromHost } from '@voxgrad/core';
import { bytesPer, dtypeFor, elementsOver, type FileDType, swapBytes } from '../elements.js';
import { MAX_DIMS } from '../value.js';
import {
  Buildable,
  type CallContext,
  PyGlobal,
  PyTuple,
  type PyValue,
  StorageClass,
  StorageRef,
  TensorRef,
  Unsupported,
} from './values.js';

const ELEMENTS: ReadonlyMap<string, FileDType> = new Map([
  ['f8', 'float64'],
  ['f4', 'float32'],
  ['f2', 'float16'],
  ['i8', 'int64'],
  ['i4', 'int32'],
  ['i2', 'int16'],
  ['i1', 'int8'],
  ['u8', 'uint64'],
  ['u4', 'uint32'],
  ['u2', 'uint16'],
  ['u1', 'uint8'],
  ['b1', 'bool'],
]);

/** NumPy's names of the dtypes that have no counterpart. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['c8', 'complex64'],
  ['c16', 'complex128'],
  ['f16', 'float128'],
  ['f12', 'float96'],
]);

/** `numpy.dtype('f4', False, True)`, completed by BUILD with `(3, '<', …)`. */
class NumpyDType extends Buildable {
  bigEndian = false;

  constructor(readonly code: string) {
    super();
  }

  get element(): FileDType | undefined {
    return ELEMENTS.get(this.code);
  }

  get shortName(): string {
    return this.element ?? OTHERS.get(this.code) ?? this.code;
  }

  build(state: PyValue): void {
    this.bigEndian = state instanceof PyTuple && state.items[1] === '>';
  }
}

/** An array under construction: BUILD brings `(version, shape, dtype, isFortran, data)`. */
export class NumpyArray extends Buildable {
  contents: TensorRef | Unsupported | undefined;

  build(state: PyValue, context: CallContext): void {
    const [, shape, dtype, fortran, data] = state instanceof PyTuple ? state.items : [];
    this.contents = arrayOf(data, dtype, shape, fortran === true, context);
  }
}

/** What an array costs more than other calls, for its view of the bytes and its storage. */
const ARRAY_WORK = 12;

const ADVICE = 'Save a copy of another dtype, or a list';

function arrayOf(
  data: PyValue | undefined,
  type: PyValue | undefined,
  shape: PyValue | undefined,
  fortran: boolean,
  context: CallContext,
): TensorRef | Unsupported {
  context.spend(ARRAY_WORK);
  if (!(type instanceof NumpyDType)) throw context.error('a NumPy array without a dtype');
  const sizes = shape instanceof PyTuple ? shape.items : [];
  if (!sizes.every((n): n is number => Number.isSafeInteger(n) && Number(n) >= 0))
    throw context.error('a NumPy array without a shape');
  if (sizes.length > MAX_DIMS) throw context.error(`a NumPy array of ${sizes.length} dims`);
  const { element, shortName, bigEndian } = type;
  if (element === undefined)
    return new Unsupported(`a NumPy array of dtype ${shortName}`, ADVICE, {
      dtype: shortName,
      shape: sizes,
    });
  if (!(data instanceof Uint8Array)) throw context.error('a NumPy array without its bytes');
  const length = sizes.reduce((product, n) => product * n, 1);
  if (length * bytesPer(element) !== data.length)
    throw context.error(
      `a NumPy array of shape [${sizes.join(', ')}] and dtype ${element} with ${data.length} bytes`,
    );
  const strides = fortran
    ? contiguousStrides([...sizes].reverse()).reverse()
    : contiguousStrides(sizes);
  const storage = new StorageRef(
    data.subarray(), // arrays are apart, even where their bytes are one object
    new StorageClass('numpy.ndarray', undefined, bytesPer(element)),
    length,
    undefined,
    bigEndian,
  );
  return new TensorRef(storage, element, sizes, strides, 0, false);
}

/** `scalar(dtype, bytes)`: a number, bool or text. */
function scalar([type, data]: readonly PyValue[], context: CallContext): PyValue {
  if (!(type instanceof NumpyDType)) throw context.error('a NumPy scalar without a dtype');
  const { element, shortName, code, bigEndian } = type;
  if (/^[US]\d+$/.test(code)) return textOf(data, code, bigEndian, context);
  if (element === undefined) return new Unsupported(`a NumPy scalar of dtype ${shortName}`, ADVICE);
  const unit = bytesPer(element);
  if (!(data instanceof Uint8Array) || data.length !== unit)
    throw context.error('a NumPy scalar without its bytes');
  const bytes = data.slice();
  if (bigEndian) swapBytes(bytes, unit);
  context.spend(SCALAR_WORK);
  if (element === 'bool') return bytes[0] !== 0;
  // No dtype here has all values of uint64, but a bigint has.
  const value =
    element === 'uint64'
      ? new DataView(bytes.buffer).getBigUint64(0, true)
      : fromHost(elementsOver(bytes.buffer, element), dtypeFor(element), [], {
          device: cpu,
        }).item();
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** What a scalar costs more than other calls, for the tensor that it is read from. */
const SCALAR_WORK = 8;

/** A `numpy.str_` (UTF-32) as a text, a `numpy.bytes_` as bytes; zeros at the end are padding. */
function textOf(
  data: PyValue | undefined,
  code: string,
  bigEndian: boolean,
  context: CallContext,
): PyValue {
  if (!(data instanceof Uint8Array)) throw context.error('a NumPy scalar without its bytes');
  context.spend(Math.ceil(data.length / 64));
  if (code.startsWith('S')) return data;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  let text = '';
  for (let at = 0; at + 4 <= data.length; at += 4) {
    const point = view.getUint32(at, !bigEndian);
    if (point > 0x10ffff) throw context.error('a NumPy text with a character that is none');
    text += String.fromCodePoint(point);
  }
  return text.replace(/\0+$/, '');
}

const numpyDType = new PyGlobal('numpy.dtype', ([code], context) => {
  if (typeof code !== 'string') throw context.error('a NumPy dtype without a name');
  return new NumpyDType(code);
});

export const NUMPY_GLOBALS: readonly PyGlobal[] = [
  numpyDType,
  new PyGlobal('numpy.ndarray'),
  // NumPy 2 moved numpy.core to numpy._core.
  ...['numpy.core', 'numpy._core'].flatMap((core) => [
    new PyGlobal(`${core}.multiarray.scalar`, scalar),
    new PyGlobal(`${core}.multiarray._reconstruct`, () => new NumpyArray()),
    new PyGlobal(`${core}.numeric._frombuffer`, ([data, type, shape, order], context) =>
      arrayOf(data, type, shape, order === 'F', context),
    ),
  ]),
];

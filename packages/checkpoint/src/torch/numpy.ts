// NumPy's scalars and arrays, which training checkpoints hold as metrics and histories. Scalars
// become numbers, arrays tensors. Formats: numpy/core/src/multiarray (`scalar`, `_reconstruct`,
// `array_setstate`, `arraydescr_setstate`) and numpy/core/numeric.py (`_frombuffer`).

import { bytesPerElement, contiguousStrides, type DType, hostArrayOver } from '@voxgrad/core';
import { STORAGE_CLASSES } from './dtypes.js';
import {
  Buildable,
  type CallContext,
  PyGlobal,
  PyTuple,
  type PyValue,
  type StorageClass,
  StorageRef,
  TensorRef,
  Unsupported,
} from './values.js';

const DTYPES: ReadonlyMap<string, DType> = new Map([
  ['f8', 'float64'],
  ['f4', 'float32'],
  ['f2', 'float16'],
  ['i8', 'int64'],
  ['i4', 'int32'],
  ['i2', 'int16'],
  ['i1', 'int8'],
  ['u1', 'uint8'],
  ['b1', 'bool'],
]);

/** `numpy.dtype('f4', False, True)`, completed by BUILD with `(3, '<', …)`. */
class NumpyDType extends Buildable {
  bigEndian = false;

  constructor(readonly code: string) {
    super();
  }

  get dtype(): DType | undefined {
    return this.bigEndian ? undefined : DTYPES.get(this.code);
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

const unsupported = (what: string, code: string) =>
  new Unsupported(`${what} of dtype ${code}`, 'Convert it to float64 before saving');

function arrayOf(
  data: PyValue | undefined,
  type: PyValue | undefined,
  shape: PyValue | undefined,
  fortran: boolean,
  context: CallContext,
): TensorRef | Unsupported {
  if (!(type instanceof NumpyDType)) throw context.error('a NumPy array without a dtype');
  const { dtype } = type;
  if (dtype === undefined) return unsupported('a NumPy array', type.code);
  if (!(data instanceof Uint8Array)) throw context.error('a NumPy array without its bytes');
  const sizes = shape instanceof PyTuple ? shape.items : [];
  if (!sizes.every((n): n is number => Number.isSafeInteger(n) && Number(n) >= 0))
    throw context.error('a NumPy array without a shape');
  const length = sizes.reduce((product, n) => product * n, 1);
  if (length * bytesPerElement(dtype) !== data.length)
    throw context.error(
      `a NumPy array of shape [${sizes.join(', ')}] and dtype ${dtype} with ${data.length} bytes`,
    );
  const strides = fortran
    ? contiguousStrides([...sizes].reverse()).reverse()
    : contiguousStrides(sizes);
  return new TensorRef(
    new StorageRef(data, storageClass(dtype), length),
    dtype,
    sizes,
    strides,
    0,
    false,
  );
}

const storageClass = (dtype: DType): StorageClass => {
  const found = STORAGE_CLASSES.find((type) => type.dtype === dtype);
  if (found === undefined) throw new TypeError(`no storage class holds ${dtype}`);
  return found;
};

/** `scalar(dtype, bytes)`. */
function scalar([type, data]: readonly PyValue[], context: CallContext): PyValue {
  if (!(type instanceof NumpyDType)) throw context.error('a NumPy scalar without a dtype');
  const { dtype } = type;
  if (dtype === undefined || dtype === 'float16') return unsupported('a NumPy scalar', type.code);
  if (!(data instanceof Uint8Array) || data.length !== bytesPerElement(dtype))
    throw context.error('a NumPy scalar without its bytes');
  const [element] = hostArrayOver(dtype, data.slice().buffer, 0, 1);
  if (dtype === 'bool') return element !== 0;
  if (typeof element !== 'bigint') return element;
  return Number.isSafeInteger(Number(element)) ? Number(element) : element;
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

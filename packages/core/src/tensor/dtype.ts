import { dtypeError, VoxgradError } from '../errors.js';
import { shared } from '../shared.js';

/** What the elements of a tensor are. */
export type DType =
  | 'float64'
  | 'float32'
  | 'float16'
  | 'bfloat16'
  | 'int64'
  | 'int32'
  | 'int16'
  | 'int8'
  | 'uint8'
  | 'bool';

/** Host memory of a tensor. float16 and bfloat16 are raw 16-bit words; bool is 0 or 1 in bytes. */
export type HostArray =
  | Float64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

interface HostArrayConstructor {
  new (length: number): HostArray;
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): HostArray;
}

/** Bools, integers or floating point numbers. */
export type DTypeKind = 'bool' | 'integer' | 'float';

interface DTypeInfo {
  readonly bytes: number;
  readonly kind: DTypeKind;
  readonly array: HostArrayConstructor;
  /** Scalar-type name in PyTorch's messages. */
  readonly torchName: string;
}

const TABLE: Record<DType, DTypeInfo> = {
  float64: { bytes: 8, kind: 'float', array: Float64Array, torchName: 'Double' },
  float32: { bytes: 4, kind: 'float', array: Float32Array, torchName: 'Float' },
  float16: { bytes: 2, kind: 'float', array: Uint16Array, torchName: 'Half' },
  bfloat16: { bytes: 2, kind: 'float', array: Uint16Array, torchName: 'BFloat16' },
  int64: { bytes: 8, kind: 'integer', array: BigInt64Array, torchName: 'Long' },
  int32: { bytes: 4, kind: 'integer', array: Int32Array, torchName: 'Int' },
  int16: { bytes: 2, kind: 'integer', array: Int16Array, torchName: 'Short' },
  int8: { bytes: 1, kind: 'integer', array: Int8Array, torchName: 'Char' },
  uint8: { bytes: 1, kind: 'integer', array: Uint8Array, torchName: 'Byte' },
  bool: { bytes: 1, kind: 'bool', array: Uint8Array, torchName: 'Bool' },
};

/** All dtypes. */
export const DTYPES = Object.keys(TABLE) as DType[];

/** Whether a value names a dtype. */
export const isDType = (value: unknown): value is DType =>
  typeof value === 'string' && Object.hasOwn(TABLE, value);

/** Throws unless a value names a dtype. */
export function checkDType(value: unknown): DType {
  if (isDType(value)) return value;
  throw dtypeError(`expected a dtype (one of ${DTYPES.join(', ')}), but got ${String(value)}`);
}

/** Size of an element of a dtype in bytes. */
export const bytesPerElement = (dtype: DType): number => TABLE[dtype].bytes;
/** What kind a dtype is of. */
export const kindOf = (dtype: DType): DTypeKind => TABLE[dtype].kind;
/** Whether a dtype is a floating point one. */
export const isFloat = (dtype: DType): boolean => TABLE[dtype].kind === 'float';
/** PyTorch's name of the scalar type, for messages: `Float`, `Long`, … */
export const torchName = (dtype: DType): string => TABLE[dtype].torchName;

/** @throws VoxgradError where the runtime has no room for so many elements */
export function allocateHost(dtype: DType, length: number): HostArray {
  try {
    return new TABLE[dtype].array(length);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const bytes = length * TABLE[dtype].bytes;
    throw new VoxgradError(
      'MEMORY',
      `cannot allocate ${bytes} bytes (${length} elements of ${dtype})`,
      { cause },
    );
  }
}

/** Elements of `dtype` over existing bytes; `byteOffset` must be aligned to the element size. */
export const hostArrayOver = (
  dtype: DType,
  buffer: ArrayBuffer,
  byteOffset: number,
  length: number,
): HostArray => new TABLE[dtype].array(buffer, byteOffset, length);

/** The dtype that a typed array stands for, or undefined (Uint16Array has no dtype of its own). */
export function dtypeOfTypedArray(array: ArrayBufferView): DType | undefined {
  switch (Object.prototype.toString.call(array).slice(8, -1)) {
    case 'Float64Array':
      return 'float64';
    case 'Float32Array':
      return 'float32';
    case 'BigInt64Array':
      return 'int64';
    case 'Int32Array':
      return 'int32';
    case 'Int16Array':
      return 'int16';
    case 'Int8Array':
      return 'int8';
    case 'Uint8Array':
    case 'Uint8ClampedArray':
      return 'uint8';
    default:
      return undefined;
  }
}

const defaults = shared('defaultDType', () => ({ dtype: 'float32' as DType }));

/** The dtype of tensors of plain numbers: float32, unless it was set. */
export const getDefaultDtype = (): DType => defaults.dtype;

/** Sets the dtype of numbers given without one. Only floating dtypes are taken, as in PyTorch. */
export function setDefaultDtype(dtype: DType): void {
  if (!isFloat(checkDType(dtype)))
    throw dtypeError(`only floating-point types are supported as the default type, got ${dtype}`);
  defaults.dtype = dtype;
}

// Promotion (torch.result_type): operands fall into three classes, tensors with dimensions,
// 0-d tensors and plain numbers. A later class takes part only if its kind
// (bool < integer < float) is above every kind of the earlier ones.

const KIND_RANK: Record<DTypeKind, number> = { bool: 0, integer: 1, float: 2 };
const INTEGERS: readonly DType[] = ['int8', 'int16', 'int32', 'int64'];

/** The smallest dtype that PyTorch considers to hold both. */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  const [low, high] = KIND_RANK[kindOf(a)] <= KIND_RANK[kindOf(b)] ? [a, b] : [b, a];
  if (kindOf(low) !== kindOf(high)) return high;
  if (kindOf(a) === 'float') {
    if (a === 'float64' || b === 'float64') return 'float64';
    return 'float32'; // also float16 with bfloat16
  }
  if (a === 'uint8' || b === 'uint8') {
    const other = a === 'uint8' ? b : a;
    return other === 'int8' ? 'int16' : other; // uint8 and int8 need 16 bits
  }
  return INTEGERS[Math.max(INTEGERS.indexOf(a), INTEGERS.indexOf(b))];
}

/** What takes part in the promotion of dtypes: a tensor, or a number. */
export type PromotionOperand =
  | { dtype: DType; shape: readonly number[] }
  | number
  | bigint
  | boolean;

function operandClass(operand: PromotionOperand): { level: number; dtype: DType } {
  if (typeof operand === 'boolean') return { level: 2, dtype: 'bool' };
  if (typeof operand === 'bigint') return { level: 2, dtype: 'int64' };
  // JavaScript has one kind of number: an integral one counts as a Python int, others as a float.
  if (typeof operand === 'number')
    return { level: 2, dtype: Number.isInteger(operand) ? 'int64' : getDefaultDtype() };
  if (!isDType(operand?.dtype) || !Array.isArray(operand.shape))
    throw dtypeError(`resultType(): expected a Tensor or a number, but got ${String(operand)}`);
  return { level: operand.shape.length === 0 ? 1 : 0, dtype: operand.dtype };
}

/** dtype of an arithmetic result over `operands`, by PyTorch's rules. */
export function resultType(...operands: PromotionOperand[]): DType {
  const byLevel: (DType | undefined)[] = [undefined, undefined, undefined];
  for (const operand of operands) {
    const { level, dtype } = operandClass(operand);
    const known = byLevel[level];
    byLevel[level] = known === undefined ? dtype : promoteTypes(known, dtype);
  }
  let result: DType | undefined;
  for (const dtype of byLevel) {
    if (dtype === undefined) continue;
    if (result === undefined) result = dtype;
    else if (KIND_RANK[kindOf(dtype)] > KIND_RANK[kindOf(result)]) result = dtype;
  }
  if (result === undefined) throw dtypeError('resultType needs at least one operand');
  return result;
}

import { checkCall } from '../arguments.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError, askingForMemory, dtypeError, shapeError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import {
  allocateHost,
  checkDType,
  type DType,
  dtypeOfTypedArray,
  getDefaultDtype,
  type HostArray,
  isFloat,
} from './dtype.js';
import { checkShape, describe, formatShape, numelOf } from './shape.js';
import { Storage } from './storage.js';
import { type NestedList, Tensor } from './tensor.js';

/** Of what kind a new tensor is, and where. */
export interface CreateOptions {
  dtype?: DType;
  device?: DeviceLike;
  requiresGrad?: boolean;
}

/** Internal: for what is built on these functions. */
export const CREATE_OPTIONS: OptionTable<CreateOptions> = {
  dtype: true,
  device: true,
  requiresGrad: true,
};

/** Wraps row-major host elements of the right dtype. */
export function fromHost(
  array: HostArray,
  dtype: DType,
  shape: readonly number[],
  options: CreateOptions = {},
): Tensor {
  const made = new Tensor({
    storage: new Storage(dtype, array),
    shape,
    device: getDevice(options.device),
  });
  if (options.requiresGrad) made.requiresGrad = true;
  return made;
}

type Element = number | bigint | boolean;

/**
 * A tensor from nested arrays, a number, or a typed array with `shape`. The data are copied.
 * Numbers make the default dtype, booleans bool, bigints int64; a typed array makes its own dtype
 * (Uint16Array needs `dtype` 'float16' or 'bfloat16': raw words).
 */
export function tensor(
  data: NestedList | ArrayBufferView | readonly unknown[],
  options: CreateOptions & { shape?: readonly number[] } = {},
): Tensor {
  checkOptions('tensor', options, { ...CREATE_OPTIONS, shape: true });
  if (options.dtype !== undefined) checkDType(options.dtype);
  if (ArrayBuffer.isView(data)) return fromTypedArray(data, options);
  const flat: Element[] = [];
  const shape = flatten(data as NestedList, flat);
  if (options.shape && formatShape(options.shape) !== formatShape(shape))
    return tensorOf(flat, checkShape(options.shape, 'tensor'), options);
  return tensorOf(flat, shape, options);
}

function tensorOf(
  flat: readonly Element[],
  shape: readonly number[],
  options: CreateOptions,
): Tensor {
  if (flat.length !== numelOf(shape))
    throw shapeError(`shape '${formatShape(shape)}' is invalid for input of size ${flat.length}`);
  const dtype = options.dtype ?? inferDtype(flat);
  if (dtype === 'int64') {
    const out = BigInt64Array.from(flat, toBigInt);
    return fromHost(out, dtype, shape, options);
  }
  const exact = isFloat(dtype) || dtype === 'bool';
  const wide = Float64Array.from(flat, (x) => (exact ? Number(x) : toInteger(Number(x))));
  return converted(fromHost(wide, 'float64', shape, { device: options.device }), dtype, options);
}

/** Conversion belongs to the device; `requiresGrad` is set on the result. */
export function converted(x: Tensor, dtype: DType, options: CreateOptions): Tensor {
  const made = new Tensor({
    storage: x.device.kernels.copy(x, dtype),
    shape: x.shape,
    device: x.device,
  });
  if (options.requiresGrad) made.requiresGrad = true;
  return made;
}

function toInteger(x: number): number {
  if (Number.isFinite(x)) return Math.trunc(x);
  throw argumentError(`tensor(): cannot convert ${x} to an integer`);
}

const toBigInt = (x: Element): bigint => (typeof x === 'bigint' ? x : BigInt(toInteger(Number(x))));

function inferDtype(flat: readonly Element[]): DType {
  if (flat.length > 0 && flat.every((x) => typeof x === 'boolean')) return 'bool';
  if (flat.length > 0 && flat.every((x) => typeof x === 'bigint')) return 'int64';
  return getDefaultDtype();
}

function flatten(data: NestedList, out: Element[]): number[] {
  if (!Array.isArray(data)) {
    if (typeof data !== 'number' && typeof data !== 'bigint' && typeof data !== 'boolean')
      throw dtypeError(
        `tensor(): expected numbers, bigints or booleans, but got ${describe(data)}`,
      );
    out.push(data);
    return [];
  }
  const shapes = data.map((item) => flatten(item, out));
  shapes.forEach((shape, i) => {
    if (formatShape(shape) !== formatShape(shapes[0]))
      throw shapeError(
        `tensor(): expected sequences of equal length, but entry 0 has shape ${formatShape(shapes[0])} and ` +
          `entry ${i} has shape ${formatShape(shape)}`,
      );
  });
  return [data.length, ...(shapes[0] ?? [])];
}

function fromTypedArray(
  data: ArrayBufferView,
  options: CreateOptions & { shape?: readonly number[] },
): Tensor {
  const kind = Object.prototype.toString.call(data).slice(8, -1);
  const raw16 =
    kind === 'Uint16Array' && (options.dtype === 'float16' || options.dtype === 'bfloat16');
  const own = raw16 ? options.dtype : dtypeOfTypedArray(data);
  if (own === undefined)
    throw dtypeError(
      `tensor(): no dtype stands for ${kind}` +
        (kind === 'Uint16Array'
          ? "; give { dtype: 'float16' } or 'bfloat16' for raw 16-bit words"
          : ''),
    );
  const source = data as unknown as ArrayLike<number> & { length: number };
  const shape = checkShape(options.shape ?? [source.length], 'tensor');
  if (numelOf(shape) !== source.length)
    throw shapeError(`shape '${formatShape(shape)}' is invalid for input of size ${source.length}`);
  const copy = allocateHost(own, source.length);
  (copy as Float64Array).set(source);
  const made = fromHost(copy, own, shape, { device: options.device });
  return converted(made, options.dtype ?? own, options);
}

/** {@link full}, under the name that the user called. */
function filled(
  operation: string,
  shape: readonly number[],
  value: Element,
  options: CreateOptions = {},
): Tensor {
  checkOptions(operation, options, CREATE_OPTIONS);
  const dtype = checkDType(
    options.dtype ??
      (typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'bigint'
          ? 'int64'
          : getDefaultDtype()),
  );
  const element =
    dtype === 'int64' ? toBigInt(value) : typeof value === 'boolean' ? Number(value) : value;
  const sizes = checkShape(shape, operation);
  const made = askingForMemory(operation, () =>
    Tensor.filled(sizes, element, dtype, getDevice(options.device)),
  );
  if (options.requiresGrad) made.requiresGrad = true;
  return made;
}

/** A tensor of `shape` filled with `value`. */
export const full = (shape: readonly number[], value: Element, options?: CreateOptions): Tensor =>
  filled('full', shape, value, options);
/** Zeros of a shape. */
export const zeros = (shape: readonly number[], options?: CreateOptions): Tensor =>
  filled('zeros', shape, 0, options);
/** Ones of a shape. */
export const ones = (shape: readonly number[], options?: CreateOptions): Tensor =>
  filled('ones', shape, 1, options);

/** Options of a `…Like` form: those of `x` unless given. */
export const like = (x: Tensor, options: CreateOptions = {}): CreateOptions => ({
  dtype: x.dtype,
  device: x.device,
  ...options,
});

/** Zeros of the shape, dtype and device of a tensor, unless options say otherwise. */
export const zerosLike = (x: Tensor, options?: CreateOptions): Tensor =>
  filledLike('zerosLike', x, 0, options);
/** Ones of the shape, dtype and device of a tensor, unless options say otherwise. */
export const onesLike = (x: Tensor, options?: CreateOptions): Tensor =>
  filledLike('onesLike', x, 1, options);
/** One value in the shape, dtype and device of a tensor, unless options say otherwise. */
export const fullLike = (x: Tensor, value: number, options?: CreateOptions): Tensor =>
  filledLike('fullLike', x, value, options);

function filledLike(operation: string, x: Tensor, value: number, options?: CreateOptions): Tensor {
  checkCall(operation, { x }, options, CREATE_OPTIONS);
  return filled(operation, x.shape, value, like(x, options));
}

/** Room for float64 numbers, from which tensors of every dtype are made. */
const room = (operation: string, length: number): Float64Array<ArrayBuffer> =>
  askingForMemory(operation, () => allocateHost('float64', length)) as Float64Array<ArrayBuffer>;

/** The identity matrix, `[n, m]`; square when `m` is omitted. */
export function eye(n: number, m: number | CreateOptions = n, options: CreateOptions = {}): Tensor {
  if (typeof m === 'object' && m !== null) return unitMatrix(n, n, m);
  return unitMatrix(n, m, options);
}

function unitMatrix(n: number, m: number, options: CreateOptions): Tensor {
  checkOptions('eye', options, CREATE_OPTIONS);
  const wide = room('eye', numelOf(checkShape([n, m], 'eye')));
  for (let i = 0; i < Math.min(n, m); i++) wide[i * m + i] = 1;
  const made = fromHost(wide, 'float64', [n, m], { device: options.device });
  return converted(made, checkDType(options.dtype ?? getDefaultDtype()), options);
}

/** 0, 1, … before `end`; integers make int64, others the default dtype. */
export function arange(end: number, options?: CreateOptions): Tensor;
/** start, start + step, … before `end`. */
export function arange(start: number, end: number, options?: CreateOptions): Tensor;
export function arange(start: number, end: number, step: number, options?: CreateOptions): Tensor;
export function arange(...args: (number | CreateOptions | undefined)[]): Tensor {
  const numbers = args.filter((arg) => typeof arg === 'number');
  const last = args.at(-1);
  const options = typeof last === 'object' ? last : {};
  checkOptions('arange', options, CREATE_OPTIONS);
  if (numbers.length === 0) throw argumentError('arange(): expected the number to stop before');
  const [from, to = 0, step = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
  if (![from, to, step].every(Number.isFinite))
    throw argumentError(`arange(): expected finite numbers, but got ${from}, ${to}, ${step}`);
  if (step === 0) throw argumentError('step must be nonzero');
  if ((to - from) * step < 0)
    throw argumentError('upper bound and larger bound inconsistent with step sign');
  const integral = [from, to, step].every(Number.isInteger);
  const dtype = checkDType(options.dtype ?? (integral ? 'int64' : getDefaultDtype()));
  const length = checkShape([Math.ceil((to - from) / step)], 'arange')[0];
  const wide = room('arange', length).map((_, i) => from + i * step);
  return converted(fromHost(wide, 'float64', [length], { device: options.device }), dtype, options);
}

/** Equally spaced numbers, counted from both ends, as PyTorch, so that the last one is exact. */
function spaced(
  operation: string,
  start: number,
  end: number,
  steps: number,
): Float64Array<ArrayBuffer> {
  if (!(Number.isInteger(steps) && steps >= 0))
    throw argumentError('number of steps must be non-negative');
  const step = steps > 1 ? (end - start) / (steps - 1) : 0;
  return room(operation, steps).map((_, i) =>
    i < steps / 2 ? start + step * i : end - step * (steps - 1 - i),
  );
}

function vector(wide: Float64Array<ArrayBuffer>, options: CreateOptions): Tensor {
  const made = fromHost(wide, 'float64', [wide.length], { device: options.device });
  return converted(made, checkDType(options.dtype ?? getDefaultDtype()), options);
}

/** `steps` points from `start` to `end`, both included. */
export const linspace = (
  start: number,
  end: number,
  steps: number,
  options: CreateOptions = {},
): Tensor => {
  checkOptions('linspace', options, CREATE_OPTIONS);
  return vector(spaced('linspace', start, end, steps), options);
};

/** `steps` powers of `base` (10 by default), with exponents from `start` to `end`, both included. */
export const logspace = (
  start: number,
  end: number,
  steps: number,
  options: CreateOptions & { base?: number } = {},
): Tensor => {
  checkOptions('logspace', options, { ...CREATE_OPTIONS, base: true });
  return vector(
    spaced('logspace', start, end, steps).map((x) => (options.base ?? 10) ** x),
    options,
  );
};

/** A tensor whose elements nobody relies on; here they are 0. */
export const empty = (shape: readonly number[], options?: CreateOptions): Tensor =>
  filled('empty', shape, 0, options);
/** Zeros of the shape, dtype and device of a tensor, unless options say otherwise. */
export const emptyLike = (x: Tensor, options?: CreateOptions): Tensor =>
  filledLike('emptyLike', x, 0, options);

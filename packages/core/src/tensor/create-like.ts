// Tensors of the dtype and device of another, positions of triangles, and data taken as they are.

import { type DeviceLike, getDevice } from '../device/registry.js';
import { argumentError } from '../errors.js';
import { checkOptions } from '../options.js';
import { CREATE_OPTIONS, type CreateOptions, fromHost, full, like, tensor } from './create.js';
import { type DType, type HostArray, isFloat } from './dtype.js';
import { checkShape } from './shape.js';
import { type NestedList, Tensor } from './tensor.js';

type Data = NestedList | ArrayBufferView | readonly unknown[];

/** `[2, 3]`, or `2, 3`; options may follow. */
type Sizes = (number | readonly number[] | CreateOptions)[];

function sizesAndOptions(sizes: Sizes): [number[], CreateOptions] {
  const last = sizes.at(-1);
  const options = typeof last === 'object' && !Array.isArray(last) ? (last as CreateOptions) : {};
  const rest = options === last ? sizes.slice(0, -1) : sizes;
  return [rest.flat() as number[], options];
}

const newFilled =
  (value: number) =>
  (x: Tensor, ...sizes: Sizes): Tensor => {
    const [shape, options] = sizesAndOptions(sizes);
    return full(shape, value, like(x, options));
  };

/** Zeros of the given sizes with the dtype and device of `x`, unless options say otherwise. */
export const newZeros = newFilled(0);
/** Ones; see {@link newZeros}. */
export const newOnes = newFilled(1);
/** Elements that nobody relies on (here 0); see {@link newZeros}. */
export const newEmpty = newFilled(0);
/** `value` everywhere; see {@link newZeros}. */
export const newFull = (
  x: Tensor,
  shape: readonly number[],
  value: number | bigint | boolean,
  options: CreateOptions = {},
): Tensor => full(shape, value, like(x, options));
/** {@link tensor}(data) with the dtype and device of `x`. */
export const newTensor = (x: Tensor, data: Data, options: CreateOptions = {}): Tensor =>
  tensor(data, like(x, options));

/** The tensor on the cpu. */
export const cpu = (x: Tensor): Tensor => x.to(getDevice('cpu'));

/**
 * `data` as a tensor: a tensor itself where dtype and device are as asked, anything else as
 * {@link tensor} reads it. Unlike PyTorch's, memory is shared with no array.
 */
export function asTensor(
  data: Data | Tensor,
  options: { dtype?: DType; device?: DeviceLike } = {},
): Tensor {
  if (!(data instanceof Tensor)) return tensor(data, options);
  checkOptions('asTensor', options, { dtype: true, device: true });
  const moved = options.device === undefined ? data : data.to(getDevice(options.device));
  return options.dtype === undefined ? moved : moved.to(options.dtype);
}

/** {@link asTensor} by its other name. */
export const asarray: typeof asTensor = asTensor;

type TriangleOptions = CreateOptions & { offset?: number };

function trianglePositions(
  name: string,
  [rows, columns]: readonly number[],
  given: TriangleOptions,
  inside: (distance: number) => boolean,
): Tensor {
  checkOptions(name, given, { ...CREATE_OPTIONS, offset: true });
  const { offset = 0, dtype = 'int64', ...options } = given;
  checkShape([rows, columns], name);
  if (isFloat(dtype)) throw argumentError(`"${name}" not implemented for '${dtype}'`);
  const found: [number, number][] = [];
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) if (inside(c - r - offset)) found.push([r, c]);
  const flat = [...found.map(([r]) => r), ...found.map(([, c]) => c)];
  const made: HostArray = BigInt64Array.from(flat, BigInt);
  return fromHost(made, 'int64', [2, found.length], { device: options.device }).to(dtype);
}

/** Rows and columns of the lower triangle of a matrix, up to the diagonal `offset`: int64 `[2, n]`. */
export const trilIndices = (rows: number, columns: number, options: TriangleOptions = {}): Tensor =>
  trianglePositions('tril_indices', [rows, columns], options, (d) => d <= 0);

/** Rows and columns of the upper triangle of a matrix, from the diagonal `offset`: int64 `[2, n]`. */
export const triuIndices = (rows: number, columns: number, options: TriangleOptions = {}): Tensor =>
  trianglePositions('triu_indices', [rows, columns], options, (d) => d >= 0);

// Collections that are read by index, as torch.utils.data.dataset.

import {
  argumentError,
  checkOptions,
  describe,
  formatShape,
  type Generator,
  randperm,
  requireFunction,
  requireTensorList,
  shapeError,
  type Tensor,
} from '@voxgrad/core';

/** Samples by index. `get` may return a promise; such a dataset is read with `for await`. */
export interface Dataset<T> {
  /** Number of samples. */
  readonly length: number;
  /** Sample number `index`, 0 to length - 1. */
  get(index: number): T | Promise<T>;
}

/** Everything that can be read as a dataset: arrays are. */
export type DatasetLike<T> = Dataset<T> | readonly T[];

const isList = <T>(value: DatasetLike<T>): value is readonly T[] => Array.isArray(value);

/** `data` itself, or an array as a dataset. */
export function toDataset<T>(data: DatasetLike<T>): Dataset<T> {
  if (isList(data)) return { length: data.length, get: (index) => data[index] };
  if (typeof data?.get === 'function' && Number.isInteger(data.length)) return data;
  throw argumentError(
    `expected a dataset (an object with length and get(index)) or an array, but got ${describe(data)}`,
  );
}

/** Throws unless `value` is a list, or an array of numbers. */
export function requireList(owner: string, name: string, value: unknown): void {
  if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && 'length' in value))
    throw argumentError(`${owner}: expected a list for ${name}, but got ${describe(value)}`);
}

/** Row `index` of each tensor: `[n, …]` tensors give samples of `[…]` tensors. */
export class TensorDataset implements Dataset<Tensor[]> {
  readonly tensors: readonly Tensor[];

  constructor(...tensors: Tensor[]) {
    if (tensors.length === 0) throw argumentError('TensorDataset: expected at least one tensor');
    requireTensorList('TensorDataset', 'tensors', tensors);
    if (tensors.some((x) => x.ndim === 0 || x.shape[0] !== tensors[0].shape[0]))
      throw shapeError(
        'Size mismatch between tensors: TensorDataset needs one first size, but got ' +
          tensors.map((x) => formatShape(x.shape)).join(', '),
      );
    this.tensors = tensors;
  }

  get length(): number {
    return this.tensors[0].shape[0];
  }

  get(index: number): Tensor[] {
    return this.tensors.map((x) => x.select(0, index));
  }
}

/** The samples of one dataset after those of another. */
export class ConcatDataset<T> implements Dataset<T> {
  readonly datasets: readonly Dataset<T>[];

  constructor(datasets: readonly DatasetLike<T>[]) {
    requireList('ConcatDataset', 'datasets', datasets);
    if (datasets.length === 0) throw argumentError('datasets should not be an empty iterable');
    this.datasets = datasets.map(toDataset);
  }

  get length(): number {
    return this.datasets.reduce((n, { length }) => n + length, 0);
  }

  /** A negative index counts from the end. */
  get(index: number): T | Promise<T> {
    let rest = index < 0 ? index + this.length : index;
    for (const dataset of rest < 0 ? [] : this.datasets) {
      if (rest < dataset.length) return dataset.get(rest);
      rest -= dataset.length;
    }
    throw argumentError(`ConcatDataset: index ${index} is not among ${this.length} samples`);
  }
}

/** The samples of `dataset` that `indices` name, in that order. */
export class Subset<T> implements Dataset<T> {
  readonly dataset: Dataset<T>;

  constructor(
    dataset: DatasetLike<T>,
    readonly indices: readonly number[],
  ) {
    this.dataset = toDataset(dataset);
    requireList('Subset', 'indices', indices);
  }

  get length(): number {
    return this.indices.length;
  }

  get(index: number): T | Promise<T> {
    const at = this.indices[index];
    if (at === undefined)
      throw argumentError(`Subset: index ${index} is not among ${this.length} samples`);
    return this.dataset.get(at);
  }
}

/** By its `then`: promises may come from another realm or library. */
export const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' &&
  value !== null &&
  'then' in value &&
  typeof value.then === 'function';

/** A dataset whose samples are those of `dataset` after `fn`. */
export function mapDataset<T, U>(
  dataset: DatasetLike<T>,
  fn: (sample: T, index: number) => U | Promise<U>,
): Dataset<U> {
  const source = toDataset(dataset);
  requireFunction('mapDataset', 'fn', fn);
  return {
    get length() {
      return source.length;
    },
    get(index) {
      const sample = source.get(index);
      return isPromise(sample) ? sample.then((value) => fn(value, index)) : fn(sample, index);
    },
  };
}

/** PyTorch's `math.isclose(sum, 1) and sum <= 1`. */
const isWhole = (sum: number): boolean => sum <= 1 && 1 - sum <= 1e-9;

/** Sizes from fractions: rounded down, and what is left over dealt out from the first on. */
function sizesOf(fractions: readonly number[], length: number): number[] {
  fractions.forEach((fraction, i) => {
    if (!(fraction >= 0 && fraction <= 1))
      throw argumentError(`Fraction at index ${i} is not between 0 and 1`);
  });
  const sizes = fractions.map((fraction) => Math.floor(length * fraction));
  const rest = length - sizes.reduce((a, b) => a + b, 0);
  for (let i = 0; i < rest; i++) sizes[i % sizes.length]++;
  return sizes;
}

/**
 * Splits a dataset at random into parts without common samples (one `randperm`).
 * @param lengths sizes that add up to the dataset's length, or fractions that add up to 1
 */
export function randomSplit<T>(
  dataset: DatasetLike<T>,
  lengths: readonly number[],
  options: { generator?: Generator } = {},
): Subset<T>[] {
  checkOptions('randomSplit', options, ['generator']);
  const source = toDataset(dataset);
  requireList('randomSplit', 'lengths', lengths);
  const total = lengths.reduce((a, b) => a + b, 0);
  const sizes = isWhole(total) ? sizesOf(lengths, source.length) : lengths;
  if (!sizes.every((size) => Number.isInteger(size) && size >= 0))
    throw argumentError(
      `randomSplit: expected sizes, or fractions that add up to 1, but got ${describe(lengths)}`,
    );
  if (sizes.reduce((a, b) => a + b, 0) !== source.length)
    throw argumentError(
      'Sum of input lengths does not equal the length of the input dataset! ' +
        `(${sizes.join(' + ')} and ${source.length})`,
    );
  const order = permutation(source.length, options.generator);
  let at = 0;
  return sizes.map((size) => {
    at += size;
    return new Subset(source, order.slice(at - size, at));
  });
}

/** 0 to n - 1 in a random order. */
export const permutation = (n: number, generator?: Generator): number[] =>
  Array.from(randperm(n, { generator, device: 'cpu' }).dataSync(), Number);

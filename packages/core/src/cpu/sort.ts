import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

type Element = number | bigint;

/** NaN counts as larger than every number. */
function ascending(a: Element, b: Element): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export function argSort(view: View, descending: boolean): Storage {
  const size = view.shape[view.shape.length - 1];
  const x = rowMajor(view);
  const out = new BigInt64Array(x.length);
  const direction = descending ? -1 : 1;
  for (let start = 0; start < x.length; start += size) {
    const positions = Uint32Array.from({ length: size }, (_, i) => i);
    positions.sort((i, j) => direction * ascending(x[start + i], x[start + j]) || i - j);
    positions.forEach((position, i) => {
      out[start + i] = BigInt(position);
    });
  }
  return new Storage('int64', out);
}

/** The first position of `[from, to)` whose element is not below `value` (`right`: is above it). */
function bisect(
  x: ArrayLike<Element>,
  value: Element,
  from: number,
  to: number,
  right: boolean,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = ascending(x[middle], value);
    if (order < 0 || (order === 0 && right)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function searchSorted(sorted: View, values: View, right: boolean): Storage {
  const [rows, size] = sorted.shape;
  const perRow = values.shape[1];
  const [x, wanted] = [rowMajor(sorted), rowMajor(values)];
  const out = new BigInt64Array(numelOf(values.shape));
  for (let row = 0, at = 0; row < rows; row++)
    for (let j = 0; j < perRow; j++, at++) {
      const from = row * size;
      out[at] = BigInt(bisect(x, wanted[at], from, from + size, right) - from);
    }
  return new Storage('int64', out);
}

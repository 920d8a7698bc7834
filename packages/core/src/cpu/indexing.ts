import type { ScatterMode } from '../device/device.js';
import { IndexError } from '../errors.js';
import { allocateHost } from '../tensor/dtype.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

function checkIndex(index: number, size: number): void {
  if (index < 0 || index >= size) throw new IndexError(index, size);
}

export function gather(view: View, indexView: View): Storage {
  const [outer, size, inner] = view.shape;
  const length = indexView.shape[1];
  const x = rowMajor(view);
  const index = rowMajor<BigInt64Array<ArrayBuffer>>(indexView);
  const out = allocateHost(view.dtype, outer * length * inner);
  for (let i = 0, at = 0; i < outer; i++)
    for (let j = 0; j < length; j++)
      for (let k = 0; k < inner; k++, at++) {
        const from = Number(index[at]);
        checkIndex(from, size);
        out[at] = x[(i * size + from) * inner + k];
      }
  return new Storage(view.dtype, out);
}

export function scatterAdd(view: View, indexView: View, size: number): Storage {
  const [outer, length, inner] = view.shape;
  const x = rowMajor<Float64Array<ArrayBuffer>>(view);
  const index = rowMajor<BigInt64Array<ArrayBuffer>>(indexView);
  const out = allocateHost(view.dtype, outer * size * inner) as Float64Array<ArrayBuffer>;
  const bool = view.dtype === 'bool'; // sums of truth values are true, not 2
  for (let i = 0, at = 0; i < outer; i++)
    for (let j = 0; j < length; j++)
      for (let k = 0; k < inner; k++, at++) {
        const to = Number(index[at]);
        checkIndex(to, size);
        const place = (i * size + to) * inner + k;
        out[place] = bool ? Number(out[place] || x[at]) : out[place] + x[at];
      }
  return new Storage(view.dtype, out);
}

type Element = number | bigint;

const MEET: Record<ScatterMode, (there: Element, x: Element) => Element> = {
  set: (_there, x) => x,
  mul: (there, x) => (there as number) * (x as number), // both are numbers, or both bigints
  amax: (there, x) => (x > there || Number.isNaN(x) ? x : there),
  amin: (there, x) => (x < there || Number.isNaN(x) ? x : there),
};

export function scatter(mode: ScatterMode, base: View, indexView: View, sourceView: View): Storage {
  const [outer, size, inner] = base.shape;
  const length = indexView.shape[1];
  const out = rowMajor(base).slice();
  const source = rowMajor(sourceView);
  const index = rowMajor<BigInt64Array<ArrayBuffer>>(indexView);
  const meet = MEET[mode];
  for (let i = 0, at = 0; i < outer; i++)
    for (let j = 0; j < length; j++)
      for (let k = 0; k < inner; k++, at++) {
        const to = Number(index[at]);
        checkIndex(to, size);
        const place = (i * size + to) * inner + k;
        out[place] = meet(out[place], source[at]);
      }
  return new Storage(base.dtype, out);
}

export function nonzero(view: View): Storage {
  const x = rowMajor(view);
  const positions: number[] = [];
  // NaN is not 0; the comparison is loose because int64 elements are bigints.
  for (let i = 0; i < x.length; i++) if (Number(x[i]) !== 0) positions.push(i);
  return new Storage('int64', BigInt64Array.from(positions, BigInt));
}

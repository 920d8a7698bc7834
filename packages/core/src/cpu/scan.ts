import type { ArgScanName } from '../device/device.js';
import { allocateHost } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

type Numbers = Float64Array<ArrayBuffer>; // stands for every array whose elements are numbers
type Bigs = BigInt64Array<ArrayBuffer>;

const lastSize = ({ shape }: View) => shape[shape.length - 1];

/** The state is kept in float64, so float32 loses nothing but the last rounding. */
export function recurrence(a: View, b: View): Storage {
  const size = lastSize(b);
  const out = allocateHost(b.dtype, numelOf(b.shape));
  if (b.dtype === 'int64') {
    const [factor, term] = [rowMajor<Bigs>(a), rowMajor<Bigs>(b)];
    let state = 0n;
    for (let i = 0; i < out.length; i++) {
      state = BigInt.asIntN(64, (i % size === 0 ? 0n : factor[i] * state) + term[i]);
      out[i] = state;
    }
    return new Storage('int64', out);
  }
  const [factor, term] = [rowMajor<Numbers>(a), rowMajor<Numbers>(b)];
  for (let start = 0; start < out.length; start += size) {
    let state = term[start];
    out[start] = state;
    for (let i = start + 1; i < start + size; i++) {
      state = factor[i] * state + term[i];
      out[i] = state;
    }
  }
  return new Storage(b.dtype, out);
}

export function argScan(op: ArgScanName, view: View): Storage {
  const size = lastSize(view);
  const x = rowMajor(view);
  const out = new BigInt64Array(x.length);
  const replaces =
    op === 'cummax'
      ? (a: number | bigint, b: number | bigint) => a >= b
      : (a: number | bigint, b: number | bigint) => a <= b;
  for (let start = 0; start < x.length; start += size) {
    let best = start;
    for (let i = start; i < start + size; i++) {
      if (Number.isNaN(x[i]) || replaces(x[i], x[best])) best = i;
      out[i] = BigInt(best - start);
    }
  }
  return new Storage('int64', out);
}

import type { ArgReduceName, ReduceName } from '../device/device.js';
import { allocateHost } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

/** Sizes of the kept and the reduced part, when the last `count` axes are reduced. */
function split(x: View, count: number): { kept: number; reduced: number } {
  const at = x.shape.length - count;
  return { kept: numelOf(x.shape.slice(0, at)), reduced: numelOf(x.shape.slice(at)) };
}

// A block is summed plainly, blocks are added pairwise: the error grows with log n instead of n.
const BLOCK = 128;

function pairwiseSum(x: ArrayLike<number>, from: number, to: number): number {
  if (to - from <= BLOCK) {
    let sum = 0;
    for (let i = from; i < to; i++) sum += x[i];
    return sum;
  }
  const middle = from + BLOCK * Math.ceil((to - from) / (2 * BLOCK));
  return pairwiseSum(x, from, middle) + pairwiseSum(x, middle, to);
}

type Reducer = (x: ArrayLike<number>, from: number, to: number) => number;

const NUMBER_REDUCE: Record<ReduceName, Reducer> = {
  sum: pairwiseSum,
  prod: (x, from, to) => {
    let product = 1;
    for (let i = from; i < to; i++) product *= x[i];
    return product;
  },
  amax: (x, from, to) => {
    let best = -Infinity;
    for (let i = from; i < to; i++) best = Math.max(best, x[i]);
    return best;
  },
  amin: (x, from, to) => {
    let best = Infinity;
    for (let i = from; i < to; i++) best = Math.min(best, x[i]);
    return best;
  },
};

const BIG_STEP: Record<ReduceName, (total: bigint, x: bigint) => bigint> = {
  sum: (total, x) => total + x,
  prod: (total, x) => BigInt.asIntN(64, total * x),
  amax: (total, x) => (x > total ? x : total),
  amin: (total, x) => (x < total ? x : total),
};

export function reduce(op: ReduceName, view: View, count: number): Storage {
  const { kept, reduced } = split(view, count);
  const out = allocateHost(view.dtype, kept);
  if (view.dtype === 'int64') {
    const x = rowMajor<BigInt64Array<ArrayBuffer>>(view);
    const neutral = op === 'sum' ? 0n : 1n;
    const step = BIG_STEP[op];
    for (let k = 0; k < kept; k++) {
      const row = x.subarray(k * reduced, (k + 1) * reduced);
      out[k] = op === 'sum' || op === 'prod' ? row.reduce(step, neutral) : row.reduce(step);
    }
    return new Storage('int64', out);
  }
  const x = rowMajor<Float64Array<ArrayBuffer>>(view);
  const f = NUMBER_REDUCE[op];
  for (let k = 0; k < kept; k++) out[k] = f(x, k * reduced, (k + 1) * reduced);
  return new Storage(view.dtype, out);
}

export function argReduce(op: ArgReduceName, view: View): Storage {
  const { kept, reduced } = split(view, 1);
  const x = rowMajor(view);
  const out = new BigInt64Array(kept);
  const better =
    op === 'argmax'
      ? (a: number | bigint, b: number | bigint) => a > b
      : (a: number | bigint, b: number | bigint) => a < b;
  for (let k = 0; k < kept; k++) {
    const start = k * reduced;
    let best = start;
    for (let i = start + 1; i < start + reduced; i++) {
      if (Number.isNaN(x[best])) break;
      if (better(x[i], x[best]) || Number.isNaN(x[i])) best = i;
    }
    out[k] = BigInt(best - start);
  }
  return new Storage('int64', out);
}

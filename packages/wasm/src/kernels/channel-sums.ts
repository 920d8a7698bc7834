import { i32, load } from '../emit/code.js';
import { promoteHigh, promoteLow } from '../emit/integers.js';
import { type FloatDType, type Lanes, lanes, type Vector } from '../emit/lanes.js';
import type { Call } from '../memory/call.js';
import { forItems, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/** What is summed over each channel: terms of the elements of some tensors and numbers of the channel. */
export interface ChannelTerms {
  readonly name: string;
  /** Tensors that are read together. */
  readonly inputs: number;
  /** Numbers of a channel. */
  readonly numbers: number;
  /** The terms, from the elements and the channel's numbers; each has a sum of its own. */
  terms(v: Lanes, elements: readonly Vector[], numbers: readonly Vector[]): Vector[];
}

/** Numbers of a row that one item sums; a fixed size, so that threads do not change the order. */
const SUM_PART = 16_384;

/** Vectors that are summed before the sums are widened to float64. */
const BLOCK = 64;

/**
 * Sums of terms over each channel of `[N, C, length]`, in float64: `[term][channel]`. `pointers` are
 * the tensors, `numbers` some numbers for each channel. The order of summation is fixed by parts of the
 * rows, so that threads do not change it.
 */
export function sumChannels(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  sizes: { readonly batch: number; readonly channels: number; readonly length: number },
  pointers: readonly number[],
  numbers: readonly Float64Array[],
  what: ChannelTerms,
): Float64Array[] {
  const { batch, channels, length } = sizes;
  const parts = Math.max(1, Math.ceil(length / SUM_PART));
  const rows = batch * channels;
  const v = lanes(dtype);
  const probe = what.terms(
    v,
    pointers.map(() => v.zero),
    numbers.map(() => v.zero),
  ).length;
  const partial = call.workspace(rows * parts * probe * 8);
  const channelNumbers = call.workspace(numbers.length * channels * v.bytes);
  const typed = dtype === 'float32' ? Float32Array : Float64Array;
  numbers.forEach((list, i) => {
    const at = channelNumbers + i * channels * v.bytes;
    new typed(engine.memory.memory.buffer, at, channels).set(list);
  });
  const kernel = sumKernel(engine, dtype, what, probe);
  engine.team.run(kernel, length === 0 ? 0 : rows * parts, [
    partial,
    channelNumbers,
    channels,
    parts,
    length,
    ...pointers,
  ]);
  const sums = Array.from({ length: probe }, () => new Float64Array(channels));
  if (length === 0) return sums;
  const all = new Float64Array(engine.memory.memory.buffer, partial, rows * parts * probe);
  for (let row = 0; row < rows; row++)
    for (let part = 0; part < parts; part++)
      sums.forEach((sum, term) => {
        sum[row % channels] += all[(row * parts + part) * probe + term];
      });
  return sums;
}

function sumKernel(engine: Engine, dtype: FloatDType, what: ChannelTerms, count: number) {
  return kernelOf(engine, `channel sums ${what.name} ${dtype}`, (builder) => {
    const v = lanes(dtype);
    const wide = lanes('float64');
    const { f } = builder;
    const names = Array.from({ length: what.inputs }, (_, i) => `input${i}`);
    const a = words(builder, ['partial', 'numbers', 'channels', 'parts', 'length', ...names]);
    forItems(builder, (item) => {
      const row = f.int(i32.divU(item, a.parts));
      const first = f.int(i32.mul(i32.remU(item, a.parts), SUM_PART));
      const size = f.int(i32.min(SUM_PART, i32.sub(a.length, first)));
      const at = f.int(i32.mul(i32.add(i32.mul(row, a.length), first), v.bytes));
      const pointers = names.map((name) => f.int(i32.add(a[name], at)));
      const number = f.int(i32.add(a.numbers, i32.mul(i32.remU(row, a.channels), v.bytes)));
      const numbers = Array.from({ length: what.numbers }, () => {
        const loaded = f.local('v128', v.loadSplat(number));
        f.advance(number, i32.mul(a.channels, v.bytes));
        return loaded;
      });
      const [x] = pointers;
      const end = f.int(i32.add(x, i32.mul(size, v.bytes)));
      const whole = f.int(i32.add(x, i32.and(i32.sub(end, x), -32)));
      const totals = Array.from({ length: count }, () => f.local('v128', wide.zero));
      const sums = totals.map(() => [f.local('v128'), f.local('v128')] as const);
      const stop = f.int();
      const widened = (sum: Vector) =>
        dtype === 'float64' ? sum : wide.add(promoteLow(sum), promoteHigh(sum));
      f.while(
        () => i32.ltU(x, whole),
        () => {
          for (const pair of sums) for (const sum of pair) f.set(sum, v.zero);
          f.setInt(stop, i32.min(whole, i32.add(x, BLOCK * 16)));
          f.for(x, stop, 32, () => {
            f.keepLoopSmall(x);
            for (const half of [0, 1] as const) {
              const elements = pointers.map((pointer) =>
                f.local('v128', load.v128(pointer, 16 * half)),
              );
              what.terms(v, elements, numbers).forEach((term, i) => {
                f.set(sums[i][half], v.add(sums[i][half], term));
              });
            }
            for (const pointer of pointers.slice(1)) f.advance(pointer, 32);
          });
          sums.forEach(([p, q], i) => {
            const block = f.local('v128', v.add(p, q));
            f.set(totals[i], wide.add(totals[i], widened(block)));
          });
        },
      );
      for (const total of totals) f.set(total, wide.horizontal(wide.add, total));
      // The rest one by one: a lane with the element and zeros beside it is no term of zeros, so only
      // the lowest lane of the terms and totals counts.
      f.for(x, end, v.bytes, () => {
        const elements = pointers.map((pointer) => f.local('v128', v.loadOne(pointer)));
        what.terms(v, elements, numbers).forEach((term, i) => {
          f.set(totals[i], wide.add(totals[i], dtype === 'float64' ? term : promoteLow(term)));
        });
        for (const pointer of pointers.slice(1)) f.advance(pointer, v.bytes);
      });
      const place = f.int(i32.add(a.partial, i32.mul(item, 8 * count)));
      totals.forEach((total, i) => {
        wide.storeLane(f, place, total, 0, 8 * i);
      });
    });
  });
}

// Rounding to float16 against a library of its own for that (dtypes.test.ts has the value of every word).

import { getFloat16, setFloat16 } from '@petamoriken/float16';
import { expect, it } from 'vitest';
import { numberToFloat16 } from '../src/cpu/half.js';

const view = new DataView(new ArrayBuffer(4));
const numberOf = (word: number): number => {
  view.setUint16(0, word);
  return getFloat16(view, 0);
};
const wordOf = (value: number): number => {
  setFloat16(view, 0, Math.fround(value));
  return view.getUint16(0);
};
const words = Array.from({ length: 2 ** 16 }, (_, word) => word);

it('between two words: to the nearer one, from the middle to the even one', () => {
  const wrong: number[] = [];
  for (const word of words.filter((w) => (w & 0x7fff) < 0x7c00)) {
    // The next word away from 0; the one after the largest number stands for 65536.
    const [low, high] = [numberOf(word), numberOf(word + 1)];
    const next = Number.isFinite(high) ? high : Math.sign(low) * 65536;
    for (const part of [0.25, 0.5 - 2 ** -9, 0.5, 0.5 + 2 ** -9, 0.75]) {
      const value = low + part * (next - low);
      if (numberToFloat16(value) !== wordOf(value)) wrong.push(value);
    }
  }
  expect(wrong).toEqual([]);
});

it('what float16 cannot hold: 0 below half of 2^-24, infinity from 65520 on', () => {
  expect([2 ** -25, -(2 ** -25), 1e-50, -1e-50].map(numberToFloat16)).toEqual([
    0, 0x8000, 0, 0x8000,
  ]);
  expect([65519, 65520, -65520, 1e300].map(numberToFloat16)).toEqual([
    0x7bff, 0x7c00, 0xfc00, 0x7c00,
  ]);
});

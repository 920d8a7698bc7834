// The bits of a float64 in two words of 32.

const value = new Float64Array(1);
const words = new Uint32Array(value.buffer);
/** 1 where the lower word comes first in memory. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0];

/** The sign, the exponent and the first 20 digits. */
export function upperWord(x: number): number {
  value[0] = x;
  return words[UPPER];
}

/** `x` with another sign, exponent and first 20 digits. */
export function withUpperWord(x: number, word: number): number {
  value[0] = x;
  words[UPPER] = word;
  return value[0];
}

/** `x * 2^exponent`, where both are normal numbers. */
export const scaled = (x: number, exponent: number): number =>
  withUpperWord(x, upperWord(x) + exponent * 2 ** 20);

/** `x` without its last 32 digits. */
export const withoutLowerWord = (x: number): number => withUpperWord(0, upperWord(x));

// Sequences: items of a job in which one thread runs several kernels one after the other, so that what
// they hand on stays in its cache and nobody waits between them.

import type { Kernel } from './kernel-cache.js';

/** A kernel, its arguments, and on how many items it runs. */
export interface Step {
  readonly kernel: Kernel;
  readonly items: number;
  readonly words: readonly number[];
}

/** Words before the arguments of a step: kernel, address and length of its module, items, arguments. */
export const STEP_WORDS = 5;

/**
 * The sequences of the items of each lane, `[lane][item]`, as words that workers read: for each lane the
 * address of its list; in a list the address of each item; of an item the number of steps, then the steps.
 *
 * @param take gives the address for so many bytes
 */
export function encodeSequences(
  sequences: readonly (readonly (readonly Step[])[])[],
  take: (bytes: number) => number,
): { at: number; words: Int32Array } {
  const items = sequences[0].length;
  const addresses = sequences.length * (1 + items);
  // Before kernels are published: room for the words may cost those theirs.
  const at = take(4 * (addresses + lengthOf(sequences)));
  const words: number[] = new Array(addresses).fill(0);
  sequences.forEach((lane, number) => {
    const list = sequences.length + number * items;
    words[number] = 4 * list;
    lane.forEach((steps, item) => {
      words[list + item] = 4 * words.length;
      words.push(steps.length);
      for (const { kernel, items: count, words: args } of steps) {
        words.push(kernel.id, kernel.publish(), kernel.bytes.length, count, args.length);
        for (const word of args) words.push(word);
      }
    });
  });
  const encoded = Int32Array.from(words);
  for (let i = 0; i < addresses; i++) encoded[i] += at;
  return { at, words: encoded };
}

/** Words of all items and their steps. */
function lengthOf(sequences: readonly (readonly (readonly Step[])[])[]): number {
  let length = 0;
  for (const lane of sequences)
    for (const steps of lane) {
      length++;
      for (const { words } of steps) length += STEP_WORDS + words.length;
    }
  return length;
}

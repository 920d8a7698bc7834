// The smallest part of an input that still does the same wrong.

import { Fault, judge } from './judge.js';
import type { Input } from './samples.js';

/** What `judge` finds at fault with `input`. */
async function kindOf(input: Input): Promise<string | undefined> {
  try {
    await judge(input);
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
  return undefined;
}

const MAX_MS = 20_000;

/**
 * `input` without what its fault does not need: runs of bytes are taken out, the longest first, and
 * then set to zero. Inputs that take long or kill the process stay as they are.
 */
export async function minimised(input: Input, kind: string): Promise<Input> {
  if (!(input instanceof Uint8Array) || (await kindOf(input)) !== kind) return input;
  const end = Date.now() + MAX_MS;
  let best = input;
  const without = (at: number, length: number) =>
    new Uint8Array(Buffer.concat([best.subarray(0, at), best.subarray(at + length)]));
  const zeroed = (at: number, length: number) => best.slice().fill(0, at, at + length);
  for (const change of [without, zeroed])
    for (let length = best.length >> 1; length > 0; length >>= 1)
      for (let at = 0; at < best.length && Date.now() < end; ) {
        const smaller = change(at, length);
        const isNew = Buffer.compare(smaller, best) !== 0;
        const same = isNew && (await kindOf(smaller)) === kind;
        if (same) best = smaller;
        if (!same || change === zeroed) at += length;
      }
  return best;
}

import { type Code, type IntLike, i32, type Local, load, type Value } from '../emit/code.js';
import { ARGUMENTS_AT, NUMBERS_AT } from '../threads/control.js';
import type { KernelBuilder } from '../threads/kernel-cache.js';

/** The arguments of a kernel by name; their order is that in which the caller passes them. */
export function words<K extends string>(
  { f, args }: KernelBuilder,
  names: readonly K[],
): Record<K, Local<'i32'>> {
  const locals = names.map((name, i) => [name, f.int(load.i32(args, 4 * i))] as const);
  return Object.fromEntries(locals) as Record<K, Local<'i32'>>;
}

/** The float64 argument number `i`. */
export const number = ({ args }: KernelBuilder, i: number): Value<'f64'> =>
  load.f64(args, NUMBERS_AT - ARGUMENTS_AT + 8 * i);

/** Calls `body` for each item of a kernel. */
export function forItems({ f, from, to }: KernelBuilder, body: (item: Local<'i32'>) => void): void {
  const item = f.int(from);
  f.for(item, to, 1, () => body(item));
}

/** Takes `item` apart into positions along axes of these sizes, the last one fastest. */
export function unravel(f: Code, item: Local<'i32'>, sizes: readonly IntLike[]): Local<'i32'>[] {
  const rest = f.int(item);
  const positions: Local<'i32'>[] = [];
  for (const size of sizes.slice(1).reverse()) {
    positions.unshift(f.int(i32.remU(rest, size)));
    f.set(rest, i32.divU(rest, size));
  }
  return [rest, ...positions];
}

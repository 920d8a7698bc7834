// What calls of operations other than convolutions have in common when users write them.

import { argumentError } from '../errors.js';
import { checkDType, type DType } from '../tensor/dtype.js';
import { describe } from '../tensor/shape.js';

/** The list of sizes called `name` in a call given to `explain`. */
export function sizesOf(op: string, call: object, name: string): readonly number[] {
  const value = (call as Record<string, unknown>)[name];
  const fits = Array.isArray(value) && value.every((n) => Number.isInteger(n) && n >= 0);
  if (fits) return value as readonly number[];
  throw argumentError(
    `explain('${op}'): expected a call with ${name}: number[], but got ${describe(call)}`,
  );
}

export const dtypeOf = (call: object): DType =>
  checkDType((call as { dtype?: DType }).dtype ?? 'float32');

/** Below, calls are mostly overhead. */
const SMALL = 1 << 13;

export const sizeClass = (elements: number): string => (elements < SMALL ? 'small' : 'large');

// Sine and cosine of k / 128 for k from 0 to 109, each in two parts: __sincostab of glibc
// (sysdeps/ieee754/dbl-64/sincostab.c, from the IBM Accurate Mathematical Library).

import { dyadic, sinCosOf, toPair } from './fixed-point.js';

/** Where a lower part of glibc is not the nearest: the index, and by how many of its last digits. */
const DEVIATIONS: readonly (readonly [index: number, steps: number])[] = [
  [9, 1],
  [41, 1],
  [93, 39],
  [107, 1],
  [109, 1],
  [133, 1],
  [137, 1],
  [145, 1],
  [161, -2],
  [179, 1],
  [283, 1],
  [301, 1],
  [303, -2],
  [319, 1],
  [341, 1],
  [361, -2],
  [377, 1],
  [429, 1],
];

let table: Float64Array | undefined;

/** Sine, the rest of it, cosine, the rest of it, for one k after the other; made at the first use. */
export function sinCosTable(): Float64Array {
  table ??= made();
  return table;
}

function made(): Float64Array {
  const values = Float64Array.from(
    Array.from({ length: 110 }, (_, k) => {
      const { sin, cos } = sinCosOf(dyadic(k, 7));
      return [...toPair(sin), ...toPair(cos)];
    }).flat(),
  );
  const bits = new BigInt64Array(values.buffer);
  for (const [index, steps] of DEVIATIONS) bits[index] += BigInt(steps);
  return values;
}

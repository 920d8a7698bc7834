// Between the order of memory and the order of tiles: in a vector of the transforms, lane i belongs
// to the i-th of four neighbouring tiles along W.

import { type Code, type IntLike, load } from '../../../emit/code.js';
import { shuffle } from '../../../emit/integers.js';
import type { Vector } from '../../../emit/lanes.js';

/** Lanes of two vectors of float32, 0 to 3 of the first and 4 to 7 of the second. */
const pick = (a: Vector, b: Vector, from: readonly number[]): Vector =>
  shuffle(
    a,
    b,
    from.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
  );

/** Row i of four vectors of four numbers becomes column i. */
export function transpose(f: Code, rows: readonly Vector[]): Vector[] {
  const [a, b, c, d] = rows;
  const halves = [pick(a, b, [0, 4, 1, 5]), pick(a, b, [2, 6, 3, 7])];
  const others = [pick(c, d, [0, 4, 1, 5]), pick(c, d, [2, 6, 3, 7])];
  return halves.flatMap((half, i) => {
    const left = f.local('v128', half);
    const right = f.local('v128', others[i]);
    return [pick(left, right, [0, 1, 4, 5]), pick(left, right, [2, 3, 6, 7])].map((column) =>
      f.local('v128', column),
    );
  });
}

/** The six inputs of each of four tiles of F(4, 3), from twenty numbers in a row. */
export function loadTiles(f: Code, at: IntLike): Vector[] {
  const rows = [0, 1, 2, 3].map((i) => f.local('v128', load.v128(at, 16 * i)));
  const after = f.local('v128', load.v128(at, 64));
  const columns = transpose(f, rows);
  const next = [0, 1].map((i) => f.local('v128', pick(columns[i], after, [1, 2, 3, 4 + i])));
  return [...columns, ...next];
}

/** The four outputs of each of four tiles, from sixteen numbers in a row. */
export const loadOutputs = (f: Code, at: IntLike): Vector[] =>
  transpose(
    f,
    [0, 1, 2, 3].map((i) => f.local('v128', load.v128(at, 16 * i))),
  );

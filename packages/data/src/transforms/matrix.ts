// 3 × 3 matrices as rows.

import type { Triple } from './sample.js';

export type Matrix = readonly [Triple, Triple, Triple];

export const rows = (entry: (row: number, column: number) => number): Matrix => {
  const row = (i: number): Triple => [entry(i, 0), entry(i, 1), entry(i, 2)];
  return [row(0), row(1), row(2)];
};

export const product = (a: Matrix, b: Matrix): Matrix =>
  rows((i, j) => a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]);

export const applyTo = (m: Matrix, v: Triple): Triple => {
  const at = (i: number) => m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return [at(0), at(1), at(2)];
};

/** A turn of `angle` radians about `axis`. */
export function rotation(axis: number, angle: number): Matrix {
  const [from, to] = [(axis + 1) % 3, (axis + 2) % 3];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return rows((i, j) => {
    if (i === axis || j === axis) return i === j ? 1 : 0;
    if (i === j) return cos;
    return i === to && j === from ? sin : -sin;
  });
}

/** The inverse by cofactors; entries are not finite where there is none. */
export function inverse(m: Matrix): Matrix {
  const cofactor = (i: number, j: number) => {
    const [a, b, c, d] = [(i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3];
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const determinant = m[0].reduce((sum, value, j) => sum + value * cofactor(0, j), 0);
  return rows((i, j) => cofactor(j, i) / determinant);
}

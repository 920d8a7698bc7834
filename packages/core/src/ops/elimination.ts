// Gaussian elimination on the host, in float64: for the small matrices of transforms.

import type { Tensor } from '../tensor/tensor.js';

/** A square matrix, row-major, of `n` rows and columns. */
export interface Matrix {
  readonly values: Float64Array;
  readonly n: number;
}

/** The matrices of the last two dims, copied. */
export function matricesOf(x: Tensor): Matrix[] {
  const n = x.shape[x.ndim - 1];
  const all = x.device.kernels.copy(x, 'float64').array as Float64Array;
  const count = x.shape.slice(0, -2).reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, i) => ({
    values: all.slice(i * n * n, (i + 1) * n * n),
    n,
  }));
}

function swapRows(values: Float64Array, width: number, a: number, b: number): void {
  for (let c = 0; c < width; c++)
    [values[a * width + c], values[b * width + c]] = [values[b * width + c], values[a * width + c]];
}

/** Row of the largest element of column `k` from row `k` on. */
function pivotRow(values: Float64Array, width: number, n: number, k: number): number {
  let best = k;
  for (let r = k + 1; r < n; r++)
    if (Math.abs(values[r * width + k]) > Math.abs(values[best * width + k])) best = r;
  return best;
}

/** The pivots of the matrix, and −1 for an odd number of exchanged rows. Overwrites it. */
export function pivotsOf({ values, n }: Matrix): { pivots: number[]; sign: number } {
  let sign = 1;
  for (let k = 0; k < n; k++) {
    const best = pivotRow(values, n, n, k);
    if (best !== k) {
      swapRows(values, n, k, best);
      sign = -sign;
    }
    const pivot = values[k * n + k];
    for (let r = k + 1; r < n && pivot !== 0; r++) {
      const factor = values[r * n + k] / pivot;
      for (let c = k; c < n; c++) values[r * n + c] -= factor * values[k * n + c];
    }
  }
  return { pivots: Array.from({ length: n }, (_, k) => values[k * n + k]), sign };
}

/** Writes the inverse into `out`; the index of a pivot of 0, or −1. Overwrites the matrix. */
export function invertInto({ values, n }: Matrix, out: Float64Array): number {
  for (let k = 0; k < n; k++) out[k * n + k] = 1;
  for (let k = 0; k < n; k++) {
    const best = pivotRow(values, n, n, k);
    if (best !== k) {
      swapRows(values, n, k, best);
      swapRows(out, n, k, best);
    }
    const pivot = values[k * n + k];
    if (pivot === 0) return k;
    for (let c = 0; c < n; c++) {
      values[k * n + c] /= pivot;
      out[k * n + c] /= pivot;
    }
    for (let r = 0; r < n; r++) {
      const factor = values[r * n + k];
      if (r === k || factor === 0) continue;
      for (let c = 0; c < n; c++) {
        values[r * n + c] -= factor * values[k * n + c];
        out[r * n + c] -= factor * out[k * n + c];
      }
    }
  }
  return -1;
}

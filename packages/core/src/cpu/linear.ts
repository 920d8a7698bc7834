import { allocateHost } from '../tensor/dtype.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

/** Rows of the result are accumulated in float64, so float32 loses nothing but the last rounding. */
export function matmul(a: View, b: View): Storage {
  const [batch, m, k] = a.shape;
  const n = b.shape[2];
  const out = allocateHost(a.dtype, batch * m * n);
  if (a.dtype === 'int64') {
    const [x, y] = [
      rowMajor<BigInt64Array<ArrayBuffer>>(a),
      rowMajor<BigInt64Array<ArrayBuffer>>(b),
    ];
    for (let at = 0; at < out.length; at++) {
      const [p, i, j] = [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n];
      let sum = 0n;
      for (let l = 0; l < k; l++) sum += x[(p * m + i) * k + l] * y[(p * k + l) * n + j];
      out[at] = sum;
    }
    return new Storage(a.dtype, out);
  }
  const [x, y] = [rowMajor<Float64Array<ArrayBuffer>>(a), rowMajor<Float64Array<ArrayBuffer>>(b)];
  const row = new Float64Array(n);
  for (let p = 0; p < batch; p++) {
    for (let i = 0; i < m; i++) {
      row.fill(0);
      for (let l = 0; l < k; l++) {
        const factor = x[(p * m + i) * k + l];
        const from = (p * k + l) * n;
        for (let j = 0; j < n; j++) row[j] += factor * y[from + j];
      }
      (out as Float64Array).set(row, (p * m + i) * n);
    }
  }
  return new Storage(a.dtype, out);
}

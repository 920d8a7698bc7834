import type { BitwiseName } from '../device/device.js';
import { allocateHost, bytesPerElement } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

type Numbers = Int32Array<ArrayBuffer>; // stands for every array of integers but int64

/** A shift by `bits` or more, or by a negative count, moves everything out. */
const shiftLeft = (bits: number) => (a: number, b: number) => (b < 0 || b >= bits ? 0 : a << b);
const shiftRight = (bits: number) => (a: number, b: number) => a >> (b < 0 || b >= bits ? 31 : b);

const numberBitwise = (bits: number): Record<BitwiseName, (a: number, b: number) => number> => ({
  bitwiseAnd: (a, b) => a & b,
  bitwiseOr: (a, b) => a | b,
  bitwiseXor: (a, b) => a ^ b,
  bitwiseLeftShift: shiftLeft(bits),
  bitwiseRightShift: shiftRight(bits),
});

const BIG: Record<BitwiseName, (a: bigint, b: bigint) => bigint> = {
  bitwiseAnd: (a, b) => a & b,
  bitwiseOr: (a, b) => a | b,
  bitwiseXor: (a, b) => a ^ b,
  bitwiseLeftShift: (a, b) => (b < 0n || b >= 64n ? 0n : a << b),
  bitwiseRightShift: (a, b) => a >> (b < 0n || b >= 64n ? 63n : b),
};

export function bitwise(op: BitwiseName, a: View, b: View): Storage {
  const out = allocateHost(a.dtype, numelOf(a.shape));
  if (a.dtype === 'int64') {
    const [x, y] = [
      rowMajor<BigInt64Array<ArrayBuffer>>(a),
      rowMajor<BigInt64Array<ArrayBuffer>>(b),
    ];
    for (let i = 0; i < out.length; i++) out[i] = BIG[op](x[i], y[i]); // the write wraps to 64 bits
  } else {
    const [x, y] = [rowMajor<Numbers>(a), rowMajor<Numbers>(b)];
    const f = numberBitwise(8 * bytesPerElement(a.dtype))[op];
    for (let i = 0; i < out.length; i++) out[i] = f(x[i], y[i]);
  }
  return new Storage(a.dtype, out);
}

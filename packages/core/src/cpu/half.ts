// 16-bit floats as raw words: float16 has a sign, 5 bits of exponent and 10 of fraction (IEEE 754
// binary16); bfloat16 is the upper half of a float32.

const scratch = new DataView(new ArrayBuffer(4));

/** What the last bit of a fraction is worth, by exponent; 0 is that of subnormal numbers, as small as 1's. */
const UNITS = Float64Array.from({ length: 31 }, (_, e) => 2 ** (Math.max(e, 1) - 25));

export function float16ToNumber(word: number): number {
  const [exponent, fraction] = [(word >>> 10) & 31, word & 1023];
  const size =
    exponent === 31
      ? fraction === 0
        ? Number.POSITIVE_INFINITY
        : Number.NaN
      : (exponent === 0 ? fraction : 1024 + fraction) * UNITS[exponent];
  return word & 0x8000 ? -size : size;
}

/** Rounds to nearest, ties to even, by way of float32 as PyTorch does. */
export function numberToFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const size = Math.abs(scratch.getFloat32(0));
  if (size >= 65520) return sign | 0x7c00; // half a step above the largest
  const exponent = Math.max(((bits >>> 23) & 255) - 112, 1);
  // In units of the last bit, to which the addition rounds; 2048 of them carry into the exponent.
  const units = size / UNITS[exponent] + 2 ** 52 - 2 ** 52;
  return sign | ((exponent - 1) * 1024 + units);
}

export function bfloat16ToNumber(word: number): number {
  scratch.setUint32(0, word << 16);
  return scratch.getFloat32(0);
}

/** Rounds to nearest, ties to even, by way of float32 as PyTorch does. */
export function numberToBfloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

import { allocateHost, type DType, type HostArray, kindOf } from '../tensor/dtype.js';
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from './half.js';

/** A row-major copy of `source` in another dtype, by C's conversion rules as in PyTorch. */
export function convert(source: HostArray, from: DType, to: DType): HostArray {
  const target = allocateHost(to, source.length);
  if (from === to) {
    (target as Float64Array).set(source as Float64Array);
    return target;
  }
  const read = reader(source, from);
  if (to === 'int64') {
    const out = target as BigInt64Array;
    if (from === 'float64' || from === 'float32' || from === 'float16' || from === 'bfloat16') {
      for (let i = 0; i < out.length; i++) out[i] = floatToInt64(read(i));
    } else for (let i = 0; i < out.length; i++) out[i] = BigInt(read(i));
    return target;
  }
  const out = target as Float64Array; // any array of numbers: the index write converts
  if (to === 'bool') {
    for (let i = 0; i < out.length; i++) out[i] = read(i) !== 0 ? 1 : 0; // NaN is true
  } else if (to === 'float16') {
    for (let i = 0; i < out.length; i++) out[i] = numberToFloat16(read(i));
  } else if (to === 'bfloat16') {
    for (let i = 0; i < out.length; i++) out[i] = numberToBfloat16(read(i));
  } else if (from === 'int64' && kindOf(to) === 'integer') {
    // Wrap from the exact value; a detour through float64 would round first.
    const wide = source as BigInt64Array;
    for (let i = 0; i < out.length; i++) out[i] = Number(BigInt.asIntN(32, wide[i]));
  } else if (kindOf(to) === 'integer' && kindOf(from) === 'float') {
    for (let i = 0; i < out.length; i++) out[i] = floatToInt32(read(i));
  } else {
    for (let i = 0; i < out.length; i++) out[i] = read(i);
  }
  return target;
}

function reader(source: HostArray, dtype: DType): (i: number) => number {
  if (dtype === 'float16') return (i) => float16ToNumber(source[i] as number);
  if (dtype === 'bfloat16') return (i) => bfloat16ToNumber(source[i] as number);
  if (dtype === 'int64') return (i) => Number(source[i]);
  const numbers = source as Float64Array;
  return (i) => numbers[i];
}

/**
 * The same to int32, of which the narrower dtypes keep the lower bits, as PyTorch does on x86. The
 * write into their array truncates.
 */
const floatToInt32 = (value: number): number =>
  value > -2147483649 && value < 2147483648 ? value : -2147483648;

/** Truncates toward zero; NaN and values outside the range become the smallest int64, as on x86. */
function floatToInt64(value: number): bigint {
  const whole = Math.trunc(value);
  if (!(whole >= -(2 ** 63) && whole < 2 ** 63)) return -(2n ** 63n);
  return BigInt(whole);
}

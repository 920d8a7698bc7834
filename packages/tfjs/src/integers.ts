// Integers on backends that are read asynchronously. tfjs has int32 alone, on WebGL as float32.

import type { BitwiseName, DType } from '@voxgrad/core';
import { VoxgradError } from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';

const RANGE: Partial<Record<DType, readonly [low: number, size: number]>> = {
  int8: [-128, 256],
  uint8: [0, 256],
  int16: [-32768, 65536],
};

/** Integers brought back into the range of their dtype, as writing to C's does. */
export function wrapped(backend: Backend, x: TfTensor, dtype: DType): TfTensor {
  const range = RANGE[dtype];
  const whole = x.dtype === 'int32' ? x : backend.tf.cast(x, 'int32');
  if (!range) return whole;
  const [low, size] = range;
  const { tf } = backend;
  const [from, modulus] = [backend.scalar(low, 'int32'), backend.scalar(size, 'int32')];
  return tf.add(tf.mod(tf.sub(whole, from), modulus), from);
}

/** Bitwise operations out of sums: one pass for each bit that can be set. */
export function bitsOf(
  backend: Backend,
  op: BitwiseName,
  a: TfTensor,
  b: TfTensor,
  dtype: DType,
): TfTensor {
  const { tf } = backend;
  if (dtype === 'bool') {
    if (op === 'bitwiseAnd') return tf.logicalAnd(a, b);
    if (op === 'bitwiseOr') return tf.logicalOr(a, b);
    return tf.notEqual(tf.cast(a, 'int32'), tf.cast(b, 'int32'));
  }
  if (op === 'bitwiseLeftShift' || op === 'bitwiseRightShift') {
    const factor = tf.round(tf.pow(backend.scalar(2), backend.toFloat(b)));
    const x = backend.toFloat(a);
    const moved = op === 'bitwiseLeftShift' ? tf.mul(x, factor) : tf.floor(tf.div(x, factor));
    return wrapped(backend, tf.cast(moved, 'int32'), dtype);
  }
  // Both in 24 bits of two's complement, which every backend holds exactly.
  if (dtype === 'int64' || dtype === 'int32')
    throw new VoxgradError(
      'UNSUPPORTED',
      `${op} of ${dtype} does not run on tfjs:${backend.name}, which has no bits of integers; use another ` +
        'device, or int16 or fewer bits',
    );
  const bits = dtype === 'int16' ? 16 : 8;
  const one = (x: TfTensor, bit: number) =>
    tf.mod(tf.floor(tf.div(backend.toFloat(x), backend.scalar(2 ** bit))), backend.scalar(2));
  let sum: TfTensor = backend.scalar(0);
  for (let bit = 0; bit < bits; bit++) {
    const [p, q] = [one(a, bit), one(b, bit)];
    const both = tf.mul(p, q);
    const either = tf.sub(tf.add(p, q), both);
    const bitwise = op === 'bitwiseAnd' ? both : op === 'bitwiseOr' ? either : tf.sub(either, both);
    sum = tf.add(sum, tf.mul(bitwise, backend.scalar(2 ** bit)));
  }
  return wrapped(backend, tf.cast(sum, 'int32'), dtype);
}

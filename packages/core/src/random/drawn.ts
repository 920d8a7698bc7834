// From random numbers on the host to a tensor.

import type { Device } from '../device/device.js';
import { dtypeError } from '../errors.js';
import { allocateHost, type DType, type HostArray } from '../tensor/dtype.js';
import { contiguousStrides, isContiguous, numelOf } from '../tensor/shape.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { type FloatDType, isFloatDType } from './arrays.js';
import { defaultGenerator, type Generator } from './generator.js';
import { denseStrides } from './memory-order.js';

export interface GeneratorOption {
  /** Where the numbers come from; the default generator unless given. */
  generator?: Generator;
}

/** Where numbers go: a tensor with these `strides`, in row-major order unless they say otherwise. */
export interface Pattern {
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly device: Device;
}

/**
 * Writes the numbers of a tensor into `out`, in the order of its memory; `rowMajor` says that this
 * is the order of the indices too. 16-bit floats come as float32 numbers.
 */
export type Fill = (out: HostArray, generator: Generator, rowMajor: boolean) => void;

/** A tensor of `dtype` as `pattern` says, filled in the order of the pattern's memory. */
export function drawn(
  pattern: Pattern,
  dtype: DType,
  fill: Fill,
  { generator = defaultGenerator() }: GeneratorOption = {},
): Tensor {
  const { shape, device } = pattern;
  const strides = pattern.strides ?? contiguousStrides(shape);
  const hostDtype = dtype === 'float16' || dtype === 'bfloat16' ? 'float32' : dtype;
  const out = allocateHost(hostDtype, numelOf(shape));
  fill(out, generator, isContiguous(shape, strides));
  const made = new Tensor({
    storage: new Storage(hostDtype, out),
    shape,
    strides: denseStrides(shape, strides),
    device,
  });
  if (hostDtype === dtype) return made;
  return new Tensor({ storage: device.kernels.copy(made, dtype), shape, device });
}

/** Draws floats: `fill` is told the dtype in which to compute. */
export type FloatFill = (
  out: Exclude<HostArray, BigInt64Array>,
  dtype: FloatDType,
  generator: Generator,
  rowMajor: boolean,
) => void;

/** {@link drawn} for what only floating dtypes take. */
export function drawnFloats(
  operation: string,
  pattern: Pattern,
  dtype: DType,
  fill: FloatFill,
  options?: GeneratorOption,
): Tensor {
  if (!isFloatDType(dtype))
    throw dtypeError(`${operation}(): expected a floating-point dtype, but got ${dtype}`);
  const fillFloats: Fill = (out, generator, rowMajor) => {
    if (!(out instanceof BigInt64Array)) fill(out, dtype, generator, rowMajor);
  };
  return drawn(pattern, dtype, fillFloats, options);
}

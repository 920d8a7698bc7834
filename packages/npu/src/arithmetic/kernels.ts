// Kernels of a host that compute what an NPU would give. The cube unit multiplies rounded operands and
// adds in float32: the operands of a convolution are rounded, and the host's own float32 (or better)
// arithmetic adds. Other operations on 16-bit floats compute in float32 and round their result once.

import { contiguousStrides, type DType, type Kernels, Storage, type View } from '@voxgrad/core';
import type { ArithmeticMode } from './modes.js';
import { type Precision, roundToHf32 } from './round.js';

type Loose = (...args: readonly unknown[]) => unknown;

const isHalf = (dtype: DType): dtype is 'float16' | 'bfloat16' =>
  dtype === 'float16' || dtype === 'bfloat16';

const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'storage' in value && 'strides' in value;

const viewOf = (storage: Storage, shape: readonly number[]): View => ({
  storage,
  dtype: storage.dtype,
  shape,
  strides: contiguousStrides(shape),
  offset: 0,
});

/** Kernels that convert themselves, or do not look at values. */
const AS_THEY_ARE: readonly string[] = ['fill', 'copy', 'assign', 'adamStep'];
const CONVOLUTIONS: readonly string[] = ['convForward', 'convWeight', 'convBackward'];

/** `kernels` with the arithmetic of `mode`. */
export function emulate(kernels: Kernels, mode: ArithmeticMode): Kernels {
  if (mode.name === 'exact') return kernels;
  const widen = (view: View) => viewOf(kernels.copy(view, 'float32'), view.shape);
  const rounded = (view: View) => (mode.cube ? round(kernels, view, mode.cube) : view);

  const wrapped = Object.entries(kernels).map(([name, kernel]: [string, Loose | undefined]) => {
    if (kernel === undefined || AS_THEY_ARE.includes(name)) return [name, kernel];
    const operand = CONVOLUTIONS.includes(name) ? rounded : (view: View) => view;
    const run: Loose = (...args) => {
      let half: DType | null = null;
      const operands = args.map((value) => {
        if (!isView(value)) return value;
        if (!isHalf(value.dtype)) return value.dtype === 'float32' ? operand(value) : value;
        half = value.dtype;
        return widen(value);
      });
      const result = kernel(...operands);
      return half === null ? result : narrow(kernels, result, half);
    };
    return [name, run];
  });
  return Object.fromEntries(wrapped) as unknown as Kernels;
}

/** The elements of `view`, rounded, as float32. */
function round(kernels: Kernels, view: View, precision: Precision): View {
  if (precision !== 'hf32') {
    const narrowed = kernels.copy(view, precision);
    return viewOf(kernels.copy(viewOf(narrowed, view.shape), 'float32'), view.shape);
  }
  const storage = kernels.copy(view, 'float32');
  const values = storage.writableArray;
  if (values instanceof Float32Array) roundToHf32(values);
  return viewOf(storage, view.shape);
}

/** Results in float32 as `dtype`; what is something else (indices, truth values) stays. */
function narrow(kernels: Kernels, result: unknown, dtype: DType): unknown {
  if (result instanceof Storage)
    return result.dtype === 'float32'
      ? kernels.copy(viewOf(result, [result.length]), dtype)
      : result;
  if (Array.isArray(result)) return result.map((part) => narrow(kernels, part, dtype));
  return result;
}

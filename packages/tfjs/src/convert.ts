// Filling, copying between dtypes, and writing in place.

import {
  cpuKernels,
  type DType,
  isFloat,
  kindOf,
  numelOf,
  type Storage,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { asFive, elementsOf, isWhole, NATIVE, store } from './elements.js';
import { wrapped } from './integers.js';
import { arranged, assignTo, viewOf } from './layout.js';

export const fill = (
  backend: Backend,
  dtype: DType,
  length: number,
  value: number | bigint,
): Storage => {
  if (length > 0) {
    // As the dtype holds it: 300 as uint8 is 44.
    const [element] = cpuKernels.fill(dtype, 1, value).array;
    if (dtype !== 'float16' && dtype !== 'bfloat16')
      return store(backend, dtype, length, { constant: element });
  }
  return cpuKernels.fill(dtype, length, value);
};

/** Whether the host converts: the elements are there, or tfjs has no such conversion. */
function byHost(backend: Backend, x: View, dtype: DType): boolean {
  const elements = elementsOf(backend, x.storage);
  if (!elements.onDevice) return true;
  const sixteen = [x.dtype, dtype].some((d) => d === 'float16' || d === 'bfloat16');
  if (sixteen && !backend.synchronous)
    throw new VoxgradError(
      'DTYPE',
      `tfjs:${backend.name} does not round to ${dtype}: use await tensor.data(), and convert on 'cpu'`,
    );
  if (sixteen) return true;
  // Integers of synchronous backends live on the host, and wide ones are exact only there.
  return backend.synchronous && (dtype === 'int64' || x.dtype === 'int64' || dtype === 'float64');
}

export function copy(backend: Backend, x: View, dtype: DType): Storage {
  if (byHost(backend, x, dtype)) return cpuKernels.copy(x, dtype);
  const length = numelOf(x.shape);
  const elements = elementsOf(backend, x.storage);
  const shape = asFive(x);
  if (elements.isLastOnly && shape && isWhole(x) && x.dtype === dtype)
    return store(backend, dtype, length, {
      last: backend.run(() => backend.clone(elements.last(shape))),
    });
  const first = backend.run(() =>
    backend.clone(converted(backend, arranged(backend, x), x.dtype, dtype)),
  );
  return store(backend, dtype, length, { first });
}

/** Elements of one dtype as tfjs holds those of another. */
function converted(backend: Backend, x: TfTensor, from: DType, to: DType): TfTensor {
  const { tf } = backend;
  if (from === to) return x;
  if (to === 'bool') {
    if (x.dtype === 'bool') return x;
    return tf.notEqual(x, backend.scalar(0, x.dtype === 'int32' ? 'int32' : 'float32'));
  }
  if (to === 'float32') return x.dtype === 'float32' ? x : backend.toFloat(x);
  if (isFloat(to)) return x; // float64 of what is exact already
  if (x.dtype === 'int32' && kindOf(from) === 'integer') return wrapped(backend, x, to);
  return wrapped(backend, tf.cast(x, 'int32'), to);
}

export function assign(backend: Backend, target: View, source: View): void {
  const [to, from] = [target, source].map(({ storage }) => elementsOf(backend, storage));
  const value = from.constant;
  if (value !== null && isWhole(target) && target.dtype === source.dtype) {
    to.fill(value);
    return;
  }
  const hostOnly = !to.onDevice && !from.onDevice;
  if (hostOnly || (backend.synchronous && !NATIVE.has(target.dtype))) {
    cpuKernels.assign(target, source);
    return;
  }
  if (byHostSource(backend, source, target.dtype)) {
    const values = cpuKernels.copy(source, target.dtype);
    const view = viewOf(values, source.shape);
    assignTo(backend, target, () => arranged(backend, view));
    values.release();
    return;
  }
  const five = asFive(target);
  if (
    from.isLastOnly &&
    five &&
    isWhole(target) &&
    isWhole(source) &&
    target.dtype === source.dtype
  ) {
    const shape = five;
    to.replace({ last: backend.run(() => backend.clone(from.last(shape))) });
    return;
  }
  assignTo(backend, target, () =>
    converted(backend, arranged(backend, source), source.dtype, target.dtype),
  );
}

const byHostSource = (backend: Backend, source: View, dtype: DType): boolean =>
  source.dtype !== dtype && byHost(backend, source, dtype);

// Kernels that only save calls: tfjs runs the same element-wise kernels, without a tensor of ours for
// each intermediate result.

import { type AdamNumbers, type AdamViews, numelOf, type Storage, type View } from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { elementsOf, isWhole, windowOn } from './elements.js';
import { elementwise } from './elementwise.js';
import { arranged, assignTo } from './layout.js';

/** A view of one number per channel as one that broadcasts over `[N, C, …]`. */
const perChannel = (view: View, shape: readonly number[]): View =>
  windowOn(
    view,
    shape,
    shape.map((_, axis) => (axis === 1 ? view.strides[0] : 0)),
  );

export function channelAffine(backend: Backend, x: View, scale: View, shift: View): Storage {
  const views = [x, perChannel(scale, x.shape), perChannel(shift, x.shape)];
  return elementwise(backend, x.dtype, views, ([a, s, b]) =>
    backend.kernel('Add', { a: backend.kernel('Multiply', { a, b: s }), b }),
  );
}

/** Writes what `compute` returns into `target`. */
function write(backend: Backend, target: View, compute: () => TfTensor): void {
  if (numelOf(target.shape) === 0) return;
  if (!isWhole(target)) {
    assignTo(backend, target, compute);
    return;
  }
  const first = backend.run(() => backend.clone(compute()));
  elementsOf(backend, target.storage).replace({ first });
}

export function adamStep(backend: Backend, views: AdamViews<View>, numbers: AdamNumbers): void {
  const { beta1, beta2, eps, size, root } = numbers;
  const binary = (name: string, a: TfTensor, b: TfTensor) => backend.kernel(name, { a, b });
  const times = (a: TfTensor, n: number) => binary('Multiply', a, backend.scalar(n));
  const { parameter, gradient, mean, square, largest } = views;
  const read = (view: View) => arranged(backend, view);
  write(backend, mean, () =>
    binary('Add', times(read(mean), beta1), times(read(gradient), 1 - beta1)),
  );
  write(backend, square, () => {
    const g = read(gradient);
    return binary('Add', times(read(square), beta2), times(binary('Multiply', g, g), 1 - beta2));
  });
  if (largest) write(backend, largest, () => binary('Maximum', read(largest), read(square)));
  write(backend, parameter, () => {
    const deviation = backend.kernel('Sqrt', { x: read(largest ?? square) });
    const divisor = binary('Add', times(deviation, 1 / root), backend.scalar(eps));
    return binary('Sub', read(parameter), binary('RealDiv', times(read(mean), size), divisor));
  });
}

import { cpuKernels, isFloat, type Storage, type View } from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { isWhole, store, windowOn } from './elements.js';
import { onHost } from './elementwise.js';
import { wrapped } from './integers.js';
import { arranged, padded } from './layout.js';

/** A factor, and whether its last two axes are the other way round in memory, which tfjs may read. */
function factor(backend: Backend, view: View): { x: TfTensor; turned: boolean } {
  const [b, m, n] = view.shape;
  const [s, t, u] = view.strides;
  const other = windowOn(view, [b, n, m], [s, u, t]);
  if (!backend.remembersFactors && !isWhole(view) && isWhole(other))
    return { x: arranged(backend, other), turned: true };
  return { x: arranged(backend, view), turned: false };
}

/** Data that no product has seen yet. */
const unseen = (backend: Backend, x: TfTensor): TfTensor =>
  backend.kernel('Slice', { x }, { begin: x.shape.map(() => 0), size: x.shape });

/** `x` with zeros beyond it, where the backend would add what else is there; products sum over `inner`. */
function evened(backend: Backend, x: TfTensor, inner: number): TfTensor {
  if (!backend.sumsBeyondOdd || x.shape[inner] % 2 === 0) return x;
  return padded(
    backend,
    x,
    [0, 1, 2].map((axis) => [0, axis === inner ? 1 : 0]),
  );
}

export function matmul(backend: Backend, a: View, b: View): Storage {
  if (onHost(backend, a, b)) return cpuKernels.matmul(a, b);
  const [batch, m, k] = a.shape;
  const n = b.shape[2];
  const length = batch * m * n;
  if (length === 0 || k === 0) return cpuKernels.fill(a.dtype, length, 0);
  const first = backend.run(() => {
    const { tf } = backend;
    const [p, q] = [factor(backend, a), factor(backend, b)];
    const [x, y] = [p.x, q.x].map((t) => (t.dtype === 'float32' ? t : backend.toFloat(t)));
    const z = backend.kernel(
      'BatchMatMul',
      {
        a: evened(backend, x, p.turned ? 1 : 2),
        b: backend.remembersFactors ? unseen(backend, y) : evened(backend, y, q.turned ? 2 : 1),
      },
      { transposeA: p.turned, transposeB: q.turned },
    );
    return isFloat(a.dtype) ? z : wrapped(backend, tf.round(z), a.dtype);
  });
  return store(backend, a.dtype, length, { first });
}

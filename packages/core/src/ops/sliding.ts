// All windows of an axis as a view with one more axis, and the adjoint that adds overlapping
// windows up. Both are linear, so each is the other's derivative.

import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import { normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { dilatedKernel } from './conv/geometry.js';
import { reshape } from './views.js';

interface Sliding {
  readonly axis: number;
  /** Elements of one window, and the distance between them. */
  readonly size: number;
  readonly dilation: number;
  /** The distance between the starts of windows. */
  readonly step: number;
  /** The length of the axis that the windows lie on. */
  readonly length: number;
}

const countOf = ({ length, size, dilation, step }: Sliding): number =>
  size === 0
    ? Math.floor(length / step) + 1
    : Math.floor((length - dilatedKernel(size, dilation)) / step) + 1;

/** Element `offset` of every window: a strided view of `x`. */
const elementsOf = (x: Tensor, s: Sliding, offset: number): Tensor =>
  new Tensor({
    storage: x.storage,
    device: x.device,
    shape: x.shape.map((n, axis) => (axis === s.axis ? countOf(s) : n)),
    strides: x.strides.map((stride, axis) => (axis === s.axis ? stride * s.step : stride)),
    offset: x.offset + offset * s.dilation * x.strides[s.axis],
  });

const slidingOp: Op<Sliding> = defineOp({
  name: 'unfold',
  forward: ([x], s) => {
    const first = elementsOf(x, s, 0);
    return new Tensor({
      storage: x.storage,
      device: x.device,
      shape: [...first.shape, s.size],
      strides: [...first.strides, x.strides[s.axis] * s.dilation],
      offset: x.offset,
    });
  },
  backward: ([g], { options }) => [g && overlapAddOp([g], options)],
});

const overlapAddOp: Op<Sliding> = defineOp({
  name: 'overlapAdd',
  forward: ([x], s) => {
    const { device, dtype } = x;
    const shape = x.shape.slice(0, -1).map((n, axis) => (axis === s.axis ? s.length : n));
    const out = Tensor.filled(shape, 0, dtype, device);
    const last = x.ndim - 1;
    // The windows' elements of one offset never meet: one addition for each offset.
    for (let offset = 0; offset < s.size; offset++) {
      const target = elementsOf(out, s, offset);
      const storage = device.kernels.binary('add', target, x.select(last, offset));
      device.kernels.assign(target, new Tensor({ device, shape: target.shape, storage }));
    }
    return out;
  },
  backward: ([g], { options }) => [g && slidingOp([g], options)],
});

/** Every window of `size` elements of an axis, `step` apart, as a view; elements go last. */
export const slidingWindows = (
  x: Tensor,
  axis: number,
  size: number,
  step: number,
  dilation: number,
): Tensor => slidingOp([x], { axis, size, step, dilation, length: x.shape[axis] });

/** The adjoint of {@link slidingWindows}: windows (elements last) added onto an axis of `length`. */
export const overlapAdd = (
  x: Tensor,
  axis: number,
  length: number,
  step: number,
  dilation: number,
): Tensor => overlapAddOp([x], { axis, size: x.shape[x.ndim - 1], step, dilation, length });

/**
 * PyTorch's Tensor.unfold: all windows of `size` elements of `dim`, `step` apart, as a view with
 * the windows in the place of `dim` and their elements in a new last axis.
 */
export function unfoldDim(x: Tensor, dim: number, size: number, step: number): Tensor {
  requireTensors('unfold', { x });
  const axis = normalizeDim(dim, x.ndim);
  const length = x.ndim === 0 ? 1 : x.shape[axis];
  if (!Number.isInteger(size) || size < 0)
    throw argumentError(`unfold(): size is ${size} but must be >= 0`);
  if (size > length)
    throw shapeError(
      `maximum size for tensor at dimension ${axis} is ${length} but size is ${size}`,
    );
  if (!Number.isInteger(step) || step <= 0) throw argumentError(`step is ${step} but must be > 0`);
  if (x.ndim === 0) return reshape(x, 1).narrow(0, 0, size);
  return slidingWindows(x, axis, size, step, 1);
}

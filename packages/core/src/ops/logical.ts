import type { Tensor } from '../tensor/tensor.js';
import { bool } from './cast.js';

// Truth of elements: everything but 0 counts as true; NaN too, as in PyTorch.

export const logicalNot = (x: Tensor): Tensor => bool(x).eq(false);
export const logicalAnd = (a: Tensor, b: Tensor): Tensor => bool(a).mul(bool(b));
export const logicalOr = (a: Tensor, b: Tensor): Tensor => bool(a).add(bool(b));
export const logicalXor = (a: Tensor, b: Tensor): Tensor => bool(a).ne(bool(b));

export const isnan = (x: Tensor): Tensor => x.ne(x);
export const isinf = (x: Tensor): Tensor => x.abs().eq(Number.POSITIVE_INFINITY);
export const isfinite = (x: Tensor): Tensor => x.abs().lt(Number.POSITIVE_INFINITY);

/** Whether every element is true. */
export const all = (x: Tensor): Tensor => bool(x).sum().eq(x.numel);
/** Whether any element is true. */
export const any = (x: Tensor): Tensor => bool(x).sum().gt(0);

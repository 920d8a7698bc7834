// Which keys a query may see: the two masks of multi-head attention, and their sum.

import {
  dtypeError,
  formatShape,
  isFloat,
  sameShape,
  shapeError,
  type Tensor,
  where,
  zeros,
} from '@voxgrad/core';

// Shapes as PyTorch's Python prints them.
export const sizeOf = (x: Tensor) => `torch.Size(${formatShape(x.shape)})`;
export const tuple = (sizes: readonly number[]) => `(${sizes.join(', ')})`;

/** The attention mask with three dims, checked against `[rows, L, S]`. */
export function pairMask(mask: Tensor, rows: number, length: number, source: number): Tensor {
  if (!isFloat(mask.dtype) && mask.dtype !== 'bool' && mask.dtype !== 'uint8')
    throw dtypeError(
      `Only float, byte, and bool types are supported for attn_mask, not ${mask.dtype}`,
    );
  const asked = mask.dtype === 'uint8' ? mask.to('bool') : mask;
  const expected = mask.ndim === 2 ? [length, source] : [rows, length, source];
  if (!sameShape(mask.shape, expected))
    throw shapeError(
      `The shape of the ${mask.ndim}D attn_mask is ${sizeOf(mask)}, but should be ${tuple(expected)}.`,
    );
  return mask.ndim === 2 ? asked.unsqueeze(0) : asked;
}

/** One more column, in which nothing is left out or added. */
export const widen = (mask: Tensor): Tensor => {
  const column = mask.shape.map((size, axis) => (axis === mask.ndim - 1 ? 1 : size));
  return mask.cat(zeros(column, { dtype: mask.dtype, device: mask.device }), -1);
};

/** Both masks as one float tensor to add to the scores `[N·heads, L, S]`. */
export function mergedMask(
  attnMask: Tensor | null,
  paddingMask: Tensor | null,
  heads: number,
  like: Tensor,
): Tensor | null {
  let merged = attnMask;
  if (paddingMask) {
    const [batch, source] = paddingMask.shape;
    const perHead = paddingMask
      .reshape(batch, 1, 1, source)
      .expand(batch, heads, 1, source)
      .reshape(batch * heads, 1, source);
    if (!merged) merged = perHead;
    else if (merged.dtype === 'bool' && perHead.dtype === 'bool')
      merged = merged.logicalOr(perHead);
    else merged = additive(merged, like).add(additive(perHead, like));
  }
  return merged && additive(merged, like);
}

/** −∞ where a bool mask is true. */
function additive(mask: Tensor, like: Tensor): Tensor {
  if (mask.dtype !== 'bool') return mask;
  const { dtype, device } = like;
  return where(mask, zeros([], { dtype, device }).add(Number.NEGATIVE_INFINITY), 0);
}

// Attention (Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762).

import {
  arange,
  argumentError,
  checkCall,
  isFloat,
  softmax,
  type Tensor,
  where,
} from '@voxgrad/core';
import { dropout } from './dropout.js';
import { SCALED_DOT_PRODUCT_ATTENTION } from './option-tables.js';

/** Options of {@link scaledDotProductAttention}. */
export interface ScaledDotProductAttentionOptions {
  /** Bool: true takes part. Float: is added to the scores. Broadcasts to `[…, L, S]`. */
  attnMask?: Tensor;
  /** Dropout of the attention weights; always on where it is not 0. */
  dropoutP?: number;
  /** Position i sees positions up to i only. */
  isCausal?: boolean;
  /** 1 / √E when omitted. */
  scale?: number;
}

/** softmax(q·kᵀ·scale + mask)·v for q `[…, L, E]`, k `[…, S, E]`, v `[…, S, Ev]` → `[…, L, Ev]`. */
export function scaledDotProductAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: ScaledDotProductAttentionOptions = {},
): Tensor {
  checkCall(
    'scaledDotProductAttention',
    { query, key, value },
    options,
    SCALED_DOT_PRODUCT_ATTENTION,
  );
  const { attnMask, dropoutP = 0, isCausal = false } = options;
  const scale = options.scale ?? 1 / Math.sqrt(query.shape.at(-1) ?? 1);
  if (isCausal && attnMask)
    throw argumentError('Explicit attn_mask should not be set when is_causal=True');
  let scores = query.mul(scale).matmul(key.transpose(-2, -1));
  const mask = isCausal ? causalMask(query, key) : attnMask;
  if (mask) scores = isFloat(mask.dtype) ? scores.add(mask) : where(mask, scores, -Infinity);
  let weights = softmax(scores, -1);
  if (dropoutP > 0) weights = dropout(weights, dropoutP);
  return weights.matmul(value);
}

function causalMask(query: Tensor, key: Tensor): Tensor {
  const positions = (x: Tensor) => arange(x.shape.at(-2) ?? 1, { device: x.device });
  return positions(key).unsqueeze(0).le(positions(query).unsqueeze(1));
}

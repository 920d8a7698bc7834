// Multi-head attention as PyTorch computes it (Vaswani et al. 2017, arXiv:1706.03762).

import {
  argumentError,
  bmm,
  checkCall,
  describe,
  dtypeError,
  formatShape,
  isFloat,
  linear,
  requireTensors,
  sameShape,
  shapeError,
  softmax,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { mergedMask, pairMask, sizeOf, tuple, widen } from './attention-masks.js';
import { dropout } from './dropout.js';
import { MULTI_HEAD_ATTENTION } from './option-tables.js';

/** The learnt tensors of multi-head attention; see `nn.MultiheadAttention`. */
export interface AttentionWeights {
  /** `[3·E, E]`: query, key and value stacked; null where the three below are given. */
  inProjWeight: Tensor | null;
  qProjWeight?: Tensor | null;
  kProjWeight?: Tensor | null;
  vProjWeight?: Tensor | null;
  /** `[3·E]` */
  inProjBias?: Tensor | null;
  /** `[1, 1, E]`: one more key and value for every sample. */
  biasK?: Tensor | null;
  biasV?: Tensor | null;
  outProjWeight: Tensor;
  outProjBias?: Tensor | null;
}

/** Which keys each query attends to. */
export interface AttentionMasks {
  /** `[N, S]` (or `[S]`): keys to leave out (bool: true), or to add to their scores (float). */
  keyPaddingMask?: Tensor | null;
  /** `[L, S]` or `[N·heads, L, S]`: pairs to leave out (bool: true), or to add (float). */
  attnMask?: Tensor | null;
  needWeights?: boolean;
  /** Averages the weights over the heads (the default). */
  averageAttnWeights?: boolean;
}

/** Options of {@link multiHeadAttention}. */
export interface MultiHeadAttentionOptions extends AttentionMasks {
  /** Adds a key and a value of zeros. */
  addZeroAttn?: boolean;
  dropoutP?: number;
  training?: boolean;
}

/** Whether the inputs have a batch dim; everything must agree on it. */
function checkRanks(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  masks: AttentionMasks,
  heads: number,
): boolean {
  if (query.ndim !== 2 && query.ndim !== 3)
    throw shapeError(
      `query should be unbatched 2D or batched 3D tensor but received ${query.ndim}-D query tensor`,
    );
  const batched = query.ndim === 3;
  const kind = batched ? 'batched (3-D)' : 'unbatched (2-D)';
  if (key.ndim !== query.ndim || value.ndim !== query.ndim)
    throw shapeError(
      `For ${kind} \`query\`, expected \`key\` and \`value\` to be ${query.ndim}-D but found ${key.ndim}-D and ${value.ndim}-D tensors respectively`,
    );
  const { keyPaddingMask, attnMask } = masks;
  if (keyPaddingMask && keyPaddingMask.ndim !== query.ndim - 1)
    throw shapeError(
      `For ${kind} \`query\`, expected \`key_padding_mask\` to be \`None\` or ${query.ndim - 1}-D but found ${keyPaddingMask.ndim}-D tensor instead`,
    );
  if (attnMask && attnMask.ndim !== 2 && attnMask.ndim !== 3)
    throw shapeError(
      `For ${kind} \`query\`, expected \`attn_mask\` to be \`None\`, 2-D or 3-D but found ${attnMask.ndim}-D tensor instead`,
    );
  const expected = [heads, query.shape[0], key.shape[0]];
  if (!batched && attnMask?.ndim === 3 && !sameShape(attnMask.shape, expected))
    throw shapeError(
      `Expected \`attn_mask\` shape to be ${tuple(expected)} but got ${sizeOf(attnMask)}`,
    );
  return batched;
}

/** Queries, keys and values in the model's dims, by one weight or three. */
function project(
  inputs: readonly [Tensor, Tensor, Tensor],
  weights: AttentionWeights,
): [Tensor, Tensor, Tensor] {
  const { inProjWeight, qProjWeight, kProjWeight, vProjWeight, inProjBias } = weights;
  const [query, key, value] = inputs;
  const size = query.shape[2];
  const part = (x: Tensor, i: number) => x.narrow(0, i * size, size);
  const bias = (i: number) => (inProjBias ? part(inProjBias, i) : null);
  const each = (i: number, own: Tensor | null | undefined): Tensor => {
    const weight = inProjWeight ? part(inProjWeight, i) : own;
    if (!weight)
      throw argumentError(
        'multiHeadAttention(): give inProjWeight, or qProjWeight, kProjWeight and vProjWeight',
      );
    return linear(inputs[i], weight, bias(i));
  };
  if (inProjWeight && query === key && key === value) {
    // One product for self-attention.
    const all = linear(query, inProjWeight, inProjBias);
    const third = (i: number) => all.narrow(2, i * size, size);
    return [third(0), third(1), third(2)];
  }
  return [each(0, qProjWeight), each(1, kProjWeight), each(2, vProjWeight)];
}

/** Keys, values and the masks over them, which grow together. */
interface Sources {
  readonly key: Tensor;
  readonly value: Tensor;
  readonly attnMask: Tensor | null;
  readonly paddingMask: Tensor | null;
}

/** One more key and value, visible to every query. */
const append = (sources: Sources, key: Tensor, value: Tensor, axis: number): Sources => ({
  key: sources.key.cat(key, axis),
  value: sources.value.cat(value, axis),
  attnMask: sources.attnMask && widen(sources.attnMask),
  paddingMask: sources.paddingMask && widen(sources.paddingMask),
});

/**
 * Attention of several heads with projections before and after.
 * @param query `[L, N, E]` or `[L, E]`
 * @param key `[S, N, Ek]` or `[S, Ek]`
 * @param value `[S, N, Ev]` or `[S, Ev]`
 * @returns the output in the size of the query, and the weights `[N, L, S]` (`[N, heads, L, S]`
 *   when not averaged), or null
 */
export function multiHeadAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  numHeads: number,
  weights: AttentionWeights,
  options: MultiHeadAttentionOptions = {},
): [Tensor, Tensor | null] {
  checkCall('multiHeadAttention', { query, key, value }, options, MULTI_HEAD_ATTENTION);
  if (typeof weights !== 'object' || weights === null)
    throw argumentError(
      `multiHeadAttention(): expected an object of weights, but got ${describe(weights)}`,
    );
  requireTensors('multiHeadAttention', { outProjWeight: weights.outProjWeight });
  if (checkRanks(query, key, value, options, numHeads))
    return batchedAttention(query, key, value, numHeads, weights, options);
  const q = query.unsqueeze(1);
  const same = query === key && key === value; // stays one tensor, for one projection
  const [k, v] = same ? [q, q] : [key.unsqueeze(1), value.unsqueeze(1)];
  const keyPaddingMask = options.keyPaddingMask?.unsqueeze(0);
  const [output, attention] = batchedAttention(q, k, v, numHeads, weights, {
    ...options,
    keyPaddingMask,
  });
  return [output.squeeze(1), attention?.squeeze(0) ?? null];
}

function batchedAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  numHeads: number,
  weights: AttentionWeights,
  options: MultiHeadAttentionOptions,
): [Tensor, Tensor | null] {
  checkSizes(query, key, value, numHeads, weights);
  const { needWeights = true, averageAttnWeights = true, dropoutP = 0, training = true } = options;
  const [length, batch, size] = query.shape;
  const rows = batch * numHeads;
  const headSize = size / numHeads;
  const paddingMask = options.keyPaddingMask ?? null;
  if (paddingMask && paddingMask.dtype !== 'bool' && !isFloat(paddingMask.dtype))
    throw dtypeError('only bool and floating types of key_padding_mask are supported');
  const attnMask = options.attnMask ? pairMask(options.attnMask, rows, length, key.shape[0]) : null;
  const heads = (x: Tensor) => x.reshape(x.shape[0], rows, headSize).transpose(0, 1);
  const [q, ...projected] = project([query, key, value], weights);
  let sources: Sources = { key: projected[0], value: projected[1], attnMask, paddingMask };
  const { biasK, biasV } = weights;
  const everywhere = (bias: Tensor) => bias.expand(1, batch, size);
  if (biasK && biasV) sources = append(sources, everywhere(biasK), everywhere(biasV), 0);
  sources = { ...sources, key: heads(sources.key), value: heads(sources.value) };
  if (options.addZeroAttn) {
    const zero = zeros([rows, 1, headSize], { dtype: q.dtype, device: q.device });
    sources = append(sources, zero, zero, 1);
  }
  const count = sources.key.shape[1];
  if (sources.paddingMask && !sameShape(sources.paddingMask.shape, [batch, count]))
    throw shapeError(
      `expecting key_padding_mask shape of ${tuple([batch, count])}, but got ${sizeOf(sources.paddingMask)}`,
    );
  const mask = mergedMask(sources.attnMask, sources.paddingMask, numHeads, q);
  const scores = bmm(heads(q).div(Math.sqrt(headSize)), sources.key.transpose(1, 2));
  let attention = softmax(mask ? scores.add(mask) : scores, -1);
  if (training && dropoutP > 0) attention = dropout(attention, dropoutP);
  const joined = bmm(attention, sources.value)
    .transpose(0, 1)
    .reshape(length * batch, size);
  const { outProjWeight, outProjBias } = weights;
  const output = linear(joined, outProjWeight, outProjBias).reshape(length, batch, size);
  if (!needWeights) return [output, null];
  const perHead = attention.reshape(batch, numHeads, length, count);
  return [output, averageAttnWeights ? perHead.sum(1).div(numHeads) : perHead];
}

function checkSizes(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  heads: number,
  weights: AttentionWeights,
): void {
  const size = query.shape[2];
  const expected = weights.outProjWeight.shape[1];
  if (size !== expected)
    throw shapeError(`was expecting embedding dimension of ${expected}, but got ${size}`);
  if (size % heads !== 0) throw shapeError(`embed_dim ${size} not divisible by num_heads ${heads}`);
  if (weights.inProjWeight) {
    if (!sameShape(key.shape, value.shape))
      throw shapeError(`key shape ${sizeOf(key)} does not match value shape ${sizeOf(value)}`);
  } else if (!sameShape(key.shape.slice(0, 2), value.shape.slice(0, 2)))
    throw shapeError(
      `key's sequence and batch dims torch.Size(${formatShape(key.shape.slice(0, 2))}) do not match value's torch.Size(${formatShape(value.shape.slice(0, 2))})`,
    );
}

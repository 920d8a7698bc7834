import {
  argumentError,
  checkArguments,
  checkCall,
  checkOptions,
  type DeviceLike,
  type DType,
  type OptionTable,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { constant_, xavierNormal_, xavierUniform_ } from '../init.js';
import { Module } from '../module.js';
import { type AttentionMasks, multiHeadAttention } from '../multi-head-attention.js';
import { ATTENTION_MASKS } from '../option-tables.js';
import { Parameter } from '../parameter.js';
import { Linear } from './linear.js';

/** Options of {@link MultiheadAttention}. */
export interface MultiheadAttentionOptions {
  /** Dropout of the attention weights, in training. */
  dropout?: number;
  bias?: boolean;
  /** One more learnt key and value. */
  addBiasKv?: boolean;
  /** One more key and value of zeros. */
  addZeroAttn?: boolean;
  /** Size of the keys, and of the values, where it is not that of the model. */
  kdim?: number;
  vdim?: number;
  /** Inputs and output are `[N, L, E]` in place of `[L, N, E]`. */
  batchFirst?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

const ATTENTION_OPTIONS: OptionTable<MultiheadAttentionOptions> = {
  dropout: true,
  bias: true,
  addBiasKv: true,
  addZeroAttn: true,
  kdim: true,
  vdim: true,
  batchFirst: true,
  device: true,
  dtype: true,
};

const STATE_NAMES: Readonly<Record<string, string>> = {
  qProjWeight: 'q_proj_weight',
  kProjWeight: 'k_proj_weight',
  vProjWeight: 'v_proj_weight',
  inProjWeight: 'in_proj_weight',
  inProjBias: 'in_proj_bias',
  biasK: 'bias_k',
  biasV: 'bias_v',
  outProj: 'out_proj',
};

/**
 * Attention of `numHeads` heads over `embedDim` / `numHeads` features each; see
 * `F.multiHeadAttention`. Called with query, key and value it returns `[output, weights]`.
 */
export class MultiheadAttention extends Module {
  qProjWeight: Parameter | null = null;
  kProjWeight: Parameter | null = null;
  vProjWeight: Parameter | null = null;
  inProjWeight: Parameter | null = null;
  inProjBias: Parameter | null;
  biasK: Parameter | null = null;
  biasV: Parameter | null = null;
  outProj: Linear;
  readonly dropout: number;
  readonly addZeroAttn: boolean;
  readonly batchFirst: boolean;

  constructor(
    readonly embedDim: number,
    readonly numHeads: number,
    options: MultiheadAttentionOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#embedDim, #numHeads, options', [
      embedDim,
      numHeads,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, ATTENTION_OPTIONS);
    if (embedDim % numHeads !== 0) throw argumentError('embed_dim must be divisible by num_heads');
    const { kdim = embedDim, vdim = embedDim, bias = true, device, dtype } = options;
    const parameter = (...shape: number[]) => new Parameter(zeros(shape, { device, dtype }));
    this.dropout = options.dropout ?? 0;
    this.addZeroAttn = options.addZeroAttn ?? false;
    this.batchFirst = options.batchFirst ?? false;
    if (kdim === embedDim && vdim === embedDim)
      this.inProjWeight = parameter(3 * embedDim, embedDim);
    else {
      this.qProjWeight = parameter(embedDim, embedDim);
      this.kProjWeight = parameter(embedDim, kdim);
      this.vProjWeight = parameter(embedDim, vdim);
    }
    this.inProjBias = bias ? parameter(3 * embedDim) : null;
    this.outProj = new Linear(embedDim, embedDim, { bias, device, dtype });
    if (options.addBiasKv) {
      this.biasK = parameter(1, 1, embedDim);
      this.biasV = parameter(1, 1, embedDim);
    }
    this.resetParameters();
  }

  /** Draws the projections before the attention; that after it has been drawn by itself. */
  resetParameters(): void {
    for (const weight of [this.inProjWeight, this.qProjWeight, this.kProjWeight, this.vProjWeight])
      if (weight) xavierUniform_(weight);
    if (this.inProjBias) constant_(this.inProjBias, 0);
    if (this.outProj.bias) constant_(this.outProj.bias, 0);
    for (const bias of [this.biasK, this.biasV]) if (bias) xavierNormal_(bias);
  }

  override stateName(property: string): string {
    return STATE_NAMES[property] ?? property;
  }

  forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: AttentionMasks = {},
  ): [Tensor, Tensor | null] {
    checkCall('MultiheadAttention', { query, key, value }, options, ATTENTION_MASKS);
    const swap = this.batchFirst && query.ndim === 3;
    const turned = new Map<Tensor, Tensor>(); // equal inputs stay equal
    const turn = (x: Tensor): Tensor => {
      if (!swap) return x;
      const known = turned.get(x) ?? x.transpose(0, 1);
      turned.set(x, known);
      return known;
    };
    const [output, weights] = multiHeadAttention(
      turn(query),
      turn(key),
      turn(value),
      this.numHeads,
      {
        inProjWeight: this.inProjWeight,
        qProjWeight: this.qProjWeight,
        kProjWeight: this.kProjWeight,
        vProjWeight: this.vProjWeight,
        inProjBias: this.inProjBias,
        biasK: this.biasK,
        biasV: this.biasV,
        outProjWeight: this.outProj.weight,
        outProjBias: this.outProj.bias,
      },
      {
        ...options,
        addZeroAttn: this.addZeroAttn,
        dropoutP: this.dropout,
        training: this.training,
      },
    );
    return [swap ? output.transpose(0, 1) : output, weights];
  }
}

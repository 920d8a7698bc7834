import {
  argumentError,
  checkArguments,
  checkCall,
  checkOptions,
  type DeviceLike,
  type DType,
  type KnownOptions,
  noGrad,
  type OptionTable,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { type EmbeddingCallOptions, embedding, rowNumber } from '../embedding.js';
import { type BagMode, embeddingBag } from '../embedding-bag.js';
import { normal_ } from '../init.js';
import { Module } from '../module.js';
import { EMBEDDING } from '../option-tables.js';
import { Parameter } from '../parameter.js';
import { repr } from '../repr.js';

/** Options of {@link Embedding}. */
export interface EmbeddingOptions extends EmbeddingCallOptions {
  device?: DeviceLike;
  dtype?: DType;
}

const TABLE: OptionTable<EmbeddingOptions> = { ...EMBEDDING, device: true, dtype: true };

abstract class Table extends Module {
  weight: Parameter;
  readonly paddingIdx: number | undefined;
  readonly maxNorm: number | undefined;
  readonly normType: number;
  readonly scaleGradByFreq: boolean;

  constructor(
    readonly numEmbeddings: number,
    readonly embeddingDim: number,
    options: EmbeddingOptions,
    known: KnownOptions,
    given?: Parameter,
  ) {
    super();
    checkOptions(new.target.name, options, known);
    const { paddingIdx, maxNorm, normType = 2, scaleGradByFreq = false } = options;
    const { device, dtype } = options;
    this.paddingIdx = paddingIdx === undefined ? undefined : rowNumber(paddingIdx, numEmbeddings);
    this.maxNorm = maxNorm;
    this.normType = normType;
    this.scaleGradByFreq = scaleGradByFreq;
    this.weight = given ?? new Parameter(zeros([numEmbeddings, embeddingDim], { device, dtype }));
    if (!given) this.resetParameters();
  }

  /** Draws normal numbers; the row of `paddingIdx` becomes 0. */
  resetParameters(): void {
    normal_(this.weight);
    const { paddingIdx } = this;
    if (paddingIdx !== undefined) noGrad(() => this.weight.detach().select(0, paddingIdx).zero_());
  }

  protected tableRepr(): string {
    const { paddingIdx, maxNorm } = this;
    const fields = {
      paddingIdx,
      maxNorm,
      normType: this.normType === 2 ? undefined : this.normType,
      scaleGradByFreq: this.scaleGradByFreq || undefined,
    };
    return [`${this.numEmbeddings}, ${this.embeddingDim}`, repr(fields)].filter(Boolean).join(', ');
  }
}

/** A learnt vector for each of `numEmbeddings` numbers: int64 `[…]` → `[…, embeddingDim]`. */
export class Embedding extends Table {
  static readonly keepsNothing = true;
  constructor(
    numEmbeddings: number,
    embeddingDim: number,
    options: EmbeddingOptions = {},
    given?: Parameter,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#numEmbeddings, #embeddingDim, options, given', [
      numEmbeddings,
      embeddingDim,
      options,
      given,
      ...surplus,
    ]);
    super(numEmbeddings, embeddingDim, options, TABLE, given);
  }

  /** A table that starts as `weight` `[n, d]`; `freeze` (the default) keeps it as it is. */
  static fromPretrained(
    weight: Tensor,
    options: EmbeddingCallOptions & { freeze?: boolean } = {},
  ): Embedding {
    checkCall('Embedding.fromPretrained', { weight }, options, { ...EMBEDDING, freeze: true });
    if (weight.ndim !== 2)
      throw argumentError('Embeddings parameter is expected to be 2-dimensional');
    const { freeze = true, ...rest } = options;
    const given = new Parameter(weight.detach(), { requiresGrad: !freeze });
    return new Embedding(weight.shape[0], weight.shape[1], rest, given);
  }

  forward(index: Tensor): Tensor {
    const { paddingIdx, maxNorm, normType, scaleGradByFreq } = this;
    return embedding(index, this.weight, { paddingIdx, maxNorm, normType, scaleGradByFreq });
  }

  override extraRepr(): string {
    return this.tableRepr();
  }
}

/** Options of {@link EmbeddingBag}. */
export interface EmbeddingBagOptions extends EmbeddingOptions {
  /** 'mean' by default. */
  mode?: BagMode;
  includeLastOffset?: boolean;
}

const BAG: OptionTable<EmbeddingBagOptions> = { ...TABLE, mode: true, includeLastOffset: true };

/** Rows of a learnt table, reduced bag by bag; see `F.embeddingBag`. */
export class EmbeddingBag extends Table {
  static readonly keepsNothing = true;
  readonly mode: BagMode;
  readonly includeLastOffset: boolean;

  constructor(
    numEmbeddings: number,
    embeddingDim: number,
    options: EmbeddingBagOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#numEmbeddings, #embeddingDim, options', [
      numEmbeddings,
      embeddingDim,
      options,
      ...surplus,
    ]);
    super(numEmbeddings, embeddingDim, options, BAG);
    this.mode = options.mode ?? 'mean';
    this.includeLastOffset = options.includeLastOffset ?? false;
  }

  forward(index: Tensor, options: { offsets?: Tensor; perSampleWeights?: Tensor } = {}): Tensor {
    const { paddingIdx, maxNorm, normType, scaleGradByFreq, mode, includeLastOffset } = this;
    return embeddingBag(index, this.weight, {
      paddingIdx,
      maxNorm,
      normType,
      scaleGradByFreq,
      mode,
      includeLastOffset,
      ...options,
    });
  }

  override extraRepr(): string {
    return `${this.tableRepr()}, mode=${this.mode}`;
  }
}

import {
  argumentError,
  checkArguments,
  checkCall,
  checkOptions,
  type DeviceLike,
  type DType,
  describe,
  type OptionTable,
  relu,
  type Tensor,
} from '@voxgrad/core';
import { gelu } from '../activations/index.js';
import { Module } from '../module.js';
import { rebuild } from '../rebuild.js';
import { MultiheadAttention } from './attention.js';
import { ModuleList } from './container.js';
import { Dropout } from './dropout.js';
import { LayerNorm } from './layernorm.js';
import { Linear } from './linear.js';

/** Options of {@link TransformerEncoderLayer}. */
export interface TransformerEncoderLayerOptions {
  dimFeedforward?: number;
  dropout?: number;
  activation?: 'relu' | 'gelu' | ((x: Tensor) => Tensor);
  layerNormEps?: number;
  /** Inputs and output are `[N, L, E]` in place of `[L, N, E]`. */
  batchFirst?: boolean;
  /** Normalises before attention and feed-forward in place of after them. */
  normFirst?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

const LAYER_OPTIONS: OptionTable<TransformerEncoderLayerOptions> = {
  dimFeedforward: true,
  dropout: true,
  activation: true,
  layerNormEps: true,
  batchFirst: true,
  normFirst: true,
  device: true,
  dtype: true,
};

/** Which positions an encoder attends to. */
export interface EncoderMasks {
  /** See the `attnMask` of `nn.MultiheadAttention`. */
  srcMask?: Tensor | null;
  srcKeyPaddingMask?: Tensor | null;
}

const MASKS: OptionTable<EncoderMasks> = { srcMask: 'nullable', srcKeyPaddingMask: 'nullable' };

/**
 * Self-attention and a feed-forward network, each with a residual and a layer norm. Always the
 * plain computation: PyTorch's fast path in eval mode gives the same numbers, except that it
 * zeroes padded positions.
 */
export class TransformerEncoderLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  readonly linear1: Linear;
  readonly dropout: Dropout;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  readonly #activation: (x: Tensor) => Tensor;

  constructor(
    readonly dModel: number,
    readonly nhead: number,
    readonly options: TransformerEncoderLayerOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#dModel, #nhead, options', [
      dModel,
      nhead,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, LAYER_OPTIONS);
    const { dimFeedforward = 2048, dropout = 0.1, activation = 'relu' } = options;
    const { layerNormEps: eps = 1e-5, batchFirst, device, dtype } = options;
    const place = { device, dtype };
    this.selfAttn = new MultiheadAttention(dModel, nhead, { dropout, batchFirst, ...place });
    this.linear1 = new Linear(dModel, dimFeedforward, place);
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, place);
    this.norm1 = new LayerNorm(dModel, { eps, ...place });
    this.norm2 = new LayerNorm(dModel, { eps, ...place });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    const named = { relu, gelu: (x: Tensor) => gelu(x) };
    this.#activation = typeof activation === 'string' ? named[activation] : activation;
  }

  override stateName(property: string): string {
    return property === 'selfAttn' ? 'self_attn' : property;
  }

  /** The same layer again, with its weights. */
  copy(): TransformerEncoderLayer {
    return rebuild(this, () => new TransformerEncoderLayer(this.dModel, this.nhead, this.options));
  }

  forward(source: Tensor, masks: EncoderMasks = {}): Tensor {
    checkCall(this.constructor.name, { source }, masks, MASKS);
    if (this.options.normFirst) {
      const attended = source.add(this.#attend(this.norm1.call(source), masks));
      return attended.add(this.#feed(this.norm2.call(attended)));
    }
    const attended = this.norm1.call(source.add(this.#attend(source, masks)));
    return this.norm2.call(attended.add(this.#feed(attended)));
  }

  #attend(x: Tensor, { srcMask, srcKeyPaddingMask }: EncoderMasks): Tensor {
    const [output] = this.selfAttn.call(x, x, x, {
      attnMask: srcMask,
      keyPaddingMask: srcKeyPaddingMask,
      needWeights: false,
    });
    return this.dropout1.call(output);
  }

  #feed(x: Tensor): Tensor {
    const hidden = this.dropout.call(this.#activation(this.linear1.call(x)));
    return this.dropout2.call(this.linear2.call(hidden));
  }
}

/** Options of {@link TransformerEncoder}. */
export interface TransformerEncoderOptions {
  /** Applied to the output of the last layer. */
  norm?: LayerNorm;
}

const ENCODER_OPTIONS: OptionTable<TransformerEncoderOptions> = { norm: true };

/** `numLayers` copies of a layer, all with its weights at first. */
export class TransformerEncoder extends Module {
  readonly layers: ModuleList;
  readonly norm: LayerNorm | null;

  constructor(
    layer: TransformerEncoderLayer,
    readonly numLayers: number,
    options: TransformerEncoderOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'layer, #numLayers, options', [
      layer,
      numLayers,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, ENCODER_OPTIONS);
    if (!(layer instanceof TransformerEncoderLayer))
      throw argumentError(
        `${new.target.name}: expected a TransformerEncoderLayer, but got ${describe(layer)}`,
      );
    if (!(Number.isInteger(numLayers) && numLayers >= 0))
      throw argumentError(`${new.target.name}: numLayers must be a count, but got ${numLayers}`);
    this.layers = new ModuleList(Array.from({ length: numLayers }, () => layer.copy()));
    this.norm = options.norm ?? null;
  }

  forward(source: Tensor, masks: EncoderMasks = {}): Tensor {
    checkCall(this.constructor.name, { source }, masks, MASKS);
    const layers = this.layers.children() as TransformerEncoderLayer[];
    const output = layers.reduce((x, layer) => layer.call(x, masks), source);
    return this.norm ? this.norm.call(output) : output;
  }
}

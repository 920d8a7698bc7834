// Keras's layers as modules of the same weights. Those work on `[N, …, C]` and ours on `[N, C, …]`,
// so that an axis of -1, the channels there, is 1 here.
// Sources: keras/layers (`get_config` and `call` of each class) and tfjs-layers/src/layers.

import type { LayerConfig } from '@voxgrad/checkpoint';
import type { StateDict } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { refused, Settings } from './config.js';
import { FlattenChannelsLast, SamePad, type Window } from './padding.js';

/** What is known where a layer stands. */
export interface Place {
  /** Spatial axes of its input; 0 after they were flattened away. */
  readonly rank: number;
  readonly channelsFirst: boolean;
  /** The name of its module. */
  readonly name: string;
  /** The weights of the model. */
  readonly weights: StateDict;
}

/** What a layer becomes: modules, of which the one with weights is called as the layer is. */
export interface Built {
  readonly modules: readonly [name: string, module: nn.Module][];
  /** Spatial axes of the output, where they change. */
  readonly rank?: number;
}

type Build = (layer: LayerConfig, settings: Settings, place: Place) => Built;

/** The modules of `layer`; @throws CheckpointError if there is no counterpart */
export function build(layer: LayerConfig, place: Place): Built {
  const make = LAYERS.get(layer.className);
  if (make === undefined) throw refused(layer, 'has no counterpart here');
  return make(layer, new Settings(layer), place);
}

/** By the number of spatial axes. */
const CONV = [undefined, nn.Conv1d, nn.Conv2d, nn.Conv3d];
const CONV_TRANSPOSE = [undefined, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d];
const BATCH_NORM = [nn.BatchNorm1d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d];
const MAX_POOL = [undefined, nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d];
const AVG_POOL = [undefined, nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d];
const CHANNEL_DROPOUT = [undefined, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d];
const ZERO_PAD = [undefined, nn.ZeroPad1d, nn.ZeroPad2d, nn.ZeroPad3d];
const GLOBAL_AVG = [undefined, nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d];
const GLOBAL_MAX = [undefined, nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d];

function ofRank<T>(table: readonly (T | undefined)[], rank: number, layer: LayerConfig): T {
  const found = table[rank];
  if (found !== undefined) return found;
  throw refused(layer, `cannot be built for ${rank} spatial axes`);
}

const nothing: Build = () => ({ modules: [] });

const one =
  (module: (layer: LayerConfig, settings: Settings, place: Place) => nn.Module): Build =>
  (layer, settings, place) => ({ modules: [[place.name, module(layer, settings, place)]] });

/** `modules`, and the activation that is a part of the layer behind them. */
function activated(
  modules: readonly [string, nn.Module][],
  layer: LayerConfig,
  settings: Settings,
  place: Place,
): Built {
  const module = activation(settings.text('activation', 'linear'), layer, place);
  if (module === undefined) return { modules };
  const name = modules.length === 0 ? place.name : `${place.name}_activation`;
  return { modules: [...modules, [name, module]] };
}

/** Undefined for `linear`, which does nothing. */
function activation(name: string, layer: LayerConfig, place: Place): nn.Module | undefined {
  if (name === 'linear') return undefined;
  const make = ACTIVATIONS.get(name);
  if (make === undefined) throw refused(layer, `has the activation ${name}, which is not here`);
  return make(place);
}

/** Keras takes softmax over the last axis. */
const lastAxis = ({ channelsFirst, rank }: Place): number => (channelsFirst && rank > 0 ? -1 : 1);

const ACTIVATIONS: ReadonlyMap<string, (place: Place) => nn.Module> = new Map<
  string,
  (place: Place) => nn.Module
>([
  ['relu', () => new nn.ReLU()],
  ['relu6', () => new nn.ReLU6()],
  ['sigmoid', () => new nn.Sigmoid()],
  ['tanh', () => new nn.Tanh()],
  ['softmax', (place) => new nn.Softmax(lastAxis(place))],
  ['elu', () => new nn.ELU()],
  ['selu', () => new nn.SELU()],
  ['gelu', () => new nn.GELU()],
  ['softplus', () => new nn.Softplus()],
  ['softsign', () => new nn.Softsign()],
  ['swish', () => new nn.SiLU()],
  ['silu', () => new nn.SiLU()],
  ['mish', () => new nn.Mish()],
]);

/** The shape of the layer's own weight; a convolution's channels are only said there. */
function weightShape(
  layer: LayerConfig,
  { weights, name }: Place,
  dims: number,
): readonly number[] {
  const weight = weights.get(`${name}.weight`);
  if (weight === undefined) throw refused(layer, 'has no weights in the files of the model');
  if (weight.ndim === dims) return weight.shape;
  throw refused(layer, `has a weight of ${weight.ndim} axes instead of ${dims}`);
}

/** The windows of a convolution, or of a pool, whose stride is its size unless it says otherwise. */
function windowOf(settings: Settings, rank: number, of: 'kernel_size' | 'pool_size'): Window {
  const kernelSize = settings.sizes(of, rank);
  const ones = new Array<number>(rank).fill(1);
  return {
    kernelSize,
    stride: settings.sizes('strides', rank, of === 'pool_size' ? kernelSize : ones),
    dilation: settings.sizes('dilation_rate', rank, ones),
  };
}

const convolution =
  (rank: number): Build =>
  (layer, settings, place) => {
    const window = windowOf(settings, rank, 'kernel_size');
    const [outChannels, perGroup] = weightShape(layer, place, rank + 2);
    const groups = settings.number('groups', 1);
    const padding = paddingOf(layer, settings);
    const unitStride = window.stride.every((n) => n === 1);
    const module = new (ofRank(CONV, rank, layer))(
      perGroup * groups,
      outChannels,
      window.kernelSize,
      {
        stride: window.stride,
        dilation: window.dilation,
        groups,
        bias: settings.flag('use_bias', true),
        padding: padding === 'same' && unitStride ? 'same' : 0,
      },
    );
    const pad: [string, nn.Module][] =
      padding === 'same' && !unitStride ? [[`${place.name}_pad`, new SamePad(window, 0)]] : [];
    return { ...activated([...pad, [place.name, module]], layer, settings, place), rank };
  };

function paddingOf(layer: LayerConfig, settings: Settings): 'same' | 'valid' {
  const padding = settings.text('padding', 'valid');
  if (padding === 'same' || padding === 'valid') return padding;
  throw refused(layer, `has the padding ${padding}; same and valid are known`);
}

/**
 * Keras's output has `n·s` elements along an axis with "same" padding and `n·s + max(k − s, 0)`
 * without, and the first starts `⌊max(k − s, 0) / 2⌋` elements into what is computed with "same".
 */
const transposed =
  (rank: number): Build =>
  (layer, settings, place) => {
    const { kernelSize, stride, dilation } = windowOf(settings, rank, 'kernel_size');
    if (dilation.some((n) => n !== 1)) throw refused(layer, 'is dilated, which is not known');
    if (layer.config.output_padding != null) throw refused(layer, 'has an output_padding');
    const [inChannels, outChannels] = weightShape(layer, place, rank + 2);
    const surplus = kernelSize.map((kernel, axis) => Math.max(kernel - stride[axis], 0));
    const same = paddingOf(layer, settings) === 'same';
    const module = new (ofRank(CONV_TRANSPOSE, rank, layer))(inChannels, outChannels, kernelSize, {
      stride,
      padding: surplus.map((n) => (same ? Math.floor(n / 2) : 0)),
      outputPadding: kernelSize.map((kernel, axis) => Math.max(stride[axis] - kernel, 0)),
      bias: settings.flag('use_bias', true),
    });
    // PyTorch crops the same on both sides, TensorFlow one more behind where the surplus is odd.
    const behind = surplus.map((n): [number, number] => [0, same ? -(n % 2) : 0]);
    const crop: [string, nn.Module][] = behind.some(([, n]) => n !== 0)
      ? [[`${place.name}_crop`, zeroPad(layer, behind)]]
      : [];
    return { ...activated([[place.name, module], ...crop], layer, settings, place), rank };
  };

/** Elements before and behind each axis; negative ones are cropped. */
const zeroPad = (layer: LayerConfig, margins: readonly (readonly [number, number])[]): nn.Module =>
  new (ofRank(ZERO_PAD, margins.length, layer))(margins.toReversed().flat());

const pooling =
  (rank: number, kind: 'max' | 'average'): Build =>
  (layer, settings, place) => {
    const window = windowOf(settings, rank, 'pool_size');
    const same = paddingOf(layer, settings) === 'same';
    if (same && kind === 'average')
      throw refused(layer, 'averages without what it pads, which PyTorch does not');
    const pool = ofRank<new (size: readonly number[], options: object) => nn.Module>(
      kind === 'max' ? MAX_POOL : AVG_POOL,
      rank,
      layer,
    );
    const module = new pool(window.kernelSize, { stride: window.stride });
    const pad: [string, nn.Module][] = same
      ? [[`${place.name}_pad`, new SamePad(window, Number.NEGATIVE_INFINITY)]]
      : [];
    return { modules: [...pad, [place.name, module]], rank };
  };

const globalPooling =
  (rank: number, kind: 'max' | 'average'): Build =>
  (layer, settings, place) => {
    const pool = ofRank<new (size: number) => nn.Module>(
      kind === 'max' ? GLOBAL_MAX : GLOBAL_AVG,
      rank,
      layer,
    );
    const modules: [string, nn.Module][] = [[place.name, new pool(1)]];
    if (settings.flag('keepdims', false)) return { modules, rank };
    return { modules: [...modules, [`${place.name}_flatten`, new nn.Flatten()]], rank: 0 };
  };

const batchNorm = one((layer, settings, place) => {
  const { axis = -1 } = layer.config;
  const [only] = Array.isArray(axis) && axis.length === 1 ? (axis as unknown[]) : [axis];
  const channels = place.channelsFirst && place.rank > 0 ? [1] : [-1, place.rank + 1];
  if (!channels.includes(only as number))
    throw refused(layer, 'normalises another axis than channels');
  const mean = place.weights.get(`${place.name}.running_mean`);
  if (mean === undefined) throw refused(layer, 'has no moving_mean in the files of the model');
  return new (ofRank(BATCH_NORM, place.rank, layer))(mean.numel, {
    eps: settings.number('epsilon', 1e-3),
    // Keras counts what stays, PyTorch what is new.
    momentum: 1 - settings.number('momentum', 0.99),
    affine: settings.flag('scale', true) || settings.flag('center', true),
  });
});

const dense: Build = (layer, settings, place) => {
  if (place.rank > 0) throw refused(layer, 'stands before a Flatten, and acts on the last axis');
  const [units, features] = weightShape(layer, place, 2);
  const module = new nn.Linear(features, units, { bias: settings.flag('use_bias', true) });
  return activated([[place.name, module]], layer, settings, place);
};

const relu = one((layer, settings) => {
  const { max_value: most } = layer.config;
  if (settings.number('threshold', 0) !== 0) throw refused(layer, 'has a threshold');
  const slope = settings.number('negative_slope', 0);
  if (most == null) return slope === 0 ? new nn.ReLU() : new nn.LeakyReLU(slope);
  if (slope !== 0) throw refused(layer, 'has both a slope and a largest value');
  return new nn.Hardtanh({ minVal: 0, maxVal: settings.number('max_value', 6) });
});

const softmax = one((layer, _, place) => {
  const { axis = -1 } = layer.config;
  const channels = place.channelsFirst && place.rank > 0 ? [1] : [-1, place.rank + 1];
  if (channels.includes(axis as number)) return new nn.Softmax(1);
  throw refused(layer, 'acts along another axis than channels');
});

const upsampling =
  (rank: number): Build =>
  (layer, settings, place) => {
    const mode = settings.text('interpolation', 'nearest');
    if (mode !== 'nearest') throw refused(layer, `interpolates (${mode})`);
    const scaleFactor = settings.sizes('size', rank, new Array(rank).fill(2));
    return { modules: [[place.name, new nn.Upsample({ scaleFactor })]], rank };
  };

const flatten: Build = (_, __, { name, channelsFirst }) => ({
  modules: [[name, channelsFirst ? new nn.Flatten() : new FlattenChannelsLast()]],
  rank: 0,
});

const LAYERS: ReadonlyMap<string, Build> = new Map<string, Build>([
  ['InputLayer', nothing],
  ['Activation', (layer, settings, place) => activated([], layer, settings, place)],
  ['ReLU', relu],
  ['LeakyReLU', one((_, settings) => new nn.LeakyReLU(settings.number('alpha', 0.3)))],
  ['ELU', one((_, settings) => new nn.ELU(settings.number('alpha', 1)))],
  ['Softmax', softmax],
  ['BatchNormalization', batchNorm],
  ['Dropout', one((_, settings) => new nn.Dropout(settings.number('rate', 0.5)))],
  ['Dense', dense],
  ['Flatten', flatten],
  ...[1, 2, 3].flatMap((rank): [string, Build][] => [
    [`Conv${rank}D`, convolution(rank)],
    [`Conv${rank}DTranspose`, transposed(rank)],
    [`MaxPooling${rank}D`, pooling(rank, 'max')],
    [`AveragePooling${rank}D`, pooling(rank, 'average')],
    [`GlobalMaxPooling${rank}D`, globalPooling(rank, 'max')],
    [`GlobalAveragePooling${rank}D`, globalPooling(rank, 'average')],
    [`UpSampling${rank}D`, upsampling(rank)],
    [
      `ZeroPadding${rank}D`,
      one((layer, settings) => zeroPad(layer, settings.margins('padding', rank))),
    ],
    [
      `Cropping${rank}D`,
      one((layer, settings) =>
        zeroPad(
          layer,
          settings.margins('cropping', rank).map(([low, high]) => [-low, -high] as const),
        ),
      ),
    ],
    [
      `SpatialDropout${rank}D`,
      one(
        (layer, settings) =>
          new (ofRank(CHANNEL_DROPOUT, rank, layer))(settings.number('rate', 0.5)),
      ),
    ],
  ]),
]);

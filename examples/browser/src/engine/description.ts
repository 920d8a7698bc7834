// What a network is, as far as its state dict tells: a chain of convolutions and batch norms, in the
// order of the keys. The rest (dilations, activation, scaling of the input) is in no state dict: it is
// assumed, said, and can be given as JSON.

import type { StateDict, Tensor } from '@voxgrad/core';
import {
  ACTIVATIONS,
  type Activation,
  type NetworkDescription,
  NORMALIZATIONS,
  type Normalization,
} from '../shared/protocol.js';

/** A layer with weights, found in a state dict. */
export type FoundLayer =
  | {
      readonly kind: 'conv';
      readonly name: string;
      readonly inChannels: number;
      readonly outChannels: number;
      readonly kernel: readonly number[];
      readonly groups: number;
      readonly bias: boolean;
    }
  | { readonly kind: 'norm'; readonly name: string; readonly channels: number };

export type FoundConv = Extract<FoundLayer, { kind: 'conv' }>;

const SUPPORTED = 'This page builds plain chains of Conv3d, BatchNorm3d and activations.';

/**
 * The layers behind the keys of `state`.
 * @throws Error naming the first key that no plain chain has, and why
 */
export function layersOf(state: StateDict): FoundLayer[] {
  const names = new Map<string, Map<string, Tensor>>();
  for (const [key, tensor] of state) {
    const dot = key.lastIndexOf('.');
    const [module, own] = [key.slice(0, Math.max(dot, 0)), key.slice(dot + 1)];
    names.set(module, (names.get(module) ?? new Map<string, Tensor>()).set(own, tensor));
  }
  const layers: FoundLayer[] = [];
  let channels = 0;
  for (const [name, tensors] of names) {
    const weight = tensors.get('weight');
    if (weight === undefined)
      throw new Error(
        `The checkpoint has '${name}' with ${[...tensors.keys()].join(', ')}, but no weight. ${SUPPORTED}`,
      );
    const shape = `[${weight.shape.join(', ')}]`;
    if (weight.ndim === 1 && tensors.has('running_mean')) {
      layers.push({ kind: 'norm', name, channels: weight.shape[0] });
      continue;
    }
    if (weight.ndim !== 5)
      throw new Error(
        `The weight of '${name}' has the shape ${shape}; that of a Conv3d has five dimensions ` +
          `[out, in / groups, kx, ky, kz]. ${SUPPORTED}`,
      );
    const [outChannels, perGroup, ...kernel] = weight.shape;
    const inChannels = channels === 0 ? 1 : channels;
    const groups = inChannels / perGroup;
    if (!Number.isInteger(groups) || outChannels % groups !== 0)
      throw new Error(
        channels === 0
          ? `The first convolution, '${name}', has a weight of shape ${shape}: it takes ${perGroup} channels, ` +
              'but a volume here has one.'
          : `'${name}' has a weight of shape ${shape}: it takes ${perGroup} channels, but the layer before ` +
              `gives ${channels}. ${SUPPORTED} Networks with skip connections are none.`,
      );
    if (kernel.some((k) => k % 2 === 0))
      throw new Error(
        `'${name}' has a kernel of ${kernel.join(' × ')}: an even one cannot keep the size of the volume. ${SUPPORTED}`,
      );
    layers.push({
      kind: 'conv',
      name,
      inChannels,
      outChannels,
      kernel,
      groups,
      bias: tensors.has('bias'),
    });
    channels = outChannels;
  }
  if (!layers.some((layer) => layer.kind === 'conv'))
    throw new Error(`The checkpoint has no convolution. ${SUPPORTED}`);
  if (channels < 2 || channels > 255)
    throw new Error(
      `The last convolution gives ${channels} channel(s); one for each of 2 to 255 classes is needed.`,
    );
  return layers;
}

export const convsOf = (layers: readonly FoundLayer[]): FoundConv[] =>
  layers.filter((layer) => layer.kind === 'conv');

/**
 * MeshNet's schedule: dilations double towards the middle and halve after it (1, 2, 4, 8, 16, 8, 4, 2,
 * 1 for nine layers). Source: Fedorov et al., arXiv:1612.00940, in the symmetric form of brainchop.
 */
export function meshNetDilations(convs: readonly FoundConv[]): number[] {
  const wide = convs.filter(({ kernel }) => Math.max(...kernel) > 1).length;
  let at = 0;
  return convs.map(({ kernel }) => {
    if (Math.max(...kernel) === 1) return 1;
    const dilation = 2 ** Math.min(at, wide - 1 - at, 4);
    at++;
    return dilation;
  });
}

/** What is assumed where nothing is said, and the sentences that say so. */
export function assumedDescription(
  layers: readonly FoundLayer[],
  name: string,
): { readonly description: NetworkDescription; readonly assumed: string[] } {
  const convs = convsOf(layers);
  const dilations = meshNetDilations(convs);
  const classes = convs[convs.length - 1].outChannels;
  return {
    description: {
      name,
      dilations,
      activation: 'relu',
      normalize: 'max',
      classes: Array.from({ length: classes }, (_, i) => (i === 0 ? 'background' : `class ${i}`)),
    },
    assumed: [
      `dilations ${dilations.join(', ')} with as much padding`,
      'ReLU between the convolutions',
      'voxels divided by the largest one',
    ],
  };
}

const KEYS = ['name', 'dilations', 'activation', 'normalize', 'classes'];

/**
 * A description as people write it, over one that is complete.
 * @throws Error naming the entry that is wrong and what belongs there
 */
export function parseDescription(
  text: string,
  layers: readonly FoundLayer[],
  known: NetworkDescription,
): NetworkDescription {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `The description is no JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error(`The description must be an object with some of ${KEYS.join(', ')}.`);
  const entries = given as Record<string, unknown>;
  const surplus = Object.keys(entries).find((key) => !KEYS.includes(key));
  if (surplus !== undefined)
    throw new Error(`The description has '${surplus}', but knows ${KEYS.join(', ')}.`);
  const convs = convsOf(layers);
  const { name = known.name, dilations = known.dilations, classes = known.classes } = entries;
  const { activation = known.activation, normalize = known.normalize } = entries;
  if (typeof name !== 'string') throw new Error('The description: name must be a text.');
  if (!isListOf(dilations, convs.length, (d) => Number.isInteger(d) && Number(d) >= 1))
    throw new Error(
      `The description: dilations must be ${convs.length} whole numbers from 1, one for each convolution ` +
        `(${convs.map((conv) => conv.name).join(', ')}).`,
    );
  const count = convs[convs.length - 1].outChannels;
  if (!isListOf(classes, count, (c) => typeof c === 'string'))
    throw new Error(`The description: classes must be ${count} names.`);
  return {
    name,
    dilations: dilations as number[],
    activation: oneOf<Activation>('activation', activation, ACTIVATIONS),
    normalize: oneOf<Normalization>('normalize', normalize, NORMALIZATIONS),
    classes: classes as string[],
  };
}

const isListOf = (value: unknown, length: number, fits: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(fits);

function oneOf<T extends string>(key: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new Error(`The description: ${key} must be one of ${allowed.join(', ')}.`);
  return found;
}

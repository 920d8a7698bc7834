// A model as data: its layers in the order in which they run. Sizes flow from each layer to the next;
// a layer that is fed by something else (a skip, a branch) says what comes in.

import {
  argumentError,
  type DType,
  describe,
  isDType,
  type Needs,
  type Padding,
  perAxis,
  poolOutputSize,
} from '@voxgrad/core';
import { nearest } from '../profile/nearest.js';
import { checkLayer, type PlanLayer } from './layer.js';

/** One layer, with PyTorch's names in camelCase or snake_case. */
export interface ModelLayer {
  readonly name?: string;
  /** Class in `torch.nn`: `Conv3d`, `MaxPool3d`, `ReLU`, … */
  readonly type: string;
  /** What comes in, `[N, C, ...spatial]`; the output of the layer before if omitted. */
  readonly input?: readonly number[];
  readonly inChannels?: number;
  readonly outChannels?: number;
  readonly kernelSize?: number | readonly number[];
  readonly stride?: number | readonly number[];
  readonly padding?: Padding;
  readonly dilation?: number | readonly number[];
  readonly groups?: number;
  readonly bias?: boolean;
  readonly outputPadding?: number | readonly number[];
  readonly ceilMode?: boolean;
  readonly scaleFactor?: number | readonly number[];
  readonly size?: number | readonly number[];
  readonly outputSize?: number | readonly number[];
  readonly dtype?: DType;
  /** Which gradients are wanted of a convolution: of the input, the weight, the bias. */
  readonly needs?: Needs;
}

export interface ModelDescription {
  readonly name?: string;
  /** What the first layer gets, `[N, C, ...spatial]`. */
  readonly input?: readonly number[];
  readonly dtype?: DType;
  readonly layers: readonly ModelLayer[];
}

type Shape = readonly number[];

/** How the size changes along a layer; null where it is not known any more. */
type Flow = (layer: ModelLayer, shape: Shape) => Shape | null;

const FIELDS: readonly (keyof ModelLayer)[] = [
  ...(['name', 'type', 'input', 'inChannels', 'outChannels', 'kernelSize', 'stride'] as const),
  ...([
    'padding',
    'dilation',
    'groups',
    'bias',
    'outputPadding',
    'ceilMode',
    'scaleFactor',
  ] as const),
  ...(['size', 'outputSize', 'dtype', 'needs'] as const),
];

const same: Flow = (_, shape) => shape;

const pooled: Flow = (layer, shape) => {
  const rank = shape.length - 2;
  const each = (value: unknown, name: string) =>
    perAxis(value as number | readonly number[], rank, name, layer.type);
  const kernel = each(layer.kernelSize, 'kernel_size');
  const stride = each(layer.stride ?? layer.kernelSize, 'stride');
  const padding = each(layer.padding ?? 0, 'padding');
  const dilation = each(layer.dilation ?? 1, 'dilation');
  const ceil = layer.ceilMode ?? false;
  const size = (s: number, a: number) =>
    poolOutputSize(s, kernel[a], stride[a], padding[a], dilation[a], ceil);
  return [...shape.slice(0, 2), ...shape.slice(2).map(size)];
};

const adaptive: Flow = (layer, shape) => [
  ...shape.slice(0, 2),
  ...perAxis(
    layer.outputSize as number | readonly number[],
    shape.length - 2,
    'output_size',
    layer.type,
  ),
];

const upsampled: Flow = (layer, shape) => {
  const rank = shape.length - 2;
  if (layer.size !== undefined)
    return [...shape.slice(0, 2), ...perAxis(layer.size, rank, 'size', layer.type)];
  const { scaleFactor = 1 } = layer;
  const factors =
    typeof scaleFactor === 'number' ? shape.slice(2).map(() => scaleFactor) : scaleFactor;
  return [...shape.slice(0, 2), ...shape.slice(2).map((s, a) => Math.floor(s * factors[a]))];
};

const ranks = (name: string, flow: Flow): [string, Flow][] =>
  [1, 2, 3].map((rank) => [`${name}${rank}d`, flow]);
const each = (names: string, flow: Flow): [string, Flow][] =>
  names.split(' ').map((name) => [name, flow]);

const FLOWS: ReadonlyMap<string, Flow> = new Map([
  ...ranks('MaxPool', pooled),
  ...ranks('AvgPool', pooled),
  ...ranks('AdaptiveAvgPool', adaptive),
  ...ranks('AdaptiveMaxPool', adaptive),
  ...ranks('BatchNorm', same),
  ...ranks('InstanceNorm', same),
  ...ranks('Dropout', same),
  ...each('Upsample UpsamplingNearest2d UpsamplingBilinear2d', upsampled),
  ...each(
    'Identity ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softmax',
    same,
  ),
  ...each('LogSoftmax Softplus Hardswish Hardsigmoid Hardtanh Softsign Threshold', same),
  ...each('GroupNorm LayerNorm SyncBatchNorm Dropout AlphaDropout LocalResponseNorm', same),
  ...each('Flatten Unflatten Linear Bilinear Embedding MultiheadAttention LSTM GRU', () => null),
]);

const CONVOLUTION = /^Conv(Transpose)?([123])d$/;
const CONVOLUTIONS = ['', 'Transpose'].flatMap((t) => [1, 2, 3].map((rank) => `Conv${t}${rank}d`));

/** Every type that a description may hold. */
export const LAYER_TYPES: readonly string[] = [...CONVOLUTIONS, ...FLOWS.keys()];

const camel = (key: string) =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `value` as an object with known keys, which may be written in snake_case. */
function record(where: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw argumentError(`${where}: expected an object, but got ${describe(value)}`);
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const name = camel(key);
    if (known.includes(name)) return [name, item];
    throw argumentError(
      `${where}: unknown key ${JSON.stringify(key)}; the nearest known ones are ${nearest(name, known, 3).join(', ')}`,
    );
  });
  return Object.fromEntries(entries);
}

function sizes(where: string, value: unknown): Shape | undefined {
  if (value === undefined) return undefined;
  if (
    Array.isArray(value) &&
    value.length > 2 &&
    value.every((n) => Number.isSafeInteger(n) && n > 0)
  )
    return value;
  throw argumentError(
    `${where}: expected sizes [N, C, ...spatial], each a whole number above 0, but got ${describe(value)}`,
  );
}

function dtypeOf(where: string, value: unknown): DType | undefined {
  if (value === undefined) return undefined;
  const name = String(value).replace(/^torch\./, '');
  if (isDType(name)) return name;
  throw argumentError(
    `${where}: no dtype is called ${JSON.stringify(value)}; the nearest known are ` +
      nearest(name, ['float32', 'float16', 'bfloat16', 'float64'], 3).join(', '),
  );
}

/**
 * A description from parsed JSON.
 * @throws VoxgradError saying where it is no description, with the nearest known names
 */
export function checkModel(value: unknown): ModelDescription {
  const model = record('model', value, ['name', 'input', 'dtype', 'layers']);
  const { layers } = model;
  if (!Array.isArray(layers))
    throw argumentError(`model: expected a list "layers", but got ${describe(layers)}`);
  return {
    ...(typeof model.name === 'string' && { name: model.name }),
    input: sizes('model.input', model.input),
    dtype: dtypeOf('model.dtype', model.dtype),
    layers: layers.map((layer: unknown, i) => checkModelLayer(`layers[${i}]`, layer)),
  };
}

function checkModelLayer(where: string, value: unknown): ModelLayer {
  const layer = record(where, value, FIELDS);
  const { type } = layer;
  if (typeof type !== 'string' || !LAYER_TYPES.includes(type))
    throw argumentError(
      `${where}: no layer type is called ${describe(type)}; the nearest known ones are ` +
        `${nearest(String(type), LAYER_TYPES, 3).join(', ')}. What is not listed can be left out, if the ` +
        'next layer says its input',
    );
  const { needs } = layer;
  const areNeeds =
    Array.isArray(needs) && needs.length === 3 && needs.every((n) => typeof n === 'boolean');
  if (needs !== undefined && !areNeeds)
    throw argumentError(
      `${where}.needs: expected [input, weight, bias] as booleans, but got ${describe(needs)}`,
    );
  return {
    ...layer,
    type,
    input: sizes(`${where}.input`, layer.input),
    dtype: dtypeOf(`${where}.dtype`, layer.dtype),
  };
}

const count = (where: string, value: unknown): number => {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw argumentError(`${where}: expected a whole number above 0, but got ${describe(value)}`);
};

/** The convolutions of a model, with what comes into each. */
export function layersOf(description: ModelDescription): PlanLayer[] {
  const model = checkModel(description);
  let shape: Shape | null | undefined = model.input;
  let before = 'the model';
  const layers: PlanLayer[] = [];
  for (const [i, layer] of model.layers.entries()) {
    const name = layer.name ?? String(i);
    const where = `layers[${i}] (${name})`;
    const input: Shape | null | undefined = layer.input ?? shape;
    const convolution = CONVOLUTION.exec(layer.type);
    if (convolution) {
      if (!input)
        throw argumentError(
          `${where}: what comes in is not known after ${before}; say "input": [N, C, …]`,
        );
      const conv = convolutionOf(where, name, layer, input, model.dtype, convolution);
      layers.push(conv.layer);
      shape = conv.output;
    } else shape = input ? flow(where, layer, input) : input;
    before = `${layer.type} (${name})`;
  }
  return layers;
}

function flow(where: string, layer: ModelLayer, shape: Shape): Shape | null {
  try {
    return FLOWS.get(layer.type)?.(layer, shape) ?? null;
  } catch (error) {
    throw argumentError(`${where}: ${error instanceof Error ? error.message : error}`);
  }
}

function convolutionOf(
  where: string,
  name: string,
  layer: ModelLayer,
  input: Shape,
  dtype: DType | undefined,
  [, transposed, rankText]: readonly string[],
): { layer: PlanLayer; output: Shape } {
  const rank = Number(rankText);
  if (input.length !== rank + 2)
    throw argumentError(
      `${where}: ${layer.type} takes an input of ${rank + 2} dims, but ${describe(input)} comes in`,
    );
  const inChannels =
    layer.inChannels === undefined ? input[1] : count(`${where}.inChannels`, layer.inChannels);
  const outChannels = count(`${where}.outChannels`, layer.outChannels);
  const groups = layer.groups === undefined ? 1 : count(`${where}.groups`, layer.groups);
  if (layer.kernelSize === undefined) throw argumentError(`${where}: kernelSize is missing`);
  const kernel = perAxis(layer.kernelSize, rank, 'kernel_size', layer.type);
  const [first, second] = transposed ? [inChannels, outChannels] : [outChannels, inChannels];
  if (second % groups !== 0)
    throw argumentError(`${where}: ${second} channels cannot be divided into ${groups} groups`);
  const { stride, padding, dilation, outputPadding, bias = true } = layer;
  const planned: PlanLayer = {
    name,
    input,
    weight: [first, second / groups, ...kernel],
    groups,
    bias,
    ...(stride !== undefined && { stride }),
    ...(padding !== undefined && { padding }),
    ...(dilation !== undefined && { dilation }),
    ...(transposed && { transposed: true }),
    ...(transposed && outputPadding !== undefined && { outputPadding }),
    ...(layer.needs && { needs: layer.needs }),
    ...((layer.dtype ?? dtype) && { dtype: layer.dtype ?? dtype }),
  };
  const { geometry: g } = checkLayer(planned, 'float32').call;
  const size = transposed ? g.input : g.output;
  return { layer: planned, output: [input[0], outChannels, ...size.slice(3 - rank)] };
}

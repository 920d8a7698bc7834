// model.json, the description of a layers model of TensorFlow.js: the layers (`modelTopology`, as
// Keras writes it) and where the weights are (`weightsManifest`). Its own description is in the types
// of tfjs-core (io/types.ts, ModelJSON) and in Keras's `get_config`.
//
// Weights lie one after the other in groups; the files of a group, its shards, are its bytes cut into
// pieces. A weight may be quantised: `value = stored · scale + min`, or a float16.

import { bytesPer, type FileDType } from '../elements.js';
import { CheckpointError } from '../error.js';
import { inMessage, parseJson } from '../json.js';
import type { Source } from '../source.js';
import { MAX_DIMS } from '../value.js';

/** A layer as Keras describes it. */
export interface LayerConfig {
  readonly name: string;
  /** Such as `Conv3D`. */
  readonly className: string;
  /** What its constructor takes, under Keras's names (`kernel_size`, `padding`, …). */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of the layers whose outputs it takes; undefined in a Sequential model. */
  readonly inputs: readonly string[] | undefined;
}

export interface Topology {
  readonly layers: readonly LayerConfig[];
  /** Names of the layers whose outputs are the model's; undefined in a Sequential model. */
  readonly outputs: readonly string[] | undefined;
}

export interface Quantization {
  /** How the elements are stored. */
  readonly type: 'uint8' | 'uint16' | 'float16';
  readonly scale: number;
  readonly min: number;
}

export interface WeightEntry {
  readonly name: string;
  readonly shape: readonly number[];
  /** What it is once it is read; undefined where there is no counterpart. */
  readonly type: FileDType | undefined;
  /** As the file has it. */
  readonly dtype: string;
  readonly quantization: Quantization | undefined;
  /** Its bytes in those of the group. */
  readonly begin: number;
  readonly end: number;
}

export interface WeightGroup {
  /** Names of the shards, relative to model.json. */
  readonly paths: readonly string[];
  readonly weights: readonly WeightEntry[];
}

export interface Manifest {
  readonly topology: Topology;
  readonly groups: readonly WeightGroup[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** The topology of the largest published models takes a few. */
const MAX_JSON_BYTES = 64 * 2 ** 20;

const AGAIN =
  'Convert the Keras model again: tensorflowjs_converter --output_format=tfjs_layers_model';

/** Reads and checks a model.json. */
export async function readManifest(source: Source): Promise<Manifest> {
  if (source.size > MAX_JSON_BYTES)
    throw new CheckpointError(
      'LIMIT',
      `is a JSON text of ${source.size} bytes; ${MAX_JSON_BYTES} is the limit for a model.json`,
    );
  const model = parse(await source.read(0, source.size));
  const { modelTopology, weightsManifest, format } = model;
  if (format === 'graph-model' || (isRecord(modelTopology) && 'node' in modelTopology))
    throw new CheckpointError(
      'UNSUPPORTED',
      `is a graph model of TensorFlow.js, whose weights belong to operations and not to layers. ${AGAIN}`,
    );
  if (!Array.isArray(weightsManifest))
    throw corrupt(`has no list of weights (weightsManifest). ${AGAIN}`);
  const names = new Set<string>();
  const groups = weightsManifest.map((group: unknown) => groupOf(group, names));
  const texts = ['format', 'generatedBy', 'convertedBy'].flatMap((key): [string, string][] => {
    const text = model[key];
    return typeof text === 'string' ? [[key, text]] : [];
  });
  return { topology: topologyOf(modelTopology), groups, metadata: Object.fromEntries(texts) };
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const { value } = parseJson(bytes, 'the model.json');
  if (isRecord(value)) return value;
  throw corrupt('is not a JSON object');
}

function groupOf(group: unknown, names: Set<string>): WeightGroup {
  if (!isRecord(group) || !isTexts(group.paths) || !Array.isArray(group.weights))
    throw corrupt('has a group of weights without paths or weights');
  let at = 0;
  const weights = group.weights.map((weight: unknown) => {
    const entry = weightOf(weight, at);
    if (names.has(entry.name)) throw corrupt('is listed twice', entry.name);
    names.add(entry.name);
    at = entry.end;
    return entry;
  });
  return { paths: group.paths, weights };
}

/** Element types of unquantised weights (DTYPE_VALUE_SIZE_MAP in tfjs-core's io/types.ts). */
const TYPES: ReadonlyMap<string, FileDType> = new Map([
  ['float32', 'float32'],
  ['float16', 'float16'],
  ['int32', 'int32'],
  ['uint16', 'uint16'],
  ['uint8', 'uint8'],
  ['bool', 'bool'],
]);

const COMPLEX_BYTES = 8;

function weightOf(weight: unknown, begin: number): WeightEntry {
  if (!isRecord(weight) || typeof weight.name !== 'string')
    throw corrupt('lists a weight without a name');
  const { name, shape, dtype } = weight;
  if (!isSizes(shape) || shape.length > MAX_DIMS)
    throw corrupt(`has no shape of up to ${MAX_DIMS} non-negative integers`, name);
  const type = typeof dtype === 'string' ? TYPES.get(dtype) : undefined;
  if (typeof dtype !== 'string' || (type === undefined && dtype !== 'complex64'))
    throw new CheckpointError(
      'UNSUPPORTED',
      `has the dtype ${inMessage(dtype)}, whose size in the file is not known`,
      { entry: name },
    );
  const quantization = quantizationOf(weight.quantization, dtype, name);
  const stored = quantization?.type ?? type;
  // In bigints: the product of hostile sizes must not wrap or round.
  const unit = BigInt(stored === undefined ? COMPLEX_BYTES : bytesPer(stored));
  const end = BigInt(begin) + shape.reduce((product, n) => product * BigInt(n), unit);
  if (end > Number.MAX_SAFE_INTEGER)
    throw corrupt(`of shape [${shape.join(', ')}] is larger than a file can be`, name);
  return { name, shape, type, dtype, quantization, begin, end: Number(end) };
}

function quantizationOf(value: unknown, dtype: string, name: string): Quantization | undefined {
  if (value === undefined || value === null) return undefined;
  const { dtype: type, scale, min } = isRecord(value) ? value : {};
  if (type === 'float16' && dtype === 'float32') return { type, scale: 1, min: 0 };
  const isStored = type === 'uint8' || type === 'uint16';
  if (isStored && (dtype === 'float32' || dtype === 'int32'))
    if (typeof scale === 'number' && typeof min === 'number') return { type, scale, min };
  throw corrupt(
    `has a quantization of ${dtype} that is none: ${inMessage(value)}. uint8 and uint16 with ` +
      'scale and min are known, and float16',
    name,
  );
}

function topologyOf(modelTopology: unknown): Topology {
  const outer = isRecord(modelTopology) ? modelTopology : {};
  // Converted models wrap what Keras wrote, saved ones do not.
  const model = isRecord(outer.model_config) ? outer.model_config : outer;
  const config = model.config;
  const layers = isRecord(config) ? config.layers : config; // a bare list in older Sequentials
  if (!Array.isArray(layers))
    throw corrupt(`has no list of layers (modelTopology.model_config.config.layers). ${AGAIN}`);
  const outputs = isRecord(config) ? config.output_layers : undefined;
  const described = layers.map(layerOf);
  const names = new Set<string>();
  for (const { name } of described) {
    if (names.has(name)) throw corrupt('is the name of two layers', name);
    names.add(name);
  }
  return {
    layers: described,
    outputs: Array.isArray(outputs) ? outputs.map(linkOf) : undefined,
  };
}

function layerOf(layer: unknown): LayerConfig {
  const {
    class_name: className,
    config,
    name,
    inbound_nodes: nodes,
  } = isRecord(layer) ? layer : {};
  if (typeof className !== 'string' || !isRecord(config))
    throw corrupt('has a layer without class_name or config');
  const named = name ?? config.name;
  if (typeof named !== 'string') throw corrupt(`has a ${className} without a name`);
  const inputs = Array.isArray(nodes) ? nodes.flatMap((node) => inputsOf(node, named)) : undefined;
  return { name: named, className, config, inputs };
}

function inputsOf(node: unknown, layer: string): string[] {
  if (Array.isArray(node)) return node.map(linkOf);
  throw new CheckpointError(
    'UNSUPPORTED',
    'is connected in the way of Keras 3. Save the model with Keras 2 (pip install tf-keras)',
    { entry: layer },
  );
}

/** `["conv", 0, 0]`: a layer, which of its uses, and which of its outputs. */
function linkOf(link: unknown): string {
  const [name] = Array.isArray(link) ? (link as unknown[]) : [];
  if (typeof name === 'string') return name;
  throw corrupt('connects layers in an unknown way');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);

const corrupt = (text: string, entry?: string) => new CheckpointError('CORRUPT', text, { entry });

// A network of TensorFlow.js's layers-model format as a module. It stands in this package because it
// takes both files, which `checkpoint` reads, and modules, which `nn` has; neither knows the other.

import {
  CheckpointError,
  type CheckpointSource,
  type LayerConfig,
  readLayersModel,
  type SourceOptions,
  type Topology,
} from '@voxgrad/checkpoint';
import type { DeviceLike } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { refused } from './config.js';
import { build, type Place } from './layers.js';

/**
 * Reads a layers model of TensorFlow.js, `model.json` with the files that it names, as a module: a
 * Sequential of its layers, under their names, in evaluation mode. The input is `[N, C, D, H, W]`,
 * channels first, also where the model's own is channels last.
 *
 * @param source a path (in Node) or address of the model.json, or all files by their names
 * @throws CheckpointError if a file cannot be read, if a layer has no counterpart (named, with what to
 *   do), or if the layers do not form a chain
 */
export async function loadLayersModel(
  source: CheckpointSource,
  options: SourceOptions & { readonly device?: DeviceLike } = {},
): Promise<nn.Sequential> {
  const { topology, weights } = await readLayersModel(source, options);
  const modules = new Map<string, nn.Module>();
  const chain = chainOf(topology);
  let rank = rankOf(chain);
  const channelsFirst = chain.some(({ config }) => config.data_format === 'channels_first');
  for (const layer of chain) {
    const name = layer.name.replaceAll('.', '_');
    const place: Place = { rank, channelsFirst, name, weights };
    const built = build(layer, place);
    for (const [key, module] of built.modules) {
      if (modules.has(key)) throw refused(layer, `would be the second module called ${key}`);
      modules.set(key, module);
    }
    rank = built.rank ?? rank;
  }
  const model = new nn.Sequential(modules);
  if (options.device !== undefined) model.to(options.device);
  const { missingKeys, unexpectedKeys } = model.loadStateDict(weights, { strict: false });
  // A batch norm may be without scale or centre, which one and zero stand for, and counts no batches.
  const missing = missingKeys.filter((key) => !isOptional(key, model));
  if (missing.length > 0 || unexpectedKeys.length > 0)
    throw new CheckpointError(
      'CORRUPT',
      `the weights do not belong to the layers: ${[
        ...missing.map((key) => `${key} is missing`),
        ...unexpectedKeys.map((key) => `${key} belongs to none`),
      ].join(', ')}`,
    );
  return model.eval();
}

const BATCH_NORMS = [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d];

function isOptional(key: string, model: nn.Module): boolean {
  const [, name = '', own = ''] = /^(.*)\.([^.]*)$/.exec(key) ?? [];
  const module = model.getSubmodule(name);
  return (
    BATCH_NORMS.some((norm) => module instanceof norm) &&
    ['weight', 'bias', 'num_batches_tracked'].includes(own)
  );
}

/** The layers in the order in which they run, if each takes the output of the one before. */
function chainOf({ layers, outputs }: Topology): readonly LayerConfig[] {
  if (outputs === undefined) return layers;
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const chain: LayerConfig[] = [];
  let next: readonly string[] = outputs;
  while (next.length > 0) {
    const layer = byName.get(next[0]);
    if (layer === undefined)
      throw new CheckpointError('CORRUPT', 'is connected, but not among the layers', {
        entry: next[0],
      });
    if (next.length > 1) throw branching(chain.at(-1) ?? layer);
    // Each is taken once, so that a circle ends.
    byName.delete(next[0]);
    chain.push(layer);
    next = layer.inputs ?? [];
  }
  const [left] = byName.values();
  if (left !== undefined) throw branching(left);
  return chain.reverse();
}

const branching = (layer: LayerConfig): CheckpointError =>
  refused(layer, 'is a branch, and only layers one after another can be put together');

/** Spatial axes of the input, by what the layers say. */
function rankOf(chain: readonly LayerConfig[]): number {
  for (const { className, config } of chain) {
    const shape = config.batch_input_shape ?? config.batch_shape;
    if (Array.isArray(shape)) return Math.max(shape.length - 2, 0);
    const [, rank] = /([123])D/.exec(className) ?? [];
    if (rank !== undefined) return Number(rank);
  }
  return 0;
}

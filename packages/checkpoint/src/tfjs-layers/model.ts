import { checkOptions, type DeviceLike, getDevice, StateDict } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { withCheckpoint } from '../open.js';
import type { CheckpointSource, SourceOptions } from '../source.js';
import type { Topology } from './manifest.js';

export interface LayersModel {
  readonly topology: Topology;
  /** Under PyTorch's names and in its layouts: `<layer>.weight`, `<layer>.running_mean`, … */
  readonly weights: StateDict;
}

/**
 * Reads a layers model of TensorFlow.js, `model.json` with the files that it names: the layers as
 * Keras describes them, and their weights as PyTorch lays them out.
 *
 * @param source a path (in Node) or address of the model.json, or all files by their names
 * @throws CheckpointError saying what the file is, where it broke and what to do
 */
export async function readLayersModel(
  source: CheckpointSource,
  options: SourceOptions & { readonly device?: DeviceLike } = {},
): Promise<LayersModel> {
  checkOptions('readLayersModel', options, ['device', 'signal', 'headers', 'expansionLimit']);
  const device = getDevice(options.device);
  return withCheckpoint(source, options, async ({ format, topology, load }) => {
    if (topology === undefined)
      throw new CheckpointError(
        'FORMAT',
        `is a file of the format ${format}, not the model.json of a layers model. load() reads it`,
      );
    const weights = await load({
      device,
      stripPrefixes: false,
      pickledModules: false,
      wanted: () => true,
      report({ name, unreadable }) {
        throw new CheckpointError('UNSUPPORTED', unreadable ?? 'cannot be read', { entry: name });
      },
    });
    if (weights instanceof StateDict) return { topology, weights };
    throw new TypeError('a layers model holds named tensors');
  });
}

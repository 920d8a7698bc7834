// The layers-model format of TensorFlow.js: a model.json and the files that it names.

import { contiguousStrides, type Device, fromHost, Storage, Tensor } from '@voxgrad/core';
import { dtypeFor, elementsFrom } from '../elements.js';
import { CheckpointError } from '../error.js';
import type { Checkpoint, TensorInfo } from '../format.js';
import { type NamedTensor, namedTensors } from '../named-tensors.js';
import type { Source } from '../source.js';
import { type Layout, layoutOf } from './layouts.js';
import { type LayerConfig, readManifest, type WeightEntry, type WeightGroup } from './manifest.js';
import { ShardReader } from './shards.js';

/** Opens a model.json; it loads as a StateDict with PyTorch's names and layouts. */
export async function openTfjsLayers(source: Source): Promise<Checkpoint> {
  const { topology, groups, metadata } = await readManifest(source);
  const layers = new Map(topology.layers.map((layer) => [layer.name, layer]));
  const parts = groups.map((group) => new GroupOfTensors(source, group, layers));
  const whole = namedTensors(
    'tfjs-layers',
    parts.flatMap(({ tensors }) => tensors),
    { metadata },
  );
  refuseTwins(whole.tensors);
  return {
    ...whole,
    topology,
    async load(options) {
      try {
        const value = await whole.load(options);
        for (const part of parts) await part.finish();
        return value;
      } finally {
        for (const part of parts) await part.close();
      }
    },
  };
}

/** Two weights of one layer may become one name, as `kernel` and `kernel_1` would. */
function refuseTwins(tensors: readonly TensorInfo[]): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name))
      throw new CheckpointError('UNSUPPORTED', 'is what two weights would be called', {
        entry: name,
      });
    names.add(name);
  }
}

class GroupOfTensors {
  readonly tensors: readonly NamedTensor[];
  readonly #source: Source;
  readonly #group: WeightGroup;
  #reader: ShardReader | undefined;

  constructor(source: Source, group: WeightGroup, layers: ReadonlyMap<string, LayerConfig>) {
    this.#source = source;
    this.#group = group;
    const entry = group.paths.length === 1 ? group.paths[0] : undefined;
    this.tensors = group.weights.map((weight): NamedTensor => {
      const layout = layoutOf(weight.name, weight.shape, layers);
      const info = { ...infoOf(weight, layout), ...(entry !== undefined && placed(weight, entry)) };
      if (info.unreadable !== undefined) return { info };
      return { info, read: (device) => this.#read(weight, layout, device) };
    });
  }

  async #read(weight: WeightEntry, layout: Layout, device: Device): Promise<Tensor> {
    this.#reader ??= new ShardReader(this.#source, this.#group.paths);
    const { begin, end, name } = weight;
    const tensor = tensorOf(weight, await this.#reader.read(begin, end, name), device);
    return layout.permutation === undefined
      ? tensor
      : tensor.permute(layout.permutation).contiguous();
  }

  /** Checks, of a group of which anything was read, that nothing is left over. */
  async finish(): Promise<void> {
    await this.#reader?.expectSize(this.#group.weights.at(-1)?.end ?? 0);
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = undefined;
  }
}

const placed = ({ begin, end }: WeightEntry, entry: string) =>
  ({ bytes: [begin, end], entry }) as const;

function infoOf({ type, dtype, shape }: WeightEntry, { name, permutation }: Layout): TensorInfo {
  const axes = permutation ?? shape.map((_, axis) => axis);
  const strides = contiguousStrides(shape);
  return {
    name,
    dtype: type ?? dtype,
    shape: axes.map((axis) => shape[axis]),
    ...(permutation !== undefined && { strides: axes.map((axis) => strides[axis]) }),
    ...(type === undefined && {
      unreadable: 'holds complex numbers, which have no dtype here. Save its parts as two weights',
    }),
  };
}

/** The weight as it is in Keras; `bytes` become its own. */
function tensorOf(weight: WeightEntry, bytes: Uint8Array<ArrayBuffer>, device: Device): Tensor {
  const { type = 'float32', shape, quantization } = weight;
  const stored = quantization?.type ?? type;
  const storage = new Storage(dtypeFor(stored), elementsFrom(bytes, stored, 'little'));
  const tensor = new Tensor({ storage, device, shape });
  if (quantization === undefined) return tensor;
  if (quantization.type === 'float16') return tensor.to('float32');
  const { scale, min } = quantization;
  // In double precision, rounded once, as TensorFlow.js does it.
  const { array } = storage;
  const values = Float64Array.from(
    { length: array.length },
    (_, i) => Number(array[i]) * scale + min,
  );
  const rounded =
    type === 'int32' ? Int32Array.from(values, Math.round) : Float32Array.from(values);
  return fromHost(rounded, dtypeFor(type), shape, { device });
}

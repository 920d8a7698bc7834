// Which storages a .pt file gets, and where in them each tensor lies: those of the tensors as they
// are, or no more of them than the tensors look into.

import { bytesPerElement, contiguousStrides, type DType, type Tensor } from '@voxgrad/core';
import type { Pieces } from '../write/contents.js';
import { storagePieces, tensorPieces } from '../write/elements.js';
import { spanOf } from './describe.js';

/** A storage of a file. Tensors that are placed in the same one share its elements. */
export interface SavedStorage {
  readonly dtype: DType;
  /** Elements. */
  readonly length: number;
  pieces(): Pieces;
}

/** Where a tensor's elements are in what is saved. */
export interface Placed {
  readonly storage: SavedStorage;
  readonly strides: readonly number[];
  readonly offset: number;
}

export type Layout = (tensor: Tensor) => Placed;

export const bytesIn = ({ dtype, length }: SavedStorage): number => length * bytesPerElement(dtype);

/** As torch.save does it: every storage as it is, and whole, however little of it is looked into. */
export function wholeStorages(): Layout {
  const saved = new Map<object, SavedStorage>();
  return (tensor) => {
    if (!isReadable(tensor)) return alone(tensor);
    const { strides, offset } = tensor;
    const storage = saved.get(tensor.storage) ?? stretchOf(tensor, 0, tensor.storage.length);
    saved.set(tensor.storage, storage);
    return { storage, strides, offset };
  };
}

/**
 * No more than `tensors`, all that are saved, look into. Those that overlap keep sharing the stretch
 * of elements from the first to the last of them; others part. A tensor with gaps that overlaps with
 * nothing but itself is packed.
 */
export function compactStorages(tensors: readonly Tensor[]): Layout {
  const groups = new Map<object, Tensor[]>();
  for (const tensor of tensors) {
    if (tensor.numel === 0 || !isReadable(tensor)) continue;
    const group = groups.get(tensor.storage) ?? [];
    group.push(tensor);
    groups.set(tensor.storage, group);
  }
  const layout = new Map<Tensor, Placed>();
  for (const group of groups.values())
    for (const cluster of clustersOf(group))
      for (const [tensor, placed] of placeCluster(cluster)) layout.set(tensor, placed);
  return (tensor) => layout.get(tensor) ?? alone(tensor);
}

interface Span {
  readonly tensor: Tensor;
  /** Elements of its storage: the first, and the one after the last. */
  readonly begin: number;
  readonly end: number;
}

/** Tensors over one storage, parted where none of them reaches over. */
function clustersOf(tensors: readonly Tensor[]): Span[][] {
  const spans = tensors.map((tensor) => {
    const [begin, end] = spanOf(tensor);
    return { tensor, begin, end };
  });
  spans.sort((a, b) => a.begin - b.begin);
  const clusters: Span[][] = [];
  let reach = 0;
  for (const span of spans) {
    const cluster = clusters.at(-1);
    if (cluster !== undefined && span.begin < reach) cluster.push(span);
    else clusters.push([span]);
    reach = cluster === undefined ? span.end : Math.max(reach, span.end);
  }
  return clusters;
}

function placeCluster(cluster: readonly Span[]): [Tensor, Placed][] {
  const [{ tensor, begin }] = cluster;
  const end = cluster.reduce((last, span) => Math.max(last, span.end), 0);
  const isOneView = cluster.every(({ tensor: other }) => isSameView(other, tensor));
  if (isOneView && tensor.numel < end - begin) {
    const placed = alone(tensor);
    return cluster.map((span) => [span.tensor, placed]);
  }
  const storage = stretchOf(tensor, begin, end);
  return cluster.map((span) => {
    const { strides, offset } = span.tensor;
    return [span.tensor, { storage, strides, offset: offset - begin }];
  });
}

const isSameView = (a: Tensor, b: Tensor): boolean =>
  a.offset === b.offset &&
  String(a.shape) === String(b.shape) &&
  String(a.strides) === String(b.strides);

/** Of a device that cannot be read at once, only a tensor's own elements can be had. */
const isReadable = ({ device }: Tensor): boolean => device.capabilities.synchronous;

function stretchOf(tensor: Tensor, begin: number, end: number): SavedStorage {
  return {
    dtype: tensor.dtype,
    length: end - begin,
    pieces: () => storagePieces(tensor, begin, end),
  };
}

/** A tensor in a storage of its own, in row-major order. */
function alone(tensor: Tensor): Placed {
  const { dtype, numel, shape } = tensor;
  const storage = { dtype, length: numel, pieces: () => tensorPieces(tensor) };
  return { storage, strides: contiguousStrides(shape), offset: 0 };
}

// What the two directions of Winograd's algorithm share: a padded source in slabs, gone through in
// batches of tile rows that fit a cache.

import type { Call } from '../../../memory/call.js';
import type { Engine } from '../../engine.js';
import type { Axes, ProblemAxis, Triple } from '../problem.js';
import {
  type Chunk,
  chunksOf,
  type Layout,
  layoutOf,
  loadSlab,
  placeOf,
  type Slab,
} from '../slab.js';
import { pointsOf, UNIT_OUTPUTS, type Winograd } from './algorithms.js';
import { tilesAlong } from './choice.js';
import { type PointLayout, pointLayout, scratchBytes } from './points.js';
import {
  TILES_ARGUMENTS,
  type TilesArguments,
  type TilesShape,
  tilesKernel,
} from './tiles-kernel.js';

/** Bytes of the transformed numbers of a batch, about: they stay in the cache for the products. */
const BATCH_BYTES = 2.5 * 2 ** 20;

/** Tiles of an image, and how they are gone through. */
export interface Tiling {
  readonly winograd: Winograd;
  /** Tile rows along D and H, and units of a tile row. */
  readonly deep: number;
  readonly high: number;
  readonly units: number;
  /** Tile rows of a batch; its units are an even number. */
  readonly rows: number;
}

/** `channels`: of inputs and outputs together, in a group. */
export function tilingOf(winograd: Winograd, [D, H, W]: Axes, channels: number): Tiling {
  const units = tilesAlong(W, UNIT_OUTPUTS);
  const even = units % 2 === 0 ? 1 : 2;
  const rowBytes = 16 * pointsOf(winograd) * channels * units;
  const wanted = Math.max(1, Math.round(BATCH_BYTES / rowBytes / even));
  return {
    winograd,
    deep: tilesAlong(D, winograd.depth.outputs),
    high: tilesAlong(H, winograd.height.outputs),
    units,
    rows: wanted * even,
  };
}

/** Tile rows of a chunk. */
export const rowsOf = ({ winograd, high }: Tiling, { depths }: Chunk): number =>
  Math.ceil(depths / winograd.depth.outputs) * high;

export const pairsOf = ({ rows, units }: Tiling): number => (rows * units) / 2;

/** `axes` with whole tiles: what is read past the source counts as zeros. */
const wholeTiles = ({ winograd, deep, high, units }: Tiling, [D, H, W]: Axes): Axes => {
  const counted = (axis: ProblemAxis, count: number) => ({ ...axis, count });
  return [
    counted(D, deep * winograd.depth.outputs),
    counted(H, high * winograd.height.outputs),
    counted(W, units * UNIT_OUTPUTS),
  ];
};

/** A source whose tiles are transformed batch by batch. */
export interface TileSource {
  readonly layout: Layout;
  /** Groups of channels and depths that go through one slab together, each of one group. */
  readonly chunks: readonly Chunk[];
  readonly channels: number;
  /** What the first tap of the first output reads. */
  readonly origin: Triple;
}

/** The tiles that `axes` read from a source of `channels` channels in each group. */
export function tileSource(
  tiling: Tiling,
  axes: Axes,
  source: Triple,
  groups: number,
  channels: number,
): TileSource {
  const layout = layoutOf('float32', source, [wholeTiles(tiling, axes)], { wholeRows: true });
  const outputs = tiling.winograd.depth.outputs;
  const [first] = chunksOf(layout, groups, channels);
  // Depths of a chunk are whole tiles; chunks may be a little larger than the slab likes.
  const depths = Math.ceil(first.depths / outputs) * outputs;
  const most = tiling.deep * outputs;
  const chunks: Chunk[] = [];
  for (let group = 0; group < groups; group++)
    for (let depth = 0; depth < most; depth += depths)
      chunks.push({ group, groups: 1, depth, depths: Math.min(depths, most - depth) });
  return {
    layout,
    chunks,
    channels,
    origin: [axes[0].taps[0].at, axes[1].taps[0].at, axes[2].taps[0].at],
  };
}

interface Loaded {
  readonly slab: Slab;
  /** Where the first tile begins. */
  readonly start: number;
  readonly rows: number;
}

/** Brings what a chunk reads into a slab. */
export function load(
  engine: Engine,
  call: Call,
  tiling: Tiling,
  { layout, channels, origin }: TileSource,
  chunk: Chunk,
  pointer: number,
  size: Triple,
): Loaded {
  const slab = loadSlab(engine, call, layout, chunk, { pointer, size, groups: 1, channels });
  const start = slab.start + placeOf(layout, slab)(0, ...origin);
  return { slab, start, rows: rowsOf(tiling, chunk) };
}

/** Room for the transformed tiles of a batch. */
export interface Transformed extends PointLayout {
  readonly pointer: number;
  readonly channels: number;
  /** `scratchBytes` of each item that transforms them. */
  readonly scratch: number;
}

export function room(call: Call, tiling: Tiling, points: number, channels: number): Transformed {
  const layout = pointLayout(channels, pairsOf(tiling) * 2);
  const pointer = call.workspace(points * layout.point);
  const scratch = call.workspace(itemsOf(tiling, channels) * scratchBytes(tiling.winograd));
  return { ...layout, channels, pointer, scratch };
}

export function dropRoom(call: Call, { pointer, scratch }: Transformed): void {
  call.drop(pointer);
  call.drop(scratch);
}

/** Channels of an item: enough items for the threads, and neighbours that share cache lines. */
export const CHANNELS_PER_ITEM = 4;

/** Items of a batch: blocks of channels of each tile row. */
export const itemsOf = ({ rows }: Tiling, channels: number): number =>
  rows * Math.ceil(channels / CHANNELS_PER_ITEM);

/** Transforms the tiles of a batch. */
export function transformTiles(
  engine: Engine,
  tiling: Tiling,
  of: TilesShape['of'],
  { slab, start, rows }: Loaded,
  firstRow: number,
  channels: number,
  target: Transformed,
): void {
  const blocks = Math.ceil(target.channels / CHANNELS_PER_ITEM);
  const args: TilesArguments = {
    source: start,
    target: target.pointer,
    scratch: target.scratch,
    rows,
    firstRow,
    rowsHigh: tiling.high,
    units: tiling.units,
    pair: target.pair,
    channels,
    padded: target.channels,
    channelBlocks: blocks,
    channelsPerBlock: CHANNELS_PER_ITEM,
    channelStride: slab.channel,
    depthStride: slab.depth,
    rowStride: slab.row,
  };
  engine.team.run(
    tilesKernel(engine, { winograd: tiling.winograd, of, point: target.point }),
    itemsOf(tiling, target.channels),
    TILES_ARGUMENTS.map((name) => args[name]),
  );
}

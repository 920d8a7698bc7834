// A convolution as a sum of smaller ones. The form ⟨g, conv(x, w)⟩ is a sum over output positions,
// batch and channels; a piece keeps a range of each. It reads the part of x under its windows, and
// what those reach beyond x stays padding. So every gradient of the whole is the sum of the pieces'
// gradients, each where its piece stood, and no product is computed twice.

import {
  AXES,
  type ConvGeometry,
  dilatedKernel,
  mapTriple,
  type Pair,
  type Triple,
  volume,
} from '../../ops/conv/geometry.js';

/** What a call can be split along; `out` and `in` are the channels of one group. */
export const SPLIT_AXES = ['batch', 'groups', 'out', 'in', 'depth', 'height', 'width'] as const;
export type SplitAxis = (typeof SPLIT_AXES)[number];

/** How much of each axis one piece has at most; spatial axes count output positions. */
export type Grid = Readonly<Record<SplitAxis, number>>;

/** A range of one axis. */
interface Range {
  readonly from: number;
  readonly size: number;
}

/** A range of output positions, and what it reads along that axis. */
interface SpatialTile {
  readonly output: Range;
  readonly input: Range;
  /** How far its windows reach beyond the input. */
  readonly padding: Pair;
}

interface ChannelTile {
  readonly groups: number;
  /** Channels of the output, of the input, and of the weight's second axis. */
  readonly out: Range;
  readonly in: Range;
  readonly perGroup: Range;
}

/** One smaller convolution and where it stands in the whole. */
export interface Piece {
  readonly geometry: ConvGeometry;
  readonly batch: Range;
  readonly channels: ChannelTile;
  readonly spatial: readonly [SpatialTile, SpatialTile, SpatialTile];
  /** Zeros put around the input beforehand, where the device pads both sides alike. */
  readonly margins: readonly [Pair, Pair, Pair];
}

/** A grid, and whether its pieces get their uneven padding as explicit zeros. */
export interface Split {
  readonly grid: Grid;
  readonly evenPadding: boolean;
}

export const wholeGrid = (g: ConvGeometry): Grid => ({
  batch: Math.max(1, g.batch),
  groups: g.groups,
  out: g.outChannels / g.groups,
  in: g.inChannels / g.groups,
  depth: g.output[0],
  height: g.output[1],
  width: g.output[2],
});

/** `grid` with pieces of `size` along `axis`; channels within a group need one group to a piece. */
export const withTile = (grid: Grid, axis: SplitAxis, size: number): Grid => ({
  ...grid,
  ...(axis === 'out' || axis === 'in' ? { groups: 1 } : {}),
  [axis]: size,
});

const ranges = (total: number, size: number): Range[] =>
  total === 0
    ? [{ from: 0, size: 0 }]
    : Array.from({ length: Math.ceil(total / size) }, (_, i) => ({
        from: i * size,
        size: Math.min(size, total - i * size),
      }));

/** What the outputs `[first, first + count)` of an axis read of the input: `[from, to)`, and beyond. */
function readRange(g: ConvGeometry, axis: 0 | 1 | 2, first: number, count: number) {
  const start = first * g.stride[axis] - g.padding[axis][0];
  const end =
    start + (count - 1) * g.stride[axis] + dilatedKernel(g.kernel[axis], g.dilation[axis]);
  const [from, to] = [Math.max(0, start), Math.min(g.input[axis], end)];
  return { from, to, before: from - start, after: end - to };
}

/** What some outputs of an axis read; undefined where that lies in the padding alone. */
function spatialTile(g: ConvGeometry, axis: 0 | 1 | 2, output: Range): SpatialTile | undefined {
  const { from, to, before, after } = readRange(g, axis, output.from, output.size);
  if (from >= to) return undefined;
  return { output, input: { from, size: to - from }, padding: [before, after] };
}

/** The tiles of one spatial axis; those that lie in the padding alone contribute nothing. */
const spatialTiles = (g: ConvGeometry, axis: 0 | 1 | 2, size: number): SpatialTile[] =>
  ranges(g.output[axis], size).flatMap((output) => spatialTile(g, axis, output) ?? []);

/** Channels of a range of groups, of which several at once have all theirs. */
function channelTile(
  g: ConvGeometry,
  { from, size: groups }: Range,
  out: Range,
  perGroup: Range,
): ChannelTile {
  const [co, ci] = [g.outChannels / g.groups, g.inChannels / g.groups];
  return {
    groups,
    out: { from: from * co + out.from, size: groups * out.size },
    in: { from: from * ci + perGroup.from, size: groups * perGroup.size },
    perGroup,
  };
}

/** Sizes of tiles of the channels of one group, where a piece has `groups`. */
const channelSizes = (
  g: ConvGeometry,
  grid: Grid,
  groups: number,
): [out: number, within: number] =>
  groups === 1 ? [grid.out, grid.in] : [g.outChannels / g.groups, g.inChannels / g.groups];

function channelTiles(g: ConvGeometry, grid: Grid): ChannelTile[] {
  const [co, ci] = [g.outChannels / g.groups, g.inChannels / g.groups];
  return ranges(g.groups, grid.groups).flatMap((groups) => {
    const [out, within] = channelSizes(g, grid, groups.size);
    return ranges(co, out).flatMap((o) =>
      ranges(ci, within).map((i) => channelTile(g, groups, o, i)),
    );
  });
}

/** The padding that a device adds itself, and the zeros that are put around beforehand. */
const even = ([lo, hi]: Pair, evenPadding: boolean): [Pair, Pair] => {
  const common = Math.min(lo, hi);
  return evenPadding && lo !== hi
    ? [
        [common, common],
        [lo - common, hi - common],
      ]
    : [
        [lo, hi],
        [0, 0],
      ];
};

function pieceOf(
  g: ConvGeometry,
  batch: Range,
  channels: ChannelTile,
  spatial: Piece['spatial'],
  evenPadding: boolean,
): Piece {
  const pads = mapTriple((a) => even(spatial[a].padding, evenPadding));
  const margins = mapTriple<Pair>((a) => pads[a][1]);
  return {
    batch,
    channels,
    spatial,
    margins,
    geometry: {
      ...g,
      batch: batch.size,
      groups: channels.groups,
      inChannels: channels.in.size,
      outChannels: channels.out.size,
      input: mapTriple((a) => spatial[a].input.size + margins[a][0] + margins[a][1]),
      output: mapTriple((a) => spatial[a].output.size),
      padding: mapTriple<Pair>((a) => pads[a][0]),
    },
  };
}

interface Tiles {
  readonly batch: Range[];
  readonly channels: ChannelTile[];
  readonly spatial: [SpatialTile[], SpatialTile[], SpatialTile[]];
}

const tilesOf = (g: ConvGeometry, grid: Grid): Tiles => ({
  batch: ranges(g.batch, grid.batch),
  channels: channelTiles(g, grid),
  spatial: [
    spatialTiles(g, 0, grid.depth),
    spatialTiles(g, 1, grid.height),
    spatialTiles(g, 2, grid.width),
  ],
});

function* combine(g: ConvGeometry, tiles: Tiles, evenPadding: boolean): Generator<Piece> {
  const [depths, heights, widths] = tiles.spatial;
  for (const batch of tiles.batch)
    for (const channels of tiles.channels)
      for (const d of depths)
        for (const h of heights)
          for (const w of widths) yield pieceOf(g, batch, channels, [d, h, w], evenPadding);
}

/** All pieces, in order. */
export const pieces = (g: ConvGeometry, { grid, evenPadding }: Split): Generator<Piece> =>
  combine(g, tilesOf(g, grid), evenPadding);

/** The only piece of a split that is none: it is the call itself, but for unread elements. */
export function wholePiece(g: ConvGeometry, split: Split): Piece | undefined {
  const whole = wholeGrid(g);
  if (SPLIT_AXES.some((axis) => split.grid[axis] < whole[axis])) return undefined;
  const [only] = pieces(g, split);
  return only && AXES.every((a) => only.geometry.input[a] === g.input[a]) ? only : undefined;
}

/** Tiles of one kind: the first of them, and how many there are. */
type Kind<T> = readonly [tile: T, repeats: number];

/** The kinds of {@link ranges}, the largest first. */
function rangeKinds(total: number, size: number): Kind<Range>[] {
  if (total === 0) return [[{ from: 0, size: 0 }, 1]];
  const whole = Math.floor(total / size);
  const rest = total - whole * size;
  return [
    ...(whole > 0 ? [[{ from: 0, size }, whole] as const] : []),
    ...(rest > 0 ? [[{ from: whole * size, size: rest }, 1] as const] : []),
  ];
}

function channelKinds(g: ConvGeometry, grid: Grid): Kind<ChannelTile>[] {
  const [co, ci] = [g.outChannels / g.groups, g.inChannels / g.groups];
  return rangeKinds(g.groups, grid.groups).flatMap(([groups, n]) => {
    const [out, within] = channelSizes(g, grid, groups.size);
    return rangeKinds(co, out).flatMap(([o, m]) =>
      rangeKinds(ci, within).map(([i, k]) => [channelTile(g, groups, o, i), n * m * k] as const),
    );
  });
}

/**
 * The kinds of {@link spatialTiles}, the largest first. Tiles in the middle, whose windows lie within
 * the input, are alike; only those at the edges are made one by one.
 */
function spatialKinds(g: ConvGeometry, axis: 0 | 1 | 2, size: number): Kind<SpatialTile>[] {
  const total = g.output[axis];
  const lo = g.padding[axis][0];
  const step = size * g.stride[axis];
  const reach = (size - 1) * g.stride[axis] + dilatedKernel(g.kernel[axis], g.dilation[axis]);
  const count = Math.max(1, Math.ceil(total / size));
  // Tile i reads the positions from i·step - lo on, `reach` of them.
  const first = Math.min(count, Math.ceil(lo / step));
  const fitting = Math.floor((g.input[axis] + lo - reach) / step) + 1;
  const end = Math.max(first, Math.min(Math.floor(total / size), fitting));
  const kinds = new Map<string, [SpatialTile, number]>();
  const add = (i: number, repeats: number) => {
    const from = i * size;
    const tile = spatialTile(g, axis, { from, size: Math.min(size, total - from) });
    if (!tile) return;
    const key = `${tile.output.size},${tile.input.size},${tile.padding}`;
    const kind = kinds.get(key);
    if (kind) kind[1] += repeats;
    else kinds.set(key, [tile, repeats]);
  };
  for (let i = 0; i < first; i++) add(i, 1);
  if (end > first) add(first, end - first);
  for (let i = end; i < count; i++) add(i, 1);
  return [...kinds.values()].sort(([a], [b]) => b.output.size - a.output.size);
}

export interface PieceKind {
  readonly piece: Piece;
  /** How many pieces have the same geometry. */
  readonly repeats: number;
}

export interface Traffic {
  readonly pieces: number;
  /** Elements of input and output gradient that all pieces together read, halos counted. */
  readonly input: number;
  readonly output: number;
}

/** What a search asks about many grids of one geometry; what it finds along an axis it keeps. */
export class Pieces {
  private readonly spatial: Map<number, Kind<SpatialTile>[]>[] = AXES.map(() => new Map());

  constructor(readonly g: ConvGeometry) {}

  private along(axis: 0 | 1 | 2, size: number): Kind<SpatialTile>[] {
    const known = this.spatial[axis].get(size);
    if (known) return known;
    const kinds = spatialKinds(this.g, axis, size);
    this.spatial[axis].set(size, kinds);
    return kinds;
  }

  /** Pieces of different geometries, the largest first: a device is asked about these alone. */
  *kinds({ grid, evenPadding }: Split): Generator<PieceKind> {
    const { g } = this;
    const batches = rangeKinds(g.batch, grid.batch);
    const channels = channelKinds(g, grid);
    const [depths, heights, widths] = mapTriple((a) => this.along(a, spatialSizes(grid)[a]));
    for (const [batch, n] of batches)
      for (const [channel, c] of channels)
        for (const [d, i] of depths)
          for (const [h, j] of heights)
            for (const [w, k] of widths)
              yield {
                piece: pieceOf(g, batch, channel, [d, h, w], evenPadding),
                repeats: n * c * i * j * k,
              };
  }

  /** What a grid moves, from which its overhead follows. */
  traffic(grid: Grid): Traffic {
    const { g } = this;
    const sizes = spatialSizes(grid);
    const [co, ci] = [g.outChannels / g.groups, g.inChannels / g.groups];
    const one = grid.groups === 1;
    const [outTiles, inTiles] = [
      one ? Math.ceil(co / grid.out) : 1,
      one ? Math.ceil(ci / grid.in) : 1,
    ];
    const counts = mapTriple((a) => Math.ceil(g.output[a] / sizes[a]));
    const reads = mapTriple((a) => readsOf(this.along(a, sizes[a])));
    const batches = Math.ceil(g.batch / grid.batch);
    return {
      pieces: batches * Math.ceil(g.groups / grid.groups) * outTiles * inTiles * volume(counts),
      input: g.batch * g.inChannels * outTiles * volume(reads),
      output: g.batch * g.outChannels * inTiles * volume(g.output),
    };
  }
}

const spatialSizes = ({ depth, height, width }: Grid): Triple => [depth, height, width];

/** Input positions along an axis that its tiles read, all added up. */
const readsOf = (kinds: readonly Kind<SpatialTile>[]): number =>
  kinds.reduce((total, [{ input }, repeats]) => total + input.size * repeats, 0);

/** Which results are sums over the pieces; elsewhere each element comes from one piece. */
export function summed(
  g: ConvGeometry,
  grid: Grid,
): Record<'input' | 'weight' | 'output', boolean> {
  const sizes = spatialSizes(grid);
  const split = AXES.filter((a) => sizes[a] < g.output[a]);
  return {
    input:
      grid.out < g.outChannels / g.groups ||
      split.some((a) => dilatedKernel(g.kernel[a], g.dilation[a]) > g.stride[a]),
    weight: split.length > 0 || grid.batch < g.batch,
    output: grid.in < g.inChannels / g.groups,
  };
}

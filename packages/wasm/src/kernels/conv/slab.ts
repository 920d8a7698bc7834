// How a source is brought into slabs: what is read of it, in which pieces, and where each position is.

import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import { type Axes, reachOfAll, type Triple } from './problem.js';
import {
  SLAB_ARGUMENTS,
  type SlabShape,
  slabKernel,
  slabPosition,
  slabRowBytes,
} from './slab-kernel.js';

/** Bytes of a slab, unless a few depths need more. */
const SLAB_LIMIT = 16 * 2 ** 20;

/** How the padded source of some problems lies in memory. */
export interface Layout {
  readonly slab: SlabShape;
  readonly problems: readonly Axes[];
  /** Bytes of a row of one channel. */
  readonly rowBytes: number;
  /** Source positions `[from, to)` that are read along D, H, W. */
  readonly reach: readonly (readonly [number, number])[];
  readonly rows: number;
  /** The source itself serves as slab: nothing is padded, and rows follow each other. */
  readonly inPlace: boolean;
}

/**
 * The layout for `problems` over a source of `source` positions. With `wholeRows` no kernel reads past
 * a row into the next one.
 */
export function layoutOf(
  dtype: FloatDType,
  source: Triple,
  problems: readonly Axes[],
  { wholeRows = false } = {},
): Layout {
  const reach = reachOfAll(problems);
  const { count, bytes } = lanes(dtype);
  const phases = problems[0][2].step;
  const before = -reach[2][0];
  const inside = reach.every(([from, to], axis) => from >= 0 && to <= source[axis]);
  if (inside && phases === 1 && (!wholeRows || problems[0][2].count % count === 0)) {
    const slab = { dtype, width: source[2], before: 0, phases, segment: source[2] };
    const whole = source.map((size) => [0, size] as const);
    const rowBytes = source[2] * bytes;
    return { slab, problems, rowBytes, reach: whole, rows: source[1], inPlace: true };
  }
  // The longest reach of a vector row: its last vector may go past the last output.
  const longest = Math.max(
    ...problems.map(
      (p) =>
        Math.max(0, ...p[2].taps.map((tap) => Math.floor((tap.at + before) / phases))) +
        Math.ceil(p[2].count / count) * count,
    ),
  );
  let segment = Math.ceil(longest / count) * count;
  // Rows a power of two apart fall into the same cache sets.
  if ((segment * bytes * phases) % 512 === 0) segment += count;
  const slab = { dtype, width: source[2], before, phases, segment };
  return {
    slab,
    problems,
    rowBytes: slabRowBytes(slab),
    reach,
    rows: reach[1][1] - reach[1][0],
    inPlace: false,
  };
}

const identityAxes = (size: Triple): Axes => {
  const axis = (n: number) => ({
    count: n,
    step: 1,
    taps: [{ k: 0, at: 0 }],
    outFirst: 0,
    outStep: 1,
  });
  return [axis(size[0]), axis(size[1]), axis(size[2])];
};

/** A tensor as it is, but for rows of whole vectors. */
export function rowsLayout(dtype: FloatDType, output: Triple): Layout {
  const { count, bytes } = lanes(dtype);
  const segment = Math.ceil(output[2] / count) * count;
  const slab = { dtype, width: output[2], before: 0, phases: 1, segment };
  return {
    slab,
    problems: [identityAxes(output)],
    rowBytes: segment * bytes,
    reach: output.map((size) => [0, size] as const),
    rows: output[1],
    inPlace: output[2] % count === 0,
  };
}

export interface Chunk {
  readonly group: number;
  readonly groups: number;
  /** Outputs along D, counted in the problem with the most. */
  readonly depth: number;
  readonly depths: number;
}

const mostDepths = ({ problems }: Layout): number => Math.max(...problems.map((p) => p[0].count));

/** Groups and depths that go through one slab together. */
export function chunksOf(layout: Layout, allGroups: number, channels: number): Chunk[] {
  const most = mostDepths(layout);
  if (layout.inPlace) return [{ group: 0, groups: allGroups, depth: 0, depths: most }];
  const perDepth = layout.rows * layout.rowBytes * channels;
  const { step } = layout.problems[0][0];
  const reach = layout.reach[0][1] - layout.reach[0][0];
  const extra = reach - (most - 1) * step;
  const fitting = Math.floor((SLAB_LIMIT / perDepth - extra) / step) + 1;
  // Depths that several slabs read are loaded several times: at most a third more than once.
  const depths = Math.min(most, Math.max(fitting, Math.ceil((3 * Math.max(extra, 1)) / step)));
  const groups =
    depths < most
      ? 1
      : Math.max(1, Math.min(allGroups, Math.floor(SLAB_LIMIT / (perDepth * reach))));
  const chunks: Chunk[] = [];
  for (let group = 0; group < allGroups; group += groups)
    for (let depth = 0; depth < most; depth += depths)
      chunks.push({
        group,
        groups: Math.min(groups, allGroups - group),
        depth,
        depths: Math.min(depths, most - depth),
      });
  return chunks;
}

/** A loaded source. */
export interface Slab {
  /** Where the chunk's first output reads from. */
  readonly start: number;
  /** Bytes between rows, depths, channels and groups. */
  readonly row: number;
  readonly depth: number;
  readonly channel: number;
  readonly group: number;
  /** Gives its memory back. */
  drop(): void;
}

interface Source {
  readonly pointer: number;
  readonly size: Triple;
  readonly groups: number;
  /** Channels of a group. */
  readonly channels: number;
}

interface LoadOptions {
  /**
   * Rows of the channels of a group lie side by side, so that the taps of one output are near each
   * other: with a plane for each channel they would be on more pages than the processor keeps at hand.
   */
  readonly interleave?: boolean;
}

/** Brings what a chunk reads into a slab, or shows where it is already. */
export function loadSlab(
  engine: Engine,
  call: Call,
  layout: Layout,
  { depth, depths }: Chunk,
  { pointer, size, groups, channels }: Source,
  { interleave = true }: LoadOptions = {},
): Slab {
  const { bytes } = lanes(layout.slab.dtype);
  const sourceRow = size[2] * bytes;
  const sourceDepth = size[1] * sourceRow;
  const sourceChannel = size[0] * sourceDepth;
  const { step } = layout.problems[0][0];
  if (layout.inPlace)
    return {
      start: pointer + depth * step * sourceDepth,
      row: sourceRow,
      depth: sourceDepth,
      channel: sourceChannel,
      group: sourceChannel * channels,
      drop: () => {},
    };
  const [low, high] = layout.reach[0];
  const depthsInSlab = high - low - (mostDepths(layout) - depths) * step;
  const { rowBytes, rows } = layout;
  // Channels a power of two apart fall into the same cache sets.
  const together = channels * rowBytes;
  const row = interleave ? together + (together % 1024 === 0 ? 64 : 0) : rowBytes;
  const strides = interleave
    ? { row, channel: rowBytes, depth: rows * row, group: depthsInSlab * rows * row }
    : {
        row,
        depth: rows * row,
        channel: depthsInSlab * rows * row,
        group: channels * depthsInSlab * rows * row,
      };
  const slab = call.workspace(groups * strides.group);
  const args: Record<(typeof SLAB_ARGUMENTS)[number], number> = {
    source: pointer,
    slab,
    channels,
    depths: depthsInSlab,
    rows,
    slabGroup: strides.group,
    slabChannel: strides.channel,
    slabDepth: strides.depth,
    slabRow: strides.row,
    firstDepth: low + depth * step,
    firstRow: layout.reach[1][0],
    sourceDepths: size[0],
    sourceRows: size[1],
    sourceChannel,
    sourceDepth,
    sourceRow,
  };
  const kernel = slabKernel(engine, layout.slab);
  engine.team.run(
    kernel,
    groups * channels * depthsInSlab,
    SLAB_ARGUMENTS.map((name) => args[name]),
  );
  return { start: slab, ...strides, drop: () => call.drop(slab) };
}

/** How far a source position of a channel is from where the first output reads, in bytes. */
export function placeOf(layout: Layout, slab: Slab) {
  const { bytes } = lanes(layout.slab.dtype);
  const [lowD, lowH] = layout.inPlace ? [0, 0] : [layout.reach[0][0], layout.reach[1][0]];
  const { before } = layout.slab;
  return (channel: number, d: number, h: number, w: number): number =>
    channel * slab.channel +
    (d - lowD) * slab.depth +
    (h - lowH) * slab.row +
    slabPosition(layout.slab, w + before) * bytes;
}

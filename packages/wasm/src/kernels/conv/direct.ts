// Direct convolution: packs slabs, tables and weights, and runs the kernels over them. The whole
// padded input is never there at once: a slab holds as many groups and depths as fit in the cache.

import { type ConvGeometry, volume } from '@voxgrad/core';
import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import {
  channelsOf,
  DIRECT_ARGUMENTS,
  type DirectArguments,
  directKernel,
  type Phase,
  phasesOf,
  type Tile,
} from './direct-kernel.js';
import { type Axes, adjointAxes, forwardAxes, reachOfAll, type Triple } from './problem.js';
import { SLAB_ARGUMENTS, type SlabShape, slabKernel, slabPosition, slabRowBytes } from './slab.js';
import { tilesOf } from './tiles.js';
import { WEIGHT_ARGUMENTS, weightKernel } from './weight-kernel.js';

/** Bytes of a slab, unless a single depth needs more. */
const SLAB_LIMIT = 16 * 2 ** 20;

/** Which numbers of a weight `[outChannels, inChannels / groups, kernel]` a pass uses where. */
interface WeightOrder {
  /** Distance between output channels of the pass, and between its input channels. */
  readonly out: number;
  readonly in: number;
  readonly group: number;
}

interface Pass {
  readonly dtype: FloatDType;
  readonly batch: number;
  readonly groups: number;
  /** Channels of a group in the source, and in the result. */
  readonly from: number;
  readonly to: number;
  readonly source: Triple;
  readonly result: Triple;
  readonly problems: readonly Axes[];
  readonly weights: WeightOrder;
  readonly kernel: Triple;
}

/** y = conv(x, w) at `out`. */
export function convForward(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  g: ConvGeometry,
  pointers: { x: number; weight: number; out: number },
): void {
  const perGroupIn = g.inChannels / g.groups;
  const perGroupOut = g.outChannels / g.groups;
  const K = volume(g.kernel);
  runPass(engine, call, pointers.x, pointers.weight, pointers.out, {
    dtype,
    batch: g.batch,
    groups: g.groups,
    from: perGroupIn,
    to: perGroupOut,
    source: g.input,
    result: g.output,
    problems: [forwardAxes(g)],
    weights: { out: perGroupIn * K, in: K, group: perGroupOut * perGroupIn * K },
    kernel: g.kernel,
  });
}

/** dx = convInput(gy, w) at `out`. */
export function convInput(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  g: ConvGeometry,
  pointers: { gradOutput: number; weight: number; out: number },
): void {
  const perGroupIn = g.inChannels / g.groups;
  const perGroupOut = g.outChannels / g.groups;
  const K = volume(g.kernel);
  runPass(engine, call, pointers.gradOutput, pointers.weight, pointers.out, {
    dtype,
    batch: g.batch,
    groups: g.groups,
    from: perGroupOut,
    to: perGroupIn,
    source: g.output,
    result: g.input,
    problems: adjointAxes(g),
    weights: { out: K, in: perGroupIn * K, group: perGroupOut * perGroupIn * K },
    kernel: g.kernel,
  });
}

/** How the padded source of some problems lies in memory. */
interface Layout {
  readonly slab: SlabShape;
  readonly rowBytes: number;
  /** Source positions `[from, to)` that are read along D, H, W. */
  readonly reach: readonly (readonly [number, number])[];
  readonly rows: number;
  /** The source itself serves as slab: nothing is padded, and rows follow each other. */
  readonly inPlace: boolean;
}

function layoutOf(
  dtype: FloatDType,
  source: Triple,
  problems: readonly Axes[],
  wholeRows: boolean,
): Layout {
  const reach = reachOfAll(problems);
  const { count, bytes } = lanes(dtype);
  const phases = problems[0][2].step;
  const before = -reach[2][0];
  const inside = reach.every(([from, to], axis) => from >= 0 && to <= source[axis]);
  if (inside && phases === 1 && (!wholeRows || problems[0][2].count % count === 0)) {
    const slab = { dtype, width: source[2], before: 0, phases, segment: source[2] };
    const whole = source.map((size) => [0, size] as const);
    return { slab, rowBytes: source[2] * bytes, reach: whole, rows: source[1], inPlace: true };
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
    rowBytes: slabRowBytes(slab),
    reach,
    rows: reach[1][1] - reach[1][0],
    inPlace: false,
  };
}

function runPass(
  engine: Engine,
  call: Call,
  source: number,
  weight: number,
  result: number,
  pass: Pass,
): void {
  const flat = flattened(pass);
  const { dtype } = flat;
  const { bytes } = lanes(dtype);
  const layout = layoutOf(dtype, flat.source, flat.problems, false);
  const work = flat.problems.map((axes) => prepare(engine, call, weight, flat, axes, layout));
  const sourceVolume = volume(flat.source) * bytes;
  const resultVolume = volume(flat.result) * bytes;
  for (let n = 0; n < flat.batch; n++)
    for (const chunk of chunksOf(flat, layout)) {
      const { group, groups, depth, depths } = chunk;
      const from = source + (n * flat.groups + group) * flat.from * sourceVolume;
      const slab = loadSlab(
        engine,
        call,
        layout,
        flat.source,
        from,
        groups * flat.from,
        chunk,
        flat.problems,
      );
      const to = result + (n * flat.groups + group) * flat.to * resultVolume;
      for (const run of work) run(slab, to, group, groups, depth, depths);
      if (!layout.inPlace) call.drop(slab.pointer);
    }
}

/** A 1×1×1 convolution without stride or padding sees one long row instead of a volume. */
function flattened(pass: Pass): Pass {
  const pointwise =
    pass.problems.length === 1 &&
    pass.problems[0].every(
      (axis) => axis.taps.length === 1 && axis.taps[0].at === 0 && axis.step === 1,
    ) &&
    pass.source.every((size, axis) => size === pass.result[axis]);
  if (!pointwise) return pass;
  const row: Triple = [1, 1, volume(pass.source)];
  const [d, h, w] = pass.problems[0];
  const problem: Axes = [
    { ...d, count: 1 },
    { ...h, count: 1 },
    { ...w, count: row[2] },
  ];
  return { ...pass, source: row, result: row, problems: [problem] };
}

interface Chunk {
  readonly group: number;
  readonly groups: number;
  /** Outputs along D, counted in the problem with the most. */
  readonly depth: number;
  readonly depths: number;
}

/** Groups and depths that go through one slab together. */
function chunksOf(pass: Pass, layout: Layout): Chunk[] {
  const most = Math.max(...pass.problems.map((p) => p[0].count));
  if (layout.inPlace) return [{ group: 0, groups: pass.groups, depth: 0, depths: most }];
  const perDepth = layout.rows * layout.rowBytes * pass.from;
  const { step } = pass.problems[0][0];
  const reach = layout.reach[0][1] - layout.reach[0][0];
  const extra = reach - (most - 1) * step;
  const fitting = Math.floor((SLAB_LIMIT / perDepth - extra) / step) + 1;
  const depths = Math.max(Math.min(most, 4), Math.min(most, fitting));
  const groups =
    depths < most
      ? 1
      : Math.max(1, Math.min(pass.groups, Math.floor(SLAB_LIMIT / (perDepth * reach))));
  const chunks: Chunk[] = [];
  for (let group = 0; group < pass.groups; group += groups)
    for (let depth = 0; depth < most; depth += depths)
      chunks.push({
        group,
        groups: Math.min(groups, pass.groups - group),
        depth,
        depths: Math.min(depths, most - depth),
      });
  return chunks;
}

interface Slab {
  readonly pointer: number;
  /** Bytes between depths and between channels. */
  readonly depth: number;
  readonly channel: number;
  /** Source position of its first depth. */
  readonly first: number;
}

function loadSlab(
  engine: Engine,
  call: Call,
  layout: Layout,
  source: Triple,
  from: number,
  channels: number,
  { depth, depths }: Chunk,
  problems: readonly Axes[],
): Slab {
  const { bytes } = lanes(layout.slab.dtype);
  const sourceRow = source[2] * bytes;
  const sourceDepth = source[1] * sourceRow;
  const sourceChannel = source[0] * sourceDepth;
  if (layout.inPlace)
    return { pointer: from, depth: sourceDepth, channel: sourceChannel, first: 0 };
  const { step } = problems[0][0];
  const [low] = layout.reach[0];
  const reach = layout.reach[0][1] - low;
  const most = Math.max(...problems.map((p) => p[0].count));
  const depthsInSlab = reach - (most - depths) * step;
  const first = low + depth * step;
  const slabDepth = layout.rows * layout.rowBytes;
  const pointer = call.workspace(channels * depthsInSlab * slabDepth);
  const kernel = slabKernel(engine, layout.slab);
  const args: Record<(typeof SLAB_ARGUMENTS)[number], number> = {
    source: from,
    slab: pointer,
    depths: depthsInSlab,
    rows: layout.rows,
    firstDepth: first,
    firstRow: layout.reach[1][0],
    sourceDepths: source[0],
    sourceRows: source[1],
    sourceChannel,
    sourceDepth,
    sourceRow,
  };
  engine.team.run(
    kernel,
    channels * depthsInSlab,
    SLAB_ARGUMENTS.map((name) => args[name]),
  );
  return { pointer, depth: slabDepth, channel: depthsInSlab * slabDepth, first };
}

/** Byte offsets of all taps of all channels of a group, relative to the first output's place. */
function offsetsOf(axes: Axes, layout: Layout, channels: number, slab: Slab): Int32Array {
  const table = new Int32Array(
    channels * axes[0].taps.length * axes[1].taps.length * axes[2].taps.length,
  );
  const place = placeOf(axes, layout, slab);
  let i = 0;
  for (let channel = 0; channel < channels; channel++)
    for (const d of axes[0].taps)
      for (const h of axes[1].taps)
        for (const w of axes[2].taps) table[i++] = place(channel, d.at, h.at, w.at);
  return table;
}

/** Where source positions of a channel lie in a slab, in bytes. */
function placeOf(_axes: Axes, layout: Layout, slab: Slab) {
  const { bytes } = lanes(layout.slab.dtype);
  const [lowD, lowH] = layout.inPlace ? [0, 0] : [layout.reach[0][0], layout.reach[1][0]];
  const { before } = layout.slab;
  return (channel: number, d: number, h: number, w: number): number =>
    channel * slab.channel +
    (d - lowD) * slab.depth +
    (h - lowH) * layout.rowBytes +
    slabPosition(layout.slab, w + before) * bytes;
}

/** The steps from tap to tap in the order in which the phases of a tile take them. */
function stepsOf(
  axes: Axes,
  layout: Layout,
  channels: number,
  slab: Slab,
  phases: readonly Phase[],
): Int32Array {
  const [D, H, W] = axes;
  const place = placeOf(axes, layout, slab);
  const rows = phases.reduce((sum, phase) => sum + phase.rows.length, 0);
  const steps = new Int32Array(channels * D.taps.length * rows * W.taps.length);
  let [i, last] = [0, 0];
  for (const phase of phases)
    for (let channel = 0; channel < channels; channel++)
      for (const d of D.taps)
        for (const h of phase.rows) {
          // Rows past the last tap are read where rows share inputs; they follow at distance 1.
          const row = H.taps[h]?.at ?? H.taps[0].at + h;
          for (const w of W.taps) {
            const here = place(channel, d.at, row, w.at);
            steps[i++] = here - last;
            last = here;
          }
        }
  return steps;
}

type Run = (
  slab: Slab,
  result: number,
  group: number,
  groups: number,
  depth: number,
  depths: number,
) => void;

/** Output channels of a group that are computed with the same tile. */
interface Part {
  readonly tile: Tile;
  readonly phases: readonly Phase[];
  readonly first: number;
  readonly blocks: number;
  /** Packed weights, and the bytes of a group of them. */
  readonly weights: number;
  readonly group: number;
  readonly table: number;
}

/** Packs the weights of one problem and returns what runs it on a slab. */
function prepare(
  engine: Engine,
  call: Call,
  weight: number,
  pass: Pass,
  axes: Axes,
  layout: Layout,
): Run {
  const { dtype } = pass;
  const { bytes, count } = lanes(dtype);
  const [D, H, W] = axes;
  const rowTaps = pass.from * D.taps.length * W.taps.length;
  const rows = H.count;
  const adjacent = H.step === 1 && H.taps.every((tap, i) => tap.at === H.taps[0].at + i);
  const plane = {
    rows,
    vectors: Math.ceil(W.count / count),
    sharedRows: adjacent ? H.taps.length : 0,
  };
  let next = 0;
  const parts = tilesOf(pass.to, plane).map(({ tile, count: blocks }): Part => {
    const phases = phasesOf(tile, H.taps.length);
    const first = next;
    next += blocks * channelsOf(tile);
    const packed = packWeights(engine, call, weight, pass, axes, { tile, phases, first, blocks });
    const steps = phases.reduce((sum, phase) => sum + phase.rows.length, 0) * rowTaps;
    return {
      tile,
      phases,
      first,
      blocks,
      ...packed,
      table: call.workspace(Math.max(4, steps * 4)),
    };
  });
  let tableFor = -1;
  const row = pass.result[2] * bytes;
  const outPlane = pass.result[1] * row;
  const channel = pass.result[0] * outPlane;
  const outFirst = D.outFirst * outPlane + H.outFirst * row + W.outFirst * bytes;
  return (slab, result, group, groups, depth, depths) => {
    const here = Math.min(depths, D.count - depth);
    if (here <= 0) return;
    // Where the slab ends decides how far channels are apart in it.
    if (tableFor !== slab.channel)
      for (const { table, phases } of parts) {
        const steps = stepsOf(axes, layout, pass.from, slab, phases);
        new Int32Array(engine.memory.memory.buffer, table, steps.length).set(steps);
      }
    tableFor = slab.channel;
    const rowsPerBlock = rowsPerItem(
      rows,
      groups * here,
      rowTaps * H.taps.length * pass.to * W.count,
    );
    const rowBlocks = Math.ceil(rows / rowsPerBlock);
    for (const part of parts) {
      const kernel = directKernel(engine, {
        dtype,
        tile: part.tile,
        kernelRows: H.taps.length,
        width: W.count,
        slabRow: layout.rowBytes * H.step,
        outRow: row * H.outStep,
        outStep: W.outStep,
      });
      const args: DirectArguments = {
        slab: layout.inPlace ? slab.pointer + depth * D.step * slab.depth : slab.pointer,
        weights: part.weights + group * part.group,
        table: part.table,
        taps: rowTaps,
        out: result + outFirst + depth * D.outStep * outPlane + part.first * channel,
        channelBlocks: part.blocks,
        slabGroup: slab.channel * pass.from,
        weightsGroup: part.group,
        outGroup: channel * pass.to,
        depths: here,
        slabDepth: slab.depth * D.step,
        outDepth: outPlane * D.outStep,
        rowBlocks,
        rowsPerBlock,
        rows,
        outChannel: channel,
      };
      engine.team.run(
        kernel,
        groups * here * rowBlocks,
        DIRECT_ARGUMENTS.map((name) => args[name]),
      );
    }
  };
}

/** Rows of an item: all of a plane where there are planes enough, and where a plane is little work. */
function rowsPerItem(rows: number, planes: number, workPerRow: number): number {
  if (planes >= 16) return rows;
  const parts = Math.min(Math.ceil(16 / planes), Math.ceil((rows * workPerRow) / 100_000));
  return Math.ceil(rows / Math.max(1, parts));
}

/** `[block of channels][phase][tap][line]`, each number as a whole vector, for each group. */
function packWeights(
  engine: Engine,
  call: Call,
  weight: number,
  pass: Pass,
  [D, H, W]: Axes,
  { tile, phases, first, blocks }: Pick<Part, 'tile' | 'phases' | 'first' | 'blocks'>,
): { weights: number; group: number } {
  const { count } = lanes(pass.dtype);
  const lineTaps = phases.reduce((sum, p) => sum + (p.to - p.from) * p.rows.length, 0);
  const size = blocks * pass.from * D.taps.length * W.taps.length * lineTaps;
  const pointer = call.workspace(Math.max(16, pass.groups * size * 16));
  const { buffer } = engine.memory.memory;
  const array = pass.dtype === 'float32' ? Float32Array : Float64Array;
  const source = new array(buffer, weight, pass.groups * pass.from * pass.to * volume(pass.kernel));
  const target = new array(buffer, pointer, pass.groups * size * count);
  const shared = tile.share === 'rows';
  let at = 0;
  for (let group = 0; group < pass.groups; group++)
    for (let block = 0; block < blocks; block++) {
      const channel = first + block * channelsOf(tile);
      const base = group * pass.weights.group + channel * pass.weights.out;
      for (const { from, to, rows } of phases)
        for (let input = 0; input < pass.from; input++)
          for (const d of D.taps)
            for (const h of rows)
              for (const w of W.taps)
                for (let line = from; line < to; line++) {
                  const tap = H.taps[shared ? h - line : h].k;
                  const k = (d.k * pass.kernel[1] + tap) * pass.kernel[2] + w.k;
                  const channelOffset = shared ? 0 : line * pass.weights.out;
                  const value = source[base + input * pass.weights.in + channelOffset + k];
                  for (let lane = 0; lane < count; lane++) target[at++] = value;
                }
    }
  return { weights: pointer, group: size * 16 };
}

/** dw = convWeight(x, gy), written to `out`. */
export function convWeight(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  g: ConvGeometry,
  pointers: { x: number; gradOutput: number; out: number },
): void {
  const { bytes, count } = lanes(dtype);
  const axes = forwardAxes(g);
  const layout = layoutOf(dtype, g.input, [axes], true);
  const perGroupIn = g.inChannels / g.groups;
  const perGroupOut = g.outChannels / g.groups;
  const K = perGroupIn * volume(g.kernel);
  const shape = weightTile(perGroupOut, K);
  const chunks = Math.ceil(K / shape.taps);
  const runs = blocksOf(perGroupOut, shape.channels);
  // A vector for each (padded) tap of each channel.
  const totalsGroup = perGroupOut * chunks * shape.taps * 16;
  const totals = call.workspace(g.groups * totalsGroup);
  new Uint8Array(engine.memory.memory.buffer, totals, g.groups * totalsGroup).fill(0);
  const tableAt = call.workspace(chunks * shape.taps * 4);
  const inputVolume = volume(g.input) * bytes;
  const outputVolume = volume(g.output) * bytes;
  // Lanes past the end of a row must not count, so they are zeros in the gradient.
  const wholeRows = g.output[2] % count === 0;
  const gradLayout: Layout | null = wholeRows ? null : gradientLayout(dtype, g.output);
  const pass: Pass = {
    dtype,
    batch: g.batch,
    groups: g.groups,
    from: perGroupIn,
    to: perGroupOut,
    source: g.input,
    result: g.output,
    problems: [axes],
    weights: { out: 0, in: 0, group: 0 },
    kernel: g.kernel,
  };
  for (let n = 0; n < g.batch; n++)
    for (const chunk of chunksOf(pass, layout)) {
      const { group, groups, depth, depths } = chunk;
      const x = pointers.x + (n * g.groups + group) * perGroupIn * inputVolume;
      const slab = loadSlab(engine, call, layout, g.input, x, groups * perGroupIn, chunk, [axes]);
      const slabStart = layout.inPlace
        ? slab.pointer + depth * g.stride[0] * slab.depth
        : slab.pointer;
      const table = new Int32Array(engine.memory.memory.buffer, tableAt, chunks * shape.taps);
      const offsets = offsetsOf(axes, layout, perGroupIn, slab);
      table.set(offsets);
      table.fill(offsets[offsets.length - 1], offsets.length);
      let gradient =
        pointers.gradOutput +
        (n * g.groups + group) * perGroupOut * outputVolume +
        depth * g.output[1] * g.output[2] * bytes;
      let gradientRow = g.output[2] * bytes;
      let gradientChannel = outputVolume;
      let packed: Slab | null = null;
      if (gradLayout) {
        packed = loadSlab(
          engine,
          call,
          gradLayout,
          g.output,
          gradient - depth * g.output[1] * g.output[2] * bytes,
          groups * perGroupOut,
          chunk,
          [identityAxes(g.output)],
        );
        gradient = packed.pointer;
        gradientRow = gradLayout.rowBytes;
        gradientChannel = packed.channel;
      }
      const gradientDepth = g.output[1] * gradientRow;
      const rowBytes = Math.ceil(g.output[2] / count) * 16;
      let first = 0;
      for (const { channels, blocks } of runs) {
        const kernel = weightKernel(engine, { dtype, channels, taps: shape.taps });
        const parallel = groups * blocks;
        const itemsPerBlock = Math.min(chunks, Math.max(1, Math.ceil(32 / parallel), perGroupIn));
        const chunksPerItem = Math.ceil(chunks / itemsPerBlock);
        const args: Record<(typeof WEIGHT_ARGUMENTS)[number], number> = {
          slab: slabStart,
          gradient: gradient + first * gradientChannel,
          table: tableAt,
          totals: totals + group * totalsGroup + first * chunks * shape.taps * 16,
          slabGroup: slab.channel * perGroupIn,
          gradientGroup: gradientChannel * perGroupOut,
          totalsGroup,
          depths,
          slabDepth: slab.depth * g.stride[0],
          gradientDepth,
          rows: g.output[1],
          slabRow: layout.rowBytes * g.stride[1],
          gradientRow,
          rowBytes,
          gradientChannel,
          channelBlocks: blocks,
          chunks,
          chunksPerItem,
          itemsPerBlock: Math.ceil(chunks / chunksPerItem),
          depthsPerSum: Math.max(1, Math.ceil(256 / (g.output[1] * (rowBytes / 16)))),
        };
        engine.team.run(
          kernel,
          groups * blocks * Math.ceil(chunks / chunksPerItem),
          WEIGHT_ARGUMENTS.map((name) => args[name]),
        );
        first += channels * blocks;
      }
      if (packed) call.drop(packed.pointer);
      if (!layout.inPlace) call.drop(slab.pointer);
    }
  sumTotals(engine, dtype, g, {
    totals,
    totalsGroup,
    chunks,
    taps: shape.taps,
    K,
    runs,
    out: pointers.out,
  });
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

/** The gradient with rows of whole vectors. */
function gradientLayout(dtype: FloatDType, output: Triple): Layout {
  const { count, bytes } = lanes(dtype);
  const segment = Math.ceil(output[2] / count) * count;
  const slab = { dtype, width: output[2], before: 0, phases: 1, segment };
  return {
    slab,
    rowBytes: segment * bytes,
    reach: output.map((size) => [0, size] as const),
    rows: output[1],
    inPlace: false,
  };
}

/** Channels × taps that are summed together: at most 14 registers with the gradients and an input. */
function weightTile(channels: number, taps: number): { channels: number; taps: number } {
  const together = channels >= 4 ? 4 : channels;
  const most = { 1: 7, 2: 5, 3: 3, 4: 2 }[together] ?? 2;
  const chunks = Math.ceil(taps / most);
  return { channels: together, taps: Math.ceil(taps / chunks) };
}

/** Runs of blocks of equal size that cover `channels`. */
function blocksOf(channels: number, size: number): { channels: number; blocks: number }[] {
  const whole = Math.floor(channels / size);
  const rest = channels % size;
  return [
    ...(whole > 0 ? [{ channels: size, blocks: whole }] : []),
    ...(rest > 0 ? [{ channels: rest, blocks: 1 }] : []),
  ];
}

interface Totals {
  readonly totals: number;
  readonly totalsGroup: number;
  readonly chunks: number;
  readonly taps: number;
  readonly K: number;
  readonly runs: readonly { channels: number; blocks: number }[];
  readonly out: number;
}

/** Adds the lanes of the totals; `[group][block][chunk][channel][tap]` becomes `[channel][tap]`. */
function sumTotals(engine: Engine, dtype: FloatDType, g: ConvGeometry, t: Totals): void {
  const array = dtype === 'float32' ? Float32Array : Float64Array;
  const { count, bytes } = lanes(dtype);
  const { buffer } = engine.memory.memory;
  const perGroupOut = g.outChannels / g.groups;
  const out = new array(buffer, t.out, g.outChannels * t.K);
  for (let group = 0; group < g.groups; group++) {
    const totals = new array(buffer, t.totals + group * t.totalsGroup, t.totalsGroup / bytes);
    let first = 0;
    let at = 0;
    for (const { channels, blocks } of t.runs)
      for (let block = 0; block < blocks; block++, first += channels)
        for (let chunk = 0; chunk < t.chunks; chunk++)
          for (let c = 0; c < channels; c++)
            for (let tap = 0; tap < t.taps; tap++) {
              let sum = 0;
              for (let lane = 0; lane < count; lane++) sum += totals[at++];
              const k = chunk * t.taps + tap;
              if (k < t.K) out[(group * perGroupOut + first + c) * t.K + k] = sum;
            }
  }
}

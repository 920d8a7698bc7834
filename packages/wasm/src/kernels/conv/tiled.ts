// One problem in tiles: which tiles, their weights and tables, and the calls of the direct kernel.

import { lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import {
  channelsOf,
  DIRECT_ARGUMENTS,
  type DirectArguments,
  directKernel,
  type Phase,
  phasesOf,
  rowsOf,
  type Tile,
} from './direct-kernel.js';
import type { Pass } from './pass.js';
import type { Axes } from './problem.js';
import { type Chunk, type Layout, placeOf, type Slab } from './slab.js';
import { tilesOf } from './tiles.js';
import { type PackedWeights, packWeights } from './weights.js';

/** Runs a problem on the slab of a chunk; `result` is where the chunk's first group begins. */
type Run = (slab: Slab, result: number, chunk: Chunk) => void;

/** Output channels of a group that are computed with the same tile. */
interface Part extends PackedWeights {
  readonly tile: Tile;
  readonly phases: readonly Phase[];
  readonly first: number;
  readonly blocks: number;
  readonly table: number;
}

/** Packs the weights of one problem and returns what runs it on a slab. */
export function prepare(
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
  let tableFor: Slab | undefined;
  const row = pass.result[2] * bytes;
  const outPlane = pass.result[1] * row;
  const channel = pass.result[0] * outPlane;
  const outFirst = D.outFirst * outPlane + H.outFirst * row + W.outFirst * bytes;
  return (slab, result, { group, groups, depth, depths }) => {
    const here = Math.min(depths, D.count - depth);
    if (here <= 0) return;
    if (!tableFor || !sameStrides(tableFor, slab))
      for (const { table, phases } of parts) {
        const steps = stepsOf(axes, layout, pass.from, slab, phases);
        new Int32Array(engine.memory.memory.buffer, table, steps.length).set(steps);
      }
    tableFor = slab;
    const wanted = rowsPerItem(rows, groups * here, rowTaps * H.taps.length * pass.to * W.count);
    for (const part of parts) {
      const tall = rowsOf(part.tile);
      const rowsPerBlock = Math.ceil(wanted / tall) * tall;
      const rowBlocks = Math.max(1, Math.floor(rows / rowsPerBlock));
      const kernel = directKernel(engine, {
        dtype,
        tile: part.tile,
        kernelRows: H.taps.length,
        width: W.count,
        slabRow: slab.row * H.step,
        outRow: row * H.outStep,
        outStep: W.outStep,
        spread: part.spread,
        bias: pass.bias !== null,
      });
      const args: DirectArguments = {
        slab: slab.start,
        weights: part.weights + group * part.weightsGroup,
        table: part.table,
        taps: rowTaps,
        out: result + outFirst + depth * D.outStep * outPlane + part.first * channel,
        channelBlocks: part.blocks,
        slabGroup: slab.group,
        weightsGroup: part.weightsGroup,
        outGroup: channel * pass.to,
        depths: here,
        slabDepth: slab.depth * D.step,
        outDepth: outPlane * D.outStep,
        rowBlocks,
        rowsPerBlock,
        rows,
        outChannel: channel,
        bias: pass.bias === null ? 0 : pass.bias + (group * pass.to + part.first) * bytes,
        biasGroup: pass.to * bytes,
      };
      engine.team.run(
        kernel,
        groups * here * rowBlocks,
        DIRECT_ARGUMENTS.map((name) => args[name]),
      );
    }
  };
}

/** Items of a job that keep threads equally busy to its end, and multiplications that are worth one. */
const ITEMS = 96;
const ITEM_WORK = 200_000;

/** Rows of an item: all of a plane where there are planes enough, and where a plane is little work. */
function rowsPerItem(rows: number, planes: number, workPerRow: number): number {
  const parts = Math.min(Math.ceil(ITEMS / planes), Math.ceil((rows * workPerRow) / ITEM_WORK));
  return Math.ceil(rows / Math.max(1, parts));
}

const sameStrides = (a: Slab, b: Slab): boolean =>
  a.row === b.row && a.depth === b.depth && a.channel === b.channel;

/** The steps from tap to tap in the order in which the phases of a tile take them. */
function stepsOf(
  axes: Axes,
  layout: Layout,
  channels: number,
  slab: Slab,
  phases: readonly Phase[],
): Int32Array {
  const [D, H, W] = axes;
  const place = placeOf(layout, slab);
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

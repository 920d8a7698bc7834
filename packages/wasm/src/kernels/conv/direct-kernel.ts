import { type Code, type IntLike, i32, type Local, load, select } from '../../emit/code.js';
import { type FloatDType, type Lanes, lanes } from '../../emit/lanes.js';
import type { Kernel, KernelBuilder } from '../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../arguments.js';
import { type Engine, kernelOf } from '../engine.js';

/**
 * The outputs that are computed together. Lines share inputs and differ in their weights: they are
 * output channels, or, where a group has few of those, rows that read the same input row through
 * different taps.
 */
export interface Tile {
  readonly lines: number;
  readonly share: 'channels' | 'rows';
  /** Rows that share nothing, for planes that are narrower than a tile. */
  readonly rows: number;
  readonly vectors: number;
}

export const channelsOf = (tile: Tile): number => (tile.share === 'channels' ? tile.lines : 1);
export const rowsOf = (tile: Tile): number => (tile.share === 'rows' ? tile.lines : tile.rows);

/** Taps that concern the same lines of a tile, one after the other. */
export interface Phase {
  /** The lines, from the first to before the last. */
  readonly from: number;
  readonly to: number;
  /** Kernel rows, counted from the first that the first line reads. */
  readonly rows: readonly number[];
}

/**
 * The phases of a tile over a kernel of `kernelRows` rows. With shared rows, input row h meets line
 * r in kernel row h − r, so that the first and the last input rows concern some of the lines only.
 */
export function phasesOf({ share, lines }: Tile, kernelRows: number): Phase[] {
  const all = Array.from({ length: kernelRows }, (_, h) => h);
  if (share === 'channels') return [{ from: 0, to: lines, rows: all }];
  const phases: Phase[] = [];
  for (let h = 0; h < kernelRows + lines - 1; h++) {
    const [from, to] = [Math.max(0, h - kernelRows + 1), Math.min(lines, h + 1)];
    const last = phases.at(-1);
    if (last && last.from === from && last.to === to)
      phases[phases.length - 1] = { from, to, rows: [...last.rows, h] };
    else phases.push({ from, to, rows: [h] });
  }
  return phases;
}

export interface DirectShape {
  readonly dtype: FloatDType;
  readonly tile: Tile;
  /** Kernel rows that take part. */
  readonly kernelRows: number;
  /** Output positions along W. */
  readonly width: number;
  /** Bytes from one output row to the next: in the slab and in the output. */
  readonly slabRow: number;
  readonly outRow: number;
  /** Numbers from one output to the next along W; 1 except for adjoints of strided convolutions. */
  readonly outStep: number;
  /** Whether weights are stored as whole vectors; else each is one number. */
  readonly spread: boolean;
  /** Whether sums start with a number of their channel instead of 0. */
  readonly bias: boolean;
}

/** The order of a kernel's arguments. */
export const DIRECT_ARGUMENTS = [
  'slab',
  'weights',
  'table', // bytes from the input of one tap to that of the next, in the order of the phases
  'taps', // of one kernel row, over all input channels
  'out',
  'channelBlocks',
  'slabGroup',
  'weightsGroup',
  'outGroup',
  'depths',
  'slabDepth',
  'outDepth',
  'rowBlocks', // items per depth
  'rowsPerBlock',
  'rows',
  'outChannel',
  'bias',
  'biasGroup',
] as const;

export type DirectArguments = Record<(typeof DIRECT_ARGUMENTS)[number], number>;

/**
 * The one loop of direct convolution, for every stride, dilation and group: outputs of a tile are
 * kept in registers while a flat table of offsets walks over all taps of all input channels. The
 * slab holds the padded input, so nothing is asked at its edges. An item is a block of rows.
 */
export function directKernel(engine: Engine, shape: DirectShape): Kernel {
  const { dtype, tile, kernelRows, width, slabRow, outRow, outStep, spread, bias } = shape;
  const channels = channelsOf(tile);
  const tileRows = rowsOf(tile);
  const phases = phasesOf(tile, kernelRows);
  // Weights are stored as whole vectors: a load of one is cheaper than spreading a number.
  const weightVectors = phases.reduce((sum, p) => sum + (p.to - p.from) * p.rows.length, 0);
  const key = `conv ${dtype} ${tile.lines}${tile.share}x${tile.rows}x${tile.vectors} ${kernelRows} ${width} ${slabRow} ${outRow} ${outStep} ${spread} ${bias}`;
  return kernelOf(engine, key, (builder) => {
    const v = lanes(dtype, engine.fma);
    const { f } = builder;
    const a = words(builder, DIRECT_ARGUMENTS);
    const vectorsPerRow = Math.ceil(width / v.count);
    forItems(builder, (item) => {
      const [group, depth, block] = unravel(f, item, [0, a.depths, a.rowBlocks]);
      const slab = f.int(
        i32.add(a.slab, i32.add(i32.mul(group, a.slabGroup), i32.mul(depth, a.slabDepth))),
      );
      const out = f.int(
        i32.add(a.out, i32.add(i32.mul(group, a.outGroup), i32.mul(depth, a.outDepth))),
      );
      const weights = f.int(i32.add(a.weights, i32.mul(group, a.weightsGroup)));
      const start = f.int(i32.add(a.bias, i32.mul(group, a.biasGroup)));
      const firstRow = f.int(i32.mul(block, a.rowsPerBlock));
      // The last block takes the rows that are left over, so that a tile that is moved up at the end of
      // the plane stays in its own block: its rows may be summed in another order than those of the
      // tile above, and whose bits stay must not depend on who comes last.
      const isLast = i32.eq(block, i32.sub(a.rowBlocks, 1));
      const lastRow = f.int(select(isLast, a.rows, i32.add(firstRow, a.rowsPerBlock)));
      const weightsBlock = f.int(i32.mul(a.taps, weightVectors * (spread ? 16 : v.bytes)));
      f.times(a.channelBlocks, () => {
        const row = f.int();
        f.setInt(row, firstRow);
        f.for(row, lastRow, tileRows, () => {
          // The last rows and columns are computed with their neighbours rather than alone.
          const top = f.int(i32.min(row, i32.sub(a.rows, tileRows)));
          const column = f.int();
          f.setInt(column, 0);
          f.for(column, vectorsPerRow, tile.vectors, () => {
            const left = f.int(i32.min(column, vectorsPerRow - tile.vectors));
            const x = f.int(i32.add(slab, i32.add(i32.mul(top, slabRow), i32.shl(left, 4))));
            const pointers = { x, weights, table: a.table, start };
            const sums = accumulate(builder, v, shape, phases, pointers, a.taps);
            const y = f.int(
              i32.add(out, i32.add(i32.mul(top, outRow), i32.mul(left, 16 * outStep))),
            );
            storeTile(f, v, shape, y, sums, left, a.outChannel);
          });
        });
        f.advance(weights, weightsBlock);
        f.advance(start, channels * v.bytes);
        f.advance(out, i32.mul(a.outChannel, channels));
      });
    });
  });
}

/** Sums over all taps for the tile whose input starts at `x`: `[line][row · vectors + vector]`. */
function accumulate(
  { f }: KernelBuilder,
  v: Lanes,
  { tile, slabRow, spread, bias }: DirectShape,
  phases: readonly Phase[],
  { x, weights, table, start }: Record<'x' | 'weights' | 'table' | 'start', Local<'i32'>>,
  taps: Local<'i32'>,
): Local<'v128'>[][] {
  const places = Array.from({ length: tile.rows }, (_, r) =>
    Array.from({ length: tile.vectors }, (_, c) => r * slabRow + 16 * c),
  ).flat();
  const sums = Array.from({ length: tile.lines }, (_, line) => {
    const channel = tile.share === 'channels' ? line : 0;
    return places.map(() => f.local('v128', bias ? v.loadSplat(start, channel * v.bytes) : v.zero));
  });
  const entry = f.int(table);
  const end = f.int();
  const w = f.int(weights);
  const inputs = places.map(() => f.local('v128'));
  const factor = f.local('v128');
  for (const { from, to, rows } of phases) {
    f.setInt(end, i32.add(entry, i32.mul(taps, 4 * rows.length)));
    f.for(entry, end, 4, () => {
      f.keepLoopSmall(w);
      // The address goes through the loop as a variable: a sum would be computed anew in it.
      f.advance(x, load.i32(entry));
      inputs.forEach((input, p) => {
        f.set(input, load.v128(x, places[p]));
      });
      sums.slice(from, to).forEach((line, i) => {
        f.set(factor, spread ? load.v128(w, 16 * i) : v.loadSplat(w, v.bytes * i));
        line.forEach((sum, p) => {
          f.set(sum, v.multiplyAdd(inputs[p], factor, sum));
        });
      });
      f.advance(w, (spread ? 16 : v.bytes) * (to - from));
    });
  }
  return sums;
}

/** Writes the sums of a tile; of the last vector in a row only the lanes that exist. */
function storeTile(
  f: Code,
  v: Lanes,
  { tile, width, outRow, outStep }: DirectShape,
  y: Local<'i32'>,
  sums: Local<'v128'>[][],
  left: Local<'i32'>,
  outChannel: IntLike,
): void {
  const tail = width % v.count;
  const vectorsPerRow = Math.ceil(width / v.count);
  const step = outStep * v.bytes;
  const storeLanes = (sum: Local<'v128'>, offset: number, count: number) => {
    for (let lane = 0; lane < count; lane++) v.storeLane(f, y, sum, lane, offset + lane * step);
  };
  sums.forEach((line, i) => {
    if (i > 0) f.advance(y, tile.share === 'channels' ? outChannel : outRow);
    line.forEach((sum, p) => {
      const vector = p % tile.vectors;
      const offset = Math.floor(p / tile.vectors) * outRow + vector * v.count * step;
      const whole = () => {
        if (outStep === 1) f.store('v128', y, sum, offset);
        else storeLanes(sum, offset, v.count);
      };
      if (tail === 0) whole();
      else
        f.if(
          i32.eq(i32.add(left, vector), vectorsPerRow - 1),
          () => storeLanes(sum, offset, tail),
          whole,
        );
    });
  });
}

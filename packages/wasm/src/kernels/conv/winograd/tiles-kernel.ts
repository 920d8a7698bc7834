// Bᵀx and A·gy: the tiles of a padded source, transformed.

import { i32 } from '../../../emit/code.js';
import { lanes } from '../../../emit/lanes.js';
import type { Kernel } from '../../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { pointsOf, WIDTH, type Winograd } from './algorithms.js';
import { loadOutputs, loadTiles } from './lanes.js';
import { alongDepth, alongHeight, type Points, scratchBytes } from './points.js';

export interface TilesShape {
  readonly winograd: Winograd;
  /** Bᵀ of inputs, or A of gradients of outputs. */
  readonly of: 'input' | 'gradient';
  /** Bytes from point to point in the result. */
  readonly point: number;
}

export const TILES_ARGUMENTS = [
  'source', // the padded position of the first output
  'target',
  'scratch', // `scratchBytes` of each item
  'rows', // tile rows in all: a tile row is all tiles of one place along D and H
  'firstRow', // of this batch
  'rowsHigh', // tile rows along H
  'units', // of a tile row
  'pair', // bytes of a pair of units
  'channels', // that the source has
  'padded', // channels of the result; those past the source's are zeros
  'channelBlocks',
  'channelsPerBlock',
  'channelStride',
  'depthStride', // from depth to depth of the source
  'rowStride',
] as const;

export type TilesArguments = Record<(typeof TILES_ARGUMENTS)[number], number>;

/** An item is a block of channels of a tile row. */
export function tilesKernel(engine: Engine, { winograd, of, point }: TilesShape): Kernel {
  const { depth, height } = winograd;
  return kernelOf(engine, `winograd ${winograd.name} ${of} ${point}`, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, TILES_ARGUMENTS);
    // Numbers of a tile along each axis, before the transform.
    const deep = of === 'input' ? depth.points : depth.outputs;
    const high = of === 'input' ? height.points : height.outputs;
    const read = of === 'input' ? loadTiles : loadOutputs;
    forItems(builder, (item) => {
      const [row, block] = unravel(f, item, [0, a.channelBlocks]);
      const tileRow = f.int(i32.add(row, a.firstRow));
      const exists = f.int(i32.ltU(tileRow, a.rows));
      const atDepth = i32.mul(i32.divU(tileRow, a.rowsHigh), depth.outputs);
      const atHeight = i32.mul(i32.remU(tileRow, a.rowsHigh), height.outputs);
      const start = f.int(
        i32.add(a.source, i32.add(i32.mul(atDepth, a.depthStride), i32.mul(atHeight, a.rowStride))),
      );
      const scratch: Points = {
        base: f.int(i32.add(a.scratch, i32.mul(item, scratchBytes(winograd)))),
        point: 16,
      };
      f.times(a.units, (unit) => {
        const place = f.int(i32.add(i32.mul(row, a.units), unit));
        const channel = f.int(i32.mul(block, a.channelsPerBlock));
        const last = f.int(i32.min(a.padded, i32.add(channel, a.channelsPerBlock)));
        const base = f.int(
          i32.add(
            i32.add(a.target, i32.mul(i32.shrU(place, 1), a.pair)),
            i32.add(i32.shl(i32.and(place, 1), 4), i32.shl(channel, 5)),
          ),
        );
        f.for(channel, last, 1, () => {
          const real = i32.and(exists, i32.ltU(channel, a.channels));
          f.if(real, transformUnit, clearUnit);
          f.advance(base, 32);
        });
        function transformUnit(): void {
          const from = f.int(i32.add(start, i32.mul(channel, a.channelStride)));
          f.advance(from, i32.shl(unit, 6));
          const target = f.int(scratch.base);
          f.times(deep, () => {
            const line = f.int(from);
            const to = f.int(target);
            f.times(high, () => {
              const along = of === 'input' ? WIDTH.input : WIDTH.gradient;
              along(f, v, read(f, line)).forEach((vector, i) => {
                f.store('v128', to, vector, i * scratch.point);
              });
              f.advance(line, a.rowStride);
              f.advance(to, WIDTH.points * scratch.point);
            });
            f.advance(from, a.depthStride);
            f.advance(target, height.points * WIDTH.points * scratch.point);
          });
          const result: Points = { base, point };
          const to = depth.taps > 1 ? scratch : result;
          const overRows = { count: high, depths: deep };
          alongHeight({ f, v, from: scratch, to }, winograd, height[of], overRows);
          const overDepths = { count: deep, rows: height.points };
          if (depth.taps > 1)
            alongDepth({ f, v, from: scratch, to: result }, winograd, depth[of], overDepths);
        }
        function clearUnit(): void {
          const at = f.int(base);
          f.times(pointsOf(winograd), () => {
            f.store('v128', at, v.zero);
            f.advance(at, point);
          });
        }
      });
    });
  });
}

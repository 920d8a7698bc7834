// Aᵀm: sums of products over channels become outputs.

import { type Code, type IntLike, i32, type Local, load } from '../../../emit/code.js';
import { anyTrue } from '../../../emit/integers.js';
import { bits, lanes, type Vector } from '../../../emit/lanes.js';
import type { Kernel } from '../../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { UNIT_OUTPUTS, WIDTH, type Winograd } from './algorithms.js';
import { transpose } from './lanes.js';
import { alongDepth, alongHeight, type Points, scratchBytes } from './points.js';

export interface OutputsShape {
  readonly winograd: Winograd;
  readonly point: number;
  /** Outputs along W. */
  readonly width: number;
  readonly bias: boolean;
}

export const OUTPUTS_ARGUMENTS = [
  'products',
  'scratch', // `scratchBytes` of each item
  'out', // the first output of the chunk
  'bias',
  'rows', // tile rows in all
  'firstRow', // of this batch
  'rowsHigh', // tile rows along H
  'units', // of a tile row
  'pair', // bytes of a pair of units
  'channels',
  'channelBlocks',
  'channelsPerBlock',
  'depths', // outputs along D in the chunk, and along H
  'heights',
  'outChannel',
  'outDepth',
  'outRow',
  'flag', // where a 1 is written if an output is not finite
] as const;

export type OutputsArguments = Record<(typeof OUTPUTS_ARGUMENTS)[number], number>;

/** An item is a block of channels of a tile row. */
export function outputsKernel(engine: Engine, shape: OutputsShape): Kernel {
  const { winograd, point, width, bias } = shape;
  const { depth, height } = winograd;
  const key = `winograd ${winograd.name} outputs ${point} ${width} ${bias}`;
  return kernelOf(engine, key, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, OUTPUTS_ARGUMENTS);
    forItems(builder, (item) => {
      const [row, block] = unravel(f, item, [0, a.channelBlocks]);
      const tileRow = f.int(i32.add(row, a.firstRow));
      const notFinite = f.local('v128', v.zero);
      f.if(i32.ltU(tileRow, a.rows), () => {
        const firstDepth = f.int(i32.mul(i32.divU(tileRow, a.rowsHigh), depth.outputs));
        const firstHeight = f.int(i32.mul(i32.remU(tileRow, a.rowsHigh), height.outputs));
        const start = f.int(
          i32.add(a.out, i32.add(i32.mul(firstDepth, a.outDepth), i32.mul(firstHeight, a.outRow))),
        );
        const deep = f.int(i32.min(depth.outputs, i32.sub(a.depths, firstDepth)));
        const high = f.int(i32.min(height.outputs, i32.sub(a.heights, firstHeight)));
        const firstChannel = f.int(i32.mul(block, a.channelsPerBlock));
        const last = f.int(i32.min(a.channels, i32.add(firstChannel, a.channelsPerBlock)));
        const scratch: Points = {
          base: f.int(i32.add(a.scratch, i32.mul(item, scratchBytes(winograd)))),
          point: 16,
        };
        f.times(a.units, (unit) => {
          const place = f.int(i32.add(i32.mul(row, a.units), unit));
          const channel = f.int(firstChannel);
          const base = f.int(
            i32.add(
              i32.add(a.products, i32.mul(i32.shrU(place, 1), a.pair)),
              i32.add(i32.shl(i32.and(place, 1), 4), i32.shl(channel, 5)),
            ),
          );
          f.for(channel, last, 1, () => {
            const products: Points = { base, point };
            const overDepths = { count: depth.points, rows: height.points };
            if (depth.taps > 1)
              alongDepth({ f, v, from: products, to: scratch }, winograd, depth.output, overDepths);
            const from = depth.taps > 1 ? scratch : products;
            const overRows = { count: height.points, depths: depth.outputs };
            alongHeight({ f, v, from, to: scratch }, winograd, height.output, overRows);
            const start0 = bias
              ? f.local('v128', v.loadSplat(i32.add(a.bias, i32.shl(channel, 2))))
              : null;
            const out = f.int(i32.add(start, i32.mul(channel, a.outChannel)));
            f.advance(out, i32.shl(unit, 6));
            const source = f.int(scratch.base);
            f.times(deep, () => {
              const line = f.int(out);
              const at = f.int(source);
              f.times(high, () => {
                const sums = Array.from({ length: WIDTH.points }, (_, i) =>
                  f.local('v128', load.v128(at, i * scratch.point)),
                );
                const columns = WIDTH.output(f, v, sums).map((y) =>
                  f.local('v128', start0 ? v.add(y, start0) : y),
                );
                const rows = transpose(f, columns);
                for (const vector of rows) {
                  // x − x is 0 unless x is infinite or NaN.
                  const zero = v.eq(v.sub(vector, vector), v.zero);
                  f.set(notFinite, bits.or(notFinite, bits.not(zero)));
                }
                storeUnit(f, line, unit, rows, width);
                f.advance(line, a.outRow);
                f.advance(at, WIDTH.points * scratch.point);
              });
              f.advance(out, a.outDepth);
              f.advance(source, height.points * WIDTH.points * scratch.point);
            });
            f.advance(base, 32);
          });
        });
      });
      f.if(anyTrue(notFinite), () => f.store('i32', a.flag, i32Const(1)));
    });
  });
}

const i32Const = (x: number) => i32.add(x, 0);

/** Writes the outputs of a unit; of the last one in a row, only those that exist. */
function storeUnit(
  f: Code,
  at: IntLike,
  unit: Local<'i32'>,
  rows: readonly Vector[],
  width: number,
): void {
  const whole = Math.floor(width / UNIT_OUTPUTS);
  const rest = width % UNIT_OUTPUTS;
  const storeAll = () => {
    for (const [i, row] of rows.entries()) f.store('v128', at, row, 16 * i);
  };
  const storeRest = () =>
    rows.forEach((row, i) => {
      const count = Math.max(0, Math.min(4, rest - 4 * i));
      if (count === 4) f.store('v128', at, row, 16 * i);
      else
        for (let lane = 0; lane < count; lane++) f.storeLane(4, at, row, lane, 16 * i + 4 * lane);
    });
  if (rest === 0) storeAll();
  else if (whole === 0) storeRest();
  else f.if(i32.ltU(unit, whole), storeAll, storeRest);
}

// The forward and its adjoint in the input through Winograd's algorithm.

import { volume } from '@voxgrad/core';
import type { Call } from '../../../memory/call.js';
import type { Engine } from '../../engine.js';
import type { Pass } from '../pass.js';
import { pointsOf, type Winograd } from './algorithms.js';
import {
  CHANNELS_PER_ITEM,
  dropRoom,
  itemsOf,
  load,
  pairsOf,
  room,
  tileSource,
  tilingOf,
  transformTiles,
} from './batches.js';
import { OUTPUTS_ARGUMENTS, type OutputsArguments, outputsKernel } from './outputs-kernel.js';
import {
  PRODUCT_ARGUMENTS,
  type ProductArguments,
  productKernel,
  TOGETHER,
} from './products-kernels.js';
import { weightPoints } from './weight-points.js';

const even = (channels: number): number => Math.ceil(channels / 2) * 2;

/**
 * Runs a pass; says whether all outputs are finite. If not, they may be NaN in more places than they
 * should be: a tile spreads what is not finite over all its outputs.
 */
export function runWinograd(
  engine: Engine,
  call: Call,
  winograd: Winograd,
  pass: Pass,
  pointers: { source: number; weight: number; result: number },
): boolean {
  const [axes] = pass.problems;
  const points = pointsOf(winograd);
  const tiling = tilingOf(winograd, axes, pass.from + pass.to);
  const source = tileSource(tiling, axes, pass.source, pass.groups, pass.from);
  const inputs = even(pass.from);
  const blocks = Math.ceil(pass.to / TOGETHER);
  const tiles = room(call, tiling, points, inputs);
  const products = room(call, tiling, points, blocks * TOGETHER);
  const weights = weightPoints(engine, call, winograd, pass, pointers.weight);
  const flag = call.workspace(4);
  const flagged = () => new Int32Array(engine.memory.memory.buffer, flag, 1);
  flagged()[0] = 0;
  const [sourceBytes, resultBytes] = [4 * volume(pass.source), 4 * volume(pass.result)];
  const outRow = 4 * pass.result[2];
  const outDepth = pass.result[1] * outRow;
  const bias = pass.bias !== null;
  for (let n = 0; n < pass.batch; n++)
    for (const chunk of source.chunks) {
      const group = n * pass.groups + chunk.group;
      const from = pointers.source + group * pass.from * sourceBytes;
      const loaded = load(engine, call, tiling, source, chunk, from, pass.source);
      for (let firstRow = 0; firstRow < loaded.rows; firstRow += tiling.rows) {
        transformTiles(engine, tiling, 'input', loaded, firstRow, pass.from, tiles);
        const multiply: ProductArguments = {
          tiles: tiles.pointer,
          tilesPoint: tiles.point,
          tilesPair: tiles.pair,
          weights: weights.pointer + chunk.group * weights.group,
          weightsPoint: weights.point,
          products: products.pointer,
          productsPoint: products.point,
          productsPair: products.pair,
          pairs: pairsOf(tiling),
          blocks,
          channels: inputs,
        };
        engine.team.run(
          productKernel(engine),
          points,
          PRODUCT_ARGUMENTS.map((name) => multiply[name]),
        );
        const channelBlocks = Math.ceil(pass.to / CHANNELS_PER_ITEM);
        const write: OutputsArguments = {
          products: products.pointer,
          scratch: products.scratch,
          out: pointers.result + group * pass.to * resultBytes + chunk.depth * outDepth,
          bias: pass.bias === null ? 0 : pass.bias + 4 * chunk.group * pass.to,
          rows: loaded.rows,
          firstRow,
          rowsHigh: tiling.high,
          units: tiling.units,
          pair: products.pair,
          channels: pass.to,
          channelBlocks,
          channelsPerBlock: CHANNELS_PER_ITEM,
          depths: Math.min(chunk.depths, axes[0].count - chunk.depth),
          heights: axes[1].count,
          outChannel: resultBytes,
          outDepth,
          outRow,
          flag,
        };
        engine.team.run(
          outputsKernel(engine, { winograd, point: products.point, width: axes[2].count, bias }),
          itemsOf(tiling, pass.to),
          OUTPUTS_ARGUMENTS.map((name) => write[name]),
        );
      }
      loaded.slab.drop();
    }
  const finite = flagged()[0] === 0;
  for (const transformed of [tiles, products]) dropRoom(call, transformed);
  call.drop(weights.pointer);
  return finite;
}

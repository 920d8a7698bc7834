// The weight gradient through Winograd's algorithm: Gᵀ Σ (A·gy) ⊙ (Bᵀx) over all tiles.

import { type ConvGeometry, volume } from '@voxgrad/core';
import type { Call } from '../../../memory/call.js';
import type { Engine } from '../../engine.js';
import { type Axes, forwardAxes, type ProblemAxis } from '../problem.js';
import { pointsOf, type Winograd } from './algorithms.js';
import { dropRoom, load, pairsOf, room, tileSource, tilingOf, transformTiles } from './batches.js';
import {
  CORRELATION_ARGUMENTS,
  type CorrelationArguments,
  correlationKernel,
  TOGETHER,
} from './products-kernels.js';
import { weightRoom } from './weight-points.js';
import {
  WEIGHT_TAPS_ARGUMENTS,
  type WeightTapsArguments,
  weightTapsKernel,
} from './weights-kernels.js';

/** An axis read as it is. */
const plain = ({ count }: ProblemAxis): ProblemAxis => ({
  count,
  step: 1,
  taps: [{ k: 0, at: 0 }],
  outFirst: 0,
  outStep: 1,
});

/** dw at `out`; says whether it is finite. */
export function winogradWeight(
  engine: Engine,
  call: Call,
  winograd: Winograd,
  g: ConvGeometry,
  pointers: { x: number; gradOutput: number; out: number },
): boolean {
  const axes = forwardAxes(g);
  const [inputs, outputs] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const points = pointsOf(winograd);
  const tiling = tilingOf(winograd, axes, inputs + outputs);
  const gradientAxes: Axes = [plain(axes[0]), plain(axes[1]), plain(axes[2])];
  const source = tileSource(tiling, axes, g.input, g.groups, inputs);
  const gradient = tileSource(tiling, gradientAxes, g.output, g.groups, outputs);
  const paddedInputs = Math.ceil(inputs / 2) * 2;
  const blocks = Math.ceil(outputs / TOGETHER);
  const tiles = room(call, tiling, points, paddedInputs);
  const gradients = room(call, tiling, points, blocks * TOGETHER);
  const sums = weightRoom(call, winograd, g.groups, outputs, inputs);
  new Uint8Array(engine.memory.memory.buffer, sums.pointer, g.groups * sums.group).fill(0);
  const [inputBytes, outputBytes] = [4 * volume(g.input), 4 * volume(g.output)];
  for (let n = 0; n < g.batch; n++)
    for (const chunk of source.chunks) {
      const group = n * g.groups + chunk.group;
      const x = load(
        engine,
        call,
        tiling,
        source,
        chunk,
        pointers.x + group * inputs * inputBytes,
        g.input,
      );
      const gy = load(
        engine,
        call,
        tiling,
        gradient,
        chunk,
        pointers.gradOutput + group * outputs * outputBytes,
        g.output,
      );
      for (let firstRow = 0; firstRow < x.rows; firstRow += tiling.rows) {
        transformTiles(engine, tiling, 'input', x, firstRow, inputs, tiles);
        transformTiles(engine, tiling, 'gradient', gy, firstRow, outputs, gradients);
        const args: CorrelationArguments = {
          tiles: tiles.pointer,
          tilesPoint: tiles.point,
          tilesPair: tiles.pair,
          gradients: gradients.pointer,
          gradientsPoint: gradients.point,
          gradientsPair: gradients.pair,
          sums: sums.pointer + chunk.group * sums.group,
          sumsPoint: sums.point,
          pairs: pairsOf(tiling),
          blocks,
          channels: paddedInputs,
        };
        engine.team.run(
          correlationKernel(engine),
          points,
          CORRELATION_ARGUMENTS.map((name) => args[name]),
        );
      }
      gy.slab.drop();
      x.slab.drop();
    }
  const K = volume(g.kernel);
  const kernel = weightTapsKernel(engine, { winograd, point: sums.point });
  for (let group = 0; group < g.groups; group++) {
    const args: WeightTapsArguments = {
      points: sums.pointer + group * sums.group,
      weights: pointers.out + 4 * group * outputs * inputs * K,
      outChannels: outputs,
      inChannels: inputs,
      paddedInChannels: paddedInputs,
      outStride: 4 * inputs * K,
      inStride: 4 * K,
    };
    engine.team.run(
      kernel,
      blocks * paddedInputs,
      WEIGHT_TAPS_ARGUMENTS.map((name) => args[name]),
    );
  }
  const { buffer } = engine.memory.memory;
  const out = new Float32Array(buffer, pointers.out, g.outChannels * inputs * K);
  for (const transformed of [tiles, gradients]) dropRoom(call, transformed);
  call.drop(sums.pointer);
  return out.every(Number.isFinite);
}

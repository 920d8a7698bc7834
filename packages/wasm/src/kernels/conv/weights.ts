import { volume } from '@voxgrad/core';
import { lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import { channelsOf, type Phase, type Tile } from './direct-kernel.js';
import type { Pass } from './pass.js';
import type { Axes } from './problem.js';

/** Bytes of spread weights of a block of channels; more do not stay in the nearest cache. */
const SPREAD_LIMIT = 48 * 2 ** 10;

/** The output channels that packed weights are for. */
interface Channels {
  readonly tile: Tile;
  readonly phases: readonly Phase[];
  readonly first: number;
  readonly blocks: number;
}

export interface PackedWeights {
  readonly weights: number;
  /** Bytes of a group. */
  readonly weightsGroup: number;
  /** Whether each number fills a vector. */
  readonly spread: boolean;
}

/** `[block of channels][phase][tap][line]`, each number as a whole vector, for each group. */
export function packWeights(
  engine: Engine,
  call: Call,
  weight: number,
  pass: Pass,
  [D, H, W]: Axes,
  { tile, phases, first, blocks }: Channels,
): PackedWeights {
  const { count, bytes } = lanes(pass.dtype);
  const lineTaps = phases.reduce((sum, p) => sum + (p.to - p.from) * p.rows.length, 0);
  const size = blocks * pass.from * D.taps.length * W.taps.length * lineTaps;
  const spread = (size / blocks) * 16 <= SPREAD_LIMIT;
  const copies = spread ? count : 1;
  const pointer = call.workspace(Math.max(16, pass.groups * size * copies * bytes));
  const { buffer } = engine.memory.memory;
  const array = pass.dtype === 'float32' ? Float32Array : Float64Array;
  const source = new array(buffer, weight, pass.groups * pass.from * pass.to * volume(pass.kernel));
  const target = new array(buffer, pointer, pass.groups * size * copies);
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
                  for (let lane = 0; lane < copies; lane++) target[at++] = value;
                }
    }
  return { weights: pointer, weightsGroup: size * copies * bytes, spread };
}

// The weight gradient: slabs of the input against the gradient, sums kept as vectors until the end.

import { type ConvGeometry, volume } from '@voxgrad/core';
import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import { type Axes, forwardAxes } from './problem.js';
import {
  chunksOf,
  type Layout,
  layoutOf,
  loadSlab,
  placeOf,
  rowsLayout,
  type Slab,
} from './slab.js';
import { WEIGHT_ARGUMENTS, weightKernel } from './weight-kernel.js';
import { winogradFor } from './winograd/choice.js';
import { winogradWeight } from './winograd/weight-gradient.js';

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
  const winograd = winogradFor(engine, {
    dtype,
    from: g.inChannels / g.groups,
    to: g.outChannels / g.groups,
    problems: [axes],
  });
  if (winograd && call.attempt(() => winogradWeight(engine, call, winograd, g, pointers))) return;
  const layout = layoutOf(dtype, g.input, [axes], { wholeRows: true });
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
  const gradientLayout = rowsLayout(dtype, g.output);
  for (let n = 0; n < g.batch; n++)
    for (const chunk of chunksOf(layout, g.groups, perGroupIn)) {
      const { group, groups, depths } = chunk;
      const firstGroup = n * g.groups + group;
      // Rows of one channel follow each other here: a kernel reads one channel at a time.
      const slab = loadSlab(
        engine,
        call,
        layout,
        chunk,
        {
          pointer: pointers.x + firstGroup * perGroupIn * inputVolume,
          size: g.input,
          groups,
          channels: perGroupIn,
        },
        { interleave: false },
      );
      const table = new Int32Array(engine.memory.memory.buffer, tableAt, chunks * shape.taps);
      const offsets = offsetsOf(axes, layout, perGroupIn, slab);
      table.set(offsets);
      table.fill(offsets[offsets.length - 1], offsets.length);
      const gradient = loadSlab(
        engine,
        call,
        gradientLayout,
        chunk,
        {
          pointer: pointers.gradOutput + firstGroup * perGroupOut * outputVolume,
          size: g.output,
          groups,
          channels: perGroupOut,
        },
        { interleave: false },
      );
      const rowBytes = Math.ceil(g.output[2] / count) * 16;
      let first = 0;
      for (const { channels, blocks } of runs) {
        const kernel = weightKernel(engine, { dtype, channels, taps: shape.taps });
        const parallel = groups * blocks;
        const itemsPerBlock = Math.min(chunks, Math.max(1, Math.ceil(32 / parallel), perGroupIn));
        const chunksPerItem = Math.ceil(chunks / itemsPerBlock);
        const args: Record<(typeof WEIGHT_ARGUMENTS)[number], number> = {
          slab: slab.start,
          gradient: gradient.start + first * gradient.channel,
          table: tableAt,
          totals: totals + group * totalsGroup + first * chunks * shape.taps * 16,
          slabGroup: slab.group,
          gradientGroup: gradient.group,
          totalsGroup,
          depths,
          slabDepth: slab.depth * g.stride[0],
          gradientDepth: gradient.depth,
          rows: g.output[1],
          slabRow: slab.row * g.stride[1],
          gradientRow: gradient.row,
          rowBytes,
          gradientChannel: gradient.channel,
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
      gradient.drop();
      slab.drop();
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

/** Byte offsets of all taps of all channels of a group, relative to the first output's place. */
function offsetsOf(axes: Axes, layout: Layout, channels: number, slab: Slab): Int32Array {
  const table = new Int32Array(
    channels * axes[0].taps.length * axes[1].taps.length * axes[2].taps.length,
  );
  const place = placeOf(layout, slab);
  let i = 0;
  for (let channel = 0; channel < channels; channel++)
    for (const d of axes[0].taps)
      for (const h of axes[1].taps)
        for (const w of axes[2].taps) table[i++] = place(channel, d.at, h.at, w.at);
  return table;
}

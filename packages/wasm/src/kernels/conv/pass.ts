// The forward and its adjoint in the input, as passes of one kind: a source is loaded into slabs, and
// the direct kernel runs over them with packed weights.

import { type ConvGeometry, volume } from '@voxgrad/core';
import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Call } from '../../memory/call.js';
import type { Engine } from '../engine.js';
import { fftFor } from './fft/choice.js';
import { fftForward } from './fft/convolve.js';
import { type Axes, adjointAxes, forwardAxes, type Triple } from './problem.js';
import { chunksOf, layoutOf, loadSlab } from './slab.js';
import { prepare } from './tiled.js';
import { winogradFor } from './winograd/choice.js';
import { runWinograd } from './winograd/pass.js';

/** Which numbers of a weight `[outChannels, inChannels / groups, kernel]` a pass uses where. */
export interface WeightOrder {
  /** Distance between output channels of the pass, and between its input channels. */
  readonly out: number;
  readonly in: number;
  readonly group: number;
}

export interface Pass {
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
  /** A number for each output channel, or null. */
  readonly bias: number | null;
}

/** y = conv(x, w) at `out`. */
export function convForward(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  g: ConvGeometry,
  pointers: { x: number; weight: number; bias: number | null; out: number },
): void {
  const tiling = fftFor(engine, dtype, g, ['forward']);
  if (tiling && call.attempt(() => fftForward({ engine, call, tiling, g }, pointers))) return;
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
    bias: pointers.bias,
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
    bias: null,
  });
}

function runPass(
  engine: Engine,
  call: Call,
  source: number,
  weight: number,
  result: number,
  pass: Pass,
): void {
  const winograd = winogradFor(engine, pass);
  const pointers = { source, weight, result };
  if (winograd && call.attempt(() => runWinograd(engine, call, winograd, pass, pointers))) return;
  const flat = flattened(pass);
  const { dtype } = flat;
  const { bytes } = lanes(dtype);
  const layout = layoutOf(dtype, flat.source, flat.problems);
  const work = flat.problems.map((axes) => prepare(engine, call, weight, flat, axes, layout));
  const sourceVolume = volume(flat.source) * bytes;
  const resultVolume = volume(flat.result) * bytes;
  for (let n = 0; n < flat.batch; n++)
    for (const chunk of chunksOf(layout, flat.groups, flat.from)) {
      const { group, groups } = chunk;
      const from = source + (n * flat.groups + group) * flat.from * sourceVolume;
      const slab = loadSlab(engine, call, layout, chunk, {
        pointer: from,
        size: flat.source,
        groups,
        channels: flat.from,
      });
      const to = result + (n * flat.groups + group) * flat.to * resultVolume;
      for (const run of work) run(slab, to, chunk);
      slab.drop();
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

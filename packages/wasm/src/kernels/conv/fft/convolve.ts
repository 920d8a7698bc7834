// Convolution and its gradients through Fourier transforms. A tile of the input is as long as its
// outputs and the kernel's reach together (overlap-save), a tile of the gradient is what belongs to
// those outputs with zeros after it, and what it gives to the input is added (overlap-add): so both
// gradients use one spectrum of it (Oppenheim and Schafer, Discrete-Time Signal Processing, 8.7).

import { type ConvGeometry, type Triple, volume } from '@voxgrad/core';
import type { Call } from '../../../memory/call.js';
import type { Engine } from '../../engine.js';
import { type Boxes, Spectra } from './spectra.js';
import { type Pair, type Place, pairsOf, pointsOf, type Tiling } from './tile.js';

const BYTES = 4;
const NOWHERE: Triple = [0, 0, 0];

interface Problem {
  readonly engine: Engine;
  readonly call: Call;
  readonly tiling: Tiling;
  readonly g: ConvGeometry;
}

/** Channels of one group. */
interface Channels {
  readonly from: number;
  readonly to: number;
}

const channelsOf = (g: ConvGeometry): Channels => ({
  from: g.inChannels / g.groups,
  to: g.outChannels / g.groups,
});

/** The boxes of a pair of tiles in channel `channel` of a tensor of `channels` channels. */
function boxesOf(
  pair: Pair,
  pointer: number,
  { channels, channel, size, of }: { channels: number; channel: number; size: Triple; of: Triple },
  before: Triple,
): Boxes {
  const bytes = BYTES * volume(of);
  const box = ({ image, at }: Place) => ({
    pointer: pointer + (image * channels + channel) * bytes,
    at: [at[0] - before[0], at[1] - before[1], at[2] - before[2]] as Triple,
  });
  return {
    first: box(pair.first),
    second: pair.second && box(pair.second),
    volume: of,
    size,
  };
}

/** The padding before an axis: how far tiles of the input stand before their outputs. */
const before = ({ padding }: ConvGeometry): Triple => [padding[0][0], padding[1][0], padding[2][0]];

const inputBoxes = ({ g, tiling }: Problem, pair: Pair, pointer: number, channel: number): Boxes =>
  boxesOf(
    pair,
    pointer,
    { channels: g.inChannels, channel, size: pointsOf(tiling.tile), of: g.input },
    before(g),
  );

const outputBoxes = ({ g, tiling }: Problem, pair: Pair, pointer: number, channel: number): Boxes =>
  boxesOf(
    pair,
    pointer,
    { channels: g.outChannels, channel, size: tiling.outputs, of: g.output },
    NOWHERE,
  );

/** The kernel of one pair of channels. */
const kernelBoxes = ({ g }: Problem, pointer: number, index: number): Boxes => ({
  first: { pointer: pointer + index * BYTES * volume(g.kernel), at: NOWHERE },
  second: null,
  volume: g.kernel,
  size: g.kernel,
});

/** Spectra of the kernels of a group, `[to][from]`. */
function loadKernels(
  problem: Problem,
  spectra: Spectra,
  at: number,
  weight: number,
  group: number,
) {
  const { from, to } = channelsOf(problem.g);
  for (let i = 0; i < from * to; i++)
    spectra.load(at + i * spectra.tile.bytes, kernelBoxes(problem, weight, group * from * to + i));
}

/** y at `out`; says whether it is finite. */
export function fftForward(
  problem: Problem,
  pointers: { x: number; weight: number; bias: number | null; out: number },
): boolean {
  const { engine, call, tiling, g } = problem;
  const { from, to } = channelsOf(g);
  const spectra = new Spectra(engine, call, tiling.tile);
  const { bytes } = tiling.tile;
  const [kernels, inputs, sum] = [spectra.room(from * to), spectra.room(from), spectra.room()];
  const pairs = pairsOf(tiling, g.batch);
  const { bias } = pointers;
  const biasOf = (channel: number): number =>
    bias === null ? 0 : new Float32Array(engine.memory.memory.buffer, bias + BYTES * channel, 1)[0];
  for (let group = 0; group < g.groups; group++) {
    loadKernels(problem, spectra, kernels, pointers.weight, group);
    for (const pair of pairs) {
      for (let i = 0; i < from; i++)
        spectra.load(inputs + i * bytes, inputBoxes(problem, pair, pointers.x, group * from + i));
      for (let o = 0; o < to; o++) {
        for (let i = 0; i < from; i++) {
          const operands = {
            x: inputs + i * bytes,
            y: kernels + (o * from + i) * bytes,
            result: sum,
          };
          spectra.multiply('conjugate', operands, { add: i > 0 });
        }
        spectra.store(sum, outputBoxes(problem, pair, pointers.out, group * to + o), {
          bias: biasOf(group * to + o),
        });
      }
    }
  }
  const { finite } = spectra;
  spectra.drop();
  return finite;
}

/**
 * The gradients that have a place in `out`; says whether they are finite. `x` is read for the weight's,
 * `weight` for the input's.
 */
export function fftBackward(
  problem: Problem,
  pointers: { gradOutput: number; x: number; weight: number },
  out: { input: number | null; weight: number | null },
): boolean {
  const { engine, call, tiling, g } = problem;
  const { from, to } = channelsOf(g);
  const spectra = new Spectra(engine, call, tiling.tile);
  const { bytes } = tiling.tile;
  const room = (wanted: unknown, count: number) => (wanted === null ? 0 : spectra.room(count));
  const kernels = room(out.input, from * to);
  const sums = room(out.weight, from * to);
  const inputs = room(out.weight, from);
  const gradients = spectra.room(to);
  const sum = spectra.room();
  if (out.input !== null) {
    const length = g.batch * g.inChannels * volume(g.input);
    new Float32Array(engine.memory.memory.buffer, out.input, length).fill(0);
  }
  const pairs = pairsOf(tiling, g.batch);
  for (let group = 0; group < g.groups; group++) {
    if (out.input !== null) loadKernels(problem, spectra, kernels, pointers.weight, group);
    pairs.forEach((pair, number) => {
      for (let o = 0; o < to; o++)
        spectra.load(
          gradients + o * bytes,
          outputBoxes(problem, pair, pointers.gradOutput, group * to + o),
        );
      for (let i = 0; i < from; i++) {
        const channel = group * from + i;
        if (out.weight !== null) {
          spectra.load(inputs + i * bytes, inputBoxes(problem, pair, pointers.x, channel));
          for (let o = 0; o < to; o++) {
            // Real part: the sum over both tiles, since (x₁ + ix₂)(g₁ − ig₂) has x₁g₁ + x₂g₂ in it.
            const result = sums + (o * from + i) * bytes;
            const operands = { x: inputs + i * bytes, y: gradients + o * bytes, result };
            spectra.multiply('conjugate', operands, { add: number > 0 });
          }
        }
        if (out.input === null) continue;
        for (let o = 0; o < to; o++) {
          const y = kernels + (o * from + i) * bytes;
          spectra.multiply('plain', { x: gradients + o * bytes, y, result: sum }, { add: o > 0 });
        }
        spectra.store(sum, inputBoxes(problem, pair, out.input, channel), { add: true });
      }
    });
    if (out.weight === null) continue;
    for (let i = 0; i < from * to; i++)
      spectra.store(sums + i * bytes, kernelBoxes(problem, out.weight, group * from * to + i), {
        add: false,
      });
  }
  const { finite } = spectra;
  spectra.drop();
  return finite;
}

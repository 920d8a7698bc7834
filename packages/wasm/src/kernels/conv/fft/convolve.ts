// Convolution and its gradients through Fourier transforms. A tile of the input is as long as its
// outputs and the kernel's reach together (overlap-save), a tile of the gradient is what belongs to
// those outputs with zeros after it, and what it gives to the input is added (overlap-add): so both
// gradients use one spectrum of it (Oppenheim and Schafer, Discrete-Time Signal Processing, 8.7).

import { type ConvGeometry, type Triple, volume } from '@voxgrad/core';
import type { Call } from '../../../memory/call.js';
import type { Step } from '../../../threads/sequence.js';
import type { Engine } from '../../engine.js';
import { SPECTRA_LIMIT } from './choice.js';
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

/** The finite flag of `body`, whose workspaces are given back. */
function withSpectra({ engine, call, tiling }: Problem, body: (spectra: Spectra) => void): boolean {
  const spectra = new Spectra(engine, call, tiling.tile);
  body(spectra);
  const { finite } = spectra;
  spectra.drop();
  return finite;
}

/**
 * Whether the groups (or their tiles) are the items of the job, each with spectra of its own, and not the
 * channels of a group that share their spectra: where there are enough of them for the threads.
 */
function staysApart(
  { engine, tiling, g }: Problem,
  { items, tiles }: { items: number; tiles: number },
): boolean {
  const { from, to } = channelsOf(g);
  const enough = items >= Math.min(2 * engine.team.size, Math.max(from, to));
  return enough && tiles * tiling.tile.bytes <= SPECTRA_LIMIT;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** y at `out`; says whether it is finite. */
export function fftForward(
  problem: Problem,
  pointers: { x: number; weight: number; bias: number | null; out: number },
): boolean {
  const { engine, tiling, g } = problem;
  const { team } = engine;
  const { from, to } = channelsOf(g);
  const { bytes } = tiling.tile;
  const pairs = pairsOf(tiling, g.batch);
  const { bias } = pointers;
  const biasOf = (channel: number): number =>
    bias === null ? 0 : new Float32Array(engine.memory.memory.buffer, bias + BYTES * channel, 1)[0];
  return withSpectra(problem, (spectra) => {
    const lanes = team.size;
    const apart = staysApart(problem, {
      items: g.groups * pairs.length,
      tiles: lanes * (from + 1) + g.groups * from * to,
    });
    // Kernels of all groups, where each group's tiles go through one thread; else those of one.
    const kernels = spectra.room((apart ? g.groups : 1) * from * to);
    const loadKernels = (group: number, at: number) => (i: number) =>
      spectra.load(at + i * bytes, kernelBoxes(problem, pointers.weight, group * from * to + i));
    const loadInput = (group: number, pair: Pair, inputs: number) => (i: number) =>
      spectra.load(inputs + i * bytes, inputBoxes(problem, pair, pointers.x, group * from + i));
    /** Output channel `o`, from the spectra of the inputs and kernels of its group. */
    const output =
      (group: number, pair: Pair, at: { inputs: number; kernels: number }) =>
      (o: number, sum: number) => [
        ...range(from).map((i) => {
          const x = at.inputs + i * bytes;
          const y = at.kernels + (o * from + i) * bytes;
          return spectra.multiply('conjugate', { x, y, result: sum }, { add: i > 0 });
        }),
        ...spectra.store(sum, outputBoxes(problem, pair, pointers.out, group * to + o), {
          bias: biasOf(group * to + o),
        }),
      ];
    if (apart) {
      const scratch = spectra.rooms(lanes, from + 1);
      team.runSequences(
        'fft kernels',
        { items: g.groups * from * to, lanes },
        loadKernels(0, kernels),
      );
      const items = g.groups * pairs.length;
      team.runSequences('fft forward', { items, lanes }, (item, lane) => {
        const group = Math.floor(item / pairs.length);
        const pair = pairs[item % pairs.length];
        const sum = scratch[lane];
        const inputs = sum + bytes;
        const write = output(group, pair, { inputs, kernels: kernels + group * from * to * bytes });
        return [
          ...range(from).flatMap(loadInput(group, pair, inputs)),
          ...range(to).flatMap((o) => write(o, sum)),
        ];
      });
      return;
    }
    const inputs = spectra.room(from);
    const sums = spectra.rooms(lanes);
    for (let group = 0; group < g.groups; group++) {
      team.runSequences('fft kernels', { items: from * to, lanes }, loadKernels(group, kernels));
      for (const pair of pairs) {
        team.runSequences('fft input', { items: from, lanes }, loadInput(group, pair, inputs));
        const write = output(group, pair, { inputs, kernels });
        team.runSequences('fft forward', { items: to, lanes }, (o, lane) => write(o, sums[lane]));
      }
    }
  });
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
  const { engine, tiling, g } = problem;
  const { team } = engine;
  const { from, to } = channelsOf(g);
  const { bytes } = tiling.tile;
  const pairs = pairsOf(tiling, g.batch);
  if (out.input !== null) {
    const length = g.batch * g.inChannels * volume(g.input);
    new Float32Array(engine.memory.memory.buffer, out.input, length).fill(0);
  }
  return withSpectra(problem, (spectra) => {
    const perGroup = tilesOf(out, { from, to });
    const lanes = team.size;
    const apart = staysApart(problem, {
      items: g.groups,
      tiles: lanes * (perGroup.shared + perGroup.own),
    });
    const layOut = (at: number, own: number): Places => {
      const kernels = at;
      const sums = kernels + (out.input === null ? 0 : from * to * bytes);
      const gradients = sums + (out.weight === null ? 0 : from * to * bytes);
      return { kernels, sums, gradients, sum: own, input: own + bytes };
    };

    const loadKernel = (group: number, places: Places) => (i: number) =>
      spectra.load(
        places.kernels + i * bytes,
        kernelBoxes(problem, pointers.weight, group * from * to + i),
      );
    const loadGradient = (group: number, pair: Pair, places: Places) => (o: number) =>
      spectra.load(
        places.gradients + o * bytes,
        outputBoxes(problem, pair, pointers.gradOutput, group * to + o),
      );
    /** What the gradients of a pair of tiles give to input channel `i` and the kernels that read it. */
    const gather = (group: number, number: number, places: Places, i: number): Step[] => {
      const pair = pairs[number];
      const channel = group * from + i;
      const steps: Step[] = [];
      if (out.weight !== null) {
        steps.push(...spectra.load(places.input, inputBoxes(problem, pair, pointers.x, channel)));
        for (let o = 0; o < to; o++) {
          // Real part: the sum over both tiles, since (x₁ + ix₂)(g₁ − ig₂) has x₁g₁ + x₂g₂ in it.
          const result = places.sums + (o * from + i) * bytes;
          const operands = { x: places.input, y: places.gradients + o * bytes, result };
          steps.push(spectra.multiply('conjugate', operands, { add: number > 0 }));
        }
      }
      if (out.input !== null) {
        for (let o = 0; o < to; o++) {
          const y = places.kernels + (o * from + i) * bytes;
          const operands = { x: places.gradients + o * bytes, y, result: places.sum };
          steps.push(spectra.multiply('plain', operands, { add: o > 0 }));
        }
        steps.push(
          ...spectra.store(places.sum, inputBoxes(problem, pair, out.input, channel), {
            add: true,
          }),
        );
      }
      return steps;
    };
    const storeKernel = (group: number, places: Places, weight: number) => (i: number) =>
      spectra.store(places.sums + i * bytes, kernelBoxes(problem, weight, group * from * to + i), {
        add: false,
      });

    if (apart) {
      const scratch = spectra.rooms(lanes, perGroup.shared + perGroup.own);
      team.runSequences('fft backward', { items: g.groups, lanes }, (group, lane) => {
        const places = layOut(scratch[lane], scratch[lane] + perGroup.shared * bytes);
        const kernels = range(from * to);
        return [
          ...(out.input === null ? [] : kernels.flatMap(loadKernel(group, places))),
          ...pairs.flatMap((pair, number) => [
            ...range(to).flatMap(loadGradient(group, pair, places)),
            ...range(from).flatMap((i) => gather(group, number, places, i)),
          ]),
          ...(out.weight === null ? [] : kernels.flatMap(storeKernel(group, places, out.weight))),
        ];
      });
      return;
    }
    const shared = spectra.room(perGroup.shared);
    const places = spectra.rooms(lanes, perGroup.own).map((own) => layOut(shared, own));
    const run = (items: number, sequenceOf: (item: number, lane: number) => readonly Step[]) =>
      team.runSequences('fft backward', { items, lanes }, sequenceOf);
    for (let group = 0; group < g.groups; group++) {
      if (out.input !== null) run(from * to, loadKernel(group, places[0]));
      pairs.forEach((pair, number) => {
        run(to, loadGradient(group, pair, places[0]));
        run(from, (i, lane) => gather(group, number, places[lane], i));
      });
      if (out.weight !== null) run(from * to, storeKernel(group, places[0], out.weight));
    }
  });
}

/** Where the spectra of a group are, and those of one input channel. */
interface Places {
  readonly kernels: number;
  readonly sums: number;
  readonly gradients: number;
  readonly sum: number;
  readonly input: number;
}

/** Tiles that the channels of a group share, and those of the thread that works on one of them. */
function tilesOf(
  out: { input: number | null; weight: number | null },
  { from, to }: Channels,
): { shared: number; own: number } {
  const kernels = (out.input === null ? 0 : 1) + (out.weight === null ? 0 : 1);
  return { shared: kernels * from * to + to, own: 2 };
}

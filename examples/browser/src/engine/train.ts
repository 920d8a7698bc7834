// Fine-tuning on painted voxels: every step takes a cube around a voxel of each class.

import {
  cat,
  type Device,
  fromHost,
  noGrad,
  randint,
  randperm,
  scope,
  strategies,
  type Tensor,
  type TraceEntry,
} from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import type { Adam } from '@voxgrad/optim';
import type {
  LabelPatch,
  RanLayer,
  TrainOptions,
  TrainReport,
  Triple,
} from '../shared/protocol.js';
import type { Chain } from './chain.js';
import { deviceMemory } from './devices.js';
import { ranLayers } from './ran.js';
import { nextTask, type StopFlag } from './stop.js';

export interface TrainJob {
  readonly chain: Chain;
  readonly optimizer: Adam;
  readonly device: Device;
  /** `[1, 1, x, y, z]` */
  readonly input: Tensor;
  readonly shape: Triple;
  /** 1 + class where it is painted, 0 elsewhere. */
  readonly painted: Uint8Array;
  /** The segmentation that unpainted voxels are held to; null where there is none. */
  readonly labels: Uint8Array | null;
  readonly stop: StopFlag;
  readonly report: (report: TrainReport) => void;
  /** Called with each loss. */
  readonly stepped: (loss: number) => number;
}

/** Targets of this value add nothing to a loss. */
const IGNORED = 255;

/** Milliseconds between reports, and between pieces of segmentation for the page. */
const REPORT_EVERY = 50;
const PATCH_EVERY = 300;

/** @throws Error where nothing is painted, or the loss is no number any more */
export async function train(job: TrainJob, options: TrainOptions): Promise<void> {
  const { chain, optimizer, stop } = job;
  const places = paintedPlaces(job.painted);
  if (places.length === 0)
    throw new Error('Nothing is painted yet: paint some voxels of at least one class first.');
  for (const group of optimizer.paramGroups) group.lr = options.learningRate;
  chain.train();
  let losses: number[] = [];
  let [sentAt, patchAt, spent, step] = [0, 0, 0, 0];
  try {
    for (let i = 0; i < options.steps && !stop.wanted; i++) {
      const began = performance.now();
      const wantsPatch = began - patchAt > PATCH_EVERY || i === options.steps - 1;
      const result = oneStep(job, places, options, { trace: i === 0, labels: wantsPatch });
      if (!Number.isFinite(result.loss))
        throw new Error(
          `The loss is ${result.loss} after ${i + 1} steps. Set the weights back, and take a smaller learning rate.`,
        );
      step = job.stepped(result.loss);
      losses.push(result.loss);
      const now = performance.now();
      spent = i === 0 ? now - began : 0.9 * spent + 0.1 * (now - began);
      if (now - sentAt > REPORT_EVERY || i === options.steps - 1 || result.ran) {
        job.report({
          losses,
          step,
          msPerStep: spent,
          memoryBytes: deviceMemory(job.device),
          patch: result.patch,
          ran: result.ran,
        });
        losses = [];
        sentAt = now;
        if (result.patch) patchAt = now;
      }
      await nextTask();
    }
  } finally {
    chain.eval();
    if (losses.length > 0)
      job.report({
        losses,
        step,
        msPerStep: spent,
        memoryBytes: deviceMemory(job.device),
        patch: null,
        ran: null,
      });
  }
}

interface StepResult {
  readonly loss: number;
  readonly patch: LabelPatch | null;
  readonly ran: RanLayer[] | null;
}

function oneStep(
  job: TrainJob,
  places: readonly Uint32Array[],
  { patch, hold }: TrainOptions,
  wanted: { readonly trace: boolean; readonly labels: boolean },
): StepResult {
  const { chain, optimizer, device, shape } = job;
  const size = shape.map((n) => Math.min(n, patch)) as unknown as Triple;
  const starts = pick(places).map((at) => startAround(at, size, shape));
  let loss = Number.NaN;
  let labels: Uint8Array<ArrayBuffer> | null = null;
  const compute = () =>
    scope(() => {
      const cubes = starts.map((start) =>
        start.reduce((t, at, axis) => t.narrow(axis + 2, at, size[axis]), job.input),
      );
      const logits = chain.call(cat(cubes));
      const targets = (from: Uint8Array, valueOf: (value: number) => number) =>
        joined(starts.map((start) => cut(from, shape, start, size, valueOf)));
      const painted = targets(job.painted, (v) => (v === 0 ? IGNORED : v - 1));
      let total = lossOf(logits, painted, size);
      if (hold > 0 && job.labels) {
        const kept = targets(job.labels, (v) => v);
        for (let i = 0; i < kept.length; i++) if (painted[i] !== IGNORED) kept[i] = IGNORED;
        total = total.add(lossOf(logits, kept, size).mul(hold));
      }
      optimizer.zeroGrad();
      total.backward();
      optimizer.step();
      loss = total.item();
      if (wanted.labels)
        labels = Uint8Array.from(
          noGrad(() => logits.narrow(0, 0, 1).argmax(1).to('uint8')).dataSync() as Uint8Array,
        );
    });
  let entries: TraceEntry[] = [];
  if (wanted.trace) entries = strategies.trace(compute);
  else compute();
  return {
    loss,
    patch: labels && innerPart({ start: starts[0], size, labels }, shape),
    ran: wanted.trace ? ranLayers(entries, chain, device) : null,
  };
}

const lossOf = (logits: Tensor, target: Uint8Array<ArrayBuffer>, size: Triple): Tensor =>
  F.crossEntropy(logits, fromHost(target, 'uint8', [logits.shape[0], ...size]).to('int64'), {
    ignoreIndex: IGNORED,
  });

/**
 * A cube without its outer quarters, where it ends inside of the volume: what is computed there lacks
 * its surroundings.
 */
function innerPart({ start, size, labels }: LabelPatch, shape: Triple): LabelPatch {
  const margins = size.map((n, axis) => (n === shape[axis] ? 0 : Math.floor(n / 4)));
  const triple = (of: (axis: number) => number) => [0, 1, 2].map(of) as unknown as Triple;
  const inner = triple((axis) => size[axis] - 2 * margins[axis]);
  return {
    start: triple((axis) => start[axis] + margins[axis]),
    size: inner,
    labels: cut(
      labels,
      size,
      triple((axis) => margins[axis]),
      inner,
      (v) => v,
    ),
  };
}

/** Where each class is painted. */
function paintedPlaces(painted: Uint8Array): Uint32Array[] {
  const counts = new Uint32Array(256);
  for (let i = 0; i < painted.length; i++) counts[painted[i]]++;
  const places = Array.from(counts, (count, value) => new Uint32Array(value === 0 ? 0 : count));
  const next = new Uint32Array(256);
  for (let i = 0; i < painted.length; i++)
    if (painted[i] !== 0) places[painted[i]][next[painted[i]]++] = i;
  return places.filter(({ length }) => length > 0);
}

/** Classes of one step. */
const MOST_CLASSES = 4;

/** A voxel of each class, so that a few strokes count as much as many; in another order each time. */
function pick(places: readonly Uint32Array[]): number[] {
  const order = Array.from(randperm(places.length, { device: 'cpu' }).dataSync(), Number);
  return order.slice(0, MOST_CLASSES).map((i) => {
    const of = places[i];
    return of[randint(of.length, [1], { device: 'cpu' }).item()];
  });
}

function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The cube of `size` around the voxel `at`, moved to lie inside. */
function startAround(at: number, size: Triple, [X, Y, Z]: Triple): Triple {
  const voxel = [Math.floor(at / (Y * Z)), Math.floor(at / Z) % Y, at % Z];
  return [X, Y, Z].map((n, axis) =>
    Math.max(0, Math.min(n - size[axis], voxel[axis] - Math.floor(size[axis] / 2))),
  ) as unknown as Triple;
}

function cut(
  volume: Uint8Array,
  [, Y, Z]: Triple,
  [x0, y0, z0]: Triple,
  [X, YY, ZZ]: Triple,
  valueOf: (value: number) => number,
): Uint8Array<ArrayBuffer> {
  const part = new Uint8Array(X * YY * ZZ);
  let to = 0;
  for (let x = x0; x < x0 + X; x++)
    for (let y = y0; y < y0 + YY; y++) {
      const row = (x * Y + y) * Z + z0;
      for (let z = 0; z < ZZ; z++) part[to++] = valueOf(volume[row + z]);
    }
  return part;
}

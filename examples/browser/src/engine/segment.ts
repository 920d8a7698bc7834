// From a volume to a label for each voxel.

import {
  type Device,
  noGrad,
  scope,
  strategies,
  type Tensor,
  type TraceEntry,
  VoxgradError,
} from '@voxgrad/core';
import { slidingWindowInference } from '@voxgrad/data';
import type { Segmentation, SegmentOptions } from '../shared/protocol.js';
import type { Chain } from './chain.js';
import { ranLayers } from './ran.js';
import { nextTask, type StopFlag } from './stop.js';

export interface SegmentJob {
  readonly chain: Chain;
  readonly device: Device;
  /** `[1, 1, x, y, z]` */
  readonly input: Tensor;
  readonly stop: StopFlag;
  readonly progress: (part: number, text: string) => void;
}

/** What `auto` takes at once: input and output of the widest layer, in bytes. */
const WHOLE_LIMIT = 1.2 * 2 ** 30;

/** @throws Stopped, or whatever the engine throws */
export async function segment(job: SegmentJob, options: SegmentOptions): Promise<Segmentation> {
  const { chain, input } = job;
  const began = performance.now();
  const bytes = 2 * 4 * input.numel * chain.widest;
  const whole = options.mode === 'whole' || (options.mode === 'auto' && bytes <= WHOLE_LIMIT);
  let done: Done;
  try {
    done = await (whole ? wholeVolume(job) : byWindows(job, options));
  } catch (error) {
    // What looked as if it would fit did not: windows need less.
    const tooLarge = error instanceof VoxgradError && error.code === 'MEMORY';
    if (!(tooLarge && whole && options.mode === 'auto')) throw error;
    done = await byWindows(job, options);
  }
  const labels = await labelsOf(done.logits, job);
  return {
    labels,
    counts: countLabels(labels, done.logits.shape[1]),
    seconds: (performance.now() - began) / 1000,
    how: done.how,
    ran: ranLayers(done.entries, chain, job.device),
  };
}

interface Done {
  /** `[1, K, x, y, z]` */
  readonly logits: Tensor;
  readonly entries: readonly TraceEntry[];
  readonly how: string;
}

async function wholeVolume({ chain, input, stop, progress }: SegmentJob): Promise<Done> {
  let logits: Tensor | undefined;
  const entries = strategies.trace(() => {
    logits = chain.infer(input, (layer, layers) => {
      progress(layer / layers, `layer ${layer} of ${layers}`);
      stop.check();
    });
  });
  if (!logits) throw new Error('the network gave nothing');
  await nextTask();
  return { logits, entries, how: 'the whole volume at once' };
}

async function byWindows(
  { chain, input, stop, progress }: SegmentJob,
  { windowSize, overlap }: SegmentOptions,
): Promise<Done> {
  let entries: TraceEntry[] = [];
  let windows = 0;
  const size = input.shape.slice(2).map((n) => Math.min(n, windowSize));
  const logits = await slidingWindowInference(input, {
    windowSize: size,
    overlap,
    blend: 'gaussian',
    predictor: async (window) => {
      await nextTask();
      stop.check();
      const run = () => noGrad(() => chain.call(window));
      if (windows > 0) return run();
      let first: Tensor | undefined;
      entries = strategies.trace(() => {
        first = run();
      });
      return first as Tensor;
    },
    progress: (done, total) => {
      windows = total;
      progress(done / total, `window ${done} of ${total}`);
    },
  });
  const text = `${windows} windows of ${size.join(' × ')} voxels, overlapping by ${Math.round(100 * overlap)} %`;
  return { logits, entries, how: text };
}

/** The largest of `[1, K, x, y, z]` at each voxel, a few planes at a time. */
async function labelsOf(logits: Tensor, { stop }: SegmentJob): Promise<Uint8Array<ArrayBuffer>> {
  const [, , X, Y, Z] = logits.shape;
  const labels = new Uint8Array(X * Y * Z);
  const planes = Math.max(1, Math.floor(2 ** 21 / (Y * Z)));
  for (let x = 0; x < X; x += planes) {
    const count = Math.min(planes, X - x);
    scope(() => {
      const part = noGrad(() => logits.narrow(2, x, count).argmax(1).to('uint8'));
      labels.set(part.dataSync() as Uint8Array, x * Y * Z);
    });
    await nextTask();
    stop.check();
  }
  return labels;
}

export function countLabels(labels: Uint8Array, classes: number): number[] {
  const counts = new Array<number>(classes).fill(0);
  for (let i = 0; i < labels.length; i++) counts[labels[i]]++;
  return counts;
}

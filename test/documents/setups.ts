// What documents leave to their reader: the names and files that their blocks use.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import {
  type ConvBackwardStrategy,
  createTfjsDevice,
  data,
  F,
  grad,
  nn,
  randint,
  randn,
  StateDict,
  save,
  strategies,
  type Tensor,
} from 'voxgrad';
import type { Setup } from './scripts.js';

const realFetch = globalThis.fetch;

/** Serves files of the current folder at https://example.org/, also in parts. */
const serveFiles = (): void => {
  globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    const bytes = readFileSync(`.${pathname}`);
    const range = /bytes=(\d+)-(\d+)/.exec(new Headers(init?.headers).get('range') ?? '');
    if (!range) return new Response(bytes);
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    return new Response(bytes.subarray(from, to + 1), {
      status: 206,
      headers: {
        'content-range': `bytes ${from}-${to}/${bytes.length}`,
        'content-length': String(to + 1 - from),
      },
    });
  };
};

/** A checkpoint of the network that the README and the guides begin with. */
const weights = () =>
  save(
    new StateDict([
      ['first.weight', randn([4, 1, 3, 3, 3])],
      ['first.bias', randn([4])],
      ['large.weight', randn([4, 1, 9, 9, 9])],
      ['large.bias', randn([4])],
      ['head.weight', randn([2, 4, 1, 1, 1])],
      ['head.bias', randn([2])],
    ]),
    'weights.pt',
  );

/** The device `tfjs:wasm`. */
async function tfjsWasm() {
  const require = createRequire(import.meta.url);
  setWasmPaths(`${join(dirname(require.resolve('@tensorflow/tfjs-backend-wasm')))}/`);
  tf.env().set('IS_TEST', true);
  await tf.setBackend('wasm');
  await tf.ready();
  return createTfjsDevice(tf);
}

/** A segmentation in the small: what training loops use. */
function training() {
  const model = new nn.Conv3d(1, 2, 3, { padding: 1 });
  const volume = randn([1, 1, 8, 8, 8]);
  const labels = randint(0, 2, [1, 8, 8, 8]);
  const loss = F.crossEntropy(model.call(volume), labels);
  return { model, volume, labels, loss };
}

/** A volume with labels as NIfTI-1 of uint8, [x, y, z] from the fastest axis on. */
export function niftiFile(path: string, [x, y, z]: readonly [number, number, number]): void {
  const bytes = new Uint8Array(352 + x * y * z);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, 348, true);
  [3, x, y, z, 1, 1, 1, 1].forEach((size, i) => {
    header.setInt16(40 + 2 * i, size, true);
    header.setFloat32(76 + 4 * i, 1, true);
  });
  header.setInt16(70, 2, true); // uint8
  header.setInt16(72, 8, true);
  header.setFloat32(108, 352, true);
  bytes.set(new TextEncoder().encode('n+1'), 344);
  bytes.forEach((_, i) => {
    if (i >= 352) bytes[i] = i % 2;
  });
  writeFileSync(path, bytes);
}

const setups: Readonly<Record<string, Setup>> = {
  'README.md': {
    separate: true,
    async given() {
      await weights();
      await tfjsWasm();
      serveFiles();
      const w = randn([4, 1, 9, 9, 9], { requiresGrad: true });
      const x = randn([1, 1, 8, 8, 8], { requiresGrad: true });
      const doubles = { x: x.double().detach().requiresGrad_(), w: w.double() };
      const first = training();
      const mine = strategies.list('conv3d').length > 0 && {
        supports: () => ({ ok: true, reasons: ['everywhere'] }),
        cost: () => Number.POSITIVE_INFINITY,
        run: (_: object, { builtin }: { builtin(): Tensor }) => builtin(),
      };
      return {
        ...first,
        ...mine,
        ...doubles,
        dataset: Array.from({ length: 4 }, () => ({
          image: first.volume.squeeze(0),
          label: first.labels.squeeze(0),
        })),
        trainStep: () => first.loss.item(),
      };
    },
    after() {
      globalThis.fetch = realFetch;
      strategies.unregister('relu', 'mine');
    },
  },
};

export const setupOf = (document: string): Setup => setups[document] ?? {};
void grad;
void data;
void mkdirSync;
void (0 as unknown as ConvBackwardStrategy);

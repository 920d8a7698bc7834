// What documents leave to their reader: the names and files that their blocks use.

import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import {
  createTfjsDevice,
  type DType,
  data,
  F,
  nn,
  optim,
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

/** A segmentation in the small: what training loops are given. */
function fitting(channels: number, dtype: DType) {
  const model = new nn.Conv3d(channels, 2, 3, { padding: 1, dtype });
  const image = randn([channels, 5, 5, 5], { dtype });
  const label = randint(0, 2, [5, 5, 5]);
  const dataset = [0, 1, 2, 3].map(() => ({ image, label }));
  const elided = {
    model,
    optimizer: new optim.SGD(model.parameters(), { lr: 1e-3 }),
    loader: new data.DataLoader(dataset, { batchSize: 4 }),
    epochs: 1,
    trainingStep: (batch: { image: Tensor; label: Tensor }) =>
      F.crossEntropy(model.call(batch.image), batch.label),
  };
  return { ...elided, image, label, prediction: label, dataset, elided, writeFile };
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

/** A layers model of TensorFlow.js with one convolution, 1 → 3 channels: model.json and weights.bin. */
function layersModel(): void {
  const config = {
    name: 'conv',
    filters: 3,
    kernel_size: [3, 3, 3],
    strides: [1, 1, 1],
    padding: 'same',
    data_format: 'channels_last',
    dilation_rate: [1, 1, 1],
    activation: 'linear',
    use_bias: true,
    batch_input_shape: [null, 16, 16, 16, 1],
  };
  const weights = [
    { name: 'conv/kernel', shape: [3, 3, 3, 1, 3], dtype: 'float32' },
    { name: 'conv/bias', shape: [3], dtype: 'float32' },
  ];
  const layers = [{ class_name: 'Conv3D', config }];
  const modelTopology = { class_name: 'Sequential', config: { name: 'net', layers } };
  writeFileSync(
    'model.json',
    JSON.stringify({
      format: 'layers-model',
      modelTopology,
      weightsManifest: [{ paths: ['weights.bin'], weights }],
    }),
  );
  writeFileSync('weights.bin', new Uint8Array(4 * 84));
}

const setups: Readonly<Record<string, Setup>> = {
  'README.md': {
    separate: true,
    async given() {
      await weights();
      await tfjsWasm();
      serveFiles();
      const doubles = { dtype: 'float64', requiresGrad: true } as const;
      const small = fitting(2, 'float64');
      const x = randn([1, 2, 5, 5, 5], doubles);
      const y = small.model.call(x);
      return {
        volume: randn([1, 1, 8, 8, 8]),
        labels: randint(0, 2, [1, 8, 8, 8]),
        ...small,
        x,
        y,
        loss: small.model.call(x).square().mean(),
        g: randn(y.shape, { dtype: 'float64' }),
        w: randn([2, 1, 2, 2, 2], doubles),
        weight: randn([4, 2, 9, 9, 9], doubles),
        bias: randn([4], doubles),
        supports: () => ({ ok: true, reasons: ['everywhere'] }),
        cost: () => Number.POSITIVE_INFINITY,
        run: (_: object, { builtin }: { builtin(): Tensor }) => builtin(),
        // The same with less time for it.
        strategies: {
          ...strategies,
          calibrate: (device: string) => strategies.calibrate(device, { budgetMs: 200 }),
        },
        trainStep: () => x.square().sum(),
      };
    },
    after() {
      globalThis.fetch = realFetch;
      strategies.unregister('relu', 'mine');
    },
  },
  'docs/architecture.md': {
    given: () => ({
      x: randn([1, 4, 9, 9, 9], { requiresGrad: true }),
      w: randn([4, 1, 9, 9, 9], { requiresGrad: true }),
      b: randn([4]),
    }),
  },
  'docs/doctor-and-plan.md': {
    given() {
      writeFileSync('train.log', 'E69999: Inner Error!\n');
      return {};
    },
  },
  'docs/guides/from-tensorflow-js.md': {
    given() {
      layersModel();
      return { volume: randn([1, 1, 16, 16, 16]) };
    },
  },
  'packages/data/README.md': {
    given() {
      for (const name of ['a.nii', 'a-label.nii', 'b.nii', 'b-label.nii'])
        niftiFile(name, [66, 65, 64]);
      return {
        paths: ['a.nii', 'b.nii'],
        labelPaths: ['a-label.nii', 'b-label.nii'],
        train: () => {},
        volume: randn([1, 1, 20, 20, 20]),
        model: new nn.Conv3d(1, 2, 1),
      };
    },
  },
  'packages/train/README.md': {
    given: () => ({ ...fitting(1, 'float32'), validationLoss: () => 1, validationDice: () => 0.5 }),
  },
};

export const setupOf = (document: string): Setup => setups[document] ?? {};

// What the tfjs device costs over the calls of tfjs that it makes: a chain of ten small operations on wasm,
// and on webgl, where there is a Chromium, that and a convolution.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { fromHost, noGrad, scope } from '@voxgrad/core';
import { createTfjsDevice } from '@voxgrad/tfjs';
import { chromiumPath, launchChromium } from '../../test/browser/support/chromium.js';
import { openPage } from '../../test/browser/support/page.js';
import { interleaved } from '../lib/measure.js';
import { progress } from '../lib/options.js';
import { against, printTable } from '../lib/table.js';
import { ourChain, theirChain } from '../lib/tfjs-chain.js';
import type { WebglReport } from '../programs/webgl.js';

const GOAL = 1.2;
const ROUNDS = 30;
const REPEATS = 300;

export async function tfjs(): Promise<void> {
  await wasm();
  await webgl();
}

async function wasm(): Promise<void> {
  const home = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
  setWasmPaths(`${home}/`);
  await tf.setBackend('wasm');
  await tf.ready();
  const device = createTfjsDevice(tf);
  const data = Float32Array.from({ length: 4096 }, (_, i) => Math.sin(i));
  const x = fromHost(data, 'float32', [64, 64], { device });
  const raw = tf.tensor2d(data, [64, 64]);
  const { ms, ratio } = await interleaved<'ours' | 'theirs'>(
    {
      ours: () => {
        for (let i = 0; i < REPEATS; i++)
          scope(() =>
            noGrad(() => {
              ourChain(x);
            }),
          );
      },
      theirs: () => {
        for (let i = 0; i < REPEATS; i++)
          tf.tidy(() => {
            theirChain(raw);
          });
      },
    },
    ROUNDS,
  );
  printTable(
    'tfjs:wasm, ten operations on 64 × 64',
    ['ours, ms', 'tfjs, ms', 'ratio'],
    [[ms.ours / REPEATS, ms.theirs / REPEATS, against(ratio('ours', 'theirs'), GOAL, 'most')]],
  );
}

/** In software, where the machine has no GPU. */
async function webgl(): Promise<void> {
  if (!chromiumPath) {
    progress('tfjs:webgl: n/a, there is no Chromium');
    return;
  }
  const browser = await launchChromium();
  try {
    const page = fileURLToPath(new URL('../programs/webgl.ts', import.meta.url));
    const { rows } = await openPage<WebglReport>(browser, page);
    printTable(
      'tfjs:webgl',
      ['', 'ours, ms', 'tfjs, ms', 'ratio'],
      rows.map(({ name, ours, theirs, ratio }) => [
        name,
        ours,
        theirs,
        against(ratio, GOAL, 'most'),
      ]),
    );
  } finally {
    await browser.close();
  }
}

// The page of the device suite: `?backend=webgl&every=3`.

import '@voxgrad/core/methods';
import './page-device.js';
import '../../../../test/devices/convolution.test.js';
import '../../../../test/devices/operations.test.js';
import '../../../../test/devices/refusals.test.js';
import '../../../../test/devices/training.test.js';
import { type PageReport, runCollected } from '../../../../test/browser/support/vitest-in-page.js';
import { backend, refusedByGpu, report, tf } from './page-device.js';

const query = new URLSearchParams(location.search);
const every = Number(query.get('every') ?? 1);
const match = query.get('match') ?? '';

export interface SuiteReport extends PageReport {
  readonly backend: string;
  readonly certified: string;
  readonly tensors: number;
  readonly refusedByGpu: readonly string[];
}

const result = await runCollected({ every, match, progress: (text) => console.info(text) });
const whole: SuiteReport = {
  ...result,
  backend,
  certified: String(report),
  tensors: tf.memory().numTensors,
  refusedByGpu,
};
Object.assign(globalThis, { report: whole });

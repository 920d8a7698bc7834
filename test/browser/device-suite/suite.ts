// The page of the device suite on wasm.

import '@voxgrad/core/methods';
import { type PageReport, runCollected } from '../support/vitest-in-page.js';
import '../../devices/convolution.test.js';
import '../../devices/operations.test.js';
import '../../devices/refusals.test.js';
import '../../devices/training.test.js';
import { wasm } from './devices-in-page.js';

export interface SuiteReport extends PageReport {
  readonly threads: number;
}

const result = await runCollected({ every: 1, match: '', progress: (text) => console.info(text) });
const report: SuiteReport = { ...result, threads: wasm.threads };
Object.assign(globalThis, { report });

// What only a browser has: the device suite (test/devices), training, and a network of an MRI on webgl and
// on webgpu, both in software.

import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium, titled } from '../../../test/browser/support/chromium.js';
import { openPage } from '../../../test/browser/support/page.js';
import { MRI, mriIsHere, titledMri } from '../../../test/support/mri.js';
import { defined } from '../../core/test/support/numbers.js';
import type { SuiteReport } from './browser/suite.js';
import type { WorkloadsReport } from './browser/workloads-page.js';
import { expectAgreement, reference, SIZE } from './mri.js';

const here = (file: string) => fileURLToPath(new URL(`./browser/${file}`, import.meta.url));

/**
 * Every n-th test of the suite, all of them with VOXGRAD_RUNS (npm run test:long): WebGL compiles a program
 * for each shape. A number without common factors with the strategies and cases of the suite.
 */
const EVERY = { webgl: process.env.VOXGRAD_RUNS ? 1 : 41, webgpu: 1 };

const BACKENDS = ['webgl', 'webgpu'] as const;
const TIMEOUT = 3_000_000;

describe.skipIf(!chromiumPath)(titled('in Chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium({ webgpu: true });
  });
  afterAll(() => browser?.close());

  it.each(BACKENDS)(
    'the device suite on %s',
    async (backend) => {
      const report = await openPage<SuiteReport>(browser, here('suite.ts'), {
        query: { backend, every: String(EVERY[backend]) },
        devices: here('devices-in-page.ts'),
        timeoutMs: TIMEOUT,
      });
      expect(report.failed).toEqual([]);
      expect(report.refusedByGpu).toEqual([]);
      expect(report.passed).toBeGreaterThan(1300 / EVERY[backend]);
      expect(report.certified).toContain('every kernel agrees');
    },
    TIMEOUT,
  );

  const { edge, steps } = SIZE;
  const mri: Record<string, string> = mriIsHere ? { edge: String(edge), steps: String(steps) } : {};

  describe.each(BACKENDS)('training on %s', (backend) => {
    let report: WorkloadsReport;
    beforeAll(async () => {
      report = await openPage(browser, here('workloads-page.ts'), {
        query: { backend, ...mri },
        data: MRI,
        timeoutMs: TIMEOUT,
      });
    }, TIMEOUT);

    it('keeps tensors and bytes flat over 200 steps', () => {
      const { losses, held } = report;
      expect(losses[209]).toBeLessThan(losses[0] / 2);
      expect(held[1]).toEqual(held[0]);
      expect(report.refusedByGpu).toEqual([]);
    });

    it.skipIf(!mriIsHere)(titledMri('segments and fine-tunes a network of an MRI'), async () => {
      expectAgreement(defined(report.brain), await reference());
    });
  });
});

// The device suite (test/devices) on wasm in Chromium, on the main thread of a page that is isolated (two
// threads) and of one that is not (one).

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SuiteReport } from './device-suite/suite.js';
import { chromiumPath, launchChromium, titled } from './support/chromium.js';
import { openPage } from './support/page.js';

const here = (file: string) => fileURLToPath(new URL(`./device-suite/${file}`, import.meta.url));

describe.skipIf(!chromiumPath)(titled('the device suite in Chromium, on wasm'), () => {
  it.each([
    { isolated: true, threads: 2 },
    { isolated: false, threads: 1 },
  ])(
    'isolated: $isolated',
    async ({ isolated, threads }) => {
      const browser = await launchChromium();
      try {
        const report = await openPage<SuiteReport>(browser, here('suite.ts'), {
          devices: here('devices-in-page.ts'),
          isolated,
        });
        console.log(
          `${report.passed} tests on ${threads} thread(s), ${report.ms.toFixed(0)} ms; longest: ${report.slowest.slice(0, 3).join('; ')}`,
        );
        expect(report.failed).toEqual([]);
        expect(report.passed).toBeGreaterThan(2500);
        expect(report.threads).toBe(threads);
      } finally {
        await browser.close();
      }
    },
    600_000,
  );
});

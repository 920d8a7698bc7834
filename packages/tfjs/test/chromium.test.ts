// The device suite (test/devices) on the backends that only a browser has: a part of it that takes some
// twenty seconds each, all of it with VOXGRAD_RUNS (npm run test:long).

import { describe, expect, it } from 'vitest';
import { chromiumPath, titled } from '../../../test/browser/support/chromium.js';
import { launch, openPage } from './browser/page.js';
import type { SuiteReport } from './browser/suite.js';

/** Every n-th test; a number without common factors with the strategies and cases of the suite. */
const EVERY = process.env.VOXGRAD_RUNS ? { webgl: 1, webgpu: 1 } : { webgl: 29, webgpu: 11 };

/** webgpu still differs in places (docs/tfjs.md, "Not right yet"). */
const BACKENDS = process.env.VOXGRAD_WEBGPU ? (['webgl', 'webgpu'] as const) : (['webgl'] as const);

describe.skipIf(!chromiumPath)(titled('the device suite in Chromium'), () => {
  it.each(BACKENDS)(
    '%s',
    async (backend) => {
      const browser = await launch();
      try {
        const query = { backend, every: String(EVERY[backend]), uniforms: '1' };
        const timeoutMs = 3_000_000;
        const report = await openPage<SuiteReport>(browser, 'suite.ts', { query, timeoutMs });
        expect(report.failed).toEqual([]);
        expect(report.passed).toBeGreaterThan(40);
        expect(report.certified).toContain('every kernel agrees');
      } finally {
        await browser.close();
      }
    },
    3_000_000,
  );
});

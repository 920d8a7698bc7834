// A module as a page in Chromium: bundled with what it imports, served, opened, and asked for what it
// found out.

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Browser } from 'playwright-core';
import { serve } from './site.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const TESTS = join(HERE, '../..');

/** The suite's own modules, in place of those that only Node has; `devices` in place of the suite's devices. */
const inPage = (devices: string | undefined): Plugin => ({
  name: 'in-page',
  setup(bundle) {
    const replaced: [filter: RegExp, file: string][] = [
      [/^vitest$/, 'vitest-in-page.ts'],
      [/^node:fs$/, 'files-in-page.ts'],
    ];
    for (const [filter, file] of replaced)
      bundle.onResolve({ filter }, () => ({ path: join(HERE, file) }));
    bundle.onResolve({ filter: /^\.\/devices\.js$/ }, ({ importer }) =>
      devices && importer.includes('/test/devices/') ? { path: devices } : undefined,
    );
  },
});

export interface PageOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly log?: (text: string) => void;
  /** The module of the devices to test, where the page imports the device suite. */
  readonly devices?: string;
  /** Whether the page is isolated from other origins, and so has threads. */
  readonly isolated?: boolean;
  /** A folder whose files the page finds under `/data/`. */
  readonly data?: string;
}

/** Opens the page whose script is the module `entry`, and returns what it put into `globalThis.report`. */
export async function openPage<T>(
  browser: Browser,
  entry: string,
  { query = {}, timeoutMs = 600_000, log, devices, isolated = false, data }: PageOptions = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-page-'));
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'page.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: ['voxgrad-source', 'module', 'import', 'default'],
    ignoreAnnotations: true, // the tables of operations are modules with side effects
    define: { global: 'globalThis' },
    plugins: [inPage(devices)],
    logLevel: 'error',
  });
  symlinkSync(TESTS, join(folder, 'test')); // for the fixtures
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
  );
  const site = await serve(folder, { isolated, data });
  const page = await browser.newPage();
  try {
    const failure = new Promise<never>((_, reject) => {
      page.on('pageerror', (error) => reject(error));
    });
    page.on('console', (message) => log?.(message.text()));
    await page.goto(`${site.address}?${new URLSearchParams(query)}`);
    const done = page.waitForFunction('globalThis.report', undefined, { timeout: timeoutMs });
    await Promise.race([done, failure]);
    return (await page.evaluate('globalThis.report')) as T;
  } finally {
    await page.close();
    site.close();
    rmSync(folder, { recursive: true });
  }
}

// The device in Chromium: with threads on a page that is isolated from other origins, without on one
// that is not, and with the bits of Node on both.

import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeOnPage, type PageResult } from './programs/page.js';

const CHROMIUM = '/usr/bin/chromium';
const present = existsSync(CHROMIUM);

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The program of the page, with everything that it imports. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./programs/page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'program',
    platform: 'browser',
    conditions: ['voxgrad-source'],
    target: 'es2022',
  });
  return outputFiles[0].text;
}

/** Serves `/isolated` and `/plain`, the same page with and without the headers of isolation. */
async function serve(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const headers = request.url === '/isolated' ? ISOLATION : {};
    response.writeHead(200, { 'Content-Type': 'text/html', ...headers });
    response.end(`<!doctype html><meta charset="utf-8"><script>${script}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe.skipIf(!present)(present ? 'in Chromium' : `in Chromium (skipped: no ${CHROMIUM})`, () => {
  let server: Server;
  let browser: Browser;
  let right: PageResult;

  beforeAll(async () => {
    // The source holds no `</script>`; should it ever, the page would break here and nowhere else.
    server = await serve((await bundle()).replaceAll('</script>', '<\\/script>'));
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    right = await computeOnPage(1);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function visit(path: string): Promise<PageResult> {
    const page = await browser.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}${path}`);
    const result = await page.evaluate<PageResult>('program.computeOnPage(2)');
    expect(errors).toEqual([]);
    await page.close();
    return result;
  }

  it('an isolated page has threads', async () => {
    const got = await visit('/isolated');
    expect(got).toMatchObject({ isolated: true, early: 1, threads: 2 });
    expect(got.values).toEqual(right.values);
  });

  it('any other page has one, and the same bits', async () => {
    const got = await visit('/plain');
    expect(got).toMatchObject({ isolated: false, early: 1, threads: 1 });
    expect(got.values).toEqual(right.values);
  });
});

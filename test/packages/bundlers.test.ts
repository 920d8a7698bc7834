// The built packages in a page: a small program, bundled by esbuild, Vite and webpack, and loaded by plain
// script tags, runs in Chromium on the page and in a worker, isolated and not.

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const CHROMIUM = '/usr/bin/chromium';
const PAGE = join(root, 'packages/voxgrad/dist/page');
const missing = [
  ...(existsSync(CHROMIUM) ? [] : [`no ${CHROMIUM}`]),
  ...(existsSync(PAGE) ? [] : ['run npm run build first']),
];
const title = missing.length > 0 ? `in pages (skipped: ${missing.join(', ')})` : 'in pages';

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
};

/** Serves `folder` under `/plain/`, and under `/isolated/` with the headers of isolation. */
async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const [, kind, ...path] = new URL(request.url ?? '', 'http://x').pathname.split('/');
    const file = join(folder, ...path);
    if (path.length === 0 || !existsSync(file)) return response.writeHead(404).end();
    const headers = kind === 'isolated' ? ISOLATION : {};
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain', ...headers });
    return response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Bundles the program in `app` into `app/out`, which has an `index.html`. */
const BUNDLERS: Readonly<Record<string, (app: string) => Promise<void>>> = {
  async esbuild(app) {
    await esbuild({
      entryPoints: [join(app, 'page.js'), join(app, 'engine.js')], // it leaves `new Worker` as it is
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      outdir: join(app, 'out'),
      external: ['node:*'],
      logLevel: 'error',
    });
    cpSync(join(app, 'index.html'), join(app, 'out', 'index.html'));
  },
  async vite(app) {
    const { build } = await import('vite');
    await build({
      root: app,
      base: './',
      configFile: false,
      logLevel: 'error',
      worker: { format: 'es' },
      build: { outDir: 'out' },
    });
  },
  async webpack(app) {
    const { default: webpack } = await import('webpack');
    await new Promise<void>((resolve, reject) => {
      webpack(
        {
          mode: 'production',
          context: app,
          entry: './page.js',
          output: { path: join(app, 'out'), filename: 'page.js' },
          performance: { hints: false },
          optimization: { minimize: false }, // it takes long, and the others have been minified
        },
        (error, stats) => {
          if (error || stats?.hasErrors())
            reject(error ?? new Error(stats?.toString('errors-only')));
          else resolve();
        },
      );
    });
    cpSync(join(app, 'index.html'), join(app, 'out', 'index.html'));
  },
};

describe.skipIf(missing.length > 0)(title, () => {
  let browser: Browser;
  const folders: string[] = [];
  const servers: Server[] = [];

  beforeAll(async () => {
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
  });

  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** A folder with the program, outside of the project but for what it imports. */
  function makeApp(): string {
    const app = mkdtempSync(join(tmpdir(), 'voxgrad-app-'));
    folders.push(app);
    cpSync(fileURLToPath(new URL('./apps/', import.meta.url)), app, { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
    return app;
  }

  /** What `globalThis.result` of a page resolves to. */
  async function visit<T>(folder: string, path: string): Promise<T> {
    const { server, address } = await serve(folder);
    servers.push(server);
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${address}/${path}`);
    const result = await page.evaluate<T>('globalThis.result');
    expect(errors).toEqual([]);
    await page.close();
    return result;
  }

  interface Result {
    firstStep: number;
    here: { losses: number[]; threads: number };
    there: { losses: number[] };
  }

  describe.each(Object.keys(BUNDLERS))('bundled by %s', (name) => {
    let out: string;
    beforeAll(async () => {
      const app = makeApp();
      await BUNDLERS[name](app);
      out = join(app, 'out');
    }, 120_000);

    it.each(['plain', 'isolated'])('on a page that is %s', async (kind) => {
      const got = await visit<Result>(out, `${kind}/index.html`);
      const { here, there, firstStep } = got;
      console.log(
        `${name}, ${kind}: first training step ${firstStep.toFixed(0)} ms after the start`,
      );
      expect(here.losses).toHaveLength(3);
      expect(here.losses[2]).toBeLessThan(here.losses[0]);
      expect(there.losses).toEqual(here.losses);
      expect(got).toMatchObject({
        isolated: kind === 'isolated',
        here: {
          threads: kind === 'isolated' ? 2 : 1,
          layer: expect.stringContaining('Conv3d(1, 1'),
        },
        there: { threads: kind === 'isolated' ? 2 : 1 },
        seen: [0, 1, 2],
        sum: 6,
        moved: true,
        failed: 'SHAPE: no such shape',
        unknown: "Error: the worker has no task 'nothing'; its tasks are train, sum, fail",
        aborted: expect.stringMatching(/abort/i),
        after: 1,
        stopped: 'Error: the worker was stopped',
        missing: 'Error: the worker failed: Uncaught Error: broken',
      });
    });
  });

  const USE = `
    const { tensor, nn, getDevice } = voxgrad;
    const x = tensor([[1, 2], [3, 4]], { requiresGrad: true });
    x.mul(x).sum().backward();
    globalThis.result = Promise.resolve([x.grad.tolist(), getDevice().name, new nn.ReLU().toString()]);`;
  const WORKER = `importScripts('./voxgrad.global.js'); voxgrad.serveTasks({
    double: (numbers) => voxgrad.tensor(numbers).mul(2).tolist() });`;

  it.each([
    ['a script tag', `<script src="./voxgrad.global.js"></script><script>${USE}</script>`],
    ['a module', `<script type="module">import * as voxgrad from './voxgrad.js'; ${USE}</script>`],
  ])('from %s', async (_, html) => {
    const folder = mkdtempSync(join(tmpdir(), 'voxgrad-page-'));
    folders.push(folder);
    cpSync(PAGE, folder, { recursive: true });
    writeFileSync(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8">${html}`);
    expect(await visit(folder, 'plain/index.html')).toEqual([
      [
        [2, 4],
        [6, 8],
      ],
      'wasm',
      'ReLU()',
    ]);
  });

  it('from a script tag, in a worker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voxgrad-page-'));
    folders.push(folder);
    cpSync(PAGE, folder, { recursive: true });
    writeFileSync(join(folder, 'engine.js'), WORKER);
    const script = `globalThis.result = voxgrad.startEngine(new Worker('./engine.js'))
      .then((engine) => engine.run('double', [1, 2]));`;
    const html = `<script src="./voxgrad.global.js"></script><script>${script}</script>`;
    writeFileSync(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8">${html}`);
    expect(await visit(folder, 'plain/index.html')).toEqual([2, 4]);
  });
});

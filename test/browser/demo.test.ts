// The demo page in Chromium: from dropped files to a saved network, on isolated pages and others, and
// what it says when something is wrong.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadStateDict, save } from '@voxgrad/checkpoint';
import { manualSeed, randn, StateDict, type Tensor, zeros } from '@voxgrad/core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MRI, mriIsHere, titledMri } from '../support/mri.js';
import { chromiumPath, launchChromium, titled } from './support/chromium.js';
import {
  answerSavePicker,
  buildDemo,
  drop,
  focused,
  labelCounts,
  openDemo,
  paintLine,
  pick,
  savedBytes,
  screenshot,
  tabTo,
  waitForAlert,
  waitForStatus,
} from './support/demo.js';
import { type Site, serve } from './support/site.js';
import { type LongestTask, longestTask } from './support/tasks.js';

const PYTHON = '/usr/bin/python3';

interface Expected {
  readonly full_volume_labels_f32: { readonly counts: Record<string, number> };
}

/** Of a task of the main thread, in milliseconds: what pages may compute before they feel stuck. */
const LONG_TASK = 100;

const inWords = ({ clock, computed }: LongestTask): string =>
  `longest task of the main thread ${computed.toFixed(0)} ms, ${clock.toFixed(0)} ms by the clock`;

/** Bytes of the engine's own memory, as the page shows them. */
const deviceMebibytes = async (page: Page): Promise<number> =>
  Number(/(\d+) MiB/.exec((await page.textContent('#train-note')) ?? '')?.[1]);

/** Resident bytes of the processes that render pages, their workers included; NaN off Linux. */
async function pageBytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo
    .filter(({ type }) => type === 'renderer')
    .reduce((sum, { id }) => {
      if (!existsSync(`/proc/${id}/status`)) return Number.NaN;
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
      return sum + 1024 * Number(kilobytes ?? 0);
    }, 0);
}

/** Weights of a small network that gives all of its three classes somewhere. */
async function network(): Promise<Uint8Array<ArrayBuffer>> {
  manualSeed(5);
  const state = new StateDict();
  const widths = [1, 5, 5, 5, 3];
  for (let i = 1; i < widths.length; i++) {
    const kernel = i === widths.length - 1 ? 1 : 3;
    const deviation = Math.sqrt(2 / (widths[i - 1] * kernel ** 3));
    const shape = [widths[i], widths[i - 1], kernel, kernel, kernel];
    state.set(`model.${2 * i - 2}.weight`, randn(shape).mul(deviation));
    state.set(`model.${2 * i - 2}.bias`, randn([widths[i]]).mul(0.1));
  }
  return save(state);
}

async function synthetic(page: Page, edge: number): Promise<void> {
  await page.selectOption('#synthetic-edge', String(edge));
  await page.click('#synthetic');
  await waitForStatus(page, /^Opened synthetic/);
  await pick(page, 'small.pt', await network());
  await waitForStatus(page, /^Network small/);
}

async function segment(page: Page): Promise<number[]> {
  await page.click('#segment');
  await waitForStatus(page, /^Segmented in/);
  return labelCounts(page);
}

async function train(page: Page, steps: number): Promise<void> {
  await page.fill('#steps', String(steps));
  await page.click('#train');
  await waitForStatus(page, /steps done/);
}

const valuesOf = (state: Map<string, Tensor>) =>
  [...state].map(([key, tensor]) => [key, tensor.shape, [...tensor.dataSync()].map(Number)]);

/** Milliseconds; a busy machine needs much longer than the minute of a quiet one. */
const PATIENCE = 300_000;

describe.skipIf(!chromiumPath)(titled('the demo page'), { timeout: PATIENCE }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-demo-'));
  const problems: string[] = [];
  let browser: Browser;
  let context: BrowserContext;
  let isolated: Site;
  let plain: Site;

  beforeAll(async () => {
    await buildDemo(folder);
    isolated = await serve(folder, { isolated: true, data: MRI });
    plain = await serve(folder, { isolated: false });
    browser = await launchChromium();
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    isolated?.close();
    plain?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: 'dark',
    });
    problems.length = 0;
  });
  afterEach(async () => {
    await context?.close();
  });

  it.skipIf(!mriIsHere)(
    titledMri('segments a whole MRI with the labels of PyTorch, from a drop on'),
    async () => {
      const page = await openDemo(context, isolated.address, problems);
      await drop(page, ['t1_crop.nii.gz', 'meshnet.pt']);
      await waitForStatus(page, /^Network meshnet/);
      const described = { classes: ['background', 'white matter', 'grey matter'] };
      await pick(page, 'meshnet.json', JSON.stringify(described));
      await waitForStatus(page, /^Described/);
      const counts = await segment(page);
      const expected: Expected = JSON.parse(readFileSync(`${MRI}expected.json`, 'utf8'));
      const right = Object.values(expected.full_volume_labels_f32.counts);
      for (const [label, count] of right.entries())
        expect(Math.abs(counts[label] - count) / count, `label ${label}`).toBeLessThan(5e-4);
      await screenshot(page, 'segmented');

      // Grey matter is painted over as white matter, and the network follows.
      await paintLine(page, 'coronal', 1, [0.55, 0.42], [0.62, 0.46]);
      await page.selectOption('#patch', '32');
      const longest = await longestTask(browser, page, () => train(page, 5));
      console.log(`256³: ${await page.textContent('#train-note')}; ${inWords(longest)}`);
      expect(longest.computed).toBeLessThan(LONG_TASK);
      expect(await page.textContent('#loss-now')).toMatch(/at step 5/);
      await screenshot(page, 'fine-tuned');
      await page.click('#theme');
      await screenshot(page, 'light');
      await page.setViewportSize({ width: 420, height: 900 });
      await page.waitForTimeout(100); // the chart follows
      await screenshot(page, 'narrow');
      expect(problems).toEqual([]);
    },
  );

  it('fine-tunes on paint, with flat memory and short tasks, and saves what PyTorch reads', async () => {
    const page = await openDemo(context, isolated.address, problems);
    await synthetic(page, 96);
    await segment(page);
    await paintLine(page, 'axial', 0, [0.05, 0.1], [0.2, 0.1]);
    await paintLine(page, 'axial', 1, [0.35, 0.4], [0.65, 0.4]);
    await paintLine(page, 'coronal', 2, [0.3, 0.2], [0.7, 0.2]);
    await page.selectOption('#patch', '16');
    await page.selectOption('#hold', '0');
    await page.fill('#rate', '0.003');
    const longest = await longestTask(browser, page, () => train(page, 20));
    const before = { device: await deviceMebibytes(page), page: await pageBytes(browser) };
    const firstMean = Number(/mean (\S+)/.exec((await page.textContent('#loss-now')) ?? '')?.[1]);
    await train(page, 200);
    const after = { device: await deviceMebibytes(page), page: await pageBytes(browser) };
    const mean = Number(/mean (\S+)/.exec((await page.textContent('#loss-now')) ?? '')?.[1]);
    const mebi = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
    console.log(
      `200 steps: mean loss ${firstMean} → ${mean}; ${await page.textContent('#train-note')}; ` +
        `${inWords(longest)}; memory of the page ${mebi(before.page)} → ${mebi(after.page)} MiB, ` +
        `of the device ${before.device} → ${after.device} MiB`,
    );
    expect(mean).toBeLessThan(firstMean);
    expect(longest.computed).toBeLessThan(LONG_TASK);
    expect(after.device).toBeLessThanOrEqual(before.device + 1);
    if (!Number.isNaN(after.page)) expect(after.page - before.page).toBeLessThan(64 * 2 ** 20);
    await screenshot(page, 'trained-dark');

    await answerSavePicker(page, 'tuned.pt');
    await page.keyboard.press('Control+s');
    expect(await waitForStatus(page, /^Saved/)).toMatch(/^Saved tuned\.pt/);
    const bytes = await savedBytes(page, 'tuned.pt');
    const state = await loadStateDict(bytes);
    expect([...state.keys()].slice(0, 4)).toEqual([
      'model.0.weight',
      'model.0.bias',
      'model.2.weight',
      'model.2.bias',
    ]);
    // Opened again, it is the same network: the same labels.
    const counts = await segment(page);
    await pick(page, 'tuned.pt', bytes);
    await waitForStatus(page, /^Network tuned/);
    expect(await segment(page)).toEqual(counts);
    expectPyTorchReads(bytes, state);
    expect(problems).toEqual([]);
  });

  function expectPyTorchReads(bytes: Uint8Array, state: StateDict): void {
    if (!existsSync(PYTHON)) {
      console.log('Python is absent, so PyTorch did not read the saved file');
      return;
    }
    const path = join(folder, 'saved.pt');
    writeFileSync(path, bytes);
    const program =
      'import importlib.util, json, sys\n' +
      'if importlib.util.find_spec("torch") is None: print("null"); sys.exit()\n' +
      'import torch\n' +
      'state = torch.load(sys.argv[1])\n' +
      'print(json.dumps([[k, list(v.shape), v.flatten().tolist()] for k, v in state.items()]))';
    const { stdout, stderr } = spawnSync(PYTHON, ['-c', program, path], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const read: unknown = JSON.parse(stdout);
    if (read === null) console.log('PyTorch is absent, so it did not read the saved file');
    else expect(read).toEqual(valuesOf(state));
  }

  it('gives the same labels without isolation, on one thread, and says so', async () => {
    const pages = [];
    for (const site of [isolated, plain]) {
      const page = await openDemo(context, site.address, problems);
      await synthetic(page, 64);
      pages.push({ page, counts: await segment(page) });
    }
    const [first, second] = pages;
    expect(Math.min(...first.counts)).toBeGreaterThan(0);
    expect(second.counts).toEqual(first.counts);
    expect(await first.page.textContent('#environment')).toMatch(/isolated/);
    expect(await second.page.textContent('#environment')).toMatch(/1 thread.*not isolated/);
    expect(await second.page.textContent('#missing')).toMatch(/Cross-Origin-Opener-Policy/);
    expect(await second.page.textContent('#missing')).toMatch(/WebGPU/);
    expect(await second.page.$$eval('#device option', (all) => all.length)).toBe(2);
    await screenshot(second.page, 'not-isolated');
    expect(problems).toEqual([]);
  });

  it('is used by keys alone; what Tab reaches has a name and shows that it is reached', async () => {
    const page = await openDemo(context, isolated.address, problems);
    await screenshot(page, 'welcome');
    await page.selectOption('#synthetic-edge', '64');
    await tabTo(page, 'try');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /^Paint some/);
    expect((await focused(page)).name).toMatch(/^Axial slice/);
    await page.keyboard.press('2');
    await page.keyboard.press('Space');
    for (const key of ['Shift+ArrowUp', 'Shift+ArrowUp', '1', ']', 'Space'])
      await page.keyboard.press(key);
    expect(await page.textContent('#brush-size')).toBe('9 voxels');
    expect(await page.textContent('#painted')).toMatch(/^\d+ voxels painted/);

    const stops: Awaited<ReturnType<typeof focused>>[] = [];
    await page.focus('.skip');
    while (stops.at(-1)?.tag !== 'BODY' && stops.length < 60) {
      stops.push(await focused(page));
      await page.keyboard.press('Tab');
    }
    const controls = stops.filter(({ tag }) => tag !== 'BODY');
    expect(controls.filter(({ name, seen }) => name === '' || !seen)).toEqual([]);
    expect(controls.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'theme',
        'save',
        'device',
        'forward',
        'backward',
        'segment',
        'train',
      ]),
    );

    await tabTo(page, 'steps');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('10000');
    await tabTo(page, 'patch');
    await page.keyboard.type('16');
    await tabTo(page, 'train');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      /^Step [2-9]/.test(document.querySelector('#train-note')?.textContent ?? ''),
    );
    expect((await focused(page)).id).toBe('stop');
    await page.keyboard.press('Escape');
    await waitForStatus(page, /^Stopped after \d+ steps/);
    expect((await focused(page)).id).toBe('train');
    await tabTo(page, 'segment');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /^Segmented in/);
    expect((await focused(page)).id).toBe('segment');
    await answerSavePicker(page, 'keys.pt');
    await page.keyboard.press('Control+s');
    await waitForStatus(page, /^Saved keys\.pt/);
    expect(problems).toEqual([]);
  });

  it('runs the strategy that was chosen, and says why', async () => {
    const page = await openDemo(context, isolated.address, problems);
    await synthetic(page, 64);
    const results: number[][] = [];
    for (const [device, strategy] of [
      ['wasm', 'auto'],
      ['wasm', 'composite'],
      ['wasm-1', 'fused'],
    ] as const) {
      await page.selectOption('#device', device);
      await page.selectOption('#forward', strategy);
      await waitForStatus(page, /^Device/);
      results.push(await segment(page));
      const chips = await page.$$eval('#ran .chip', (all) => all.map((chip) => chip.textContent));
      const wanted = strategy === 'auto' ? 'fused' : strategy;
      expect(chips).toEqual(new Array(4).fill(wanted));
      if (strategy !== 'auto') expect(await page.textContent('#ran')).toMatch(/your choice/);
    }
    // Composite sums in another order, so a voxel on an edge may fall to the other side.
    for (const counts of results)
      for (const [label, count] of counts.entries())
        expect(Math.abs(count - results[0][label])).toBeLessThanOrEqual(5);
    await page.selectOption('#backward', 'composite');
    await waitForStatus(page, /backward composite/);
    await paintLine(page, 'axial', 1, [0.4, 0.4], [0.6, 0.4]);
    await page.selectOption('#patch', '16');
    await train(page, 2);
    const chips = await page.$$eval('#ran .chip', (all) => all.map((chip) => chip.textContent));
    expect(chips.filter((name) => name === 'composite')).toHaveLength(4);
    await page
      .locator('#ran details')
      .nth(1)
      .evaluate((box) => box.setAttribute('open', ''));
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await screenshot(page, 'strategies');
    expect(problems).toEqual([]);
  });

  it('takes 256³ voxels through sliding windows, and stops when told to', async () => {
    const page = await openDemo(context, isolated.address, problems);
    await synthetic(page, 256);
    await page.selectOption('#mode', 'windows');
    await page.selectOption('#window-size', '64');
    await page.click('#segment');
    await page.waitForFunction(() =>
      /window [2-9]/.test(document.querySelector('#segment-note')?.textContent ?? ''),
    );
    // The page answers meanwhile: slices move.
    await page.focus('[data-plane=axial] canvas');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction(() =>
      /crosshair at 138, 128, 128/.test(
        document.querySelector('[data-plane=axial] canvas')?.getAttribute('aria-label') ?? '',
      ),
    );
    await page.click('#stop-segment');
    await waitForStatus(page, /^Stopped\.$/);
    await expectUsable(page);
    expect(problems).toEqual([]);
  });

  const expectUsable = async (page: Page) => {
    expect(await page.isEnabled('#segment')).toBe(true);
    expect(await page.isEnabled('#save')).toBe(true);
  };

  it('says what is wrong with a file, and keeps what is open', async () => {
    const page = await openDemo(context, isolated.address);
    await synthetic(page, 64);
    const counts = await segment(page);
    const stateDict = async (shapes: Record<string, number[]>) => {
      const state = new StateDict();
      for (const [key, shape] of Object.entries(shapes)) state.set(key, zeros(shape));
      return save(state);
    };
    const nifti = new Uint8Array(400);
    new DataView(nifti.buffer).setInt32(0, 348, true);
    nifti.set(new TextEncoder().encode('n+1\0'), 344);
    const cases: [name: string, content: Uint8Array | string, says: RegExp][] = [
      ['notes.txt', 'nothing of the kind', /notes\.txt is neither a volume .* nor a checkpoint/],
      ['scan.nii', 'text that is no image', /scan\.nii: is no NIfTI image but something else/],
      [
        'scan.nii.gz',
        new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2]),
        /scan\.nii\.gz: is gzip, but cannot be inflated/,
      ],
      ['sizes.nii', nifti, /sizes\.nii: .*impossible sizes/],
      ['empty.pt', '', /empty\.pt.*the file is empty/],
      ['web.pt', '<!doctype html><title>404</title>', /web\.pt.*is a web page, not a checkpoint/],
      ['cut.pt', (await stateDict({ 'a.weight': [4, 1, 3, 3, 3] })).subarray(0, 600), /cut\.pt/],
      [
        'colour.pt',
        await stateDict({ 'a.weight': [4, 3, 3, 3, 3] }),
        /^colour\.pt: .* takes 3 channels, but a volume here has one/,
      ],
      [
        'flat.pt',
        await stateDict({ 'a.weight': [4, 1, 3, 3] }),
        /shape \[4, 1, 3, 3\]; that of a Conv3d has five/,
      ],
      [
        'skip.pt',
        await stateDict({ 'a.weight': [4, 1, 3, 3, 3], 'b.weight': [2, 8, 3, 3, 3] }),
        /'b' .* takes 8 channels, but the layer before gives 4/,
      ],
      ['even.pt', await stateDict({ 'a.weight': [4, 1, 2, 2, 2] }), /kernel of 2 × 2 × 2/],
      ['bad.json', '{ "dilations": [1, 2] }', /dilations must be 4 whole numbers/],
      ['odd.json', '{ "layers": 3 }', /has 'layers', but knows name, dilations/],
      ['broken.json', '{', /is no JSON/],
    ];
    for (const [name, content, says] of cases) {
      await pick(page, name, content);
      await page.waitForFunction(() =>
        (document.querySelector('#status')?.textContent ?? '').startsWith('That did not'),
      );
      expect(await waitForAlert(page), name).toMatch(says);
      await expectUsable(page);
      if (name === 'colour.pt') await screenshot(page, 'refused');
      await page.click('#alert button');
      await page.evaluate(() => {
        (document.querySelector('#status') as HTMLElement).textContent = '';
      });
    }
    expect(await segment(page)).toEqual(counts);
  });

  it('loses nothing that was saved when the tab closes during saving', async () => {
    const first = await openDemo(context, isolated.address, problems);
    await synthetic(first, 64);
    await paintLine(first, 'axial', 1, [0.4, 0.4], [0.6, 0.4]);
    await first.selectOption('#patch', '24');
    await train(first, 3);
    await answerSavePicker(first, 'kept.pt');
    await first.click('#save');
    await waitForStatus(first, /^Saved/);
    const saved = await savedBytes(first, 'kept.pt');
    await train(first, 4);
    // A disk that takes the first bytes and then no more.
    const engine = first.workers().find((worker) => worker.url().includes('worker'));
    if (!engine) throw new Error('the page has no engine');
    await engine.evaluate(() => {
      const open = FileSystemFileHandle.prototype.createWritable;
      FileSystemFileHandle.prototype.createWritable = async function () {
        const real = await open.call(this);
        return new WritableStream({
          write: async (chunk) => {
            await real.write(chunk);
            await new Promise(() => {});
          },
        }) as unknown as FileSystemWritableFileStream;
      };
    });
    await first.click('#save');
    await waitForStatus(first, /^Saving/);
    await first.waitForTimeout(200);
    await first.close({ runBeforeUnload: false });

    const second = await openDemo(context, isolated.address, problems);
    expect(await savedBytes(second, 'kept.pt')).toEqual(saved);
    await load(saved);
    const offer = second.locator('#restore li');
    expect(await offer.textContent()).toMatch(/synthetic 64³ · small · 7 steps · .* painted/);
    await screenshot(second, 'restore');
    await offer.getByRole('button', { name: /^Restore/ }).click();
    await waitForStatus(second, /^Restored synthetic 64³/);
    expect(await second.textContent('#loss-now')).toMatch(/at step 7/);
    expect(await second.textContent('#painted')).toMatch(/^\d+ voxels painted/);
    await answerSavePicker(second, 'restored.pt');
    await second.click('#save');
    await waitForStatus(second, /^Saved/);
    expect((await savedBytes(second, 'restored.pt')).length).toBe(saved.length);
    await second.screenshot();
    expect(problems).toEqual([]);
  });

  it('is a download where files cannot be chosen, and says when the disk refuses', async () => {
    const page = await openDemo(context, isolated.address, problems);
    await page.click('#fresh');
    await waitForStatus(page, /^Network fresh/);
    await answerSavePicker(page, 'refused.pt');
    const engine = page.workers().find((worker) => worker.url().includes('worker'));
    await engine?.evaluate(() => {
      FileSystemFileHandle.prototype.createWritable = () =>
        Promise.reject(new DOMException('The disk is full.', 'QuotaExceededError'));
    });
    await page.click('#save');
    expect(await waitForAlert(page)).toMatch(
      /refused\.pt could not be written \(The disk is full\.\)\. What it held before is untouched/,
    );
    await page.click('#alert button');
    await page.evaluate(() => Object.assign(window, { showSaveFilePicker: undefined }));
    const downloading = page.waitForEvent('download');
    await page.click('#save');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('fresh-MeshNet-tuned.pt');
    const state = await loadStateDict(readFileSync(await download.path()));
    expect(state.size).toBe(12);
    expect(problems).toEqual([]);
  });
});

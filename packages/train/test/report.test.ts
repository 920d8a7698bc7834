// Reports: what is in them, that they need nothing else, and that nothing in them is taken for HTML.

import { existsSync } from 'node:fs';
import { arange, tensor, zeros } from '@voxgrad/core';
import { decode } from 'fast-png';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  classScores,
  confusionMatrix,
  fit,
  History,
  html,
  lineChart,
  Markup,
  profileLayers,
  reportPage,
  reportTable,
  trainingReport,
} from '../src/index.js';
import { lossChart, progressBar } from '../src/terminal.js';
import { problem } from './support.js';

describe('markup', () => {
  it('escapes what is not markup', () => {
    const evil = `<img src=x onerror="alert('1')">&`;
    expect(
      html`<p title="${evil}">${[evil, new Markup('<b>1</b>'), 2, null, undefined, false]}</p>`
        .text,
    ).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">' +
        '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;<b>1</b>2</p>',
    );
  });

  it('pages and tables do', () => {
    const evil = '</title><script>1</script>';
    const page = reportPage({
      title: evil,
      subtitle: evil,
      facts: { [evil]: evil },
      footer: evil,
      sections: [{ title: evil, note: evil, body: reportTable([evil], [[evil]]) }],
    });
    expect(page).not.toContain('<script');
    expect(page.match(/&lt;script&gt;/g)).toHaveLength(10); // the title twice
  });
});

describe('curves', () => {
  const paths = (text: string) => [...text.matchAll(/ d="([^"]*)"/g)].map(([, d]) => d);

  it('leave gaps where there is no number', () => {
    const points = [1, 2, Number.NaN, 3, 4].map((y, x): [number, number] => [x, y]);
    const [linear] = paths(lineChart({ series: [{ name: 'a', points }] }).text);
    expect(linear.match(/M/g)).toHaveLength(2);
  });

  it('switch to a logarithm where that shows more', () => {
    const chart = (ys: number[]) =>
      lineChart({ series: [{ name: 'a', points: ys.map((y, x) => [x, y]) }] }).text;
    expect(chart([1, 1000])).toContain('class="log"');
    expect(chart([0, 1000])).not.toContain('class="log"');
    expect(chart([0.9, 1])).not.toContain('class="log"');
    for (const ys of [[], [Number.NaN], [0], [5, 5], [-1, 1e30]])
      expect(chart(ys)).not.toMatch(/NaN|Infinity/);
  });

  it('keep the extremes of many points', () => {
    const points = Array.from({ length: 100_000 }, (_, x): [number, number] => [
      x,
      x === 54_321 ? 9 : 1,
    ]);
    const { text } = lineChart({ series: [{ name: 'a', points }] });
    expect(text.length).toBeLessThan(30_000);
    // 9 is at the top, 10 below the edge.
    expect(paths(text)[0]).toMatch(/,1\d(\.\d)?L/);
  });
});

describe('confusion', () => {
  it('counts, leaves out what is no class, and adds up', async () => {
    const [p, t] = [tensor([0, 1, 1, 2, 0]), tensor([0, 1, 2, 2, -100])];
    const once = await confusionMatrix(p, t, { classes: 3 });
    expect(once).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 1, 1],
    ]);
    expect(await confusionMatrix(p, t, { classes: 3, plus: once })).toEqual(
      once.map((row) => row.map((n) => 2 * n)),
    );
    // Class 1: one right, predicted twice, there once. 2·1/(1 + 2) and 1/(1 + 2 − 1).
    expect(classScores(once)[1]).toEqual({ dice: 2 / 3, iou: 1 / 2, support: 1 });
    expect(
      classScores([
        [1, 0],
        [0, 0],
      ])[1].dice,
    ).toBeNaN();
  });

  it('says what does not fit', async () => {
    await expect(confusionMatrix(zeros([1, 3, 2]), zeros([1, 2]), { classes: 3 })).rejects.toThrow(
      /prediction has shape \[1, 3, 2\].*take argmax\(1\)/,
    );
    await expect(confusionMatrix(zeros([2]), zeros([2]), { classes: 0 })).rejects.toThrow(
      /how many/,
    );
  });
});

describe('slices', () => {
  const pages = async (label = zeros([2, 3, 4])) =>
    trainingReport({
      history: new History(),
      volumes: [{ image: arange(24).reshape([1, 2, 3, 4]).float(), label }],
    });

  it('are images of the right size, tinted where there is a class', async () => {
    const label = zeros([2, 3, 4]);
    label.select(0, 1).fill_(1);
    const page = await pages(label);
    const images = [...page.matchAll(/data:image\/png;base64,([^"]+)/g)].map(([, data]) =>
      decode(Buffer.from(data, 'base64')),
    );
    expect(images.map(({ height, width }) => [height, width])).toEqual([
      ...[
        [3, 4],
        [3, 4],
      ], // across axis 0
      ...[
        [2, 4],
        [2, 4],
      ],
      ...[
        [2, 3],
        [2, 3],
      ],
    ]);
    const pixels = ({ data }: { data: ArrayLike<number> }) => Array.from(data);
    // Axis 0, slice 1: all of class 1, half red. Axis 1: the row of slice 0 stays grey.
    const [plain, tinted, , half] = images.map(pixels);
    expect(tinted[0]).toBe(Math.floor(plain[0] / 2 + 255 / 2));
    expect(half.slice(0, 3)).toEqual(pixels(images[2]).slice(0, 3));
  });

  it('say what does not fit', async () => {
    await expect(pages(zeros([2, 3, 5]))).rejects.toThrow(
      /label has shape \[2, 3, 5\], and its image \[2, 3, 4\]/,
    );
    await expect(
      trainingReport({ history: new History(), volumes: [{ image: zeros([2, 2]) }] }),
    ).rejects.toThrow(/should be a volume \[D, H, W\], but has shape \[2, 2\]/);
  });
});

it('a profile holds every layer, what it made and what ran', () => {
  const { model, trainingStep, loader } = problem();
  const [batch] = loader;
  const { result, profile } = profileLayers(model, () => {
    const loss = trainingStep(batch);
    loss.backward();
    return loss;
  });
  expect(result.numel).toBe(1);
  const rows = new Map(profile.rows.map((row) => [row.path, row]));
  expect([...rows.keys()]).toEqual(['', 'first', 'norm', 'dropout', 'head', null]);
  expect(rows.get('first')).toMatchObject({ type: 'Conv3d', parameters: 4 * 27 + 4 });
  // [2, 2, 4, 4, 4] of float32.
  expect(rows.get('head')?.outputBytes).toBe(2 * 2 * 64 * 4);
  expect(rows.get('first')?.strategies.map(({ op }) => op)).toEqual(['conv3d.forward', 'conv3d']);
  expect(profile.rows.every((row) => row.forwardMs >= 0 && row.backwardMs >= 0)).toBe(true);
});

const CHROMIUM = '/usr/bin/chromium';
const here = existsSync(CHROMIUM);
describe.skipIf(!here)(here ? 'in a browser' : `in a browser (skipped: no ${CHROMIUM})`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it('a report of a run stands alone, switches scales and follows light and dark', async () => {
    const options = problem();
    const { history, profile } = await fit({ ...options, epochs: 2, profile: true });
    const [{ image, label }] = options.loader;
    const text = await trainingReport({
      title: 'A run',
      history: {
        steps: history.steps.map((s) => ({ ...s, loss: s.loss * s.step })),
        epochs: history.epochs,
      },
      ...(profile && { profile }),
      confusion: await confusionMatrix(label, label, { classes: 2 }),
      volumes: [
        { image: image.select(0, 0), label: label.select(0, 0), prediction: label.select(0, 0) },
      ],
    });
    const page = await browser.newPage({ colorScheme: 'dark' });
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) problems.push(request.url());
    });
    await page.setContent(text);
    expect(problems).toEqual([]);
    const titles = await page.locator('h2').allTextContents();
    expect(titles).toEqual([
      ...['Loss', 'Gradient norm and learning rate', 'Epochs', 'Slices', 'Confusion'],
      ...['Time and memory per layer', 'Strategies'],
    ]);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(15, 18, 24)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe('rgb(246, 247, 249)');
    const chart = page.locator('.chart').first();
    const shown = async () => [
      await chart.locator('svg.linear').isVisible(),
      await chart.locator('svg.log').isVisible(),
    ];
    expect(await shown()).toEqual([true, false]);
    await chart.getByText('log', { exact: true }).click();
    expect(await shown()).toEqual([false, true]);
    const loaded = 'Array.from(document.images, (image) => image.naturalWidth)';
    expect(await page.evaluate(loaded)).toEqual(Array.from({ length: 9 }, () => 4));
    await page.close();
  });
});

describe('in a terminal', () => {
  /** A stream that keeps what is written; the methods that bars move the cursor with do nothing. */
  const stream = (isTTY: boolean) => {
    const written: string[] = [];
    const target = {
      isTTY,
      columns: 80,
      write: (text: string) => written.push(text) > 0,
      ...Object.fromEntries(
        [
          'cursorTo',
          'clearLine',
          'moveCursor',
          'clearScreenDown',
          'on',
          'once',
          'removeListener',
        ].map((name) => [name, () => true]),
      ),
    };
    return { written, stream: target as unknown as NodeJS.WriteStream };
  };

  it('progress is a bar, and a line for each epoch', async () => {
    const { written, stream: terminal } = stream(true);
    await fit({ ...problem(), epochs: 2, callbacks: [progressBar(terminal)] });
    const lines = written.join('').split('\n');
    expect(
      lines.filter((line) =>
        /epoch [12]\/2 · training loss 0\.\d+ · loss 0\.\d+ · \d\.\d s$/.test(line),
      ),
    ).toHaveLength(2);
    expect(written.join('')).toMatch(/epoch 1\/2 .*0\/4 · loss/);
  });

  it('nothing is printed elsewhere', async () => {
    const { written, stream: file } = stream(false);
    await fit({ ...problem(), epochs: 1, callbacks: [progressBar(file)] });
    expect(written).toEqual([]);
  });

  it('curves are text', async () => {
    const { history } = await fit({ ...problem(), epochs: 2 });
    const text = lossChart(history, { width: 40, height: 8, color: false });
    expect(text).toMatch(/validation loss/);
    expect(text).not.toContain('\x1b');
    expect(lossChart(history, { color: true })).toContain('\x1b');
    expect(() => lossChart(new History())).toThrow(/no finite loss to draw yet/);
  });
});

// The demo page, built once, and what tests do with it.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';

const DEMO = fileURLToPath(new URL('../../../examples/browser/', import.meta.url));
/** Pictures to look at; not part of the repository. */
const ARTIFACTS = fileURLToPath(new URL('../../../examples/browser/artifacts/', import.meta.url));

export async function buildDemo(folder: string): Promise<void> {
  await build({
    root: DEMO,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
  });
}

/** The page, ready for its first click; what it writes to the console as errors makes the test fail. */
export async function openDemo(
  context: BrowserContext,
  address: string,
  problems: string[] = [],
): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(address);
  await waitForStatus(page, /^Ready/);
  return page;
}

/** Waits until the status line says `what`; a failure that the page shows is thrown. */
export async function waitForStatus(page: Page, what: RegExp): Promise<string> {
  const said = await page.waitForFunction(
    (source) => {
      const status = document.querySelector('#status')?.textContent ?? '';
      const alert = document.querySelector<HTMLElement>('#alert');
      if (alert && !alert.hidden) return `failed: ${alert.textContent}`;
      return new RegExp(source).test(status) && status;
    },
    what.source,
    { timeout: 200_000 },
  );
  const text = await said.jsonValue();
  if (String(text).startsWith('failed: ')) throw new Error(`the page says: ${text}`);
  return String(text);
}

/** What the page says went wrong. */
export async function waitForAlert(page: Page): Promise<string> {
  const text = page.locator('#alert p');
  await text.waitFor({ state: 'visible' });
  return (await text.textContent()) ?? '';
}

/** Drops files that the site serves under /data/. */
export async function drop(page: Page, names: readonly string[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(async (all) => {
    const transfer = new DataTransfer();
    for (const name of all) {
      const blob = await (await fetch(`/data/${name}`)).blob();
      transfer.items.add(new File([blob], name));
    }
    return transfer;
  }, names);
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

/** Gives the page files as its file picker does. */
export async function pick(page: Page, name: string, content: Uint8Array | string): Promise<void> {
  const buffer = Buffer.from(content);
  await page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });
}

/** Paints a line of class `label` in a slice; places are fractions of the picture. */
export async function paintLine(
  page: Page,
  plane: string,
  label: number,
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  await page.check('[name=tool][value=paint]', { force: true });
  await page.check(`[name=class][value="${label}"]`);
  const box = await page.locator(`[data-plane=${plane}] canvas`).boundingBox();
  if (!box) throw new Error(`no slice '${plane}'`);
  const at = ([u, v]: readonly [number, number]) =>
    [box.x + u * box.width, box.y + v * box.height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 8 });
  await page.mouse.up();
}

/** Where the keys go: its id, what a screen reader calls it, and whether its focus is seen. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
    const labels = [...(at.labels ?? [])];
    const name = at.getAttribute('aria-label') ?? labels[0]?.textContent ?? at.textContent ?? '';
    const ring = (element: Element) => getComputedStyle(element).outlineStyle !== 'none';
    return { id: at.id, tag: at.tagName, name: name.trim(), seen: [at, ...labels].some(ring) };
  });

/** Presses Tab until `id` has the focus. */
export async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused(page)).id === id) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`60 presses of Tab do not reach #${id}`);
}

export const labelCounts = (page: Page): Promise<number[]> =>
  page.$$eval('#classes small', (all) => all.map((one) => Number(one.dataset.count)));

/** Lets `showSaveFilePicker` answer with a file of the origin private file system, without a dialog. */
export const answerSavePicker = (page: Page, name: string): Promise<void> =>
  page.evaluate((fileName) => {
    Object.assign(window, {
      showSaveFilePicker: async () =>
        (await navigator.storage.getDirectory()).getFileHandle(fileName, { create: true }),
    });
  }, name);

export async function savedBytes(page: Page, name: string): Promise<Uint8Array> {
  const numbers = await page.evaluate(async (fileName) => {
    const folder = await navigator.storage.getDirectory();
    const file = await (await folder.getFileHandle(fileName)).getFile();
    return [...new Uint8Array(await file.arrayBuffer())];
  }, name);
  return Uint8Array.from(numbers);
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: `${ARTIFACTS}${name}.png` });
}

// Every code block of the documents runs. One that cannot says why in a comment before it:
// `<!-- not run: REASON -->`. What blocks take for granted is in documents/setups.ts.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getDevice, manualSeed, setDevice, strategies } from 'voxgrad';
import { type Block, blocksOf, shows } from './documents/blocks.js';
import { runScripts } from './documents/scripts.js';
import { setupOf } from './documents/setups.js';
import { hasBash, Shell } from './documents/shell.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const DOCUMENTS: readonly string[] = [
  'README.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/guides'),
  ...readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => markdownIn(`packages/${name}`))
    .filter((path) => path.endsWith('README.md')),
  'examples/README.md',
];

const SCRIPTS = ['ts', 'js'];
const home = process.cwd();
let folder: string;
let shell: Shell;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxgrad-documents-'));
  if (hasBash) shell = await Shell.in(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(DOCUMENTS)('%s', (document) => {
  const blocks = blocksOf(document, readFileSync(join(ROOT, document), 'utf8'));
  const running = blocks.filter(({ notRun }) => notRun === undefined);
  const of = (...languages: string[]): Block[] =>
    running.filter(({ language }) => languages.includes(language));

  it('has no block in a language that nothing runs', () => {
    const others = of(...new Set(running.map(({ language }) => language))).filter(
      ({ language }) => ![...SCRIPTS, 'sh', 'json'].includes(language),
    );
    expect(others.map(({ language, line }) => `${document}:${line} ${language}`)).toEqual([]);
    for (const { code } of of('json')) JSON.parse(code);
  });

  const work = join('work', document.replaceAll('/', '-'));
  const inFolder = async (run: () => unknown) => {
    mkdirSync(join(folder, work), { recursive: true });
    process.chdir(join(folder, work));
    const device = getDevice();
    manualSeed(1);
    try {
      await run();
    } finally {
      process.chdir(home);
      setDevice(device);
      strategies.use({ conv3d: null });
    }
  };

  const scripts = of(...SCRIPTS);
  const script = scripts.length > 0 ? it : undefined;
  script?.(`runs ${scripts.length} scripts`, () =>
    inFolder(() =>
      runScripts(document, scripts, setupOf(document), (name) => import(/* @vite-ignore */ name)),
    ),
  );

  const shells = of('sh');
  const command = shells.length > 0 ? it.runIf(hasBash) : undefined;
  command?.(`runs ${shells.length} commands`, () =>
    inFolder(async () => {
      const { given, after } = setupOf(document);
      await given?.();
      for (const block of shells) shell.run(document, block);
      after?.();
    }),
  );
});

describe('what a block should print', () => {
  it.each([
    ['a  b\nc', 'a b c', true],
    ['one two three', 'one … three', true],
    ['one two three', 'one … four', false],
    ['one two', 'two … one', false],
  ])('%j shows %j: %s', (printed, shown, right) => {
    expect(shows(printed, shown)).toBe(right);
  });
});

// Puts the last tables and plots of `bench/results` into docs/performance.md and docs/images:
// `npx tsx bench/document.ts`, after the suites that it shows.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const DOCUMENT = path('../docs/performance.md');
const IMAGES = path('../docs/images/');
/** What stands between the two is replaced. */
const PLACE = /(<!-- bench (\w+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;

function tables(suite: string): string {
  const file = path(`results/${suite}.md`);
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run bench -- ${suite} writes it`);
  mkdirSync(IMAGES, { recursive: true });
  copyFileSync(path(`results/${suite}.svg`), `${IMAGES}bench-${suite}.svg`);
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const plot = `![${suite}: the time of each peer over that of voxgrad](images/bench-${suite}.svg)`;
  return `\n${lines.join('\n').trim()}\n\n${plot}\n\n`;
}

const document = readFileSync(DOCUMENT, 'utf8');
const filled = document.replace(
  PLACE,
  (_, begin: string, suite: string, end: string) => begin + tables(suite) + end,
);
writeFileSync(DOCUMENT, filled);

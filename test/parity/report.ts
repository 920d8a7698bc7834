// Compares everything and writes docs/parity.md. Run by scripts/parity.mjs.

import { readFileSync, writeFileSync } from 'node:fs';
import { markdown } from './support/markdown.js';
import { runAll } from './support/results.js';

const results = runAll();
const count = (key: 'agree' | 'missing') => results.reduce((sum, r) => sum + r[key], 0);
const differences = results.flatMap((r) => r.differences);
const missing = results.filter((r) => r.missing > 0).map((r) => r.path);

for (const line of differences) console.log(line);
if (missing.length > 0) console.log(`missing: ${missing.join(' ')}`);
console.log(
  `${count('agree')} agree, ${differences.length} differ, ${count('missing')} missing (${missing.length} names)`,
);

const target = new URL('../../docs/parity.md', import.meta.url);
const text = markdown(results);
if (process.argv.includes('--check')) {
  const current = readFileSync(target, 'utf8') === text;
  console.log(current ? 'docs/parity.md is current' : 'docs/parity.md is out of date');
  if (!current) process.exitCode = 1;
} else writeFileSync(target, text);
if (differences.length > 0 || missing.length > 0) process.exitCode = 1;

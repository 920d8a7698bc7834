// npm run fuzz -- [--runs N] [--seed S] [--from N] [--format torch-zip,npz,…] [--out FOLDER]
//
// Tries altered files of all formats. What fails is made smaller, written to a folder, and tried again
// with --seed and --from as printed.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.js';
import { makeInput } from './inputs.js';
import { minimised } from './minimise.js';
import { chosenSamples, type Input } from './samples.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    from: { type: 'string', default: '0' },
    format: { type: 'string', default: '' },
    out: { type: 'string' },
  },
});
const number = (name: 'runs' | 'seed' | 'from'): number => {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`fuzz: --${name} takes a whole number, not ${values[name]}`);
  process.exit(2);
};
const [runs, seed, from] = [number('runs'), number('seed'), number('from')];
const formats = values.format.split(',').filter((name) => name !== '');
const chosen = await chosenSamples(formats);
if (chosen.length === 0) {
  const known = new Set((await chosenSamples([])).map(({ format }) => format));
  console.error(`fuzz: --format takes some of ${[...known].join(', ')}, not ${values.format}`);
  process.exit(2);
}

function write(path: string, input: Input): void {
  if (input instanceof Uint8Array) {
    writeFileSync(path, input);
    return;
  }
  mkdirSync(path);
  for (const [name, content] of Object.entries(input)) writeFileSync(join(path, name), content);
}

/** Inputs between two lines of progress. */
const STEP = 10_000;
let said = 0;

const { loaded, faults } = await fuzz({
  runs,
  seed,
  from,
  formats,
  onProgress(done) {
    if (done < said + STEP) return;
    said = done;
    console.error(`fuzz: ${done} of ${runs}`);
  },
});
console.log(
  `seed ${seed}: of ${runs} inputs ${loaded} load, ${runs - loaded - faults.length} are refused and ` +
    `${faults.length} are at fault`,
);
if (faults.length > 0) {
  const folder = values.out ?? mkdtempSync(join(tmpdir(), 'voxgrad-fuzz-'));
  mkdirSync(folder, { recursive: true });
  for (const { index, kind, message } of faults) {
    const path = join(folder, `${seed}-${index}`);
    write(path, await minimised(makeInput(chosen, seed, index).input, kind));
    const again = `--seed ${seed} --from ${index} --runs 1${formats.length > 0 ? ` --format ${formats}` : ''}`;
    console.log(`\n${path}\nnpm run fuzz -- ${again}\n${message}`);
  }
  process.exitCode = 1;
}

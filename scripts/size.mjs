// npm run size: what programs weigh in a page, bundled by esbuild from the built packages, minified and
// gzipped, next to their budgets (scripts/size-budget.json). Fails where one is over. Names of programs
// as arguments measure those alone; `--files` shows what the weight is made of.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from './project.mjs';

const budgets = JSON.parse(readFileSync(join(ROOT, 'scripts', 'size-budget.json'), 'utf8'));

/** Bundles one program; `bytes` and `gzipped` are of its JavaScript, `files` of what it holds. */
export async function measure({ imports }) {
  const lines = imports.map(([names, from], i) =>
    names === '*'
      ? `import * as p${i} from '${from}'; globalThis.p${i} = p${i};`
      : `import { ${names} } from '${from}'; globalThis.p${i} = [${names}];`,
  );
  const { outputFiles, metafile } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: join(ROOT, 'packages', 'voxgrad') },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    external: ['node:*'],
  });
  const [output] = outputFiles;
  const [{ inputs }] = Object.values(metafile.outputs);
  return {
    bytes: output.contents.length,
    gzipped: gzipSync(output.contents, { level: 9 }).length,
    files: Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput]),
  };
}

/** Every program with its weight and its budget, which is in bytes after gzip. */
export async function measureAll(names = Object.keys(budgets)) {
  const rows = [];
  for (const name of names)
    rows.push({ name, ...budgets[name], ...(await measure(budgets[name])) });
  return rows;
}

if (process.argv[1] === join(ROOT, 'scripts', 'size.mjs')) {
  const names = process.argv.slice(2).filter((name) => name !== '--files');
  const unknown = names.find((name) => !Object.hasOwn(budgets, name));
  if (unknown)
    throw new Error(`no program '${unknown}'; known: ${Object.keys(budgets).join(', ')}`);
  const rows = await measureAll(names.length > 0 ? names : undefined);
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(9);
  console.log(
    `${'KB'.padEnd(24)}${'minified'.padStart(9)}${'gzipped'.padStart(9)}${'budget'.padStart(9)}`,
  );
  for (const { name, bytes, gzipped, budget, files } of rows) {
    console.log(`${name.padEnd(24)}${kilobytes(bytes)}${kilobytes(gzipped)}${kilobytes(budget)}`);
    if (process.argv.includes('--files'))
      for (const [path, size] of files.sort((a, b) => b[1] - a[1]).slice(0, 40))
        console.log(`${kilobytes(size)}  ${path}`);
    if (gzipped > budget) process.exitCode = 1;
  }
  if (process.exitCode) console.error('over budget: see docs/browser.md, "Size"');
}

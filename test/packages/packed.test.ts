// The packages as they would be published: packed, checked by publint and are-the-types-wrong, installed
// into an empty project, and used there from ESM, CommonJS, TypeScript and the command line.
//
// VOXGRAD_NODES=/path/to/node22:/path/to/node24 runs the programs with those too.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);
const built = existsSync(join(root, 'packages/voxgrad/dist/index.d.cts'));
const title = built ? 'packed' : 'packed (skipped: run npm run build first)';

const project = mkdtempSync(join(tmpdir(), 'voxgrad-packed-'));
afterAll(() => rmSync(project, { recursive: true }));

const tarballs = new Map<string, string>();

/** A package of the workspace as a tarball. */
function pack(name: string): string {
  const folder = join(project, 'tarballs');
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--silent', '--pack-destination', folder];
  const file = execFileSync('npm', args, { cwd: join(root, 'packages', name), encoding: 'utf8' });
  return join(folder, file.trim());
}

const nodes = [process.execPath, ...(process.env.VOXGRAD_NODES ?? '').split(delimiter)].filter(
  (path) => path !== '',
);

const run = (node: string, args: readonly string[]): string =>
  execFileSync(node, args, { cwd: project, encoding: 'utf8' }).trim();

/** What a program prints, whatever it exits with. */
const output = (node: string, args: readonly string[]): string =>
  spawnSync(node, args, { cwd: project, encoding: 'utf8' }).stdout.trim();

/** Trains one step, and saves and loads what came of it. */
const PROGRAM = `
  vg.manualSeed(0);
  const model = new vg.nn.Conv3d(2, 4, 3, { padding: 1, groups: 2 });
  const optimizer = new vg.optim.Adam(model.parameters(), { lr: 0.01 });
  model.call(vg.ones([1, 2, 4, 4, 4])).pow(2).mean().backward();
  optimizer.step();
  vg.save(model.stateDict()).then(vg.loadStateDict).then((state) => {
    console.log([...state.keys()].join(), vg.nn.functional.conv3d === F.conv3d);
  });
`;
const PRINTED = 'weight,bias true';

const TYPED = `
  import * as vg from 'voxgrad';
  import { conv3d } from 'voxgrad/composite';
  import { exportOnnx } from 'voxgrad/onnx';
  import * as F from '@voxgrad/nn/functional';
  import { createWasmDevice } from '@voxgrad/wasm';
  const y: vg.Tensor = conv3d(vg.ones([1, 1, 3, 3, 3]), vg.ones([1, 1, 3, 3, 3]), null, { padding: 1 });
  const z: vg.Tensor = F.relu(y);
  const sizes: readonly number[] = z.shape;
  const threads: number = createWasmDevice({ threads: 1 }).threads;
  // @ts-expect-error: options have names
  vg.nn.functional.conv3d(y, z, null, { paddings: 1 });
  export { exportOnnx, sizes, threads };
`;

describe.skipIf(!built)(title, () => {
  beforeAll(() => {
    for (const name of packages) tarballs.set(name, pack(name));
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', ['install', ...flags, ...tarballs.values()], { cwd: project });
    writeFileSync(
      join(project, 'esm.mjs'),
      `import * as vg from 'voxgrad'; import * as F from '@voxgrad/nn/functional'; ${PROGRAM}`,
    );
    writeFileSync(
      join(project, 'common.cjs'),
      `const vg = require('voxgrad'); const F = require('@voxgrad/nn/functional'); ${PROGRAM}`,
    );
  }, 120_000);

  it.each(packages)('%s is as publint and are-the-types-wrong want it', async (name) => {
    const bytes = Uint8Array.from(readFileSync(tarballs.get(name) ?? ''));
    const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    const analysis = await checkPackage(createPackageFromTarballData(bytes));
    const problems = 'problems' in analysis ? analysis.problems : [];
    // Node 10 knew no subpath exports; the packages ask for Node 20.
    const said = problems.filter((p) => !('resolutionKind' in p && p.resolutionKind === 'node10'));
    expect(said).toEqual([]);
  });

  it.each(packages)(
    '%s has a licence, a README and no scripts that run at installation',
    (name) => {
      const folder = join(
        project,
        'node_modules',
        name === 'voxgrad' ? name : join('@voxgrad', name),
      );
      for (const file of ['LICENSE', 'README.md', 'package.json'])
        expect(existsSync(join(folder, file)), file).toBe(true);
      const { scripts = {}, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      expect(license).toBe('MIT');
      expect(Object.keys(scripts).filter((script) => /install|prepare$/.test(script))).toEqual([]);
    },
  );

  describe.each(nodes)('with %s', (node) => {
    it('ESM', () => expect(run(node, ['esm.mjs'])).toBe(PRINTED));
    it('CommonJS', () => expect(run(node, ['common.cjs'])).toBe(PRINTED));
    it('the command line', () => {
      const bin = join('node_modules', 'voxgrad', 'bin', 'voxgrad.js');
      const { version } = JSON.parse(
        readFileSync(join(root, 'packages/voxgrad/package.json'), 'utf8'),
      );
      expect(run(node, [bin, '--version'])).toBe(version);
    });
  });

  it.each([
    ['node16', 'node16', 'typed.mts'],
    ['node16', 'node16', 'typed.cts'],
    ['esnext', 'bundler', 'typed.ts'],
  ])('TypeScript, module %s, resolution %s, %s', (module, moduleResolution, file) => {
    writeFileSync(join(project, file), TYPED);
    const options = { module, moduleResolution, target: 'es2022', strict: true, noEmit: true };
    const compilerOptions = { ...options, types: [], lib: ['es2023', 'dom'] };
    const config = JSON.stringify({ compilerOptions, files: [file] });
    writeFileSync(join(project, 'tsconfig.json'), config);
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(output(process.execPath, [tsc])).toBe('');
  });
});

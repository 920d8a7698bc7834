// The built packages, as programs outside the workspace load them: ESM, CommonJS, and both at once.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = existsSync(new URL('../../packages/voxgrad/dist/index.cjs', import.meta.url));
const title = built ? 'built packages' : 'built packages (skipped: run npm run build first)';

/** Runs a program in the project's folder and returns what it prints. */
const run = (source: string, type: 'module' | 'commonjs') =>
  execFileSync(process.execPath, [`--input-type=${type}`, '-e', source], {
    cwd: root,
    encoding: 'utf8',
  }).trim();

const USE = `
  const x = vg.tensor([[1, 2], [3, 4]], { requiresGrad: true });
  x.mul(x).sum().backward();
  console.log(JSON.stringify([x.grad.tolist(), typeof vg.nn.Conv3d, typeof vg.optim.Adam, typeof vg.load]));
`;
const EXPECTED = '[[[2,4],[6,8]],"function","function","function"]';

describe.skipIf(!built)(title, () => {
  it('load as ESM', () => {
    expect(run(`import * as vg from 'voxgrad'; ${USE}`, 'module')).toBe(EXPECTED);
  });

  it('load as CommonJS', () => {
    expect(run(`const vg = require('voxgrad'); ${USE}`, 'commonjs')).toBe(EXPECTED);
  });

  it('share devices, generator, grad mode and strategies between both copies', () => {
    const source = `
      import * as a from 'voxgrad';
      import { createRequire } from 'node:module';
      const b = createRequire(process.cwd() + '/x.js')('voxgrad');
      a.manualSeed(3);
      const first = b.rand([2]).tolist();
      b.manualSeed(3);
      console.log(JSON.stringify([
        a.Tensor !== b.Tensor,
        b.ones([1]) instanceof a.Tensor,
        new b.nn.ReLU() instanceof a.nn.Module,
        a.getDevice() === b.getDevice(),
        a.noGrad(() => b.isGradEnabled()),
        JSON.stringify(first) === JSON.stringify(a.rand([2]).tolist()),
        a.strategies.list('conv3d').length === b.strategies.list('conv3d').length,
        a.ones([2]).add(b.ones([2])).tolist(),
        (() => { try { a.ones([2]).gather(0, b.tensor([5n])); } catch (e) { return e instanceof a.VoxgradError && e instanceof b.VoxgradError && e.message; } })(),
      ]));
    `;
    expect(run(source, 'module')).toBe(
      '[true,true,true,true,false,true,true,[2,2],"index 5 is out of bounds for dimension 0 with size 2"]',
    );
  });

  it('offer voxgrad/composite as a one-line replacement', () => {
    const source = `
      import { Conv3d, conv3d } from 'voxgrad/composite';
      import { ones, strategies, nn } from 'voxgrad';
      const x = ones([1, 2, 3, 3, 3]).requiresGrad_();
      const w = ones([2, 2, 3, 3, 3]);
      const used = (fn) => strategies.trace(() => fn().sum().backward()).filter((e) => e.op === 'conv3d').map((e) => e.strategy);
      console.log(JSON.stringify([used(() => conv3d(x, w)), used(() => new Conv3d(2, 2, 3).call(x)), new Conv3d(2, 2, 3) instanceof nn.Conv3d]));
    `;
    expect(run(source, 'module')).toBe('[["composite"],["fused"],true]');
  });

  it.each(['core', 'nn', 'optim', 'checkpoint', 'tfjs', 'npu', 'train', 'train/terminal'])(
    '@voxgrad/%s stands alone',
    (name) => {
      const count = `console.log(Object.keys(p).length > 0)`;
      expect(run(`import * as p from '@voxgrad/${name}'; ${count}`, 'module')).toBe('true');
      expect(run(`const p = require('@voxgrad/${name}'); ${count}`, 'commonjs')).toBe('true');
    },
  );
});

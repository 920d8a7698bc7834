// voxgrad gradcheck: as a process, and whether it finds what is wrong.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gradcheckCases } from '../src/gradcheck/cases.js';
import { type GradcheckResult, runGradcheck } from '../src/gradcheck/run.js';
import {
  type ConvBackwardTensors,
  type ConvCall,
  createWasmDevice,
  getDevice,
  npu,
  plainConvCall,
  strategies,
  type Tensor,
} from '../src/index.js';
import { bundle, ended, start } from './support/program.js';

describe('every case', () => {
  it('is right on the reference', async () => {
    const { rows, totals, dtype } = await runGradcheck({ device: getDevice('cpu') });
    expect(rows.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(dtype).toBe('float64');
    expect(totals.ok).toBe(rows.length);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(gradcheckCases.length); // no name twice
  });

  it('in float32 is close to the reference, or is refused with the code of the device', async () => {
    const device = npu('Ascend910B1', { cann: '8.2.RC1', host: createWasmDevice() });
    const { rows, totals, against } = await runGradcheck({ device, only: 'conv' });
    expect(against).toBe('the reference in float64');
    expect(totals.wrong).toBe(0);
    const refused = rows.filter(({ outcome }) => outcome === 'refused');
    expect(refused.map(({ strategy }) => strategy)).toContain('fused');
    expect(refused[0].message).toMatch(
      /E69999: op\[Conv3DBackpropInputV2\], cannot support stride_d/,
    );
  });
});

it('finds a strategy that is wrong', async () => {
  strategies.register({
    op: 'conv3d',
    name: 'wrong',
    kind: 'custom',
    supports: () => ({ ok: true, reasons: [] }),
    cost: () => Number.POSITIVE_INFINITY,
    run: (call: ConvCall, tensors: ConvBackwardTensors, needs) => {
      const right: (Tensor | null)[] = strategies.run('conv3d', plainConvCall(call), tensors, {
        needs,
        strategy: 'composite',
      });
      return right.map((gradient) => gradient?.mul(1.01) ?? null);
    },
  });
  try {
    const wasm = createWasmDevice({ smallBytes: 0 });
    for (const device of [wasm, npu('Ascend910B1', { cann: '8.2.RC1', host: wasm })]) {
      const { rows } = await runGradcheck({ device, only: 'odd sizes' });
      const wrong = rows.filter(({ outcome }) => outcome === 'wrong');
      expect(wrong.map(({ strategy }) => strategy)).toEqual(['wrong']);
      expect(wrong[0].message).toMatch(/Jacobian mismatch|differ from the reference by 1\.0e-2/);
    }
  } finally {
    strategies.unregister('conv3d', 'wrong');
  }
});

describe('the command', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'voxgrad-gradcheck-'));
    program = await bundle(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const gradcheck = (...args: string[]) => start(program, ['gradcheck', ...args]);

  it('prints a table, and a page where one is asked for', async () => {
    const page = join(folder, 'gradcheck.html');
    const { code, out, err } = await ended(
      gradcheck('--device', 'cpu', '--only', 'pooling', '--html', page),
    );
    expect(out).toMatch(
      /^cpu, float64, against central differences\n\nfamily +case +strategy +result\n/,
    );
    expect(out).toMatch(/pooling +avgPool3d +ok\n/);
    expect(out).toMatch(/4 cases: 4 right, 0 wrong\n$/);
    expect(code).toBe(0);
    expect(err).toBe(`wrote ${page}\n`);
    expect(readFileSync(page, 'utf8')).toMatch(/<h1>Derivatives on cpu<\/h1>/);
  });

  it('is one JSON document with --json', async () => {
    const { code, out, err } = await ended(gradcheck('--only', 'depthwise', '--json'));
    const result = JSON.parse(out) as GradcheckResult;
    expect([code, err, result.device]).toEqual([0, '', 'wasm']);
    const names = strategies.list('conv3d', 'wasm').map(({ name }) => name);
    expect(names).toContain('fused:direct');
    expect(result.rows.map(({ strategy }) => strategy)).toEqual([null, ...names, null, ...names]);
    // Algorithms of float32 say so in float64.
    expect(result.totals).toMatchObject({ wrong: 0, refused: 4 });
  });

  it.each([
    [['--only', 'nothing of the kind'], /no case holds this text/],
    [['--device', 'npu:Ascend910B1'], /needs --cann/],
    [['--devise', 'cpu'], /unknown option '--devise'.*\n.*--device/],
    [['cpu'], /too many arguments/],
  ])('wrong usage is exit code 2: %j', async (args, message) => {
    const { code, out, err } = await ended(gradcheck(...args));
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  it('a device that there is not, or a page that cannot be written, is a failure', async () => {
    const missing = await ended(gradcheck('--device', 'gpu'));
    expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/gpu/)]);
    const page = join(folder, 'no', 'folder.html');
    const unwritten = await ended(
      gradcheck('--device', 'cpu', '--only', 'pooling', '--html', page),
    );
    expect([unwritten.code, unwritten.out]).toEqual([1, '']);
    expect(unwritten.err).toMatch(/folder\.html: cannot be written \(ENOENT/);
    expect(existsSync(page)).toBe(false);
  });

  it('interrupted, it says so', async () => {
    const child = gradcheck('--device', 'cpu', '--json');
    const result = ended(child);
    setTimeout(() => child.kill('SIGINT'), 500);
    const { code, out } = await result;
    // It may have been done by then; there is no third case.
    if (code !== 0)
      expect([code, JSON.parse(out)]).toEqual([
        130,
        { error: expect.objectContaining({ code: 'INTERRUPTED' }) },
      ]);
  });
});

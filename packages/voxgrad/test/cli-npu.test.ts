// The commands plan, doctor, repro and bench, as processes: exit codes, one JSON document, errors.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, ended, type Outcome, start } from './support/program.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'voxgrad-cli-npu-'));
let program: string;
beforeAll(async () => {
  program = await bundle(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function voxgrad(args: readonly string[], input = '', cwd?: string): Promise<Outcome> {
  const child = start(program, args, cwd === undefined ? {} : { cwd });
  child.stdin.end(input);
  return ended(child);
}

async function json(args: readonly string[], input = '') {
  const { code, out } = await voxgrad([...args, '--json'], input);
  return { code, document: JSON.parse(out) as Record<string, unknown> };
}

const NPU = ['--device', 'npu:Ascend910B1', '--cann', '8.2.RC1'];
const TRAIN05 = 'x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7';

describe('plan', () => {
  it('has the fields of the contract, and a refusal is a finding', async () => {
    const { code, document } = await json(['plan', '--conv', TRAIN05, ...NPU]);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      device: 'npu:Ascend910B1',
      cann: '8.2.RC1',
      torchNpu: null,
      layers: [
        {
          name: 'conv',
          call: {
            input: [1, 7, 296, 296, 168],
            weight: [7, 1, 9, 9, 9],
            groups: 7,
            dtype: 'float32',
          },
          native: {
            ok: false,
            checks: [
              { pass: 'forward', check: 'L1', ok: true, limitBytes: 524288 },
              {
                pass: 'input',
                check: 'L1',
                ok: false,
                needBytes: 525312,
                limitBytes: 524288,
                code: 'E69999',
              },
              { pass: 'weight', check: 'L1', ok: true },
            ],
          },
          strategy: expect.stringMatching(/composite|tiled/),
          steps: expect.any(Array),
          memoryBytes: expect.any(Number),
        },
      ],
    });
  });

  it('prints a table without colours where nobody watches', async () => {
    const small = 'x=1,7,64,64,64 w=7,1,9,9,9 padding=4 groups=7';
    const { code, out } = await voxgrad(['plan', '--conv', small, ...NPU]);
    expect(code).toBe(0);
    expect(out).toContain('1 of 1 layers run natively');
    expect(out).not.toContain('\u001b');
  });

  it('reads a model, and says where one is none', async () => {
    const layer = { name: 'a', type: 'Conv3d', out_channels: 4, kernel_size: 9, padding: 4 };
    const model = file(
      'model.json',
      JSON.stringify({ input: [1, 1, 32, 32, 300], layers: [layer] }),
    );
    const { code, document } = await json(['plan', '--model', model, ...NPU]);
    expect(code).toBe(1);
    expect(document.layers).toMatchObject([{ name: 'a', native: { ok: false } }]);
    const wrong: [string | Uint8Array, RegExp][] = [
      ['{', /is no JSON/],
      ['{"layers": [{"type": "Conv3D"}]}', /layers\[0\]: no layer type is called .*Conv3d/],
      [new Uint8Array([0, 1, 2, 255]), /is no JSON/],
    ];
    for (const [content, message] of wrong) {
      const outcome = await voxgrad(['plan', '--model', file('wrong.json', content), ...NPU]);
      expect(outcome.err).toMatch(message);
      expect(outcome.code).toBe(1);
    }
  });

  const on = (device: string, cann: string) => ['--device', device, '--cann', cann];
  it.each([
    [['--conv', 'x=1 w=1 grups=2', ...NPU], 2, /no "grups"; the nearest known names are groups/],
    [
      ['--conv', TRAIN05, ...on('npu:Ascend910B7', '8.2.RC1')],
      1,
      /no SoC .*"Ascend910B7".*Ascend910B1/,
    ],
    [
      ['--conv', TRAIN05, ...on('npu:Ascend910B1', '8.2.RC7')],
      1,
      /CANN version "8.2.RC7".*8\.2\.RC1/,
    ],
    [['--conv', TRAIN05, ...NPU, '--torch-npu', '2.7.9'], 1, /no release .*"2.7.9".*2\.7\.1/],
    [['--conv', TRAIN05, '--device', 'wasm'], 2, /--device npu:<chip>/],
    [['--conv', TRAIN05, '--device', 'npu:Ascend910B1'], 2, /needs --cann/],
    [['--conv', TRAIN05, ...NPU, '--dtype', 'flaot32'], 2, /--dtype: expected a dtype/],
    [['--conv', TRAIN05, ...NPU, '--jit-compile', 'maybe'], 2, /--jit-compile takes true or false/],
    [[...NPU], 2, /either --conv/],
    [['--conv', 'x=1,7,8,8,8 w=7,2,3,3,3', ...NPU], 1, /layer "conv": Given groups=1/],
  ] as [string[], number, RegExp][])('%j ends with %i', async (args, exit, message) => {
    const { code, err, out } = await voxgrad(['plan', ...args]);
    expect(err).toMatch(message);
    expect(err).not.toContain('bug in voxgrad');
    expect(out).toBe('');
    expect(code).toBe(exit);
  });
});

describe('doctor', () => {
  const STREAM =
    'EE1001: [PID: 1] 2026-07-01-09:12:44.100.200 The argument is invalid.Reason: Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4).';

  it('reads an installation, an environment and a log', async () => {
    const home = 'root/usr/local/Ascend/ascend-toolkit';
    const info = 'aarch64-linux/ascend_toolkit_install.info';
    const packages = 'root/usr/lib/python3.10/site-packages';
    file(`${home}/8.3.RC1/${info}`, 'version=8.3.RC1\n');
    file(`root/usr/local/Ascend/cann-8.5.1/${info}`, 'version=8.5.1\n');
    file(`${packages}/torch_npu-2.7.1.post2.dist-info/METADATA`, 'Version: 2.7.1.post2\n');
    file(`${packages}/numpy-1.0.dist-info/METADATA`, 'Version: 1.0\n');
    symlinkSync('8.3.RC1', join(folder, home, 'latest'));
    const env = file(
      'env',
      'ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.1\n' +
        'LD_LIBRARY_PATH=/usr/local/Ascend/ascend-toolkit/latest/lib64:/usr/local/Ascend/cann-8.5.1/lib64\n',
    );
    const given = ['--root', join(folder, 'root'), '--env', env, '--log', file('log', STREAM)];
    const { code, document } = await json(['doctor', ...given]);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      versions: { cann: '8.5.1', torchNpu: '2.7.1.post2' },
      libraryPath: [{ version: '8.3.RC1' }, { version: '8.5.1' }],
    });
    const ids = (document.findings as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(['older-runtime-first', 'stream-attribute', 'several-installations']);
  });

  it('reads standard input', async () => {
    const { code, out } = await voxgrad(['doctor', '--log', '-'], `${STREAM}\n`);
    expect(out).toMatch(/LIKELY stream-attribute/);
    expect(code).toBe(1);
  });

  it('reads an environment from standard input', async () => {
    const env = 'LD_LIBRARY_PATH=/usr/local/Ascend/cann-8.5.1/lib64\n';
    const { document } = await json(['doctor', '--env', '-'], env);
    expect(document.libraryPath).toMatchObject([{ version: '8.5.1' }]);
  });

  it.skipIf(process.platform === 'win32')('reads a log from a pipe', () => {
    const command = `'${process.execPath}' '${program}' doctor --log /dev/fd/3 3<&0`;
    const { stdout, status } = spawnSync(`echo '${STREAM}' | (${command})`, {
      shell: '/bin/sh',
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/LIKELY stream-attribute/);
    expect(status).toBe(1);
  });

  it('reads UTF-16, and says that nothing is known', async () => {
    const text = Buffer.from(`${STREAM}\r\n`, 'utf16le');
    const utf16 = file('utf16.log', Buffer.concat([Buffer.from([0xff, 0xfe]), text]));
    expect((await voxgrad(['doctor', '--log', utf16])).out).toMatch(/stream-attribute/);
    const calm = await voxgrad(['doctor', '--log', file('calm.log', 'loss 0.1\n')]);
    expect(calm.out).toMatch(/nothing known in 1 lines of log/);
    expect(calm.code).toBe(0);
  });

  const noise = () => Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * 7) % 256));
  it.each([
    ['--log', () => file('noise.bin', noise()), /no text but binary data/],
    ['--log', () => join(folder, 'missing.log'), /cannot be read/],
    ['--env', () => join(folder, 'missing.env'), /cannot be read/],
    ['--root', () => join(folder, 'missing'), /there is no such folder/],
  ] as [string, () => string, RegExp][])('%s of what is none', async (option, path, message) => {
    const { code, err } = await voxgrad(['doctor', option, path()]);
    expect(err).toMatch(message);
    expect(err).not.toContain('bug in voxgrad');
    expect(code).toBe(1);
  });
});

describe('--html of plan, doctor and bench', () => {
  const log = 'ASCEND_LOG: <b>EI0002</b> The wait execution of the Notify register times out.';

  it.each([
    ['plan', [...NPU, '--conv', TRAIN05], 'plan.html', /conv1|refused/],
    ['doctor', ['--log', '-'], 'doctor.html', /Versions/],
    ['bench', [...NPU, '--only', 'train05', '--scale', '16'], 'bench.html', /train05_dw_k9_g7/],
  ])('%s writes a page that needs no network', async (command, args, name, says) => {
    const page = join(folder, name);
    const { out, err } = await voxgrad([command, ...args, '--html', page], log);
    expect(out).not.toBe('');
    expect(err).toBe(`wrote ${page}\n`);
    const text = readFileSync(page, 'utf8');
    expect(text).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(text).toMatch(says);
    expect(text).not.toMatch(/<script|<b>|https?:\/\/[^<]*"/);
  });

  it('a page that cannot be written is a failure, and nothing is left of it', async () => {
    const page = join(folder, 'none', 'plan.html');
    const { code, out, err } = await voxgrad(['plan', ...NPU, '--conv', TRAIN05, '--html', page]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/plan\.html: cannot be written \(ENOENT/);
    expect(existsSync(page)).toBe(false);
  });
});

describe('repro', () => {
  it('prints the script and nothing else', async () => {
    const { code, out, err } = await voxgrad(['repro', '--conv', TRAIN05]);
    expect(err).toBe('');
    expect(out).toMatch(/^"""x=1,7,296,296,168 [\s\S]*import torch_npu/);
    expect(code).toBe(0);
    const asked = ['repro', '--conv', TRAIN05, '--target', 'voxgrad', ...NPU];
    expect((await json(asked)).document).toMatchObject({
      target: 'voxgrad',
      language: 'javascript',
      script: expect.stringContaining("npu('Ascend910B1'"),
    });
  });

  it('knows its targets', async () => {
    const { code, err } = await voxgrad(['repro', '--conv', TRAIN05, '--target', 'jax']);
    expect(err).toMatch(/Allowed choices are torch_npu, torch, voxgrad/);
    expect(code).toBe(2);
  });
});

describe('plan and repro of what is stored in another format', () => {
  const EMBED = 'x=6,3,2,4,4 w=5,3,2,4,4 stride=2,4,4 needs=w x_format=ND';
  const OLD = [...NPU, '--torch-npu', '2.7.1', '--allow-internal-format', 'true'];

  it('plan says what the graph operator refuses, and what heals it', async () => {
    const { code, document } = await json(['plan', '--conv', EMBED, ...OLD]);
    expect(code).toBe(1);
    expect(document.layers).toMatchObject([
      {
        conv: EMBED.replace(' needs=w', ''),
        native: {
          route: 'acl_op',
          checks: expect.arrayContaining([
            expect.objectContaining({ pass: 'weight', check: 'format', code: 'E69999', ok: false }),
          ]),
          remedies: { usualFormats: true, switchesOff: true },
        },
      },
    ]);
    const off = ['--torch-npu', '2.7.1', '--allow-internal-format', 'false'];
    expect((await voxgrad(['plan', '--conv', EMBED, ...NPU, ...off])).code).toBe(0);
  });

  it('repro stores it so, under the same switches', async () => {
    const { out } = await voxgrad(['repro', '--conv', EMBED, ...OLD]);
    expect(out).toContain('os.environ.get("REPRO_FORMAT", "2")');
    expect(out).toContain('"REPRO_INTERNAL_FORMAT": "1"');
  });

  it('a format that there is not comes with the nearest', async () => {
    const { code, err } = await voxgrad(['plan', '--conv', EMBED.replace('ND', 'NCDHX'), ...OLD]);
    expect(err).toMatch(
      /x_format=: no format is called 'NCDHX'; the nearest known are NCDHW \(30\)/,
    );
    expect(code).toBe(2);
  });
});

describe('certify', () => {
  it('the profile of an NPU: every kernel, its cases, error and verdict', async () => {
    const { code, document } = await json(['certify', ...NPU]);
    expect(code).toBe(0);
    expect(document).toMatchObject({ device: 'npu:Ascend910B1', ok: true });
    const kernels = document.kernels as { kernel: string; verdict: string }[];
    expect(kernels.map(({ kernel }) => kernel)).toEqual(
      expect.arrayContaining(['convForward', 'convBackward', 'batchNorm', 'sumPool']),
    );
    for (const { verdict } of kernels) expect(verdict).not.toBe('quarantined');
  });

  it('the kernels of TensorFlow.js: what errs is a finding, with the numbers', async () => {
    const { code, out } = await voxgrad(['certify', '--device', 'tfjs:cpu'], '', REPOSITORY);
    const [title] = out.split('\n');
    // Its CPU backend errs nowhere, or it is said where.
    if (code === 0) expect(title).toBe('tfjs:cpu: every kernel agrees with the reference');
    else {
      expect(title).toBe('tfjs:cpu: kernels in quarantine');
      expect(out).toMatch(/ is wrong; case '.+', \w+: \S+ instead of \S+ at \[/);
    }
    expect(out).toMatch(/convForward +float32 +\d+\/\d+ +\S+ +2e-5 +(trusted|quarantined)/);
  });

  it('where there is no TensorFlow.js, what to install', async () => {
    const { code, err } = await voxgrad(['certify', '--device', 'tfjs:cpu'], '', folder);
    expect(err).toMatch(/does not run from this folder .*npm install @tensorflow\/tfjs-core/);
    expect(err).not.toContain('bug in voxgrad');
    expect(code).toBe(1);
  });
});

describe('bench', () => {
  const FEW = ['--only', 'train05', '--scale', '16', '--rounds', '1'];

  it('perf of every strategy: forward, forward and backward, and native by the direct algorithm', async () => {
    const { code, document } = await json(['bench', '--all', ...FEW]);
    expect(code).toBe(0);
    const [row] = document.rows as Record<string, unknown>[];
    expect(row).toMatchObject({
      strategy: 'fused',
      forwardMs: expect.any(Number),
      forwardBackwardMs: expect.any(Number),
      native: expect.any(Number),
      speedup: expect.any(Number),
    });
    expect(Object.keys(row.strategies as object)).toEqual(
      expect.arrayContaining(['fused', 'fused:direct', 'fused:fft', 'composite', 'tiled']),
    );
  });

  it('dense layers, smaller; precision and perf as tables', async () => {
    const few = ['--suite', 'dense', '--only', 'k1', '--scale', '8', '--rounds', '1'];
    const perf = await voxgrad(['bench', ...few]);
    expect(perf.out).toMatch(/dense, perf: wasm, float32, volumes divided by 8/);
    expect(perf.out).toMatch(/\| case +\| input +\| strategy .*\| chosen against native/);
    expect(perf.out).toMatch(/\| dense_c32_16_k1 \| 1×32×8×8×8 .*\| the same \(fused\)/);
    const precision = await voxgrad(['bench', '--mode', 'precision', ...few]);
    expect(precision.out).toMatch(/y error +\| dx error +\| dw error +\| finite/);
    expect([perf.code, precision.code]).toEqual([0, 0]);
  });

  it('precision: every strategy, its errors, and composite against native', async () => {
    const { code, document } = await json([
      'bench',
      '--mode',
      'precision',
      '--dtype',
      'float64',
      ...FEW,
    ]);
    expect(code).toBe(0);
    const [row] = document.rows as {
      strategies: { strategy: string; dx: number; dw: number; finite: boolean }[];
      compositeAgainstNative: { dx: number; dw: number };
    }[];
    const names = row.strategies.map(({ strategy }) => strategy);
    expect(names).toEqual(expect.arrayContaining(['fused', 'composite', 'tiled']));
    for (const { dx, dw, finite } of row.strategies) {
      expect(finite).toBe(true);
      expect(Math.max(dx, dw)).toBeLessThan(1e-12);
    }
    expect(row.compositeAgainstNative.dx).toBeLessThan(1e-12);
    expect(row.compositeAgainstNative.dw).toBeLessThan(1e-12);
  });

  it('perf on the profile of an NPU marks what crashes', async () => {
    const { code, document } = await json(['bench', '--mode', 'perf', ...NPU, ...FEW]);
    expect(code).toBe(0);
    expect(document.rows).toMatchObject([
      {
        pattern: 'train05_dw_k9_g7',
        native: 'nativeCRASH',
        speedup: null,
        strategy: expect.stringMatching(/composite|tiled/),
      },
    ]);
  });

  it('refuses names that are none', async () => {
    const { code, err } = await voxgrad(['bench', '--only', 'train99']);
    expect(err).toMatch(/no case is called so; there are train01_k3_stem/);
    expect(code).toBe(2);
  });
});

// The scripts are run: those for PyTorch by the python3-torch of the system where it is installed, that
// for torch_npu with a module that stands in for it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VoxgradError } from '@voxgrad/core';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConv, type ReproTarget, repro } from '../../src/index.js';

const PYTHON = '/usr/bin/python3';
const STUB = fileURLToPath(new URL('./stub', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const hasPython = spawnSync(PYTHON, ['--version']).status === 0;
const hasTorch = spawnSync(PYTHON, ['-c', 'import torch']).status === 0;
if (!hasTorch) console.warn(`repro: no PyTorch at ${PYTHON}; the scripts for it are not run`);

// Inside the repository, so that the script for voxgrad finds the package.
const folder = mkdtempSync(join(REPOSITORY, 'node_modules', '.repro-'));
const elsewhere = mkdtempSync(join(tmpdir(), 'voxgrad-repro-'));
afterAll(() => {
  for (const path of [folder, elsewhere]) rmSync(path, { recursive: true, force: true });
});

let count = 0;
function run(
  target: ReproTarget,
  conv: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const python = target !== 'voxgrad';
  const path = join(python ? elsewhere : folder, `repro${count++}.${python ? 'py' : 'mjs'}`);
  writeFileSync(path, repro(parseConv(conv), { target }));
  const [program, flags] = python
    ? [PYTHON, []]
    : [process.execPath, ['--conditions=voxgrad-source', '--import', 'tsx']];
  const { status, stdout, stderr } = spawnSync(program, [...flags, path, ...args], {
    encoding: 'utf8',
    cwd: python ? elsewhere : REPOSITORY,
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const CALLS = [
  'x=1,7,12,12,12 w=7,1,5,5,5 padding=2 groups=7',
  'x=2,4,9,8,11 w=6,2,3,2,3 stride=2,1,3 padding=1,0,2 dilation=1,2,1 groups=2',
  'x=2,3,10,13 w=4,3,3,3 stride=2 padding=1',
  'x=1,2,20 w=4,1,5 dilation=2 groups=2',
  'x=1,3,6,6,6 w=4,3,3,3,3 padding=3', // more padding than the gradient's convolution takes: it crops
  'x=2,3,2,4,4 w=5,3,2,4,4 stride=2,4,4 needs=w',
];

/** Runs scripts one after the other in one interpreter, which imports PyTorch once. */
const DRIVER = `
import runpy, sys
for path in sys.argv[1:]:
    sys.argv = [path, "--reference", "--in-process"]
    print("SCRIPT")
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        print("EXIT %s" % end.code)
`;

function runAll(target: 'torch' | 'torch_npu', env: Readonly<Record<string, string>>) {
  const paths = CALLS.map((conv) => {
    const path = join(elsewhere, `repro${count++}.py`);
    writeFileSync(path, repro(parseConv(conv), { target }));
    return path;
  });
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', DRIVER, ...paths], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { outputs: stdout.split('SCRIPT\n').slice(1), stderr };
}

/** What torch_npu is here. */
const STAND_IN = { PYTHONPATH: STUB, REPRO_DEVICE: 'cpu' };

describe.skipIf(!hasTorch)('on PyTorch (skipped where python3-torch is missing)', () => {
  it.each([
    ['torch', {}],
    ['torch_npu', STAND_IN],
  ] as const)(
    'for %s: native and composite agree with each other and with float64',
    (target, env) => {
      const { outputs, stderr } = runAll(target, env);
      expect(stderr).toBe('');
      expect(outputs).toHaveLength(CALLS.length);
      for (const output of outputs) {
        expect(output).toMatch(/composite against native +d[xw] +error \S+ +ok/);
        expect(output).toMatch(/composite against float64 +d[xw] +error \S+ +ok/);
        expect(output).not.toContain('WRONG');
        expect(output).toContain('native runs');
        expect(output).toContain('EXIT 0');
        if (target === 'torch_npu')
          expect(output).toMatch(/torch_npu 2\.7\.1\.stub[\s\S]*LD_LIBRARY_PATH=/);
      }
    },
  );

  it('--scale makes a large call small; each way runs in a process of its own', () => {
    const conv = 'x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7';
    const { status, stdout } = run('torch_npu', conv, ['--scale', '16', '--reference'], STAND_IN);
    expect(stdout).toContain('x (1, 7, 18, 18, 10)');
    expect(stdout).toContain('native runs');
    expect(status).toBe(0);
  });

  it('a way that fails says so, and the exit code is 1', () => {
    const { status, stdout } = run('torch', CALLS[0], [], { REPRO_DEVICE: 'nowhere' });
    expect(stdout).toMatch(/native +failed\n.*nowhere/s);
    expect(stdout).toContain('native FAILS');
    expect(status).toBe(1);
  });
});

it.skipIf(!hasPython)('all Python is Python (skipped where there is none)', () => {
  for (const target of ['torch', 'torch_npu'] as const)
    for (const dtype of ['float32', 'float16', 'bfloat16', 'float64']) {
      const path = join(elsewhere, `syntax${count++}.py`);
      writeFileSync(path, repro(parseConv(`${CALLS[0]} dtype=${dtype}`), { target }));
      const { status, stderr } = spawnSync(PYTHON, ['-m', 'py_compile', path], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(status).toBe(0);
    }
});

describe('for torch_npu', () => {
  const script = repro(parseConv('x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7'));
  it('casts the format, prints the versions, checks a tolerance', () => {
    expect(script).toContain('npu_format_cast(x, int(FORMAT))');
    expect(script).toContain('torch_npu.__version__');
    expect(script).toContain('ascend_toolkit_install.info');
    expect(script).toContain('X_SHAPE = (1, 7, 296, 296, 168,)');
    expect(script).toContain('TOLERANCE');
  });
});

describe('for voxgrad', () => {
  it('explains the chip and compares every strategy with float64', () => {
    const { status, stdout, stderr } = run(
      'voxgrad',
      'x=1,7,168,296,296 w=7,1,7,7,7 padding=3 groups=7',
      ['--scale', '16'],
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/npu:Ascend910B1 8\.2\.RC1: chosen (composite|tiled)/);
    expect(stdout).toMatch(/fused: refused: E69999: .*a_l1_size is 530432B/);
    expect(stdout).toMatch(/\ncomposite: dx error \S+, dw error \S+ ok/);
    expect(stdout).not.toContain('WRONG');
    expect(status).toBe(0);
  });
});

describe('refusals', () => {
  it.each([
    ['x=1,4,8,8,8 w=4,2,3,3,3 transposed', 'torch', /transposed convolutions have no script/],
    ['x=1,4,8,8,8 w=2,4,4,4,4 padding=same', 'torch', /padding differs on both sides/],
    [
      'x=1,4,8,8,8 w=2,4,3,3,3',
      'tourch',
      /no target is called "tourch"; the nearest known names are torch/,
    ],
  ])('%s for %s', (conv, target, message) => {
    const make = () => repro(parseConv(conv), { target: target as ReproTarget });
    expect(make).toThrow(VoxgradError);
    expect(make).toThrow(message);
  });

  it('nothing at all is refused too', () => {
    // @ts-expect-error: JavaScript callers may pass nothing
    expect(() => repro(undefined)).toThrow(/expected a convolution/);
  });
});

// What every command keeps to, one row for each: good and bad input, wrong usage, --json, a terminal, an
// interruption. What a command finds is tested beside it (cli.test.ts, cli-npu.test.ts, gradcheck.test.ts).

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randn, StateDict, save } from '../src/index.js';
import { bundle, ended, type Outcome, start } from './support/program.js';

const NPU = ['--device', 'npu:Ascend910B1', '--cann', '8.2.RC1'];
const NO_CHIP = ['--device', 'npu:Ascend910B7', '--cann', '8.2.RC1'];
const CONV = ['--conv', 'x=1,7,64,64,64 w=7,1,9,9,9 padding=4 groups=7'];
const HUGE = ['--conv', 'x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7'];
const UNKNOWN_CHIP = /no SoC .*"Ascend910B7"; the nearest known names are Ascend910B1/;

interface Row {
  /** Exit code 0, or 1 where `finds`; standard error stays empty. */
  readonly good: readonly string[];
  readonly says: RegExp;
  /** Of the JSON document. */
  readonly document: object;
  /** What the command finds, exit code 1, with the report all the same. */
  readonly finds?: readonly string[];
  /** Exit code 1: what was given, and what to do next. */
  readonly bad: readonly string[];
  readonly fails: RegExp;
  /** Exit code 2: what was expected. */
  readonly wrong: readonly string[];
  readonly refuses: RegExp;
  /** An option with an error in it, and the one that is meant. */
  readonly mistyped: readonly [given: string, meant: string];
  /** Arguments that keep it busy: `URL` is an address that never answers, `-` the standard input. */
  readonly busy: readonly string[];
  /** How it shows that it is under way; without this it may be done before the signal comes. */
  readonly underWay?: 'asks URL' | 'shows progress';
}

const ROWS: Readonly<Record<string, Row>> = {
  inspect: {
    good: ['inspect', 'model.pt'],
    says: /conv\.weight +float32 +\[2, 1, 3, 3, 3\] +216 B/,
    document: { format: 'torch-zip', totals: { tensors: 1 } },
    bad: ['inspect', 'missing.pt'],
    fails: /missing\.pt: cannot be opened \(ENOENT/,
    wrong: ['inspect'],
    refuses: /missing required argument 'file'\nSee voxgrad inspect --help/,
    mistyped: ['--onyl', '--only'],
    busy: ['inspect', 'URL/model.pt'],
    underWay: 'asks URL',
  },
  convert: {
    good: ['convert', 'model.pt', 'out.safetensors', '--force'],
    says: /wrote out\.safetensors: 1 tensor, .*\(safetensors\)/,
    document: { output: 'out.safetensors', tensors: 1, skipped: [] },
    bad: ['convert', 'model.pt', 'model.pt'],
    fails: /model\.pt: is there already\. Pass --force to replace it/,
    wrong: ['convert', 'model.pt', 'model.xyz'],
    refuses: /does not say a format; write one of \.pt/,
    mistyped: ['--frce', '--force'],
    busy: ['convert', 'URL/model.pt', 'out.pt'],
    underWay: 'asks URL',
  },
  plan: {
    good: ['plan', ...CONV, ...NPU],
    says: /1 of 1 layers run natively/,
    document: { device: 'npu:Ascend910B1', layers: [{ native: { ok: true } }] },
    bad: ['plan', ...CONV, ...NO_CHIP],
    fails: UNKNOWN_CHIP,
    wrong: ['plan', ...NPU],
    refuses: /expected either --conv .* or --model FILE\.json/,
    finds: ['plan', ...HUGE, ...NPU],
    mistyped: ['--modle', '--model'],
    busy: ['plan', ...HUGE, ...NPU],
  },
  doctor: {
    good: ['doctor', '--log', 'calm.log'],
    says: /nothing known in 1 lines of log/,
    document: { findings: [] },
    bad: ['doctor', '--log', 'missing.log'],
    fails: /missing\.log: cannot be read \(ENOENT/,
    wrong: ['doctor', 'calm.log'],
    refuses: /too many arguments.*\nSee voxgrad doctor --help/,
    finds: ['doctor', '--log', 'alarming.log'],
    mistyped: ['--lgo', '--log'],
    busy: ['doctor', '--log', '-'],
  },
  repro: {
    good: ['repro', ...CONV],
    says: /^"""x=1,7,64,64,64 [\s\S]*import torch_npu/,
    document: { target: 'torch_npu', language: 'python' },
    bad: ['repro', ...CONV, ...NO_CHIP],
    fails: UNKNOWN_CHIP,
    wrong: ['repro', '--conv', 'x=1 w=1 grups=2'],
    refuses: /--conv: .*no "grups"; the nearest known names are groups/,
    mistyped: ['--traget', '--target'],
    busy: ['repro', ...HUGE],
  },
  bench: {
    good: ['bench', '--only', 'train05', '--scale', '16', '--rounds', '1'],
    says: /patterns, perf: wasm, float32, volumes divided by 16[\s\S]*train05_dw_k9_g7/,
    document: { mode: 'perf', rows: [{ pattern: 'train05_dw_k9_g7' }] },
    bad: ['bench', ...NO_CHIP],
    fails: UNKNOWN_CHIP,
    wrong: ['bench', '--only', 'train99'],
    refuses: /--only train99: no case is called so; there are train01_k3_stem/,
    mistyped: ['--rouds', '--rounds'],
    busy: ['bench', '--only', 'train05'],
    underWay: 'shows progress',
  },
  gradcheck: {
    good: ['gradcheck', '--device', 'cpu', '--only', 'avgPool3d'],
    says: /cpu, float64, against central differences[\s\S]*1 case: 1 right, 0 wrong/,
    document: { totals: { ok: 1, wrong: 0 } },
    bad: ['gradcheck', ...NO_CHIP],
    fails: UNKNOWN_CHIP,
    wrong: ['gradcheck', '--only', 'nothing of the kind'],
    refuses: /no case holds this text; without --only all are listed/,
    mistyped: ['--ony', '--only'],
    busy: ['gradcheck', '--device', 'cpu', '--html', 'page.html'],
    underWay: 'shows progress',
  },
  certify: {
    good: ['certify', '--device', 'cpu'],
    says: /cpu: every kernel agrees with the reference/,
    document: { ok: true },
    bad: ['certify', ...NO_CHIP],
    fails: UNKNOWN_CHIP,
    wrong: ['certify', '--device', 'npu:Ascend910B1'],
    refuses: /needs --cann, such as --cann 8\.2\.RC1/,
    mistyped: ['--devise', '--device'],
    busy: ['certify'],
  },
};

const commands = Object.entries(ROWS);

// script(1) runs a command on a terminal of its own.
const hasTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const STREAM_ERROR =
  'EE1001: [PID: 1] 2026-07-01-09:12:44.100.200 The argument is invalid.Reason: Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4).';

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxgrad-commands-'));
  program = await bundle(folder);
  await save(new StateDict([['conv.weight', randn([2, 1, 3, 3, 3])]]), join(folder, 'model.pt'));
  writeFileSync(join(folder, 'calm.log'), 'loss 0.1\n');
  writeFileSync(join(folder, 'alarming.log'), `${STREAM_ERROR}\n`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const voxgrad = (...args: readonly string[]): Promise<Outcome> =>
  ended(start(program, args, { cwd: folder }));

const inJson = async (...args: readonly string[]) => {
  const { code, out, err } = await voxgrad(...args, '--json');
  return { code, err, document: JSON.parse(out) as Record<string, unknown> };
};

const runs = new Map<Row, Promise<Outcome>>();
/** What becomes of good input, run once. */
function good(row: Row): Promise<Outcome> {
  const run = runs.get(row) ?? voxgrad(...row.good);
  runs.set(row, run);
  return run;
}

/** The lines between a heading of a help and the next empty line. */
const section = (help: string, title: string): string[] =>
  (help.split(`${title}:\n`)[1] ?? '').split('\n\n')[0].split('\n');

const exampleLines = (help: string): string[] =>
  section(help, 'Examples').filter((line) => line.startsWith('  voxgrad '));

it('the table has every command, and the help of the program an example of each', async () => {
  const { code, out, err } = await voxgrad('--help');
  const listed = section(out, 'Commands').flatMap((line) => /^ {2}(\w+)/.exec(line)?.[1] ?? []);
  expect(listed).toEqual([...Object.keys(ROWS), 'help']);
  expect(exampleLines(out).map((line) => line.split(' ')[3])).toEqual(Object.keys(ROWS));
  expect(out).toMatch(/0 success, 1 a finding or failure, 2 wrong usage/);
  expect([code, err]).toEqual([0, '']);
});

describe.concurrent.each(commands)('%s', (name, row) => {
  it('explains itself with examples of options that there are', async () => {
    const { code, out, err } = await voxgrad(name, '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^Usage: voxgrad ${name} `));
    expect(out).toContain('--json');
    const examples = exampleLines(out);
    expect(examples.length).toBeGreaterThan(0);
    const options = section(out, 'Options').join('\n');
    for (const line of examples) {
      expect(line).toMatch(new RegExp(`^ {2}voxgrad ${name}\\b`));
      for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(options).toContain(option);
    }
  });

  it('good input: the result on standard output, and nothing on standard error', async () => {
    const { code, out, err } = await good(row);
    expect(out).toMatch(row.says);
    expect(`${out}${err}`).not.toMatch(CONTROL);
    expect([code, err]).toEqual([0, '']);
    const inDocument = await inJson(...row.good);
    expect(inDocument).toMatchObject({ code: 0, err: '', document: row.document });
  });

  it('bad input: exit code 1, an error that says what to do, no stack', async () => {
    await refuses(row.bad, row.fails, 1);
  });

  it('wrong usage: exit code 2', async () => {
    await refuses(row.wrong, row.refuses, 2);
    const [given, meant] = row.mistyped;
    const advice = `unknown option '${given}'\n(Did you mean ${meant}?)\nSee voxgrad ${name} --help`;
    const { code, out, err } = await voxgrad(...row.good, given, 'x');
    expect([code, out, err]).toEqual([2, '', `error: ${advice}\n`]);
  });

  it('interrupted: exit code 130 at once, and nothing half-written', async () => {
    const cwd = join(folder, `interrupted-${name}`);
    mkdirSync(cwd);
    const { code, signal, out } =
      row.underWay === 'shows progress' && hasTerminals
        ? await interruptedOnTerminal(row.busy, cwd)
        : await interrupted(row.busy, cwd);
    expect(readdirSync(cwd)).toEqual([]);
    if (code === 130) expect(JSON.parse(out).error.code).toBe('INTERRUPTED');
    // It may have been loading still, or be done; there is nothing else.
    else if (row.underWay === undefined && signal === 'SIGINT' && out === '') return;
    else if (row.underWay === undefined && signal === 'SIGINT')
      expect(JSON.parse(out)).toBeTypeOf('object');
    else if (row.underWay === undefined && code !== null)
      expect(JSON.parse(out)).toBeTypeOf('object');
    else expect([code, signal]).toEqual([130, null]);
  });

  it.skipIf(!hasTerminals)('on a terminal: progress that is gone at the end', async () => {
    const plain = await good(row);
    const shown = await onTerminal(row.good, { NO_COLOR: '1' });
    // With NO_COLOR the only thing a terminal gets more is progress, each line of which is taken back.
    expect(shown.replace(PROGRESS, '')).not.toMatch(CONTROL);
    expect(settled(shown.replace(PROGRESS, ''))).toBe(settled(plain.out));
  });
});

const finding = commands.filter(([, { finds }]) => finds !== undefined);
it.concurrent.each(finding)('%s finds something: the report, and exit code 1', async (_, row) => {
  const { finds = [], document: expected } = row;
  const { code, out, err } = await voxgrad(...finds);
  expect(out).not.toBe('');
  expect([code, err]).toEqual([1, '']);
  const { document } = await inJson(...finds);
  expect(Object.keys(document)).toEqual(expect.arrayContaining(Object.keys(expected)));
});

it.concurrent.each(commands)('a mistyped %s is recognised', async (name) => {
  const advice = `unknown command '${name}x'\n(Did you mean ${name}?)\nSee voxgrad --help`;
  const { code, out, err } = await voxgrad(`${name}x`, 'model.pt');
  expect([code, out, err]).toEqual([2, '', `error: ${advice}\n`]);
});

it('--json may stand first, or with a help, or without a command', async () => {
  const { out } = await voxgrad('--json', 'inspect', 'model.pt');
  expect(JSON.parse(out)).toMatchObject(ROWS.inspect.document);
  expect((await inJson('help', 'inspect')).document).toEqual({
    help: (await voxgrad('inspect', '--help')).out,
  });
  const { code, document } = await inJson();
  expect(code).toBe(2);
  expect(document).toMatchObject({ error: { code: 'USAGE' } });
});

it.skipIf(!hasTerminals)('a terminal that cannot take lines back gets no progress', async () => {
  const dumb = await onTerminal(['inspect', 'model.pt'], { TERM: 'dumb' });
  expect(settled(dumb)).toBe(settled((await voxgrad('inspect', 'model.pt')).out));
});

async function refuses(args: readonly string[], message: RegExp, exitCode: number): Promise<void> {
  const { code, out, err } = await voxgrad(...args);
  expect(err).toMatch(message);
  expect(err).toMatch(/^error: /);
  expect(err).not.toMatch(/bug in voxgrad|\n +at /);
  expect(err).not.toMatch(CONTROL);
  expect([code, out]).toEqual([exitCode, '']);
  const { code: again, document } = await inJson(...args);
  expect(again).toBe(exitCode);
  expect(document).toEqual({
    error: { code: expect.stringMatching(/^[A-Z]\w+$/), message: expect.stringMatching(message) },
  });
}

/** Starts a command and interrupts it: when it asks the address, or soon. */
async function interrupted(busy: readonly string[], cwd: string): Promise<Outcome> {
  const server = createServer(() => child.kill('SIGINT')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const args = busy.map((arg) => arg.replace('URL', url));
  const child = start(program, [...args, '--json'], { cwd });
  if (!busy.some((arg) => arg.includes('URL'))) setTimeout(() => child.kill('SIGINT'), 400);
  const outcome = await ended(child);
  server.closeAllConnections();
  server.close();
  return outcome;
}

/** Whatever moves the cursor, deletes or colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const CONTROL = /[\x1b\x08]|\r(?!\n)/;
/** A line that is taken back. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const PROGRESS = /[^\n]*?\x1b\[2K\x1b\[1G/g;

/** Without what differs from run to run: times, and the width of columns of them. */
const settled = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/\d+(\.\d+)?/g, '#')
    .replace(/[ -]+/g, ' ');

const quoted = (args: readonly string[]): string => args.map((arg) => `'${arg}'`).join(' ');

function terminal(args: readonly string[], env: Record<string, string>, cwd: string) {
  const command = quoted([process.execPath, program, ...args]);
  return spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
  });
}

const onTerminal = async (args: readonly string[], env: Record<string, string>): Promise<string> =>
  (await ended(terminal(args, env, folder))).out;

/** Ctrl-C as soon as it shows that it is under way. */
async function interruptedOnTerminal(busy: readonly string[], cwd: string): Promise<Outcome> {
  const child = terminal([...busy, '--json'], {}, cwd);
  child.stdout.once('data', () => child.stdin.write('\x03'));
  const { out, ...outcome } = await ended(child);
  expect(out).toMatch(/interrupted; nothing was written/);
  return { ...outcome, out: out.slice(out.indexOf('{')) };
}

// The program as people and scripts start it: a process of its own with arguments, streams and an exit
// code. 0 success, 1 a finding or failure, 2 wrong usage.

import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load, loadStateDict, randn, StateDict, save, Tensor, tensor } from '../src/index.js';
import { bundle, ended, type Outcome, start } from './support/program.js';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/', import.meta.url));

let folder: string;
/** The program in one file: what a build makes, without the time that compiling takes at every start. */
let program: string;
const at = (name: string) => join(folder, name);

/** A training checkpoint, as scripts write it: more than tensors, and one tensor under two names. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxgrad-cli-'));
  program = await bundle(folder);
  const shared = randn([4, 3]);
  const model = new StateDict([
    ['module.conv.weight', randn([2, 1, 3, 3, 3])],
    ['module.conv.bias', randn([2])],
    ['module.tied', shared],
    ['module.tied_again', shared],
    ['module.steps', tensor(7n, { dtype: 'int64' })],
  ]);
  await save({ epoch: 3, state_dict: model, parts: [shared] }, at('training.pt'));
  await save(new StateDict([['a', tensor([1, 70000, -2])]]), at('small.safetensors'));
  await save(new StateDict([['x', randn([1 << 20])]]), at('large.pt'));
  await save(
    new StateDict(Array.from({ length: 3000 }, (_, i) => [`layer.${i}.weight`, tensor([i])])),
    at('many.safetensors'),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function voxgrad(...args: string[]): Promise<Outcome> {
  return withEnvironment({}, ...args);
}

function withEnvironment(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
  return ended(start(program, args, { env: { ...process.env, ...env } }));
}

/** The one JSON document that standard output must be. */
async function json(
  ...args: string[]
): Promise<{ code: number | null; err: string; document: unknown }> {
  const { code, out, err } = await voxgrad(...args, '--json');
  return { code, err, document: JSON.parse(out) };
}

describe('inspect', () => {
  it('lists names, dtypes, shapes and sizes', async () => {
    const { code, out, err } = await voxgrad('inspect', at('training.pt'));
    expect(err).toBe('');
    expect(code).toBe(0);
    // 2·27 elements of 4 bytes.
    expect(out).toMatch(/state_dict\.module\.conv\.weight +float32 +\[2, 1, 3, 3, 3\] +216 B/);
    expect(out).toMatch(/state_dict\.module\.tied_again .* the same as \S+/);
    expect(out).toMatch(/epoch +a number/);
    // 54 + 2 + 12 + 1: the tied tensor counts once. 68 of 4 bytes and one of 8.
    expect(out).toMatch(/6 tensors, 69 elements, 280 B; state dict at "state_dict"/);
  });

  it('lists them as JSON', async () => {
    const { code, err, document } = await json('inspect', at('training.pt'));
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(document).toMatchObject({
      format: 'torch-zip',
      size: statSync(at('training.pt')).size,
      totals: { tensors: 6, elements: 69, bytes: 280, unreadable: 0 },
      stateDictPrefix: 'state_dict.',
    });
    const { tensors } = document as { tensors: { name: string; sameAs?: string }[] };
    expect(tensors.find(({ name }) => name === 'state_dict.module.conv.bias')).toMatchObject({
      dtype: 'float32',
      shape: [2],
      elements: 2,
      size: 8,
    });
    expect(tensors.filter(({ sameAs }) => sameAs !== undefined)).toHaveLength(2);
  });

  it.each([
    ['*.bias', ['state_dict.module.conv.bias']],
    ['state_dict.module.tied?*', ['state_dict.module.tied_again']],
    ['/conv\\.(w|b)/', ['state_dict.module.conv.weight', 'state_dict.module.conv.bias']],
  ])('only what matches %s', async (pattern, names) => {
    const { document } = await json('inspect', at('training.pt'), '--only', pattern);
    const { tensors } = document as { tensors: { name: string }[] };
    expect(tensors.map(({ name }) => name)).toEqual(names);
  });

  it('reads an address', async () => {
    const bytes = readFileSync(at('small.safetensors'));
    const server = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, out } = await voxgrad('inspect', `http://127.0.0.1:${port}/small.safetensors`);
    server.close();
    expect(code).toBe(0);
    expect(out).toMatch(/a +float32 +\[3\] +12 B/);
  });

  it('what PyTorch wrote', async () => {
    const { code, document } = await json('inspect', join(FIXTURES, 'training_checkpoint.pt'));
    expect(code).toBe(0);
    expect((document as { totals: { tensors: number } }).totals.tensors).toBeGreaterThan(5);
  });
});

describe('convert', () => {
  it('a state dict to safetensors, without the prefixes, and back', async () => {
    const out = at('model.safetensors');
    const options = ['--state-dict', '--strip-prefixes'];
    const { code, document } = await json('convert', at('training.pt'), out, ...options);
    expect(code).toBe(0);
    const size = statSync(out).size;
    expect(document).toMatchObject({
      output: out,
      format: 'safetensors',
      tensors: 5,
      bytes: size,
      skipped: [],
    });
    const original = await loadStateDict(at('training.pt'), { stripPrefixes: true });
    const written = await loadStateDict(out);
    expect([...written.keys()].sort()).toEqual([...original.keys()].sort());
    for (const [key, value] of original) expect(written.get(key)?.tolist()).toEqual(value.tolist());
    expect((await voxgrad('convert', out, at('again.pt'))).code).toBe(0);
    expect((await loadStateDict(at('again.pt'))).get('steps')?.item()).toBe(7n);
  });

  it.each([[], ['--dtype', 'float16']])(
    'a list that holds another twice, forty times over, and itself %s %s',
    async (...options) => {
      let doubled: unknown[] = [tensor([1])];
      for (let i = 0; i < 40; i++) doubled = [doubled, doubled];
      const endless: unknown[] = [tensor([2])];
      endless.push(endless);
      await save({ doubled, endless }, at('shared.pt'));
      const out = at(`shared${options.length}.pt`);
      const { code, document } = await json('convert', at('shared.pt'), out, ...options);
      expect({ code, document }).toMatchObject({ code: 0, document: { tensors: 2 } });
      const value = (await load(out)) as Map<string, unknown[]>;
      const list = value.get('endless');
      expect(list?.[1]).toBe(list);
      const [left, right] = value.get('doubled') ?? [];
      expect(left).toBe(right);
    },
  );

  it('everything in a checkpoint to .pt, and tied tensors stay tied', async () => {
    const out = at('whole.pt');
    expect((await voxgrad('convert', at('training.pt'), out, '--dtype', 'float16')).code).toBe(0);
    const value = (await load(out)) as Map<string, unknown>;
    expect(value.get('epoch')).toBe(3);
    const dict = value.get('state_dict') as StateDict;
    const [tied, again] = [dict.get('module.tied'), dict.get('module.tied_again')];
    expect(tied?.dtype).toBe('float16');
    expect(tied?.storage).toBe(again?.storage);
    expect(dict.get('module.steps')?.dtype).toBe('int64');
  });

  it('a part of it, by keys and by pattern', async () => {
    const out = at('part.safetensors');
    const options = ['--key', 'state_dict', '--only', 'module.conv.*'];
    expect((await voxgrad('convert', at('training.pt'), out, ...options)).code).toBe(0);
    expect([...(await loadStateDict(out)).keys()].sort()).toEqual([
      'module.conv.bias',
      'module.conv.weight',
    ]);
    const list = at('list.pt');
    const steps = ['--key', 'parts', '--key', '0'];
    expect((await voxgrad('convert', at('training.pt'), list, ...steps)).code).toBe(0);
    const inner = await load(list);
    expect(inner instanceof Tensor && inner.shape).toEqual([4, 3]);
  });

  it('to npz', async () => {
    const out = at('model.npz');
    expect((await voxgrad('convert', at('small.safetensors'), out)).code).toBe(0);
    expect((await loadStateDict(out)).get('a')?.tolist()).toEqual([1, 70000, -2]);
  });

  it('says which numbers a smaller dtype has not', async () => {
    const { code, err } = await voxgrad(
      'convert',
      at('small.safetensors'),
      at('half.pt'),
      '--dtype',
      'float16',
    );
    expect(code).toBe(0);
    expect(err).toMatch(/a: 1 element beyond the range of float16 became infinite/);
  });

  it('refuses what the format cannot hold, and says how to go on', async () => {
    const out = at('refused.safetensors');
    const { code, err, document } = await json('convert', at('training.pt'), out);
    expect(code).toBe(1);
    expect(err).toMatch(
      /safetensors holds named tensors alone, and "epoch", .* something else.*--state-dict.*--key/,
    );
    expect(document).toMatchObject({ error: { code: 'VALUE' } });
    expect(existsSync(out)).toBe(false);
  });

  it('replaces a file only when told to, and keeps links', async () => {
    const [file, link] = [at('there.pt'), at('link.pt')];
    writeFileSync(file, 'mine');
    symlinkSync(file, link);
    const refused = await voxgrad('convert', at('small.safetensors'), link);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/is there already\. Pass --force/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await voxgrad('convert', at('small.safetensors'), link, '--force')).code).toBe(0);
    expect((await loadStateDict(file)).get('a')?.shape).toEqual([3]);
  });

  it.each([
    [['--key', 'model'], /has no key "model"; there are "epoch", "state_dict", "parts"/],
    [['--only', 'nothing*'], /no tensor matches nothing\*\. voxgrad inspect lists the names/],
  ])('refuses %j', async (options, message) => {
    const { code, err } = await voxgrad('convert', at('training.pt'), at('none.pt'), ...options);
    expect(err).toMatch(message);
    expect(code).toBe(1);
    expect(existsSync(at('none.pt'))).toBe(false);
  });

  it('leaves nothing behind where it cannot write', async () => {
    const { code, err } = await voxgrad('convert', at('small.safetensors'), at('no/folder/x.pt'));
    expect(code).toBe(1);
    expect(err).toMatch(/x\.pt: cannot be written \(ENOENT/);
    expect(err).not.toMatch(/\n +at /); // no stack: it is no bug
  });
});

describe('interrupted', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s: the old file stays, and nothing else',
    async (signal) => {
      const inner = mkdtempSync(join(folder, 'interrupted-'));
      const out = join(inner, 'out.pt');
      writeFileSync(out, 'old');
      // A pipe that nobody writes to: it is interrupted while it reads.
      const server = createServer(() => child.kill(signal)).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const source = `http://127.0.0.1:${port}/x.pt`;
      const child = spawn(process.execPath, [program, 'convert', source, out, '--force', '--json']);
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      server.closeAllConnections();
      server.close();
      expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(JSON.parse(text)).toEqual({
        error: { code: 'INTERRUPTED', message: 'interrupted; nothing was written' },
      });
      expect(readdirSync(inner)).toEqual(['out.pt']);
      expect(readFileSync(out, 'utf8')).toBe('old');
    },
  );

  it('while it writes', async () => {
    const inner = mkdtempSync(join(folder, 'writing-'));
    const out = join(inner, 'out.pt');
    const child = spawn(process.execPath, [program, 'convert', at('large.pt'), out]);
    const exit = new Promise((resolve) => child.on('close', resolve));
    // Its own folder is there as soon as it begins to write.
    while (readdirSync(inner).length === 0 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGINT');
    const code = await exit;
    const left = readdirSync(inner);
    // It may have been done by then; there is no third case.
    expect([130, 0]).toContain(code);
    expect(left).toEqual(code === 0 || left.length > 0 ? ['out.pt'] : []);
    if (left.length > 0) expect((await loadStateDict(out)).get('x')?.numel).toBe(1 << 20);
  });
});

describe.concurrent('wrong usage is exit code 2, and says what is meant', () => {
  it.each([
    [[], /which command\?\sSee voxgrad --help/],
    [['inspct', 'x.pt'], /unknown command 'inspct'.*\n.*Did you mean inspect/],
    [['inspect'], /missing required argument 'file'/],
    [['inspect', 'a.pt', 'b.pt'], /too many arguments/],
    [['inspect', 'a.pt', '--onl', 'x'], /unknown option '--onl'.*\n.*Did you mean --only/],
    [['inspect', 'a.pt', '--only', '/(/'], /\/\(\/ is no regular expression/],
    [['convert', 'a.pt', 'b.xyz'], /suffix of b\.xyz does not say a format; write one of \.pt/],
    [
      ['convert', 'a.pt', 'b.pt', '--format', 'onnx'],
      /--format takes torch, safetensors, npz, not onnx/,
    ],
    [['convert', 'a.pt', 'b.pt', '--dtype', 'int8'], /--dtype takes float64, .*not int8/],
    [['convert', 'a.pt', 'b.pt', '--key', 'x', '--state-dict'], /give one of them/],
  ])('%j', async (args, message) => {
    const { code, out, err } = await voxgrad(...args);
    expect(err).toMatch(message);
    expect(out).toBe('');
    expect(code).toBe(2);
    const { code: again, document } = await json(...args);
    expect(again).toBe(2);
    expect(document).toMatchObject({ error: { code: 'USAGE' } });
  });

  it('help and version are no errors', async () => {
    for (const args of [['--help'], ['help', 'convert'], ['inspect', '--help'], ['--version']]) {
      const { code, out, err } = await voxgrad(...args);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/Usage: voxgrad|^\d+\.\d+\.\d+/);
    }
  });
});

describe.concurrent('bad files', () => {
  it.each([
    ['nothing there', undefined, 'IO'],
    ['an empty file', '', 'FORMAT'],
    ['a web page', '<!doctype html><html></html>', 'FORMAT'],
    ['a cut archive', 'PK\x03\x04 and then nothing', 'CORRUPT'],
  ])('%s', async (name, content, code) => {
    const file = at(`bad ${name}.pt`);
    if (content !== undefined) writeFileSync(file, content);
    const text = await voxgrad('inspect', file);
    expect(text.code).toBe(1);
    expect(text.out).toBe('');
    expect(text.err).toMatch(/^error: /);
    expect(text.err).toContain(file);
    expect(text.err).not.toMatch(/\n +at /);
    const { code: exit, document } = await json('inspect', file);
    expect(exit).toBe(1);
    expect(document).toMatchObject({ error: { code } });
  });
});

it.skipIf(process.platform === 'win32')('a pipe that nobody writes to is refused', async () => {
  const pipe = at('pipe.pt');
  spawnSync('mkfifo', [pipe]);
  const { code, err } = await voxgrad('inspect', pipe);
  expect(err).toMatch(/is not a file but a folder, pipe or device; .*save what the pipe brings/);
  expect(code).toBe(1);
});

describe('streams', () => {
  const shell = process.platform === 'win32' ? undefined : '/bin/sh';
  it.skipIf(!shell)('a reader that leaves early is no error', () => {
    const command = [process.execPath, program, 'inspect', at('many.safetensors')];
    const line = `${command.map((word) => `'${word}'`).join(' ')} | head -n 2`;
    const { stdout, stderr } = spawnSync(line, { shell, encoding: 'utf8' });
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toBe('');
  });

  it('no colours in pipes, whatever is set', async () => {
    const environments: Record<string, string>[] = [{ NO_COLOR: '1' }, { FORCE_COLOR: '1' }, {}];
    for (const env of environments) {
      const { out } = await withEnvironment(env, 'inspect', at('small.safetensors'));
      expect(out).not.toContain('\x1b');
    }
  });

  // script(1) runs a command on a terminal of its own.
  const terminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
  it.skipIf(!terminal)('colours and progress on a terminal, unless NO_COLOR is set', () => {
    const command = [process.execPath, program, 'inspect', at('small.safetensors')].join(' ');
    const run = (env: Record<string, string>) =>
      spawnSync('script', ['-qec', command, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
      }).stdout;
    expect(run({})).toContain('\x1b[1m');
    expect(run({})).toContain(`reading ${at('small.safetensors')}`.slice(0, 20));
    expect(run({ NO_COLOR: '1' })).not.toContain('\x1b[1m');
  });
});

// Files are replaced whole or not at all, whatever goes wrong.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { noGrad, ones, tensor, zeros } from '@voxgrad/core';
import { afterAll, describe, expect, test } from 'vitest';
import { load, loadStateDict, save } from '../src/index.js';
import { persistently } from '../src/write/replace.js';
import { expectFailure, mapIn, tensorIn } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => join(folder, name);
const temporaries = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

describe('files', () => {
  test('are written whole, replacing what was there', async () => {
    const path = join(folder, 'a.pt');
    writeFileSync(path, 'old');
    expect(await save([1], path)).toBeUndefined();
    expect(await load(path)).toEqual([1]);
    await save([2], pathToFileURL(path));
    expect(await load(path)).toEqual([2]);
    expect(temporaries()).toEqual([]);
  });

  test('are left alone when the value cannot be saved', async () => {
    const path = join(folder, 'b.pt');
    writeFileSync(path, 'old');
    await expectFailure(save([() => 1], path), 'VALUE', /function/);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(temporaries()).toEqual([]);
  });

  test('leave nothing behind when they cannot be written', async () => {
    const missing = join(folder, 'no', 'such', 'folder.pt');
    await expectFailure(save([1], missing), 'IO', /folder\.pt: cannot be written \(ENOENT/);
    await expectFailure(save([1], folder), 'IO', /is a folder. Name the file in it/);
    const beside = readdirSync(tmpdir()).filter((name) => name.startsWith(`${basename(folder)}.`));
    expect(beside).toEqual([]);
    expect(temporaries()).toEqual([]);
  });

  test('behind a link replace what it points to', async () => {
    const path = join(folder, 'd.pt');
    writeFileSync(path, 'old');
    symlinkSync(path, join(folder, 'link.pt'));
    await save([1], join(folder, 'link.pt'));
    expect(lstatSync(join(folder, 'link.pt')).isSymbolicLink()).toBe(true);
    expect(await load(path)).toEqual([1]);
  });

  test('cannot be below a file, or at an address', async () => {
    const file = join(folder, 'e.pt');
    writeFileSync(file, '');
    await expectFailure(save([1], join(file, 'x.pt')), 'IO', /cannot be written \(ENOTDIR/);
    await expectFailure(
      save([1], new URL('http://a/x.pt')),
      'IO',
      /http:\/\/a\/x.pt: is not a path/,
    );
    await save([1], pathToFileURL(file).href);
    expect(await load(file)).toEqual([1]);
  });

  test('are safetensors by their name', async () => {
    const path = join(folder, 'c.safetensors');
    await save({ w: tensor([1]) }, path);
    expect(tensorIn(mapIn(await load(path)).get('w')).tolist()).toEqual([1]);
    expect(readFileSync(path)[8]).toBe('{'.charCodeAt(0));
    await save({ w: tensor([1]) }, path, { format: 'torch' });
    expect(readFileSync(path, 'latin1').slice(0, 2)).toBe('PK');
  });

  test('at both ends of a dangling link are made where it points', async () => {
    symlinkSync('there.pt', file('dangling.pt'));
    symlinkSync('dangling.pt', file('twice.pt'));
    await save([1], file('twice.pt'));
    expect(lstatSync(file('twice.pt')).isSymbolicLink()).toBe(true);
    expect(lstatSync(file('there.pt')).isFile()).toBe(true);
    expect(await load(file('dangling.pt'))).toEqual([1]);
    symlinkSync('loop.pt', file('loop.pt'));
    await expectFailure(save([1], file('loop.pt')), 'IO', /cannot be written \(ELOOP/);
  });

  test.skipIf(process.platform === 'win32')('keep their mode', async () => {
    for (const mode of [0o600, 0o664, 0o444 | 0o200]) {
      writeFileSync(file('mode.pt'), 'old');
      chmodSync(file('mode.pt'), mode);
      await save([1], file('mode.pt'));
      expect(statSync(file('mode.pt')).mode & 0o777).toBe(mode);
    }
    // A new one gets what the process gives to all its files.
    await save([1], file('fresh.pt'));
    writeFileSync(file('plain'), '');
    expect(statSync(file('fresh.pt')).mode).toBe(statSync(file('plain')).mode);
  });

  test('with the longest names are written, longer ones refused', async () => {
    const name = `${'n'.repeat(252)}.pt`;
    await save([1], file(name));
    expect(await load(file(name))).toEqual([1]);
    await expectFailure(save([1], file(`n${name}`)), 'IO', /ENAMETOOLONG.*shorter name/);
    const wide = `${'体'.repeat(84)}.pt`; // 255 bytes
    await save([1], file(wide));
    expect(await load(file(wide))).toEqual([1]);
    expect(temporaries()).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('are not devices or pipes', async () => {
    await expectFailure(save([1], '/dev/null'), 'IO', /dev\/null: is a device or pipe/);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    spawnSync('mkfifo', [file('pipe')]);
    await expectFailure(save([1], file('pipe')), 'IO', /is a device or pipe/);
  });

  test('with another name on the disk keep that one as it was', async () => {
    writeFileSync(file('one.pt'), 'old');
    linkSync(file('one.pt'), file('other.pt'));
    await save([1], file('one.pt'));
    expect(readFileSync(file('other.pt'), 'utf8')).toBe('old');
  });

  test('are saved to twice at once: one of the two is there', async () => {
    const values = Array.from({ length: 8 }, (_, i) => [i, zeros([10_000])]);
    await Promise.all(values.map((value) => save(value, file('race.pt'))));
    const [winner] = (await load(file('race.pt'))) as [number];
    expect(values.map(([i]) => i)).toContain(winner);
    expect(temporaries()).toEqual([]);
  });

  test('are saved over while their own tensors are the source', async () => {
    const path = file('self.safetensors');
    await save({ w: ones([300, 1000]), v: zeros([7]) }, path);
    for (let i = 0; i < 3; i++) await save(await loadStateDict(path), path);
    const dict = await loadStateDict(path);
    expect(dict.get('w')?.sum().item()).toBe(300_000);
    const [, read] = await Promise.all([save({ w: zeros([300, 1000]) }, path), load(path)]);
    expect([0, 300_000]).toContain(tensorIn(mapIn(read).get('w')).sum().item());
  });
});

describe('what goes wrong while a file is written leaves the old one', () => {
  const old = [7];
  const path = file('old.pt');
  const large = () => ({ a: zeros([2 ** 21]), b: ones([2 ** 21]) }); // 16 MB: several writes
  const untouched = async () => {
    expect(await load(path)).toEqual(old);
    expect(temporaries()).toEqual([]);
  };

  test('a tensor that is changed in place meanwhile', async () => {
    await save(old, path);
    const value = large();
    const saving = save(value, path, { onProgress: () => noGrad(() => value.b.add_(1)) });
    await expectFailure(saving, 'VALUE', /changed in place while it was being saved.*Await save/);
    await untouched();
  });

  test('an aborted save', async () => {
    await save(old, path);
    const controller = new AbortController();
    const options = {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    };
    await expect(save(large(), path, options)).rejects.toThrow('enough');
    await untouched();
    await expect(save([1], path, options)).rejects.toThrow('enough');
    await untouched();
  });

  test('an error in onProgress', async () => {
    await save(old, path);
    const onProgress = () => {
      throw new TypeError('mine');
    };
    await expect(save(large(), path, { onProgress })).rejects.toThrow(new TypeError('mine'));
    await untouched();
  });

  // What a full disk does too: after some megabytes the system writes no more.
  test.skipIf(process.platform === 'win32')('a system that takes no more bytes', async () => {
    await save(old, path);
    const script = `
      process.on('SIGXFSZ', () => {});
      const { save } = await import(process.argv[1]);
      const { zeros } = await import(process.argv[2]);
      await save({ a: zeros([2 ** 21]), b: zeros([2 ** 21]) }, process.argv[3]).catch((error) => {
        console.log(error.code, error.message);
      });`;
    const source = (name: string) => new URL(`../../${name}/src/index.ts`, import.meta.url).href;
    // Blocks of 512 or 1024 bytes, as the shell has it: half or all of the first tensor's 8 MiB.
    const limited = spawnSync(
      'sh',
      [
        '-c',
        'ulimit -f 8192 && exec "$@"',
        'sh',
        process.execPath,
        ...['--conditions=voxgrad-source', '--import', 'tsx', '--input-type=module', '-e', script],
        ...[source('checkpoint'), source('core'), path],
      ],
      { encoding: 'utf8', cwd: fileURLToPath(new URL('../../..', import.meta.url)) },
    );
    expect(limited.stderr).toBe('');
    expect(limited.stdout).toMatch(/^IO .*old\.pt: cannot be written \(EFBIG.*file of this size/);
    await untouched();
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'a folder or a file that may not be written to',
    async () => {
      const locked = file('locked');
      mkdirSync(locked);
      await save(old, join(locked, 'a.pt'));
      chmodSync(locked, 0o555);
      await expectFailure(save([1], join(locked, 'a.pt')), 'IO', /EACCES.*no permission/);
      expect(await load(join(locked, 'a.pt'))).toEqual(old);
      chmodSync(locked, 0o755);
      chmodSync(join(locked, 'a.pt'), 0o444);
      await expectFailure(save([1], join(locked, 'a.pt')), 'IO', /is read-only/);
      expect(await load(join(locked, 'a.pt'))).toEqual(old);
    },
  );
});

describe('leftovers of killed processes', () => {
  const dead = () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    return pid;
  };
  const leftover = (
    pid: number,
    { base = 'x.pt', minutes }: { base?: string; minutes: number },
  ) => {
    const name = `${base}.${pid}-${String(minutes).padStart(8, '0')}.tmp`;
    writeFileSync(file(name), 'half');
    const then = Date.now() / 1000 - minutes * 60;
    utimesSync(file(name), then, then);
    return name;
  };

  test('are removed by the next save, if they are old and nobody writes them', async () => {
    const gone = dead();
    const kept = [
      leftover(gone, { base: 'y.pt', minutes: 60 }),
      leftover(process.pid, { minutes: 60 }),
    ];
    writeFileSync(file('x.pt.tmp'), 'mine');
    const removed = leftover(gone, { minutes: 60 });
    await save([1], file('x.pt'));
    const fresh = leftover(gone, { minutes: 1 });
    await save([1], file('x.pt'));
    const left = readdirSync(folder);
    expect(left).toEqual(expect.arrayContaining([...kept, fresh, 'x.pt.tmp']));
    expect(left).not.toContain(removed);
  });
});

describe('a rename that Windows refuses while the file is in use', () => {
  const inUse = Object.assign(new Error('in use'), { code: 'EPERM', syscall: 'rename' });
  const failing = (times: number, error: Error = inUse) => {
    const state = { calls: 0 };
    const rename = async () => {
      if (state.calls++ < times) throw error;
    };
    return { state, rename };
  };

  test('is tried again there, and only there', async () => {
    const { state, rename } = failing(3);
    await persistently(rename, true);
    expect(state.calls).toBe(4);
    const other = failing(1);
    await expect(persistently(other.rename, false)).rejects.toThrow('in use');
    expect(other.state.calls).toBe(1);
  });

  test('is given up in the end, and at once for other reasons', async () => {
    const { state, rename } = failing(1000);
    await expect(persistently(rename, true)).rejects.toThrow('in use');
    expect(state.calls).toBeLessThan(20);
    const full = Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'rename' });
    const other = failing(1, full);
    await expect(persistently(other.rename, true)).rejects.toThrow('full');
    expect(other.state.calls).toBe(1);
  });
});

describe('streams', () => {
  /** A stream that keeps what it is given. */
  function sink() {
    const chunks: Uint8Array[] = [];
    const events: string[] = [];
    const stream = new WritableStream<Uint8Array>({
      write: (chunk) => void chunks.push(chunk),
      close: () => void events.push('closed'),
      abort: () => void events.push('aborted'),
    });
    return { chunks, events, stream };
  }

  test('get the bytes that a file would', async () => {
    const value = {
      w: tensor([
        [1, 2],
        [3, 4],
      ]).transpose(0, 1),
      n: 3,
    };
    const { chunks, events, stream } = sink();
    const progress: [number, number][] = [];
    await save(value, stream, { onProgress: (...step) => progress.push(step) });
    const bytes = Buffer.concat(chunks);
    expect(new Uint8Array(bytes)).toEqual(await save(value));
    expect(events).toEqual(['closed']);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
  });

  test('get copies: they may keep or take away what they are given', async () => {
    const weights = ones([4]);
    const { chunks, stream } = sink();
    await save({ weights }, stream, { format: 'npz' });
    for (const chunk of chunks) {
      chunk.fill(0);
      structuredClone(chunk.buffer, { transfer: [chunk.buffer as ArrayBuffer] });
    }
    expect(weights.tolist()).toEqual([1, 1, 1, 1]);
  });

  test('are aborted when something goes wrong', async () => {
    const { events, stream } = sink();
    const onProgress = () => {
      throw new Error('mine');
    };
    await expect(save([1], stream, { onProgress })).rejects.toThrow('mine');
    expect(events).toEqual(['aborted']);
    const broken = new WritableStream({
      write: () => {
        throw new Error('no room');
      },
    });
    await expect(save([1], broken)).rejects.toThrow('no room');
    const untouched = sink();
    await expectFailure(save([() => 1], untouched.stream), 'VALUE', /a function/);
    expect(untouched.chunks).toEqual([]);
  });

  test('of a file that a page may write, with the format by its name', async () => {
    const { chunks, events, stream } = sink();
    const handle = { name: 'w.safetensors', createWritable: async () => stream };
    await save({ w: ones([1]) }, handle);
    const dict = await load(new Uint8Array(Buffer.concat(chunks)));
    expect(tensorIn(mapIn(dict).get('w')).tolist()).toEqual([1]);
    expect(chunks[0][8]).toBe('{'.charCodeAt(0));
    expect(events).toEqual(['closed']);
  });

  test.each([7, null, {}, []])('are not %j', async (target) => {
    await expectFailure(
      save([1], target as never),
      'VALUE',
      /save\(\) writes to a path, a Writable/,
    );
  });
});

// Options and targets that are not what they are named for: told before anything is read or written.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ones, StateDict, tensor } from '@voxgrad/core';
import { afterAll, describe, expect, it } from 'vitest';
import { inspect, load, loadStateDict, save } from '../src/index.js';
import { expectFailure } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dict = new StateDict([['a', tensor([1, 2])]]);
const file = await save(dict);

/** Options as a program without types would pass them. */
const wrong = (name: string, value: unknown): never => ({ [name]: value }) as never;

describe('reading', () => {
  const readers = { load, loadStateDict };
  for (const [name, read] of Object.entries(readers))
    it.each([
      ['stripPrefixes', 'module.', /takes true or false, not/],
      ['onUnreadable', 'x', /takes a function, not/],
      ['signal', {}, /takes an AbortSignal, not/],
      ['headers', 'abc', /takes an object from names to texts, not/],
      ['headers', new Headers({ a: 'b' }), /takes an object from names to texts, not/],
      ['headers', { a: 1 }, /takes an object from names to texts, not/],
      ['expansionLimit', '5', /takes a number of bytes, 0 or more, not/],
      ['expansionLimit', -1, /takes a number of bytes, 0 or more, not/],
    ])(`${name}: %s %s`, async (option, value, message) => {
      await expectFailure(read(file, wrong(option, value)), 'VALUE', message);
    });

  it('inspect, likewise', async () => {
    await expectFailure(inspect(file, wrong('signal', 1)), 'VALUE', /takes an AbortSignal/);
  });

  it('undefined is no option', async () => {
    const none = { only: undefined, stripPrefixes: undefined, signal: undefined };
    expect((await loadStateDict(file, none)).size).toBe(1);
  });

  it.each([
    [
      'a promise',
      async () => false,
      /must return true or false, but for "a" it returned a promise/,
    ],
    ['a text', () => 'yes', /must return true or false/],
    ['nothing', () => undefined, /must return true or false/],
  ])('only: a function that returns %s', async (_, only, message) => {
    await expectFailure(load(file, wrong('only', only)), 'VALUE', message);
  });

  it('a detached buffer', async () => {
    const buffer = file.slice().buffer;
    const view = new Uint8Array(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    await expectFailure(load(buffer), 'IO', /the buffer is detached/);
    await expectFailure(load(view), 'IO', /the buffer is detached/);
  });

  it.each(['', 'x\0y'])('the path %j', async (path) => {
    await expectFailure(load(path), 'IO', path === '' ? /path is empty/ : /holds a NUL/);
  });
});

describe('writing', () => {
  it.each([
    ['onProgress', 1, /takes a function, not/],
    ['signal', 'x', /takes an AbortSignal, not/],
    ['compact', 'yes', /takes true or false, not/],
  ])('%s: %s', async (option, value, message) => {
    const path = join(folder, 'x.pt');
    await expectFailure(save(dict, path, wrong(option, value)), 'VALUE', message);
    expect(existsSync(path)).toBe(false);
  });

  it('undefined is no option of another format', async () => {
    expect(
      (await save(dict, undefined, { format: 'npz', compact: undefined })).length,
    ).toBeGreaterThan(22);
  });

  it.each(['', 'x\0y'])('the path %j', async (path) => {
    await expectFailure(save(dict, path), 'IO', path === '' ? /path is empty/ : /holds a NUL/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a locked stream', async () => {
    const stream = new WritableStream();
    stream.getWriter();
    await expectFailure(save(dict, stream), 'IO', /is locked/);
  });
});

describe('names of a npz', () => {
  it.each([
    ['a\0b', /holds a NUL, at which Python ends/],
    ['a.npy', /would go by the same name as "a" in NumPy/],
  ])('%j beside "a" is refused', async (name, message) => {
    const value = new Map([
      ['a', ones([1])],
      [name, ones([2])],
    ]);
    await expectFailure(save(value, undefined, { format: 'npz' }), 'VALUE', message);
  });

  it('none at all is a file that loads', async () => {
    // Also what numpy.savez writes without arrays: the end record of an archive, 22 bytes.
    const empty = await save({}, undefined, { format: 'npz' });
    expect(await load(empty)).toEqual(new StateDict());
    expect(await load(Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(18)))).toEqual(
      new StateDict(),
    );
  });
});

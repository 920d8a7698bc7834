// Where checkpoints come from, and what is said of files that are none.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { cpu, Device, type StateDict } from '@voxgrad/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckpointSource, inspect, load, loadStateDict } from '../src/index.js';
import {
  bytes,
  expectFailure,
  failure,
  fixture,
  fixturePath,
  mapIn,
  tensorIn,
  u64,
} from './support.js';

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/checkpoint.pt') response.end(fixture('checkpoint.pt'));
    else if (request.url === '/short.pt') {
      response.writeHead(200, { 'content-length': 3000 });
      response.write(fixture('checkpoint.pt').subarray(0, 1000), () => response.destroy());
    } else {
      response.statusCode = 404;
      response.end('<!DOCTYPE html><p>no such file');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a checkpoint can be', () => {
  const content = fixture('checkpoint.pt');
  const shifted = new Uint8Array(content.length + 6);
  shifted.set(content, 3);
  test.each<[string, () => CheckpointSource]>([
    ['a path', () => fixturePath('checkpoint.pt')],
    ['a file: URL', () => pathToFileURL(fixturePath('checkpoint.pt'))],
    ['the text of a file: URL', () => pathToFileURL(fixturePath('checkpoint.pt')).href],
    ['an http URL', () => new URL('/checkpoint.pt', address)],
    ['the text of an http URL', () => `${address}/checkpoint.pt`],
    ['a data: URL', () => `data:;base64,${Buffer.from(content).toString('base64')}`],
    ['a Blob', () => new Blob([content])],
    ['a File', () => new File([content], 'x.pt')],
    ['an ArrayBuffer', () => content.buffer],
    ['a Uint8Array', () => content],
    ['a Buffer', () => Buffer.from(content)],
    ['a view in the middle of a buffer', () => shifted.subarray(3, 3 + content.length)],
    ['a DataView', () => new DataView(shifted.buffer, 3, content.length)],
    [
      'shared memory',
      () => {
        const shared = new Uint8Array(new SharedArrayBuffer(content.length));
        shared.set(content);
        return shared;
      },
    ],
    [
      'an ArrayBuffer of another realm',
      () => {
        const buffer = runInContext(`new ArrayBuffer(${content.length})`, createContext());
        new Uint8Array(buffer).set(content);
        return buffer;
      },
    ],
  ])('%s', async (_, source) => {
    expect((await loadStateDict(source())).size).toBe(10);
  });

  test('and its tensors share no memory with it', async () => {
    const own = content.slice();
    const dict = await loadStateDict(own);
    const before = dict.get('conv.bias')?.dataSync();
    own.fill(0);
    expect(dict.get('conv.bias')?.dataSync()).toEqual(before);
  });
});

test('a Blob is sliced where something is needed', async () => {
  const size = 40_000_000;
  const entries = { a: { dtype: 'U8', shape: [size], data_offsets: [0, size] } };
  const more = { b: { dtype: 'U8', shape: [3], data_offsets: [size, size + 3] } };
  const header = new TextEncoder().encode(JSON.stringify({ ...entries, ...more }));
  const blob = new Blob([bytes(u64(header.length)), header, new Uint8Array(size), bytes(7, 8, 9)]);
  let read = 0;
  const slice = blob.slice.bind(blob);
  blob.slice = (begin, end) => {
    read += (end ?? 0) - (begin ?? 0);
    return slice(begin, end);
  };
  expect((await inspect(blob)).tensors.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(tensorIn(mapIn(await load(blob, { only: ['b'] })).get('b')).tolist()).toEqual([7, 8, 9]);
  expect(read).toBeLessThan(500_000);
});

test('one of several files, which has a name of its own', async () => {
  const error = await failure(load({ 'weights.json': bytes('{"a": 1}') }));
  expect(error.where.source).toBe('weights.json');
});

describe('what cannot be opened says why', () => {
  test('a missing file', async () => {
    const path = join(folder, 'none.pt');
    const error = await expectFailure(load(path), 'IO', /none\.pt: cannot be opened \(ENOENT/);
    expect(error.where.source).toBe(path);
  });

  test('a folder', async () => {
    await expectFailure(load(folder), 'IO', /is not a file/);
  });

  test('an address that answers 404', async () => {
    await expectFailure(load(`${address}/none.pt`), 'IO', /none\.pt: .*answered 404 Not Found/);
  });

  test('an address where nothing listens', async () => {
    await expectFailure(load('http://127.0.0.1:1/x.pt'), 'IO', /x\.pt: cannot be fetched/);
  });

  test('a download that breaks off', async () => {
    await expectFailure(load(`${address}/short.pt`), 'IO', /short\.pt: the download broke off/);
  });

  test.each<[string, unknown]>([
    ['a number', 7],
    ['null', null],
    ['an object', {}],
  ])('%s', async (_, source) => {
    await expectFailure(load(source as CheckpointSource), 'IO', /takes a path, URL, Blob/);
  });

  test('a device that does not exist, before anything is read', async () => {
    await expect(load('none.pt', { device: 'gpu' })).rejects.toThrow(/no device is called 'gpu'/);
  });
});

test('tensors live on the device that was asked for', async () => {
  const device = new Device('cpu:other', 'cpu', cpu.capabilities, cpu.kernels);
  for (const name of ['checkpoint.pt', 'checkpoint.safetensors', 'checkpoint_legacy.pt']) {
    const dict: StateDict = await loadStateDict(fixturePath(name), { device });
    expect(tensorIn(mapIn(dict).get('conv.bias')).device).toBe(device);
  }
});

describe('files that are no checkpoints are named', () => {
  const padded = (text: string, at: number) => bytes(new Uint8Array(at), text, new Uint8Array(200));
  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', bytes(), /the file is empty/],
    ['gzip', new Uint8Array(gzipSync('x')), /is a gzip archive.*Unpack it/],
    ['bzip2', bytes('BZh91AY'), /bzip2/],
    ['xz', bytes(0xfd, '7zXZ', 0, 0), /xz/],
    ['HDF5', bytes(0x89, 'HDF\r\n', 0x1a, '\n'), /HDF5/],
    ['tar', padded('ustar', 257), /tar archive/],
    ['NIfTI', padded('n+1\0', 344), /NIfTI/],
    ['a web page', bytes('\n <!DOCTYPE HTML><html>'), /is a web page, .*download went wrong/],
    ['a page with a byte order mark', bytes(0xef, 0xbb, 0xbf, '<html>'), /is a web page/],
    ['an error of a store', bytes('<?xml version="1.0"?><Error>'), /XML/],
    ['a Git LFS pointer', bytes('version https://git-lfs.github.com/spec/v1\n'), /git lfs pull/],
    ['an index of shards', bytes('{"metadata": {}, "weight_map": {}}'), /JSON/],
    ['JSON', bytes('{"model_type": "unet"}'), /JSON/],
    ['JSON with a brace at byte 8', bytes('{"abcd":{"x": {}}}'), /JSON/],
    ['a pickle', bytes(0x80, 4, 0x95, u64(2), 'N.'), /pickle that torch\.save did not write/],
    ['something else', bytes('hello world'), /starts with bytes 68 65 6c 6c 6f 20 77 6f/],
    ['one byte', bytes(1), /starts with bytes 01/],
  ])('%s', async (_, content, message) => {
    await expectFailure(load(content), 'FORMAT', message);
  });

  test('the suffix decides nothing', async () => {
    const path = join(folder, 'weights.pth');
    writeFileSync(path, fixture('checkpoint.safetensors'));
    expect((await loadStateDict(path)).size).toBe(10);
  });
});

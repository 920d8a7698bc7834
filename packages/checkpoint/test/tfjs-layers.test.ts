// Weights in the layers-model format of TensorFlow.js, by hand after the types of tfjs-core
// (io/types.ts) and its decoding (io/io_utils.ts). Whole models that TensorFlow.js saved are tested
// in packages/voxgrad/test/layers-model.test.ts.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DType } from '@voxgrad/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FileContent, inspect, load } from '../src/index.js';
import { bytes, expectFailure, mapIn, tensorIn } from './support.js';

const layer = (class_name: string, name: string, config = {}) => ({
  class_name,
  config: { name, ...config },
});

interface Weight {
  name: string;
  shape: number[];
  dtype: string;
  quantization?: unknown;
}

const f32 = (name: string, ...shape: number[]): Weight => ({ name, shape, dtype: 'float32' });

/** A model.json. */
const model = (weightsManifest: unknown, layers: unknown[] = [], more = {}) =>
  bytes(
    JSON.stringify({
      modelTopology: { model_config: { class_name: 'Sequential', config: { name: 's', layers } } },
      weightsManifest,
      ...more,
    }),
  );

const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

const files = (weights: Weight[], content: Uint8Array, layers: unknown[] = []) => ({
  'model.json': model([{ paths: ['w.bin'], weights }], layers),
  'w.bin': content,
});

describe('weights become those of PyTorch', () => {
  const ramp = (count: number) => floats(...Array.from({ length: count }, (_, i) => i));
  test.each<[string, string, number[], string, number[], number[]]>([
    // Of [D, H, W, in, out] = [1, 1, 2, 1, 3], element (w, o) is 3w + o.
    ['Conv3D', 'kernel', [1, 1, 2, 1, 3], 'weight', [3, 1, 1, 1, 2], [0, 3, 1, 4, 2, 5]],
    ['Conv2D', 'kernel', [1, 2, 1, 3], 'weight', [3, 1, 1, 2], [0, 3, 1, 4, 2, 5]],
    ['Conv1D', 'kernel', [2, 1, 3], 'weight', [3, 1, 2], [0, 3, 1, 4, 2, 5]],
    // [D, H, W, out, in] = [1, 1, 2, 3, 1] becomes [in, out, D, H, W]
    ['Conv3DTranspose', 'kernel', [1, 1, 2, 3, 1], 'weight', [1, 3, 1, 1, 2], [0, 3, 1, 4, 2, 5]],
    ['Dense', 'kernel', [2, 3], 'weight', [3, 2], [0, 3, 1, 4, 2, 5]],
    ['Dense', 'bias', [2], 'bias', [2], [0, 1]],
    ['BatchNormalization', 'gamma', [2], 'weight', [2], [0, 1]],
    ['BatchNormalization', 'beta', [2], 'bias', [2], [0, 1]],
    ['BatchNormalization', 'moving_mean', [2], 'running_mean', [2], [0, 1]],
    ['BatchNormalization', 'moving_variance', [2], 'running_var', [2], [0, 1]],
    // What is not known stays.
    ['GRU', 'recurrent_kernel', [2, 3], 'recurrent_kernel', [2, 3], [0, 1, 2, 3, 4, 5]],
  ])('%s %s', async (className, name, shape, key, to, values) => {
    const source = files([f32(`a/${name}`, ...shape)], ramp(values.length), [
      layer(className, 'a'),
    ]);
    const dict = mapIn(await load(source));
    expect([...dict.keys()]).toEqual([`a.${key}`]);
    const t = tensorIn(dict.get(`a.${key}`));
    expect(t.shape).toEqual(to);
    expect(t.isContiguous).toBe(true);
    expect([...t.dataSync()]).toEqual(values);
    const [info] = (await inspect(source)).tensors;
    expect([info.shape, info.entry, info.bytes]).toEqual([to, 'w.bin', [0, 4 * values.length]]);
  });

  test('whatever scopes and counts stand in their names', async () => {
    const names = ['scope/a/kernel', 'b.c/kernel_1', 'd/kernel:0', '__proto__/kernel', 'lone'];
    const layers = ['a', 'b.c', 'd', '__proto__'].map((name) => layer('Dense', name));
    const weights = names.map((name) => f32(name, 1, 1));
    const dict = mapIn(await load(files(weights, ramp(5), layers)));
    expect([...dict.keys()]).toEqual([
      'a.weight',
      'b_c.weight',
      'd.weight',
      '__proto__.weight',
      'lone',
    ]);
  });

  test('but not two of them one', async () => {
    const weights = [f32('a/kernel', 1, 1), f32('a/kernel_1', 1, 1)];
    await expectFailure(
      load(files(weights, ramp(2), [layer('Dense', 'a')])),
      'UNSUPPORTED',
      /a\.weight: is what two weights would be called/,
    );
  });
});

describe('elements', () => {
  test.each<[string, Weight, Uint8Array, DType, unknown[]]>([
    [
      'int32',
      { ...f32('w', 2), dtype: 'int32' },
      bytes(1, 0, 0, 0, 255, 255, 255, 255),
      'int32',
      [1, -1],
    ],
    ['bool', { ...f32('w', 2), dtype: 'bool' }, bytes(0, 1), 'bool', [false, true]],
    ['float16', { ...f32('w', 2), dtype: 'float16' }, bytes(0, 0x3c, 0, 0xc0), 'float16', [1, -2]],
    [
      'uint8 for float32',
      { ...f32('w', 3), quantization: { dtype: 'uint8', scale: 0.1, min: -1 } },
      bytes(0, 10, 255),
      'float32',
      // In double precision, rounded once.
      [-1, 0, Math.fround(255 * 0.1 - 1)],
    ],
    [
      'uint16 for float32',
      { ...f32('w', 2), quantization: { dtype: 'uint16', scale: 0.5, min: 2 } },
      bytes(0, 0, 255, 255),
      'float32',
      [2, 32769.5],
    ],
    [
      'uint8 for int32',
      { ...f32('w', 3), dtype: 'int32', quantization: { dtype: 'uint8', scale: 0.5, min: -2 } },
      bytes(0, 5, 255),
      'int32',
      [-2, 1, 126], // -2, 0.5 and 125.5, halves rounded up
    ],
    [
      'float16 for float32',
      { ...f32('w', 2), quantization: { dtype: 'float16' } },
      bytes(0, 0x3c, 1, 0),
      'float32',
      [1, 2 ** -24],
    ],
  ])('%s', async (_, weight, content, dtype, values) => {
    const t = tensorIn(mapIn(await load(files([weight], content))).get('w'));
    expect(t.dtype).toBe(dtype);
    expect(t.tolist()).toEqual(values);
  });

  test('complex ones are reported by name, and the rest loads', async () => {
    const weights = [{ ...f32('c', 1), dtype: 'complex64' }, f32('w', 1)];
    const left: unknown[] = [];
    const onUnreadable = (one: unknown) => left.push(one);
    const dict = mapIn(await load(files(weights, floats(1, 2, 3)), { onUnreadable }));
    expect(tensorIn(dict.get('w')).item()).toBe(3);
    expect(left).toMatchObject([{ name: 'c', dtype: 'complex64' }]);
  });

  test('texts have a size that nobody knows', async () => {
    const weights = [{ ...f32('t', 1), dtype: 'string' }];
    await expectFailure(
      load(files(weights, floats(1))),
      'UNSUPPORTED',
      /t: has the dtype "string"/,
    );
  });

  test.each([[{ dtype: 'uint8' }], [{ dtype: 'uint4', scale: 1, min: 0 }], [7]])(
    'a quantization %j is none',
    async (quantization) => {
      const weights = [{ ...f32('w', 1), quantization }];
      await expectFailure(load(files(weights, floats(1))), 'CORRUPT', /w: has a quantization of/);
    },
  );
});

const content = floats(1, 2, 3, 4, 5, 6);
const weights = [f32('a', 1), f32('b', 4), f32('none', 0), f32('c', 1)];
/** The numbers are cut in the middle, and one shard is empty. */
const shards = {
  's/model.json': model([
    { paths: ['x/1.bin', 'x/2.bin', 'x/3.bin'], weights },
    { paths: ['4.bin'], weights: [f32('d', 1)] },
  ]),
  's/x/1.bin': content.subarray(0, 6),
  's/x/2.bin': bytes(),
  's/x/3.bin': content.subarray(6),
  's/4.bin': floats(7),
};

const values = (dict: unknown) =>
  [...mapIn(dict)].map(([name, t]) => [name, tensorIn(t).flatten().tolist()]);
const all = [
  ['a', [1]],
  ['b', [2, 3, 4, 5]],
  ['none', []],
  ['c', [6]],
  ['d', [7]],
];

describe('shards', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
  let server: Server;
  const asked: string[] = [];
  beforeAll(async () => {
    mkdirSync(join(folder, 's/x'), { recursive: true });
    for (const [name, file] of Object.entries(shards)) writeFileSync(join(folder, name), file);
    server = createServer((request, response) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://x');
      asked.push(pathname.slice(1));
      const file = (shards as Record<string, Uint8Array>)[decodeURIComponent(pathname.slice(1))];
      if (file === undefined || search !== '?key=1') response.writeHead(404).end();
      else response.end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('from a folder', async () => {
    expect(values(await load(join(folder, 's/model.json')))).toEqual(all);
    expect(values(await load(pathToFileURL(join(folder, 's/model.json'))))).toEqual(all);
  });

  test('from a server, with the query that gives access', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/s/model.json?key=1`;
    expect(values(await load(url))).toEqual(all);
    asked.length = 0;
    expect(values(await load(new URL(url), { only: ['d'] }))).toEqual([['d', [7]]]);
    expect(asked).toEqual(['s/model.json', 's/4.bin']);
    asked.length = 0;
    expect((await inspect(url)).tensors.length).toBe(5);
    expect(asked).toEqual(['s/model.json']);
  });

  test('from files by name', async () => {
    expect(values(await load(shards))).toEqual(all);
    const blobs = Object.entries(shards).map(([name, file]) => [name, new Blob([file])]);
    const source: Record<string, FileContent> = Object.fromEntries(blobs);
    expect(values(await load(source))).toEqual(all);
    expect(values(await load(source, { only: ['none', 'c'] }))).toEqual([
      ['none', []],
      ['c', [6]],
    ]);
  });

  test('one that is missing is named', async () => {
    const { 's/4.bin': _, ...rest } = shards;
    await expectFailure(load(rest), 'IO', /s\/model\.json: 4\.bin: is needed too; the files given/);
    rmSync(join(folder, 's/4.bin'));
    await expectFailure(
      load(join(folder, 's/model.json')),
      'IO',
      /model\.json: 4\.bin: cannot be opened \(ENOENT/,
    );
  });

  test('and a model.json alone says what to pass', async () => {
    await expectFailure(
      load(new Blob([shards['s/model.json']])),
      'IO',
      /the Blob: x\/1\.bin: is needed too, .* Pass all files by name: \{ "model\.json"/,
    );
  });

  test.each([
    '../secret',
    'x/../../secret',
    '/etc/passwd',
    './w.bin',
    'x//w.bin',
    '..\\secret',
    'C:\\secret',
    'c:secret',
    'http://elsewhere/w.bin',
    '//elsewhere/w.bin',
    'file:///etc/passwd',
    'a\0b',
    '',
  ])('%j leads out of the folder', async (path) => {
    const source = model([{ paths: [path], weights: [f32('a', 1)] }]);
    writeFileSync(join(folder, 'm.json'), source);
    const { port } = server.address() as AddressInfo;
    for (const given of [{ 'm.json': source, [path]: floats(1) }, join(folder, 'm.json')])
      await expectFailure(load(given), 'REFUSED', /leads out of the folder/);
    expect(port).toBeGreaterThan(0);
  });

  test.each(['%2e%2e/x', 'a?b', 'a#b'])('%j is a name and nothing else', async (path) => {
    const source = {
      'm.json': model([{ paths: [path], weights: [f32('a', 1)] }]),
      [path]: floats(3),
    };
    expect(values(await load(source))).toEqual([['a', [3]]]);
  });
});

describe('what does not fit is refused', () => {
  const one = [f32('a', 2)];
  test.each<[string, Record<string, FileContent>, RegExp]>([
    ['a shard cut short', files(one, floats(1)), /a: needs bytes 0 to 8 of w\.bin, which has 4/],
    ['a shard of another model', files(one, floats(1, 2, 3)), /take 8 bytes, but there are 12/],
    [
      'a size that lies',
      files([f32('a', 2 ** 40)], floats(1)),
      /a: needs bytes 0 to 4398046511104/,
    ],
    ['a size beyond numbers', files([f32('a', 2 ** 40, 2 ** 40)], floats(1)), /larger than a file/],
    ['a negative size', files([f32('a', -1)], floats(1)), /a: has no shape/],
    ['a name twice', files([f32('a', 1), f32('a', 1)], floats(1, 2)), /a: is listed twice/],
    ['no paths', { 'm.json': model([{ weights: one }]) }, /without paths or weights/],
    ['no file', { 'm.json': model([{ paths: [], weights: one }]) }, /of no file, which have 0/],
    ['no weights', { 'm.json': model(undefined) }, /has no list of weights/],
    [
      'no layers',
      { 'm.json': bytes('{"modelTopology": {}, "weightsManifest": []}') },
      /no list of layers/,
    ],
    ['a layer without a class', { 'm.json': model([], [{}]) }, /without class_name or config/],
    [
      'two layers of a name',
      { 'm.json': model([], [layer('A', 'a'), layer('B', 'a')]) },
      /two layers/,
    ],
    ['half a text', { 'm.json': model([]).subarray(0, 60) }, /is not JSON .*may be incomplete/],
  ])('%s', async (_, source, message) => {
    await expectFailure(load(source), 'CORRUPT', message);
  });

  test('models of other kinds', async () => {
    await expectFailure(
      load({ 'm.json': bytes('{"format": "graph-model", "modelTopology": {"node": []}}') }),
      'UNSUPPORTED',
      /graph model .* tensorflowjs_converter --output_format=tfjs_layers_model/,
    );
    const keras3 = { ...layer('Conv3D', 'a'), inbound_nodes: [{ args: [], kwargs: {} }] };
    await expectFailure(
      load({ 'm.json': model([], [keras3]) }),
      'UNSUPPORTED',
      /a: is connected in the way of Keras 3/,
    );
  });

  test('files of which none describes the others', async () => {
    await expectFailure(
      load({ 'a.bin': floats(1), 'b.bin': floats(2) }),
      'IO',
      /of the files a\.bin, b\.bin, one must be the \.json/,
    );
    await expectFailure(load({ a: 1 } as never), 'IO', /takes a path, URL, Blob/);
  });
});

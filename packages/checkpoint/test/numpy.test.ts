// Files of NumPy: .npy and .npz, as real NumPy writes them where there is one (of the Python with
// PyTorch), and made by hand after numpy/lib/format.py.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpu, type DType, StateDict, Tensor } from '@voxgrad/core';
import * as zip from '@zip.js/zip.js';
import { afterAll, describe, expect, test } from 'vitest';
import { inspect, load } from '../src/index.js';
import { parseLiteral } from '../src/numpy/literal.js';
import { npyHeader, npyStart, readNpyHeader } from '../src/numpy/npy.js';
import { openNpz } from '../src/numpy/read.js';
import { Source } from '../src/source.js';
import { bytesBackend } from '../src/sources/backend.js';
import {
  archive,
  bytes,
  expectFailure,
  mapIn,
  python,
  runPython,
  stopPython,
  tensorIn,
} from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});

const dict = (descr: string, shape: string, fortran = 'False') =>
  `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': (${shape}), }`;

/** A .npy file with this header. */
function npy(header: string, data: Uint8Array = bytes(), version = 1): Uint8Array<ArrayBuffer> {
  const { length } = header;
  const size = version === 1 ? [length & 255, length >> 8] : [length & 255, length >> 8, 0, 0];
  return bytes('\x93NUMPY', version, 0, ...size, header, data);
}

const raw = ({ buffer }: { readonly buffer: ArrayBuffer }) => new Uint8Array(buffer);

describe('headers', () => {
  test.each<[string, unknown]>([
    ['3', 3],
    ['-3L', -3],
    ["'a\\'b\\\\'", "a'b\\"],
    ['"it\'s"', "it's"],
    ["b'x'", 'x'],
    ['( 1, (2,), [] ,)', [1, [2], []]],
    ['True', true],
    ['None', null],
    ['{}', new Map()],
    [
      "{'a': 1, 'b': {'c': False}}",
      new Map<string, unknown>([
        ['a', 1],
        ['b', new Map([['c', false]])],
      ]),
    ],
  ])('the literal %s', (text, value) => {
    expect(parseLiteral(text)).toEqual(value);
  });

  test.each([
    ['', '('],
    ['1 2', '[1'],
    ["{'a'}", "{'a': 1, 'a': 2}"],
    ['{1: 2}', 'True()'],
    ["__import__('os')", "'a"],
    ['1 + 1', '1j'],
    ['('.repeat(1e5), '['.repeat(40) + ']'.repeat(40)],
    ["'\n'", 'nan'],
  ])('%j and %j are none', (...texts) => {
    for (const text of texts) expect(parseLiteral(text)).toBeUndefined();
  });

  test.each<[DType, number[]]>([
    ['float32', []],
    ['int64', [3]],
    ['bool', [0, 4]],
    ['uint8', Array.from({ length: 64 }, () => 1_000_000_007)],
  ])('of %s %j are written and read, and aligned to 64 bytes', (dtype, shape) => {
    const header = npyHeader(dtype, shape);
    if (header === undefined) throw new Error('has a header');
    expect(header.length % 64).toBe(0);
    expect(npyStart(header)).toBe(header.length);
    expect(readNpyHeader(header)).toMatchObject({ type: dtype, shape, fortran: false });
  });

  test('of bfloat16 are none', () => expect(npyHeader('bfloat16', [1])).toBeUndefined());
});

describe('.npy', () => {
  test('is a tensor', async () => {
    const data = raw(Float64Array.of(1, 2, 3));
    expect(tensorIn(await load(npy(dict("'<f8'", '3,'), data))).tolist()).toEqual([1, 2, 3]);
    expect(tensorIn(await load(npy(dict("'<f8'", ''), data.subarray(0, 8)))).item()).toBe(1);
    expect(tensorIn(await load(npy(dict("'<f8'", '0, 4')))).shape).toEqual([0, 4]);
    // NumPy 1.x of Python 2 wrote sizes as longs.
    expect(tensorIn(await load(npy(dict("'<f8'", '3L,'), data))).tolist()).toEqual([1, 2, 3]);
  });

  test.each([1, 2, 3])('of version %i', async (version) => {
    const file = npy(dict("'|i1'", '2,'), bytes(1, 255), version);
    expect(tensorIn(await load(file)).tolist()).toEqual([1, -1]);
  });

  test('in Fortran order is strided', async () => {
    const file = npy(dict("'|u1'", '2, 3', 'True'), bytes(0, 3, 1, 4, 2, 5));
    const t = tensorIn(await load(file));
    expect(t.tolist()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(t.strides).toEqual([1, 2]);
    const [info] = (await inspect(file)).tensors;
    expect(info).toEqual({
      name: '',
      dtype: 'uint8',
      shape: [2, 3],
      strides: [1, 2],
      bytes: [file.length - 6, file.length],
    });
  });

  test('of any byte as a bool', async () => {
    const t = tensorIn(await load(npy(dict("'|b1'", '3,'), bytes(0, 7, 1))));
    expect([t.dtype, t.tolist()]).toEqual(['bool', [false, true, true]]);
  });

  test.each<[string, Uint8Array, DType, unknown]>([
    ['>f4', bytes(0x3f, 0x80, 0, 0), 'float32', [1]],
    ['>i8', bytes(0, 0, 0, 0, 0, 0, 1, 2), 'int64', [258n]],
    ['>f2', bytes(0x3c, 0), 'float16', [1]],
    ['<u2', bytes(255, 255), 'int32', [65535]],
    ['>u2', bytes(0, 1), 'int32', [1]],
    ['<u4', bytes(255, 255, 255, 255), 'int64', [4294967295n]],
    ['<u8', bytes(1, 0, 0, 0, 0, 0, 0, 0), 'int64', [1n]],
  ])('of %s', async (descr, data, dtype, values) => {
    const t = tensorIn(await load(npy(dict(`'${descr}'`, '1,'), data)));
    expect(t.dtype).toBe(dtype);
    expect(t.tolist()).toEqual(values);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['<c8', bytes(...new Array(8).fill(0)), /complex numbers/],
    ['|O', bytes('pickle'), /Python objects, which are code/],
    ['<U5', bytes(...new Array(20).fill(0)), /text/],
    ['|S3', bytes('abc'), /bytes of text/],
    ['<M8[ns]', bytes(...new Array(8).fill(0)), /dates/],
    ['<m8[s]', bytes(...new Array(8).fill(0)), /time spans/],
    ['<f16', bytes(...new Array(16).fill(0)), /extended precision/],
    ['|V2', bytes(0, 0), /records/],
    ['<q9', bytes(), /the unknown type '<q9'/],
    ['<u8', bytes(...new Array(8).fill(255)), /uint64 values above/],
  ])('of %s is refused by name, and listed', async (descr, data, message) => {
    const file = npy(dict(`'${descr}'`, '1,'), data);
    await expectFailure(load(file), 'UNSUPPORTED', message);
    const [info] = (await inspect(file)).tensors;
    if (descr !== '<u8') expect(info).toMatchObject({ dtype: descr, shape: [1] });
  });

  test('of records is refused', async () => {
    const file = npy(dict("[('a', '<f4'), ('b', '<i2', (2,))]", '1,'), bytes('12345678'));
    await expectFailure(load(file), 'UNSUPPORTED', /holds records: save each field/);
  });

  test.each<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    [
      'too short',
      npy(dict("'<f4'", '2,'), bytes(1, 2, 3)),
      /says 8 bytes .* there are 3; the download/,
    ],
    ['too long', npy(dict("'<f4'", '1,'), bytes(1, 2, 3, 4, 5)), /says 4 bytes .* there are 5$/],
    [
      'larger than a number',
      npy(dict("'<f4'", '4294967296, 4294967296, 1048576')),
      /says \d{26} bytes/,
    ],
    ['of no integer', npy(dict("'<f4'", '99999999999999999999,')), /shape .* cannot be/],
    ['of negative size', npy(dict("'<f4'", '-1,')), /shape .* cannot be/],
    ['of 65 axes', npy(dict("'<f4'", '1, '.repeat(65))), /shape .* cannot be/],
    ['of nothing', npy('{}'), /lacks descr, fortran_order or shape/],
    ['that calls', npy("__import__('os').system('id')"), /not a Python dict/],
    ['that ends early', npy(dict("'<f4'", '1,')).subarray(0, 30), /ends inside its header/],
    ['of a magic alone', bytes('\x93NUMPY'), /ends inside its header/],
  ])('%s is corrupt', async (_, file, message) => {
    await expectFailure(load(file), 'CORRUPT', message);
  });

  test('of an unknown version, or with a header of a gigabyte', async () => {
    await expectFailure(load(npy('{}', bytes(), 9)), 'UNSUPPORTED', /has \.npy version 9/);
    const long = bytes('\x93NUMPY', 2, 0, 0, 0, 0, 64, '{}');
    await expectFailure(load(long), 'LIMIT', /announces a header of 1073741836 bytes/);
  });
});

const entries = {
  'b.npy': npy(dict("'<i2'", '2,'), bytes(1, 0, 2, 0)),
  'a/weight.npy': npy(dict("'|u1'", '3,'), bytes(7, 8, 9)),
  '__proto__.npy': npy(dict("'|u1'", ''), bytes(5)),
};

describe.each([0, 6])('.npz, compressed at level %i', (level) => {
  test('is a state dict in the order of the file', async () => {
    const loaded = mapIn(await load(await archive(entries, { level })));
    expect(loaded).toBeInstanceOf(StateDict);
    expect([...loaded.keys()]).toEqual(['b', 'a/weight', '__proto__']);
    expect([...loaded.values()].map((t) => tensorIn(t).tolist())).toEqual([[1, 2], [7, 8, 9], 5]);
  });

  test('is listed, and read in part', async () => {
    const file = await archive(entries, { level });
    const { format, tensors } = await inspect(file);
    expect(format).toBe('npz');
    expect(tensors.map(({ name, dtype, entry }) => [name, dtype, entry])).toEqual([
      ['b', 'int16', 'b.npy'],
      ['a/weight', 'uint8', 'a/weight.npy'],
      ['__proto__', 'uint8', '__proto__.npy'],
    ]);
    const place = tensors[1].bytes;
    if (level > 0) expect(place).toBeUndefined();
    else expect(file.slice(...(place ?? [0]))).toEqual(bytes(7, 8, 9));
    const part = mapIn(await load(file, { only: ['a/weight'] }));
    expect([...part.keys()]).toEqual(['a/weight']);
  });

  test('with what has no counterpart keeps the rest', async () => {
    const odd = {
      ...entries,
      'objects.npy': npy(dict("'|O'", '1,'), bytes('cos\nsystem\n')),
      'big.npy': npy(dict("'<u8'", '1,'), bytes(...new Array(8).fill(255))),
      'readme.txt': bytes('hello'),
    };
    const left: unknown[] = [];
    const options = { onUnreadable: (one: unknown) => left.push(one) };
    const loaded = mapIn(await load(await archive(odd, { level }), options));
    expect([...loaded.keys()]).toEqual(['b', 'a/weight', '__proto__']);
    expect(left).toMatchObject([
      { name: 'objects', unreadable: expect.stringMatching(/Python objects/) },
      { name: 'big', dtype: 'uint64', unreadable: expect.stringMatching(/above 2\^63/) },
      { name: 'readme.txt', unreadable: expect.stringMatching(/another kind/) },
    ]);
  });

  test('with an array that does not fit its entry is corrupt, by name', async () => {
    const file = await archive({ 'x.npy': npy(dict("'<f4'", '2,'), bytes(1)) }, { level });
    await expectFailure(load(file), 'CORRUPT', /x\.npy: its header says 8 bytes/);
  });

  test('that is damaged is noticed', async () => {
    const data = Uint8Array.from({ length: 5000 }, (_, i) => (i ** 3) >> 7);
    const file = await archive({ 'x.npy': npy(dict("'|u1'", '5000,'), data) }, { level });
    file[3000] ^= 1;
    await expectFailure(load(file), 'CORRUPT', /x\.npy: (is damaged|cannot be unpacked)/);
  });
});

test('an entry that announces more than deflate can make is refused before memory is set aside', async () => {
  const content = npy(dict("'|u1'", '1000000000,'), bytes(1));
  const file = await archive({ 'x.npy': content }, { level: 6 });
  const view = new DataView(file.buffer);
  const end = file.length - 22;
  const directory = view.getUint32(end + 16, true);
  view.setUint32(directory + 24, 1_000_000_000 + content.length - 1, true); // its size in the directory
  await expectFailure(load(file), 'CORRUPT', /x\.npy: announces 1000000\d* bytes, more than its/);
});

describe.skipIf(python === undefined)(
  python === undefined ? 'real NumPy (skipped: there is no Python with PyTorch)' : 'real NumPy',
  () => {
    const WRITE = `
import io, json, sys
import numpy as np
folder = sys.argv[1]
ramp = np.arange(24).reshape(2, 3, 4)
codes = "? i1 u1 <i2 >i2 <u2 >u2 <i4 >i4 <u4 >u4 <i8 >i8 <u8 >u8 <f2 >f2 <f4 >f4 <f8 >f8".split()
arrays = {code: (ramp % 2 if code == "?" else ramp).astype(code) for code in codes}
arrays["fortran"] = np.asfortranarray(ramp.astype("<f4"))
arrays["scalar"] = np.array(2.5)
arrays["empty"] = np.zeros((0, 4), "<f4")
arrays["deep/name"] = ramp.astype("<f4")
np.savez(folder + "/stored.npz", **arrays)
np.savez_compressed(folder + "/deflated.npz", **arrays)
for version in (1, 2, 3):
    with open(f"{folder}/v{version}.npy", "wb") as f:
        np.lib.format.write_array(f, arrays["fortran"], (version, 0))
print(json.dumps({name: [list(a.shape), a.astype("f8").ravel().tolist()] for name, a in arrays.items()}))
`;
    const double = (t: Tensor) => t.to('float64').contiguous();

    test('its files have its values', async () => {
      const right = JSON.parse(await runPython(WRITE, folder)) as Record<
        string,
        [number[], number[]]
      >;
      for (const name of ['stored.npz', 'deflated.npz']) {
        const loaded = mapIn(await load(join(folder, name)));
        expect([...loaded.keys()]).toEqual(Object.keys(right));
        for (const [key, [shape, values]] of Object.entries(right)) {
          const t = tensorIn(loaded.get(key));
          expect([key, t.shape]).toEqual([key, shape]);
          expect([...double(t).dataSync()]).toEqual(values);
        }
      }
      for (const version of [1, 2, 3]) {
        const t = tensorIn(await load(join(folder, `v${version}.npy`)));
        expect([...double(t).dataSync()]).toEqual(right.fortran[1]);
        expect(t.strides).toEqual([1, 2, 6]);
      }
    });

    test('reads what is written', async () => {
      const cases: [DType, number[]][] = [
        ['float64', [2, 3]],
        ['float16', [4]],
        ['int64', []],
        ['bool', [3, 0]],
        ['uint8', [2, 1, 2]],
      ];
      for (const [i, [dtype, shape]] of cases.entries()) {
        const t = Tensor.filled(shape, 1, dtype, cpu);
        const { buffer, byteOffset, byteLength } = t.dataSync();
        const header = npyHeader(dtype, shape) ?? bytes();
        const data = new Uint8Array(buffer, byteOffset, byteLength);
        writeFileSync(join(folder, `w${i}.npy`), bytes(header, data));
      }
      const printed = await runPython(
        `
import json, sys
import numpy as np
arrays = [np.load(f"{sys.argv[1]}/w{i}.npy") for i in range(${cases.length})]
print(json.dumps([[a.dtype.name, list(a.shape), float(a.sum())] for a in arrays]))`,
        folder,
      );
      const sums = cases.map(([dtype, shape]) => [dtype, shape, shape.reduce((a, b) => a * b, 1)]);
      expect(JSON.parse(printed)).toEqual(sums);
    });
  },
);

test.each([0, 6])('an .npz at level %i is listed from its directory and headers', async (level) => {
  const start = npyHeader('uint8', [4_000_000]) ?? bytes();
  const content = new Uint8Array(start.length + 4_000_000);
  let noise = 1;
  for (let i = start.length; i < content.length; i++) {
    noise = (noise * 48271) % 2147483647;
    content[i] = noise >> 8;
  }
  content.set(start);
  const writer = new zip.ZipWriter(new zip.Uint8ArrayWriter(), { level, useWebWorkers: false });
  await writer.add('a.npy', new zip.Uint8ArrayReader(content));
  const file = await writer.close();
  let read = 0;
  const { fill, size } = bytesBackend(file);
  const source = new Source('a file', {
    size,
    fill(target, offset) {
      read += target.length;
      return fill(target, offset);
    },
  });
  const { tensors } = await openNpz(source);
  expect(tensors).toMatchObject([{ name: 'a', dtype: 'uint8', shape: [4_000_000] }]);
  expect(file.length).toBeGreaterThan(1_000_000);
  expect(read).toBeLessThan(200_000);
});

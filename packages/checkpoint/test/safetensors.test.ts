import { bytesPerElement, type DType, StateDict, tensor } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspect, load, loadStateDict, save } from '../src/index.js';
import { fileServer, served } from './file-server.js';
import { bytes, expectFailure, fixture, mapIn, tensorIn, u64 } from './support.js';

/** A file with this header and `length` bytes of data. */
function file(header: unknown, length: number): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(
    typeof header === 'string' ? header : JSON.stringify(header),
  );
  return bytes(
    u64(text.length),
    text,
    Uint8Array.from({ length }, (_, i) => i),
  );
}

const f32 = (shape: number[], begin: number, end: number) => ({
  dtype: 'F32',
  shape,
  data_offsets: [begin, end],
});

describe('reading', () => {
  test('tensors, in the order of their data, with metadata passed over', async () => {
    const header = {
      __metadata__: { format: 'pt' },
      b: f32([1], 4, 8),
      a: { dtype: 'U8', shape: [2, 2], data_offsets: [0, 4] },
      none: f32([0, 3], 8, 8),
    };
    const dict = await load(file(header, 8));
    expect(dict).toBeInstanceOf(StateDict);
    expect([...mapIn(dict).keys()]).toEqual(['a', 'b', 'none']);
    expect(tensorIn(mapIn(dict).get('a')).tolist()).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test('tensors that are not aligned', async () => {
    const header = { a: { dtype: 'I8', shape: [1], data_offsets: [0, 1] }, b: f32([1], 1, 5) };
    const data = new DataView(new ArrayBuffer(5));
    data.setFloat32(1, 2.5, true);
    const text = new TextEncoder().encode(JSON.stringify(header));
    const dict = await loadStateDict(bytes(u64(text.length), text, new Uint8Array(data.buffer)));
    expect(tensorIn(dict.get('b')).tolist()).toEqual([2.5]);
  });

  test('no tensor at all', async () => {
    expect(mapIn(await load(file('{}', 0))).size).toBe(0);
  });

  test.each<[string, unknown, number, RegExp]>([
    ['a hole', { a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12, /b: begins at byte/],
    ['a hole at the start', { a: f32([1], 4, 8) }, 8, /a: begins at byte/],
    ['an overlap', { a: f32([2], 0, 8), b: f32([1], 4, 8) }, 8, /b: begins at byte/],
    ['one range twice', { a: f32([1], 0, 4), b: f32([1], 0, 4) }, 4, /b: begins at byte/],
    ['bytes after the last', { a: f32([1], 0, 4) }, 5, /1 bytes after the last tensor/],
    ['data cut short', { a: f32([2], 0, 8) }, 7, /the file ends at byte/],
    ['a shape that does not fit', { a: f32([3], 0, 4) }, 4, /takes 12 bytes, .* span 4/],
    ['a shape that overflows', { a: f32([2 ** 40, 2 ** 40, 2 ** 40], 0, 0) }, 0, /span 0/],
    ['offsets in reverse', { a: f32([1], 4, 0) }, 4, /data_offsets/],
    ['a negative offset', { a: f32([1], -4, 0) }, 4, /data_offsets/],
    ['a fractional size', { a: f32([0.5], 0, 2) }, 2, /shape/],
    ['an unsafe size', { a: f32([2 ** 60], 0, 4) }, 4, /shape/],
    ['a shape that is an object', { a: { ...f32([], 0, 4), shape: {} } }, 4, /shape/],
    ['a tensor that is null', { a: null }, 0, /a: is not described/],
    ['metadata that is no text', { __metadata__: { a: 1 } }, 0, /map of strings/],
    ['a key twice', '{"a":{"dtype":"F32"},"\\u0061":{}}', 0, /the key "a" twice/],
    ['a key twice, far from its colon', `{"a":1,"a"${' '.repeat(99)}:1}`, 0, /"a" twice/],
    ['an inner key twice', '{"a":{"dtype":"F32","dtype":"F64"}}', 0, /"dtype" twice/],
    ['no JSON', '{"a"', 0, /not JSON/],
    ['too little', '{" a":[[[[', 0, /not JSON/],
  ])('%s is refused', async (_, header, length, message) => {
    await expectFailure(load(file(header, length)), 'CORRUPT', message);
  });

  test('strings that look like keys are none', async () => {
    const header = '{"__metadata__":{"a":"a","b":"{\\"a\\":1,\\"a\\":"}}';
    expect(mapIn(await load(file(header, 0))).size).toBe(0);
  });

  test.each(['F33', 'f32', 'toString', '', 7])('the dtype %j is refused', async (dtype) => {
    const header = { a: { ...f32([1], 0, 4), dtype } };
    await expectFailure(load(file(header, 4)), 'UNSUPPORTED', /a: has the unknown dtype/);
  });

  test('headers that lie about their length', async () => {
    const real = file({ a: f32([1], 0, 4) }, 4);
    for (const length of [1e6, 100_000_001, 2 ** 40, 2 ** 53]) {
      const lying = real.slice();
      lying.set(u64(length));
      await expectFailure(load(lying), 'CORRUPT', /header|file ends/);
    }
  });

  test('a header that is not UTF-8', async () => {
    await expectFailure(load(bytes(u64(4), '{"', 0xff, '}')), 'CORRUPT', /UTF-8/);
  });

  // Elements of every width that the format has, of 2: names and bits of safetensors/src/tensor.rs.
  test.each<[string, number]>([
    ['F8_E4M3', 2],
    ['F8_E5M2', 2],
    ['F8_E4M3FNUZ', 2],
    ['F8_E5M2FNUZ', 2],
    ['F8_E8M0', 2],
    ['C64', 16],
    ['F4', 1],
  ])('%s is reported by the name of the tensor, and the rest loads', async (dtype, size) => {
    const header = {
      'a.weight': { dtype, shape: [2], data_offsets: [0, size] },
      b: { dtype: 'U8', shape: [1], data_offsets: [size, size + 1] },
    };
    const left: unknown[] = [];
    const onUnreadable = (one: unknown) => left.push(one);
    const dict = mapIn(await load(file(header, size + 1), { onUnreadable }));
    expect([...dict.keys()]).toEqual(['b']);
    expect(left).toMatchObject([
      {
        name: 'a.weight',
        dtype,
        shape: [2],
        unreadable: `has the dtype ${dtype}, which cannot be loaded. Convert it before saving`,
      },
    ]);
    const { tensors } = await inspect(file(header, size + 1));
    expect(tensors.map(({ name, dtype }) => [name, dtype])).toEqual([
      ['a.weight', dtype],
      ['b', 'uint8'],
    ]);
    // Neither is anything said of it, nor its bytes read, where it is not asked for.
    expect(mapIn(await load(file(header, size + 1), { only: ['b'] })).size).toBe(1);
  });

  test.each<[string, DType, bigint[] | number[]]>([
    ['U16', 'int32', [0x0100, 0x0302]],
    ['U32', 'int64', [0x03020100n, 0x07060504n]],
    ['U64', 'int64', [0x0706050403020100n, 0x0f0e0d0c0b0a0908n]],
  ])('%s is widened', async (dtype, wide, values) => {
    const size = Number(dtype.slice(1)) / 4;
    const header = { a: { dtype, shape: [2], data_offsets: [0, size] } };
    const t = tensorIn(mapIn(await load(file(header, size))).get('a'));
    expect(t.dtype).toBe(wide);
    expect(t.tolist()).toEqual(values);
  });

  test('F4 with an odd number of elements fills no bytes', async () => {
    const header = { a: { dtype: 'F4', shape: [3], data_offsets: [0, 2] } };
    await expectFailure(load(file(header, 2)), 'CORRUPT', /a: of shape \[3\] and dtype F4/);
  });

  test('__metadata__ is listed', async () => {
    const header = { __metadata__: { format: 'pt', __proto__: 'x' }, a: f32([1], 0, 4) };
    expect((await inspect(file(header, 4))).metadata).toEqual({ format: 'pt' });
    expect((await inspect(file('{"__metadata__":{"__proto__":"x"}}', 0))).metadata).toEqual(
      JSON.parse('{"__proto__":"x"}'),
    );
    // The reference takes null for none.
    expect((await inspect(file('{"__metadata__":null}', 0))).metadata).toBeUndefined();
  });

  test('keys that JavaScript objects have are keys', async () => {
    const header =
      '{"__proto__":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"constructor":{"dtype":"U8","shape":[],"data_offsets":[1,2]}}';
    expect([...mapIn(await load(file(header, 2))).keys()]).toEqual(['__proto__', 'constructor']);
  });
});

describe('as reported of other readers', () => {
  // safetensors#231, llama.cpp#18291, tfjs#591: data at odd addresses
  test.each<[string, DType]>([
    ['F64', 'float64'],
    ['F32', 'float32'],
    ['F16', 'float16'],
    ['BF16', 'bfloat16'],
    ['I64', 'int64'],
    ['I32', 'int32'],
    ['I16', 'int16'],
    ['I8', 'int8'],
    ['U8', 'uint8'],
    ['BOOL', 'bool'],
  ])('%s after a header of any length', async (element, dtype) => {
    const size = 2 * bytesPerElement(dtype);
    const entry = { dtype: element, shape: [2], data_offsets: [0, size] };
    const text = JSON.stringify({ a: entry });
    for (let padding = 0; padding < 8; padding++) {
      const t = tensorIn(mapIn(await load(file(text + ' '.repeat(padding), size))).get('a'));
      const { buffer } = t.dataSync();
      const right = Array.from({ length: size }, (_, i) => (dtype === 'bool' ? Math.sign(i) : i));
      expect([...new Uint8Array(buffer)]).toEqual(right);
    }
  });

  test('a header of 5 MiB, from a server with ranges (ComfyUI_frontend#11307)', async () => {
    const entries = Array.from({ length: 50_000 }, (_, i) => [
      `blocks.${i}.some.long.name.of.a.module.in.a.deep.network.weight`,
      f32([1], 4 * i, 4 * i + 4),
    ]);
    const content = file(Object.fromEntries(entries), 200_000);
    expect(content.length).toBeGreaterThan(5 * 2 ** 20);
    const server = await fileServer(served(content));
    try {
      expect((await inspect(server.url)).tensors.length).toBe(50_000);
      // The head, and the rest of the header.
      expect(server.asked.length).toBe(2);
      const name = String(entries[49_000][0]);
      const dict = mapIn(await load(server.url, { only: [name] }));
      expect(tensorIn(dict.get(name)).shape).toEqual([1]);
      expect(server.asked.length).toBe(5);
    } finally {
      server.close();
    }
  });

  test('metadata and no tensor (safetensors#601)', async () => {
    const content = file({ __metadata__: { a: 'b' } }, 0);
    expect(mapIn(await load(content)).size).toBe(0);
    expect((await inspect(content)).metadata).toEqual({ a: 'b' });
  });

  test('a shape that the offsets do not hold (mlx#3363)', async () => {
    const content = file({ a: f32([1000, 1000], 0, 4) }, 4);
    await expectFailure(
      load(content),
      'CORRUPT',
      /takes 4000000 bytes, but its data_offsets span 4/,
    );
    await expectFailure(inspect(content), 'CORRUPT', /span 4/);
  });

  test('bytes after the last tensor, in every way of reading (ComfyUI#15602)', async () => {
    const content = file({ a: f32([1], 0, 4) }, 5);
    const after = /1 bytes after the last tensor/;
    await expectFailure(load(content), 'CORRUPT', after);
    await expectFailure(load(content, { only: ['a'] }), 'CORRUPT', after);
    await expectFailure(load(new Blob([content])), 'CORRUPT', after);
    await expectFailure(inspect(content), 'CORRUPT', after);
  });
});

test('of a sparse file of 5 GB, the header and one tensor are read', async () => {
  const length = 5 * 2 ** 30;
  const header = { big: f32([length / 4], 0, length), last: f32([1], length, length + 4) };
  const head = file(header, 0);
  const size = head.length + length + 4;
  const server = await fileServer({
    size,
    read(begin, end) {
      const part = new Uint8Array(end - begin);
      part.set(head.subarray(begin, end)); // and zeros
      return part;
    },
  });
  try {
    const { tensors } = await inspect(server.url);
    expect(tensors.map(({ name }) => name)).toEqual(['big', 'last']);
    expect(server.asked.length).toBe(1);
    const dict = mapIn(await load(server.url, { only: ['last'] }));
    expect(tensorIn(dict.get('last')).tolist()).toEqual([0]);
    expect(server.sent).toBeLessThan(500_000);
  } finally {
    server.close();
  }
});

describe('writing', () => {
  test('equals the reference writer, byte for byte', async () => {
    const original = fixture('checkpoint.safetensors');
    const dict = await loadStateDict(fixture('checkpoint.pt'));
    expect(await save(dict, undefined, { format: 'safetensors' })).toEqual(original);
  });

  test('views are written by their elements', async () => {
    const dtypes = mapIn(await load(fixture('dtypes.pt')));
    const back = mapIn(await load(await save(dtypes, undefined, { format: 'safetensors' })));
    expect(new Set(back.keys())).toEqual(new Set(dtypes.keys()));
    for (const [name, value] of dtypes) {
      const [before, after] = [tensorIn(value), tensorIn(back.get(name))];
      expect([after.dtype, after.shape]).toEqual([before.dtype, before.shape]);
      expect(after.dataSync()).toEqual(before.dataSync());
    }
  });

  test('any names and shapes, and back', async () => {
    const dtype = fc.constantFrom<DType>('float64', 'float32', 'int32', 'int16', 'int8', 'uint8');
    const entry = fc.record({ dtype, shape: fc.array(fc.nat(3), { maxLength: 4 }) });
    const name = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__metadata__');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, entry), async (entries) => {
        const named = Object.entries(entries).map(([key, { dtype, shape }]): [string, unknown] => {
          const numel = shape.reduce((product, n) => product * n, 1);
          const values = Array.from({ length: numel }, (_, i) => i + key.length);
          return [key, tensor(values, { dtype }).reshape(shape)];
        });
        const file = await save(new Map(named), undefined, { format: 'safetensors' });
        const back = mapIn(await load(file));
        expect(back.size).toBe(named.length);
        for (const [key, value] of named) {
          expect(tensorIn(back.get(key)).shape).toEqual(tensorIn(value).shape);
          expect(tensorIn(back.get(key)).dataSync()).toEqual(tensorIn(value).dataSync());
        }
      }),
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['a number', 1, /save a Map/],
    ['a tensor without a name', tensor([1]), /save a Map/],
    ['a Map with a number', new Map([['a', 1]]), /\["a"\]: is not a tensor/],
    ['a Map with a number as a key', new Map([[1, tensor([1])]]), /1 is no name/],
    ['a tensor called __metadata__', new Map([['__metadata__', tensor([1])]]), /no name/],
  ])('%s is refused', async (_, value, message) => {
    await expectFailure(save(value, undefined, { format: 'safetensors' }), 'VALUE', message);
  });
});

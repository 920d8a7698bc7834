import { type DType, StateDict, tensor } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load, loadStateDict, save } from '../src/index.js';
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

  test.each(['F8_E4M3', 'F8_E5M2', 'U16', 'U32', 'U64', 'C64', 'F4'])(
    '%s is refused by the name of the tensor',
    async (dtype) => {
      const size = { U16: 4, U32: 8, U64: 16, C64: 16, F4: 1 }[dtype] ?? 2;
      const header = { 'a.weight': { dtype, shape: [2], data_offsets: [0, size] } };
      await expectFailure(load(file(header, size)), 'UNSUPPORTED', /a\.weight: has the dtype/);
    },
  );
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

// How tensors stand in a pickle: true ones, lying ones, and the forms that only some writers use.

import { describe, expect, test } from 'vitest';
import { load } from '../src/index.js';
import { archive, bytes, expectFailure, mapIn, py, tensorIn, torchFile } from './support.js';

const rebuild = (version: string) => py.name('torch._utils', `_rebuild_tensor${version}`);
const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

describe('geometry', () => {
  interface Lie {
    type?: string;
    numel?: number | bigint;
    offset?: number;
    size?: Uint8Array;
    stride?: Uint8Array;
    key?: string;
    data?: Uint8Array;
  }

  /** A file with one tensor, in truth float32 of shape [2, 2]. */
  const file = ({ type = 'FloatStorage', numel = 4, offset = 0, size, stride, key, data }: Lie) =>
    torchFile(
      py.pickle(
        py.call(
          rebuild('_v2'),
          py.storage(type, key ?? '0', numel),
          py.int(offset),
          size ?? py.ints(2, 2),
          stride ?? py.ints(2, 1),
          py.false,
          py.none,
        ),
      ),
      { 0: data ?? floats(0, 1, 2, 3) },
    );

  test('the truth', async () => {
    expect(tensorIn(await load(await file({}))).tolist()).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  const ones = py.ints(...Array<number>(65).fill(1));
  test.each<[string, Lie, RegExp]>([
    ['a size that leaves the storage', { size: py.ints(3, 2) }, /element 5 of a storage of 4/],
    ['a stride that leaves it', { stride: py.ints(3, 1) }, /reaches element 4/],
    ['an offset that leaves it', { offset: 1 }, /reaches element 4/],
    ['a negative size', { size: py.ints(-2, 2) }, /the shape of a tensor is not/],
    ['a negative stride', { stride: py.ints(-2, 1) }, /the strides of a tensor is not/],
    ['a negative offset', { offset: -1 }, /the offset of a tensor is not/],
    [
      'sizes that overflow',
      { size: py.ints(2n ** 40n, 2n ** 40n), stride: py.ints(0, 0) },
      /too many/,
    ],
    ['a stride that overflows', { stride: py.ints(2n ** 62n, 1) }, /the strides of a tensor/],
    ['more sizes than strides', { size: py.ints(2, 2, 1) }, /3 dims with 2 strides/],
    ['a size that is a text', { size: py.tuple(py.text('2')) }, /not a number of elements/],
    ['a shape that is a number', { size: py.int(4) }, /shape of a tensor is not a tuple/],
    ['65 dims', { size: ones, stride: ones }, /65 dims/],
    ['a longer storage than there is', { numel: 5 }, /has 16 bytes, but the pickle says 5/],
    ['a shorter storage than there is', { numel: 3 }, /element 3 of a storage of 3/],
    ['a huge storage', { numel: 2n ** 52n }, /has 16 bytes/],
    ['a negative storage', { numel: -4 }, /number of elements of a storage is not/],
    ['another dtype', { type: 'DoubleStorage' }, /has 16 bytes, but .* DoubleStorage, 32 bytes/],
    ['a missing storage', { key: '1' }, /archive\/data\/1: is named in the pickle, but missing/],
    ['a storage elsewhere', { key: '../version' }, /missing/],
    ['a storage class of no dtype', { type: 'UntypedStorage' }, /without a dtype/],
  ])('%s is refused', async (_, change, message) => {
    await expectFailure(load(await file(change)), 'CORRUPT', message);
  });

  test('stride 0 is legal, as is an empty tensor anywhere', async () => {
    const expanded = await load(await file({ size: py.ints(9, 2), stride: py.ints(0, 1) }));
    expect(tensorIn(expanded).shape).toEqual([9, 2]);
    const empty = await load(await file({ size: py.ints(0, 2), offset: 99 }));
    expect(tensorIn(empty).shape).toEqual([0, 2]);
  });

  test('a bool is 0 or 1, whatever the byte', async () => {
    const data = Uint8Array.of(0, 1, 2, 255);
    const flags = tensorIn(await load(await file({ type: 'BoolStorage', data })));
    expect([...flags.dataSync()]).toEqual([0, 1, 1, 1]);
  });
});

describe('forms', () => {
  const args = [py.int(1), py.ints(2), py.ints(1), py.false, py.none];
  const storage = py.storage('FloatStorage', '0', 3);
  const data = { 0: floats(5, 6, 7) };
  const read = async (value: Uint8Array, storages: Record<string, Uint8Array> = data) =>
    load(await torchFile(py.pickle(value), storages));

  test('_rebuild_tensor, without requires_grad', async () => {
    const value = py.call(rebuild(''), storage, ...args.slice(0, 3));
    expect(tensorIn(await read(value)).tolist()).toEqual([6, 7]);
  });

  test('_rebuild_tensor_v3 takes a dtype and a storage of bytes', async () => {
    const v3 = (dtype: string, numel: number) =>
      py.call(
        rebuild('_v3'),
        py.storage('UntypedStorage', '0', 12),
        py.int(0),
        py.ints(numel),
        py.ints(1),
        py.false,
        py.none,
        py.name('torch', dtype),
      );
    expect(tensorIn(await read(v3('float32', 3))).tolist()).toEqual([5, 6, 7]);
    await expectFailure(read(v3('float32', 4)), 'CORRUPT', /element 3 of a storage of 3/);
    await expectFailure(read(v3('float8_e5m2', 12)), 'UNSUPPORTED', /dtype float8_e5m2/);

    // Two dtypes over one storage alias each other's bytes.
    const both = mapIn(
      await read(bytes(py.dict, '(', py.int(1), v3('float32', 3), py.int(2), v3('uint8', 12), 'u')),
    );
    const [whole, raw] = [tensorIn(both.get(1)), tensorIn(both.get(2))];
    new Uint8Array(raw.storage.array.buffer).fill(0);
    expect(whole.tolist()).toEqual([0, 0, 0]);
    expect(raw.storage.writes).toBe(whole.storage.writes);
  });

  test('a pending negation is refused', async () => {
    const flags = bytes(py.dict, py.text('neg'), py.true, 's');
    const value = py.call(rebuild('_v2'), storage, ...args, flags);
    await expectFailure(read(value), 'UNSUPPORTED', /pending/);
  });

  test('tensors of torch_npu, whose last argument is a memory layout', async () => {
    const npu = py.name('torch_npu.utils.storage', '_rebuild_npu_tensor');
    const format = py.call(py.name('torch_npu.npu._format', 'Format'), py.int(30));
    expect(tensorIn(await read(py.call(npu, storage, ...args, format))).tolist()).toEqual([6, 7]);
  });

  test('tensors of devices without storages', async () => {
    const name = py.name('torch._utils', '_rebuild_device_tensor_from_cpu_tensor');
    const inner = py.call(rebuild('_v2'), storage, ...args);
    const value = (dtype: string) =>
      py.call(name, inner, py.name('torch', dtype), py.text('xla:0'), py.true);
    expect(tensorIn(await read(value('float32'))).requiresGrad).toBe(true);
    await expectFailure(read(value('bfloat16')), 'UNSUPPORTED', /bfloat16 tensor kept as float32/);
  });

  test('an integer tensor that claims to require a gradient', async () => {
    const value = py.call(
      rebuild('_v2'),
      py.storage('ByteStorage', '0', 12),
      py.int(0),
      py.ints(12),
      py.ints(1),
      py.true,
      py.none,
    );
    expect(tensorIn(await read(value)).requiresGrad).toBe(false);
  });

  test('bytes of a bool storage are what they are to other dtypes', async () => {
    const over = (dtype: string) =>
      py.call(
        rebuild('_v3'),
        py.storage('UntypedStorage', '0', 3),
        ...[py.int(0), py.ints(3), py.ints(1), py.false, py.none, py.name('torch', dtype)],
      );
    for (const order of [
      ['bool', 'uint8'],
      ['uint8', 'bool'],
    ]) {
      const list = await read(bytes('](', ...order.map(over), 'e'), { 0: bytes(0, 5, 1) });
      if (!Array.isArray(list)) throw new Error('is no list');
      const byName = new Map(list.map((item, i) => [order[i], tensorIn(item)]));
      expect([...(byName.get('uint8')?.dataSync() ?? [])]).toEqual([0, 5, 1]);
      expect([...(byName.get('bool')?.dataSync() ?? [])]).toEqual([0, 1, 1]);
    }
  });

  test('a big-endian storage under several dtypes', async () => {
    // 1.0, 2.0 as big-endian float32: the same bytes as integers, and one by one.
    const content = bytes(0x3f, 0x80, 0, 0, 0x40, 0, 0, 0);
    const over = (dtype: string, length: number) =>
      py.call(
        rebuild('_v3'),
        py.storage('UntypedStorage', '0', 8),
        ...[py.int(0), py.ints(length), py.ints(1), py.false, py.none, py.name('torch', dtype)],
      );
    const expected = {
      float32: [1, 2],
      int32: [0x3f800000, 0x40000000],
      int16: [0x3f80, 0, 0x4000, 0],
      uint8: [...content],
      int64: [0x3f80000040000000n],
      uint16: [0x3f80, 0, 0x4000, 0],
    };
    const kinds = Object.entries(expected);
    for (const order of [kinds, [...kinds].reverse()]) {
      const value = py.pickle(
        bytes('](', ...order.map(([dtype, { length }]) => over(dtype, length)), 'e'),
      );
      const entries = { 'a/data.pkl': value, 'a/byteorder': bytes('big'), 'a/data/0': content };
      const list = await load(await archive(entries));
      if (!Array.isArray(list)) throw new Error('is no list');
      for (const [i, [dtype, values]] of order.entries())
        expect([...tensorIn(list[i]).dataSync()], dtype).toEqual(values);
      // Those of one size share their bytes, as in a little-endian file.
      const [a, b] = ['float32', 'int32'].map((name) =>
        tensorIn(list[order.findIndex(([dtype]) => dtype === name)]),
      );
      expect(a.storage.array.buffer).toBe(b.storage.array.buffer);
      expect(a.storage.writes).toBe(b.storage.writes);
    }
  });

  test('NumPy arrays whose bytes are one object are apart', async () => {
    // Python keeps one object for all bytes of length 1.
    const dtype = py.call(py.name('numpy', 'dtype'), py.text('u1'), py.int(0), py.int(1));
    const array = bytes('h\x00', py.tuple(bytes('h\x01'), dtype, py.ints(1), py.text('C')), 'R');
    const value = bytes(
      ...[py.name('numpy.core.numeric', '_frombuffer'), 'q\x000'],
      ...[py.bytes(bytes(3)), 'q\x010'],
      ...['](', array, array, 'e'],
    );
    const list = await read(value);
    if (!Array.isArray(list)) throw new Error('is no list');
    const [first, second] = list.map(tensorIn);
    new Uint8Array(first.storage.array.buffer).fill(9);
    expect([first.tolist(), second.tolist()]).toEqual([[9], [3]]);
  });

  test('big-endian files', async () => {
    const swapped = floats(5, 6, 7).map((_, i, all) => all[i - (i % 4) + 3 - (i % 4)]);
    const value = py.pickle(py.call(rebuild('_v2'), storage, ...args));
    const entries = { 'a/data.pkl': value, 'a/byteorder': bytes('big'), 'a/data/0': swapped };
    expect(tensorIn(await load(await archive(entries))).tolist()).toEqual([6, 7]);
  });

  // What PyTorch 2.1 and later write; put together by hand, since 1.13 does not.
  test('records of newer files, and each element type of a big-endian one', async () => {
    const tensor = (type: string, key: string, numel: number) =>
      py.call(
        rebuild('_v2'),
        py.storage(type, key, numel),
        py.int(0),
        py.ints(numel),
        py.ints(1),
        py.false,
        py.none,
      );
    const value = (swap: boolean) =>
      archive({
        'model/data.pkl': py.pickle(
          bytes(
            '](',
            tensor('LongStorage', '0', 1),
            tensor('BFloat16Storage', '1', 2),
            tensor('BoolStorage', '2', 2),
            tensor('DoubleStorage', '3', 1),
            'e',
          ),
        ),
        'model/.format_version': bytes('1'),
        'model/.storage_alignment': bytes('64'),
        'model/byteorder': bytes(swap ? 'big' : 'little'),
        'model/data/0': swap ? bytes(0, 0, 1, 0, 0, 0, 0, 3) : bytes(3, 0, 0, 0, 0, 1, 0, 0),
        'model/data/1': swap ? bytes(0x3f, 0x80, 0xc0, 0) : bytes(0x80, 0x3f, 0, 0xc0),
        'model/data/2': bytes(1, 0),
        'model/data/3': swap
          ? bytes(0x3f, 0xf8, 0, 0, 0, 0, 0, 0)
          : bytes(0, 0, 0, 0, 0, 0, 0xf8, 0x3f),
        'model/version': bytes('3\n'),
        'model/.data/serialization_id': bytes('0636457737946401051300000000000000000000'),
      });
    for (const swap of [false, true]) {
      const list = (await load(await value(swap))) as unknown[];
      expect(list.map((item) => tensorIn(item).tolist())).toEqual([
        [2n ** 40n + 3n],
        [1, -2],
        [true, false],
        [1.5],
      ]);
    }
  });

  test('a bare tensor and a bare storage', async () => {
    expect(tensorIn(await read(py.call(rebuild('_v2'), storage, ...args))).shape).toEqual([2]);
    await expectFailure(read(storage), 'UNSUPPORTED', /bare storage/);
  });
});

describe('NumPy', () => {
  const dtype = (code: string, order = '<') =>
    bytes(
      py.call(py.name('numpy', 'dtype'), py.text(code), py.false, py.true),
      py.tuple(py.int(3), py.text(order)),
      'b',
    );
  const array = (type: Uint8Array, shape: Uint8Array, content: Uint8Array) =>
    bytes(
      py.call(py.name('numpy.core.multiarray', '_reconstruct')),
      py.tuple(py.int(1), shape, type, py.false, py.bytes(content)),
      'b',
    );
  const read = async (value: Uint8Array) => load(await torchFile(py.pickle(value)));

  test('arrays become tensors', async () => {
    const value = await read(array(dtype('f4'), py.ints(1, 2), floats(1, 2)));
    expect(tensorIn(value).tolist()).toEqual([[1, 2]]);
  });

  test.each<[string, Uint8Array, 'CORRUPT' | 'UNSUPPORTED', RegExp]>([
    ['too few bytes', array(dtype('f4'), py.ints(3), floats(1, 2)), 'CORRUPT', /with 8 bytes/],
    ['a negative size', array(dtype('f4'), py.ints(-1), floats()), 'CORRUPT', /shape/],
    ['no dtype', array(py.none, py.ints(1), floats(1)), 'CORRUPT', /without a dtype/],
    ['texts', array(dtype('U1'), py.ints(1), floats(1)), 'UNSUPPORTED', /U1/],
    ['objects', array(dtype('O8'), py.ints(1), floats(1)), 'UNSUPPORTED', /O8/],
    ['a dtype of Object', array(dtype('constructor'), py.ints(1), floats(1)), 'UNSUPPORTED', /con/],
    ['a bare dtype', dtype('f4'), 'UNSUPPORTED', /not an array/],
    [
      'an array without contents',
      py.call(py.name('numpy.core.multiarray', '_reconstruct')),
      'UNSUPPORTED',
      /not an array/,
    ],
  ])('%s', async (_, value, code, message) => {
    await expectFailure(read(value), code, message);
  });
});

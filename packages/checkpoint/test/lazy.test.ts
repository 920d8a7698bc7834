// Only what is asked for is read.

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tensor } from '@voxgrad/core';
import { afterAll, describe, expect, test } from 'vitest';
import { inspect, load, loadStateDict, save } from '../src/index.js';
import {
  bytes,
  expectFailure,
  fixture,
  mapIn,
  py,
  python,
  runPython,
  stopPython,
  tensorIn,
  u64,
} from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

/** A Blob that takes note of what is read of it. */
class CountingBlob extends Blob {
  reads = 0;
  total = 0;

  override slice(begin = 0, end = this.size): Blob {
    this.reads++;
    this.total += end - begin;
    return super.slice(begin, end);
  }
}

const COUNT = 300;
const FLOATS = 16384;

const content = async (value: unknown) => Uint8Array.from(await save(value));

/** `COUNT` tensors of `FLOATS` float32 each, number i full of i. */
const weights = () =>
  new Map(
    Array.from({ length: COUNT }, (_, i) => [
      `layer${i}.weight`,
      tensor(new Float32Array(FLOATS).fill(i)),
    ]),
  );

const legacy = (lengths: readonly number[]) => {
  const entry = (floats: number, i: number) =>
    bytes(
      py.text(`layer${i}.weight`),
      py.name('torch._utils', '_rebuild_tensor_v2'),
      '(',
      py.tuple(
        py.text('storage'),
        py.name('torch', 'FloatStorage'),
        py.text(String(i)),
        py.text('cpu'),
        py.int(floats),
        py.none,
      ),
      'Q',
      py.int(0),
      py.ints(floats),
      py.ints(1),
      py.false,
      py.none,
      'tR',
    );
  return [
    py.pickle(bytes(0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19)),
    py.pickle(bytes('M', 0xe9, 0x03)),
    py.pickle(py.dict),
    py.pickle(bytes('}(', ...lengths.map(entry), 'u')),
    py.pickle(bytes('](', ...lengths.map((_, i) => py.text(String(i))), 'e')),
  ];
};

describe('a zip file', () => {
  test('is listed from its directory and data.pkl', async () => {
    const blob = new CountingBlob([await content(weights())]);
    const { tensors } = await inspect(blob);
    expect(tensors).toHaveLength(COUNT);
    // One header shows where all storages begin.
    expect(blob.reads).toBeLessThan(20);
    expect(blob.total).toBeLessThan(blob.size / 50);
  });

  test('one tensor is read without the rest, and all in one pass', async () => {
    const blob = new CountingBlob([await content({ model: weights(), other: weights() })]);
    const only = await loadStateDict(blob, { only: ['layer7.weight'] });
    expect([...only.keys()]).toEqual(['layer7.weight']);
    expect(new Set(Array.from(tensorIn(only.get('layer7.weight')).dataSync(), Number))).toEqual(
      new Set([7]),
    );
    expect(blob.total).toBeLessThan(FLOATS * 4 + blob.size / 50);

    blob.total = blob.reads = 0;
    const model = await loadStateDict(blob);
    expect(model.size).toBe(COUNT);
    expect(blob.total).toBeLessThan(blob.size / 2 + blob.size / 50);
    // Neighbours are read together.
    expect(blob.reads).toBeLessThan(COUNT / 10);
  });

  test('the places it lists are where the numbers are', async () => {
    const bytesOfFile = await save(weights());
    for (const content of [
      bytesOfFile,
      fixture('checkpoint.pt'),
      fixture('dtypes.pt'),
      fixture('checkpoint_legacy.pt'),
    ]) {
      const all = mapIn(await load(content));
      const { tensors } = await inspect(content);
      expect(tensors.length).toBe(all.size);
      for (const { name, bytes: place, strides } of tensors) {
        if (strides !== undefined || place === undefined) continue;
        const own = tensorIn(all.get(name)).dataSync();
        const raw = new Uint8Array(own.buffer, own.byteOffset, own.byteLength);
        expect(Buffer.compare(content.slice(...place), raw), name).toBe(0);
      }
    }
  });
});

test.each(['safetensors', 'npz'] as const)('neighbours in %s are read together', async (format) => {
  const blob = new CountingBlob([Uint8Array.from(await save(weights(), undefined, { format }))]);
  const { tensors } = await inspect(blob);
  blob.reads = blob.total = 0;
  const names = tensors.slice(0, COUNT / 2).map(({ name }) => name);
  const dict = await loadStateDict(blob, { only: names });
  for (const name of names) {
    const own = tensorIn(dict.get(name));
    // Alone in its buffer: who changes or transfers it changes no other.
    expect(own.storage.array.buffer.byteLength).toBe(FLOATS * 4);
    expect(new Set(Array.from(own.dataSync(), Number))).toEqual(
      new Set([Number(/\d+/.exec(name))]),
    );
  }
  // A .npz file has a header before each array, which is read when it is opened.
  expect(blob.reads).toBeLessThan(format === 'npz' ? 1.1 * COUNT : COUNT / 10);
  if (format === 'safetensors') expect(blob.total).toBeLessThan(blob.size * 0.6);
});

describe('small parts of large storages', () => {
  const value = () => {
    const large = tensor(Float32Array.from({ length: 2 ** 20 }, (_, i) => i));
    return { first: large.narrow(0, 5, 3), next: large.narrow(0, 7, 10), large };
  };

  test('are read without the rest, and still share memory', async () => {
    const blob = new CountingBlob([await content(value())]);
    const large = 4 * 2 ** 20;
    const all = mapIn(await load(blob, { only: ['first', 'next'] }));
    expect([...all.keys()]).toEqual(['first', 'next']);
    expect(blob.total).toBeLessThan(large / 10);
    const [first, next] = [tensorIn(all.get('first')), tensorIn(all.get('next'))];
    expect(first.tolist()).toEqual([5, 6, 7]);
    expect(next.tolist()).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    expect(next.storage).toBe(first.storage);
  });

  test('are checked with the whole if all is read', async () => {
    const whole = await save(value());
    const { tensors } = await inspect(whole);
    const [, end] = tensors.find(({ name }) => name === 'large')?.bytes ?? [0, 0];
    whole[end - 1] ^= 1;
    await expectFailure(load(whole), 'CORRUPT', /checksum/);
    await expectFailure(load(whole, { only: ['large'] }), 'CORRUPT', /checksum/);
    expect(mapIn(await load(whole, { only: /first/ })).size).toBe(1);
  });
});

describe('a file of 5 GB', () => {
  const FIVE_GB = 5 * 2 ** 30;

  test('of the legacy format lists, and gives its last tensor', async () => {
    const lengths = [FIVE_GB / 4, 3];
    const head = bytes(...legacy(lengths));
    const path = file('legacy.pt');
    writeFileSync(path, head);
    const handle = await open(path, 'r+');
    // The first storage is a hole in the file.
    const second = head.length + 8 + FIVE_GB;
    await handle.write(u64(lengths[0]), 0, 8, head.length);
    await handle.write(u64(lengths[1]), 0, 8, second);
    await handle.write(new Uint8Array(Float32Array.of(3, 4, 5).buffer), 0, 12, second + 8);
    await handle.close();
    expect(statSync(path).size).toBeGreaterThan(FIVE_GB);
    const { tensors } = await inspect(path);
    expect(tensors.map(({ name, shape, bytes: place }) => [name, shape, place?.[0]])).toEqual([
      ['layer0.weight', [lengths[0]], head.length + 8],
      ['layer1.weight', [3], second + 8],
    ]);
    // All of it would be more than one buffer can be.
    const dict = await loadStateDict(path, { only: ['layer1.weight'] });
    expect([...dict.keys()]).toEqual(['layer1.weight']);
    expect(tensorIn(dict.get('layer1.weight')).tolist()).toEqual([3, 4, 5]);
  });

  test.skipIf(python === undefined)('of a zip archive lists, and gives a tensor', async () => {
    // PyTorch writes the description; the large storage is a hole in the file.
    const path = file('large.pt');
    await runPython(
      `
import io, struct, sys, torch, zipfile
buffer = io.BytesIO()
torch.save({"large": torch.zeros(3), "small": torch.arange(4.)}, buffer)
source = zipfile.ZipFile(buffer)
names = source.namelist()
size = 5 * 2**30
with open(sys.argv[1], "wb") as out:
    central = b""
    for name in names:
        data = source.read(name)
        if name.endswith("data.pkl"):
            # 3 elements become 5 GB of them: BININT1 3 as LONG1, in the storage and the shape.
            data = data.replace(b"K\\x03", b"\\x8a\\x05" + struct.pack("<q", size // 4)[:5])
        length = size if name.endswith("data/0") else len(data)
        at, raw = out.tell(), name.encode()
        crc = 0 if length == size else zipfile.crc32(data)
        extra = struct.pack("<HHQQ", 1, 16, length, length)
        out.write(struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0, 0, 0, 0, crc, 2**32-1, 2**32-1, len(raw), len(extra)) + raw + extra)
        if length == size: out.seek(length, 1)
        else: out.write(data)
        more = struct.pack("<HHQQQ", 1, 24, length, length, at)
        central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0, 0, 0, 0, crc, 2**32-1, 2**32-1, len(raw), len(more), 0, 0, 0, 0, 2**32-1) + raw + more
    at = out.tell()
    out.write(central)
    end = out.tell()
    out.write(struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, len(names), len(names), len(central), at))
    out.write(struct.pack("<IIQI", 0x07064b50, 0, end, 1))
    out.write(struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 65535, 65535, 2**32-1, 2**32-1, 0))
`,
      path,
    );
    expect(statSync(path).size).toBeGreaterThan(FIVE_GB);
    const { tensors } = await inspect(path);
    expect(tensors.map(({ name, shape }) => [name, shape])).toEqual([
      ['large', [FIVE_GB / 4]],
      ['small', [4]],
    ]);
    const all = mapIn(await load(path, { only: ['small'] }));
    expect(tensorIn(all.get('small')).tolist()).toEqual([0, 1, 2, 3]);
  });
});

describe('only', () => {
  const some = () =>
    save({
      model: { 'conv.weight': tensor([1]), 'conv.bias': tensor([2]) },
      list: [tensor([3]), tensor([4])],
    });

  test('takes names, patterns and functions', async () => {
    const keys = async (only: Parameters<typeof load>[1]) => [
      ...mapIn(mapIn(await load(await some(), only)).get('model')).keys(),
    ];
    expect(await keys({ only: ['model.conv.bias'] })).toEqual(['conv.bias']);
    expect(await keys({ only: /bias$/g })).toEqual(['conv.bias']);
    expect(await keys({ only: (name) => name.startsWith('model.') })).toHaveLength(2);
    expect(await keys({ only: [] })).toEqual([]);
    const { only } = { only: ['list.1'] };
    expect(mapIn(await load(await some(), { only })).get('list')).toEqual([
      null,
      expect.anything(),
    ]);
  });

  test('names what is not there, with the nearest that is', async () => {
    await expectFailure(
      load(await some(), { only: ['conv.bias'] }),
      'VALUE',
      /no tensor "conv\.bias"; did you mean "model\.conv\.bias"\?/,
    );
    await expectFailure(
      loadStateDict(await some(), { only: ['conv.wieght'] }),
      'VALUE',
      /no tensor "conv\.wieght"; did you mean "conv\.weight"\?/,
    );
    await expectFailure(
      load(await some(), { only: ['x'] }),
      'VALUE',
      /there are "model\.conv\.weight", /,
    );
    await expectFailure(load(await some(), { only: 3 as never }), 'VALUE', /takes a list of/);
  });
});

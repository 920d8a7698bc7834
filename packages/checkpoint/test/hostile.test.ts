// Files that are broken, cut or made to do harm: each throws a CheckpointError, and soon.

import { Tensor } from '@voxgrad/core';
import { describe, expect, test } from 'vitest';
import { CheckpointError, load } from '../src/index.js';
import { archive, bytes, entriesOf, expectFailure, failure, fixture, tensorIn } from './support.js';

const FILES = [
  'checkpoint.pt',
  'checkpoint_legacy.pt',
  'checkpoint.safetensors',
  'training_checkpoint.pt',
  'dtypes.pt',
];

describe.each(FILES)('%s', (name) => {
  const whole = fixture(name);

  test('cut short anywhere is refused', async () => {
    for (let length = 0; length < whole.length; length += 37)
      await failure(load(whole.subarray(0, length)));
  });

  test('with a flipped byte loads or is refused', async () => {
    const step = Math.ceil(whole.length / 600) | 1;
    for (let at = 0; at < whole.length; at += step) {
      for (const flip of [0x01, 0xff]) {
        const damaged = whole.slice();
        damaged[at] ^= flip;
        await loadOrRefuse(damaged);
      }
    }
  });

  test('with a run of bytes overwritten loads or is refused', async () => {
    for (let at = 0; at < whole.length; at += 41) {
      const damaged = whole.slice();
      damaged.fill(0xff, at, at + 8);
      await loadOrRefuse(damaged);
    }
  });
});

/** Loads tensors that stay within their storages, or throws a CheckpointError. */
async function loadOrRefuse(file: Uint8Array): Promise<void> {
  try {
    checkTensors(await load(file, { onUnreadable() {} }));
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
  }
}

function checkTensors(value: unknown): void {
  if (value instanceof Map) for (const item of value.values()) checkTensors(item);
  if (!(value instanceof Tensor) || value.numel === 0) return;
  const { shape, strides, offset, storage } = value;
  const last = shape.reduce((index, size, axis) => index + (size - 1) * strides[axis], offset);
  if (offset < 0 || last >= storage.length || !Number.isInteger(last))
    throw new Error(`a tensor reaches element ${last} of ${storage.length}`);
}

test('flipped bytes in data.pkl, past the checksum, load or are refused', async () => {
  const entries = await entriesOf(fixture('training_checkpoint.pt'));
  const name = Object.keys(entries).find((entry) => entry.endsWith('data.pkl')) ?? '';
  for (let at = 0; at < entries[name].length; at += 29) {
    const damaged = entries[name].slice();
    damaged[at] ^= 1 << (at % 8);
    await loadOrRefuse(await archive({ ...entries, [name]: damaged }));
  }
});

test('a damaged weight is noticed by its checksum', async () => {
  const file = fixture('checkpoint.pt');
  const dict = await load(file);
  const weight = tensorIn(dict instanceof Map ? dict.get('conv.weight') : undefined);
  const inside = Buffer.from(file).indexOf(Buffer.from(weight.storage.array.buffer));
  file[inside + 5] ^= 4;
  await expectFailure(load(file), 'CORRUPT', /checkpoint\/data\/0: is damaged: its checksum/);
});

test('an archive written without checksums is read', async () => {
  // torch.serialization.set_crc32_options(False) leaves other numbers in all checksum fields.
  const file = await archive({
    'a/data.pkl': bytes(0x80, 2, 'K', 7, '.'),
    'a/byteorder': bytes('little'),
    'a/version': bytes('3\n'),
  });
  const view = new DataView(file.buffer);
  for (let at = 0; at + 4 <= file.length; at++) {
    const signature = view.getUint32(at, true);
    const field = { 67324752: 14, 33639248: 16, 134695760: 4 }[signature];
    if (field !== undefined) view.setUint32(at + field, 0x12345678, true);
  }
  expect(await load(file)).toBe(7);
});

describe('zip archives', () => {
  test.each<[string, Record<string, Uint8Array>, RegExp]>([
    ['without data.pkl', { 'a/b.txt': bytes('x') }, /no data\.pkl, but a\/b\.txt/],
    ['of nothing', {}, /but nothing/],
  ])('%s are named', async (_, entries, message) => {
    await expectFailure(load(await archive(entries)), 'FORMAT', message);
  });

  test('data.pkl without a folder, in any folder, and after other entries', async () => {
    const pickle = bytes(0x80, 2, 'K', 1, '.');
    for (const name of ['data.pkl', 'my model é/data.pkl'])
      expect(await load(await archive({ 'x/y/data.pkl': bytes('no'), [name]: pickle }))).toBe(1);
  });

  test('an entry twice', async () => {
    const file = await archive({ 'a/data.pkl': bytes('.'), 'b/data.pkl': bytes('.') });
    const renamed = Buffer.from(file).toString('latin1').replaceAll('b/data.pkl', 'a/data.pkl');
    await failure(load(Uint8Array.from(Buffer.from(renamed, 'latin1'))));
  });

  test('a bomb is refused before it is unpacked', async () => {
    const zeros = new Uint8Array(8 * 2 ** 20);
    const file = await archive({ 'a/data.pkl': zeros, 'a/data/0': zeros }, { level: 9 });
    expect(file.length).toBeLessThan(1e6);
    // As if each entry held 2 GiB.
    const view = new DataView(file.buffer);
    for (let at = 0; at + 4 <= file.length; at++)
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 0x7fffffff, true);
    await expectFailure(load(file), 'LIMIT', /has 2147483647 bytes, more than the/);
  });

  test('an entry that holds more or less than it announces', async () => {
    for (const size of [10, 5000]) {
      const file = await archive({ 'a/data.pkl': new Uint8Array(1000) }, { level: 9 });
      const view = new DataView(file.buffer);
      for (let at = 0; at + 4 <= file.length; at++)
        if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
      await expectFailure(load(file), 'CORRUPT', /a\/data\.pkl/);
    }
  });

  test('a byte order that is none', async () => {
    const entries = { 'a/data.pkl': bytes(0x80, 2, 'N.'), 'a/byteorder': bytes('middle') };
    await expectFailure(load(await archive(entries)), 'CORRUPT', /says "middle"/);
  });
});

// Files that are broken, cut or made to do harm: each throws a CheckpointError, and soon.

import { StateDict, Tensor, tensor, zeros } from '@voxgrad/core';
import { describe, expect, test } from 'vitest';
import { CheckpointError, inspect, load, loadStateDict, save } from '../src/index.js';
import {
  archive,
  bytes,
  entriesOf,
  expectFailure,
  failure,
  fixture,
  mapIn,
  py,
  tensorIn,
  torchFile,
  u64,
} from './support.js';

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
    await expectFailure(load(file), 'LIMIT', /data\.pkl: has 2147483647 bytes, more than/);
  });

  test('what is trusted may expand', async () => {
    const values = zeros([2 ** 20], { dtype: 'float32' });
    const packed = await entriesOf(await save(values.reshape([-1])));
    const file = await archive(packed, { level: 9 });
    expect(tensorIn(await load(file)).numel).toBe(2 ** 20);
    await expectFailure(
      load(file, { expansionLimit: 2 ** 20 }),
      'LIMIT',
      /data\/0: loading this file of \d+ bytes takes \d+ bytes or more.*expansionLimit/,
    );
    // Its list takes nothing of it.
    expect((await inspect(file, { expansionLimit: 2 ** 20 })).tensors).toHaveLength(1);
    await expectFailure(load(file, { expansionLimit: -1 }), 'VALUE', /takes a number of bytes/);
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

describe('names that mean something to JavaScript are names', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'then'];
  const some = () => new Map(NAMES.map((name, i) => [name, tensor([i])]));
  const expectNames = (value: unknown) => {
    const map = mapIn(value);
    expect([...map.keys()].sort()).toEqual([...NAMES].sort());
    for (const [i, name] of NAMES.entries()) expect(tensorIn(map.get(name)).tolist()).toEqual([i]);
    expect(Object.getPrototypeOf(map)).not.toBe(map.get('__proto__'));
    expect({}).not.toHaveProperty('polluted');
  };

  test.each(['torch', 'safetensors', 'npz'] as const)('of tensors in %s', async (format) => {
    const file = Uint8Array.from(await save(some(), undefined, { format }));
    expectNames(await load(file));
    expectNames(await loadStateDict(file));
    const { tensors } = JSON.parse(JSON.stringify(await inspect(file)));
    expect(tensors.map(({ name }: { name: string }) => name).sort()).toEqual([...NAMES].sort());
  });

  test('of dicts, attributes and facts in a pickle', async () => {
    const names = NAMES.map((name) => bytes(py.text(name), py.text('polluted')));
    const dict = bytes('}(', ...names, 'u');
    const values = await load(
      await torchFile(
        py.pickle(
          bytes(
            '](',
            dict,
            bytes(py.call(py.name('argparse', 'Namespace')), dict, 'b'),
            // The _metadata of a state dict: module, fact, value.
            bytes(
              py.call(py.name('collections', 'OrderedDict')),
              bytes('}', py.text('_metadata'), bytes('}', py.text('__proto__'), dict, 's'), 's'),
              'b',
            ),
            'e',
          ),
        ),
      ),
    );
    if (!Array.isArray(values)) throw new Error('is no list');
    const [plain, namespace, state] = values;
    for (const map of [plain, namespace])
      expect([...mapIn(map)]).toEqual(NAMES.map((name) => [name, 'polluted']));
    if (!(state instanceof StateDict)) throw new Error('is no state dict');
    const facts = state.metadata?.get('__proto__') ?? {};
    expect(Object.getPrototypeOf(facts)).toBe(Object.prototype);
    expect(Object.keys(facts).sort()).toEqual([...NAMES].sort());
    expect({}).not.toHaveProperty('polluted');
  });

  test('of texts beside the tensors of safetensors', async () => {
    const text = `{"__metadata__":{${NAMES.map((name) => `"${name}":"polluted"`)}}}`;
    const file = bytes(u64(text.length), text);
    const { metadata = {} } = await inspect(file);
    expect(Object.entries(metadata)).toEqual(NAMES.map((name) => [name, 'polluted']));
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  test('of weights and layers of TensorFlow.js', async () => {
    const weights = NAMES.map((name) => ({ name: `${name}/kernel`, shape: [1], dtype: 'uint8' }));
    const layers = NAMES.map((name) => ({ class_name: name, config: { name } }));
    const file = {
      'model.json': bytes(
        JSON.stringify({
          modelTopology: { model_config: { config: { layers } } },
          weightsManifest: [{ paths: ['w'], weights }],
        }),
      ),
      w: bytes(...NAMES.map((_, i) => i)),
    };
    const dict = mapIn(await load(file));
    expect([...dict.keys()]).toEqual(NAMES.map((name) => `${name}.kernel`));
  });
});

describe('no path leaves the archive or folder', () => {
  test.each(['../data', '/data', '..\\data'])('a storage under the key %s', async (key) => {
    const tensorOf = py.call(
      py.name('torch._utils', '_rebuild_tensor_v2'),
      py.storage('FloatStorage', key, 1),
      py.int(0),
      py.ints(1),
      py.ints(1),
      py.false,
      py.none,
    );
    // Entries are looked up by their whole name, and nothing else is opened.
    await expectFailure(
      load(await torchFile(py.pickle(tensorOf))),
      'CORRUPT',
      /missing from the arch/,
    );
    const own = await torchFile(py.pickle(tensorOf), { [key]: new Uint8Array(4) });
    expect(tensorIn(await load(own)).tolist()).toEqual([0]);
  });

  test.each(['../w', '/etc/passwd', 'a/../../w', 'C:\\w', 'http://localhost/w'])(
    'a shard called %s',
    async (path) => {
      const weights = [{ name: 'a', shape: [1], dtype: 'uint8' }];
      const file = {
        'model.json': bytes(
          JSON.stringify({
            modelTopology: { config: [] },
            weightsManifest: [{ paths: [path], weights }],
          }),
        ),
        [path]: bytes(1),
      };
      await expectFailure(load(file), 'REFUSED', /leads out of the folder/);
    },
  );
});

describe('checksums', () => {
  const entries = (more: Record<string, Uint8Array>) =>
    archive({ 'a/data.pkl': bytes(0x80, 2, 'K', 7, '.'), ...more, 'a/version': bytes('3\n') });

  /** `file` with another checksum of every entry that `which` chooses, by its number. */
  function withWrong(file: Uint8Array, which: (i: number) => boolean): Uint8Array {
    const view = new DataView(file.buffer);
    let i = 0;
    for (let at = 0; at + 46 <= file.length; at++)
      if (view.getUint32(at, true) === 0x02014b50 && which(i++))
        view.setUint32(at + 16, view.getUint32(at + 16, true) ^ 5, true);
    return file;
  }

  test('that are all wrong were never computed', async () => {
    const file = await entries({ 'a/byteorder': bytes('little') });
    expect(await load(withWrong(file, () => true))).toBe(7);
  });

  test.each([0, 1, 2])('of which one is wrong, number %i, are noticed', async (wrong) => {
    const file = await entries({ 'a/byteorder': bytes('little') });
    await expectFailure(load(withWrong(file, (i) => i === wrong)), 'CORRUPT', /is damaged/);
  });

  test('that are all wrong in a file of a version that always computes them', async () => {
    await expectFailure(load(withWrong(await entries({}), () => true)), 'CORRUPT', /is damaged/);
  });
});

test('a legacy file written on a big-endian machine says so, and is little-endian', () => {
  // `_legacy_save` notes the machine's byte order in its third pickle, and writes all numbers
  // little-endian (torch/serialization.py; THPStorage_writeFileRaw in torch/csrc/serialization.cpp).
  const file = fixture('checkpoint_legacy.pt');
  const at = Buffer.from(file).indexOf('little_endian') + 'little_endian'.length;
  const flag = file.indexOf(0x88, at);
  expect(flag - at).toBeLessThan(8);
  const other = file.with(flag, 0x89);
  return Promise.all([load(file), load(other)]).then(([honest, big]) => {
    for (const [name, value] of mapIn(honest))
      expect(tensorIn(mapIn(big).get(name)).tolist()).toEqual(tensorIn(value).tolist());
  });
});

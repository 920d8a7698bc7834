// The format before PyTorch 0.2, which no PyTorch that runs today writes: the files are put together
// here from the description in `legacy_load` (torch/serialization.py), and PyTorch 1.13, which still
// reads it, says what they hold.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CheckpointError, inspect, load, loadStateDict } from '../src/index.js';
import {
  expectFailure,
  failure,
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
const path = join(folder, 'old.pth');

if (python === undefined)
  console.warn('PyTorch is not installed (apt-get install python3-torch): its tests are skipped');

/** Writes the file and prints what PyTorch reads from it. */
const WRITE = `
import io, json, pickle, struct, sys, tarfile, torch
from collections import OrderedDict

class Key:  # stands for a tensor or storage, as persistent ids do
    def __init__(self, key): self.key = key

class Pickler(pickle._Pickler):
    def persistent_id(self, obj): return str(obj.key) if isinstance(obj, Key) else None

def dump(obj):
    out = io.BytesIO(); Pickler(out, 2).dump(obj); return out.getvalue()

storages = [  # key, class, numbers
    (94520000000001, torch.FloatStorage, "f", [0.5, 1, 2, 3, 4, 5]),
    (94520000000002, torch.LongStorage, "q", [2**40, -1]),
    (94520000000003, torch.DoubleStorage, "d", [0.1]),
]
data = dump(len(storages))
for key, cls, code, numbers in storages:
    # The class is named as a global; torch pickles it as torch.FloatStorage.
    entry = b"\\x80\\x02(" + b"\\x8a\\x08" + struct.pack("<q", key) + b"X\\x03\\x00\\x00\\x00cpuc" + f"torch\\n{cls.__name__}\\n".encode() + b"t."
    data += entry + struct.pack("<q", len(numbers)) + struct.pack(f"<{len(numbers)}{code}", *numbers)
data += dump([(94520000000009, 94520000000001, 2, 3)])  # a view: elements 2, 3, 4 of the first

tensors = [  # key, storage, sizes, strides, offset
    (1, 94520000000001, (2, 3), (1, 2), 0), (2, 94520000000002, (2,), (1,), 0),
    (3, 94520000000003, (1,), (1,), 0), (4, 94520000000009, (2,), (1,), 1), (5, 94520000000001, (3,), (1,), 3),
]
geometry = dump(len(tensors))
for key, storage, sizes, strides, offset in tensors:
    geometry += b"\\x80\\x02(" + b"\\x8a\\x08" + struct.pack("<q", key) + b"\\x8a\\x08" + struct.pack("<q", storage) + b"ctorch\\nFloatTensor\\nt."
    n = len(sizes)
    geometry += struct.pack(f"<i4x{n}q{n}qq", n, *sizes, *strides, offset)

value = OrderedDict([("a.weight", Key(1)), ("long", Key(2)), ("double", Key(3)), ("view", Key(4)), ("alias", Key(5)), ("again", Key(1))])
members = [("sys_info", dump({"protocol_version": 1000, "little_endian": True})), ("pickle", dump(value)), ("tensors", geometry), ("storages", data)]
with tarfile.open(sys.argv[1], "w:", format=tarfile.PAX_FORMAT) as tar:
    for name, content in members:
        info = tarfile.TarInfo(name); info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
print(json.dumps({k: [str(v.dtype)[6:], list(v.stride()), v.tolist()] for k, v in torch.load(sys.argv[1]).items()}))
`;

describe.skipIf(python === undefined)('a tar archive', () => {
  let torch: Record<string, [string, number[], unknown]>;
  beforeAll(async () => {
    torch = JSON.parse(await runPython(WRITE, path));
  }, 120_000);

  test('holds what PyTorch reads from it', async () => {
    const dict = await loadStateDict(path);
    expect([...dict.keys()]).toEqual(Object.keys(torch));
    for (const [name, [dtype, strides, values]] of Object.entries(torch)) {
      const tensor = tensorIn(dict.get(name));
      expect([tensor.dtype, tensor.strides], name).toEqual([dtype, strides]);
      const own = [tensor.tolist()].flat(9).map(Number);
      expect(own, name).toEqual([values].flat(9));
    }
    expect(dict.get('a.weight')).toBe(dict.get('again'));
    expect(dict.get('alias')?.storage).toBe(dict.get('a.weight')?.storage);
    expect(dict.get('view')?.storage).toBe(dict.get('a.weight')?.storage);
  });

  test('is listed with the places of its numbers', async () => {
    const { format, tensors } = await inspect(path);
    expect(format).toBe('torch-tar');
    const place = tensors.find(({ name }) => name === 'long');
    const [begin, end] = place?.bytes ?? [0, 0];
    const content = Uint8Array.from(readFileSync(path));
    expect(new BigInt64Array(content.slice(begin, end).buffer)).toEqual(
      BigInt64Array.of(2n ** 40n, -1n),
    );
    expect(place?.entry).toBe('storages');
  });

  test('cut or changed anywhere, loads or is refused', async () => {
    const whole = Uint8Array.from(readFileSync(path));
    const end = whole.length;
    for (let at = 0; at < end; at += 37) {
      for (const damaged of [
        whole.slice(0, at),
        whole.with(at, 255),
        whole.with(at, whole[at] ^ 1),
      ]) {
        try {
          mapIn(await load(damaged, { onUnreadable() {} }));
        } catch (error) {
          if (!(error instanceof CheckpointError || /expected a Map/.test(String(error))))
            throw error;
        }
      }
    }
    await failure(load(whole.slice(0, 3000)));
  });
});

test('other tar archives are named', async () => {
  const file = new Uint8Array(2048);
  file.set(new TextEncoder().encode('folder/weights.txt'), 0);
  file.set(new TextEncoder().encode('00000000003'), 124);
  file.set(new TextEncoder().encode('ustar'), 257);
  // The checksum of a header is the sum of its bytes, its own eight counted as spaces.
  file.fill(0x20, 148, 156);
  const sum = file.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  file.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  await expectFailure(
    load(file),
    'FORMAT',
    /tar archive.*no member "storages", but folder\/weights/,
  );
});

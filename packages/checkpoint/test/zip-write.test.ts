// The archives that are written, against a description of the format and Python's own reader.

import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zeros } from '@voxgrad/core';
import { afterAll, describe, expect, test } from 'vitest';
import { dataStart, readDirectory, readEntry } from '../src/archive.js';
import { inspect, save } from '../src/index.js';
import { Source } from '../src/source.js';
import { pump } from '../src/write/pump.js';
import { type ZipEntry, zipContents } from '../src/write/zip.js';
import { python, runPython, stopPython } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

const LONG = Number(process.env.VOXGRAD_RUNS ?? 1) > 1;

const MIB = 2 ** 20;
const ZEROS = new Uint8Array(4 * MIB);

/** An entry of zeros, which are made as they are asked for. */
const zeroEntry = (name: string, size: number): ZipEntry => ({
  name,
  size,
  *pieces() {
    for (let at = 0; at < size; at += ZEROS.length) yield ZEROS.subarray(0, size - at);
  },
});

const textEntry = (name: string, text: string): ZipEntry => {
  const bytes = new TextEncoder().encode(text);
  return { name, size: bytes.length, pieces: () => [bytes] };
};

/** The archive of `entries` as a source; of its pieces, the long ones must be zeros and are not kept. */
async function archiveOf(entries: readonly ZipEntry[]): Promise<Source> {
  const { size, pieces } = zipContents(entries);
  const runs: { at: number; parts: Uint8Array[] }[] = [];
  let at = 0;
  let inRun = false;
  const write = async (batch: Uint8Array[]) => {
    for (const bytes of batch) {
      const keep = bytes.buffer !== ZEROS.buffer;
      if (keep && !inRun) runs.push({ at, parts: [] });
      if (keep) runs.at(-1)?.parts.push(bytes.slice());
      inRun = keep;
      at += bytes.length;
    }
  };
  await pump({ size, pieces, storages: [] }, write, {});
  expect(at).toBe(size);
  const kept = runs.map((run) => ({ at: run.at, bytes: new Uint8Array(Buffer.concat(run.parts)) }));
  const fill = async (target: Uint8Array, offset: number) => {
    target.fill(0);
    for (const { at, bytes } of kept) {
      const part = bytes.subarray(
        Math.max(0, offset - at),
        Math.max(0, offset + target.length - at),
      );
      if (part.length > 0) target.set(part, Math.max(0, at - offset));
    }
    return target.length;
  };
  return new Source('the archive', { size, fill });
}

describe('beyond 4 GiB', () => {
  test('sizes and offsets are in zip64 records', { timeout: 300_000 }, async () => {
    const source = await archiveOf([
      textEntry('before', 'a'),
      zeroEntry('just below', 2 ** 32 - 2),
      zeroEntry('at the limit', 2 ** 32 - 1),
      textEntry('after', 'b'),
    ]);
    expect(source.size).toBeGreaterThan(2 ** 33);
    const entries = await readDirectory(source);
    expect(
      [...entries].map(([name, { uncompressedSize, offset }]) => [
        name,
        uncompressedSize,
        offset > 2 ** 32,
      ]),
    ).toEqual([
      ['before', 1, false],
      ['just below', 2 ** 32 - 2, false],
      ['at the limit', 2 ** 32 - 1, true],
      ['after', 1, true],
    ]);
    for (const [name, text] of [
      ['before', 'a'],
      ['after', 'b'],
    ] as const) {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error(`${name} is missing`);
      const bytes = await readEntry(source, entry, { checksum: true });
      expect(new TextDecoder().decode(bytes)).toBe(text);
      expect((await dataStart(source, entry)) % 64).toBe(0);
    }
    // By Python's zlib.
    expect(entries.get('just below')?.crc32).toBe(0x0f6a_7026);
    expect(entries.get('at the limit')?.crc32).toBe(0);
  });

  // Python's own reader knows the format by another hand.
  test.skipIf(!LONG || python === undefined)(
    'Python finds all of a file of 4 GiB and more, and PyTorch its tensors',
    { timeout: 600_000 },
    async () => {
      // As long as an array can be in Node 20.
      const w = zeros([2 ** 32], { dtype: 'uint8' });
      w.storage.writableArray[2 ** 32 - 1] = 7;
      const path = file('large.pt');
      await save({ before: zeros([2]).add(1), w, after: zeros([2]).add(2) }, path);
      const { tensors } = await inspect(path);
      const after = tensors.find(({ name }) => name === 'after');
      const handle = await open(path);
      const bytes = new Uint8Array(8);
      await handle.read(bytes, 0, 8, after?.bytes?.[0]);
      await handle.close();
      expect(new Float32Array(bytes.buffer)).toEqual(Float32Array.of(2, 2));
      const script = `
import sys, torch, zipfile
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
x = torch.load(sys.argv[1], weights_only=True)
print(x["w"].shape[0], x["w"][-1].item(), x["before"].tolist(), x["after"].tolist())`;
      expect(await runPython(script, path)).toBe('4294967296 7 [1.0, 1.0] [2.0, 2.0]\n');
    },
  );
});

describe.skipIf(python === undefined)('Python reads', () => {
  test('names of any language, empty entries, and finds every checksum right', async () => {
    const entries = [textEntry('ü/体/𝄞', 'x'), zeroEntry('empty', 0), zeroEntry('9 MB', 9 * MIB)];
    const { size, pieces } = zipContents(entries);
    const handle = await open(file('names.zip'), 'w');
    const write = async (batch: Uint8Array[]) => void (await handle.writev(batch));
    await pump({ size, pieces, storages: [] }, write, {});
    await handle.close();
    const script = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(z.namelist(), [i.file_size for i in z.infolist()], z.infolist()[0].date_time)`;
    expect(await runPython(script, file('names.zip'))).toBe(
      "['ü/体/𝄞', 'empty', '9 MB'] [1, 0, 9437184] (1980, 1, 1, 0, 0, 0)\n",
    );
  });
});

test('a name longer than the format allows is refused', () => {
  const name = 'n'.repeat(65_536);
  expect(() => zipContents([textEntry(name, '')])).toThrow(/name "nnn.*has 65536 bytes/);
});

describe('more than 65534 entries', () => {
  test('are counted in a zip64 record', async () => {
    const names = Array.from({ length: 65_536 }, (_, i) => String(i));
    const source = await archiveOf(names.map((name) => zeroEntry(name, 0)));
    const entries = await readDirectory(source);
    expect(entries.size).toBe(names.length);
    expect([...entries.keys()].at(-1)).toBe('65535');
  });
});

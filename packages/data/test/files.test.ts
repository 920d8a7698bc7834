import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { VoxgradError } from '@voxgrad/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNifti, readNpy, readRaw } from '../src/index.js';
import { type NiftiFields, niftiFile } from './support/nifti.js';

const bytesOf = (array: ArrayBufferView) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const swapped = (bytes: Uint8Array, size: number): Uint8Array =>
  bytes.map((_, i) => bytes[i - (i % size) + size - 1 - (i % size)]);

const failure = async (promise: Promise<unknown>): Promise<VoxgradError> => {
  try {
    await promise;
  } catch (error) {
    return error as VoxgradError;
  }
  throw new Error('expected an error');
};

// x fastest: the element at [x, y, z] is x + 2y + 6z.
const COUNT = Int16Array.from({ length: 24 }, (_, i) => i);
const FIELDS: NiftiFields = { dims: [2, 3, 4], type: 4, bits: 16, spacing: [0.5, 1, 2] };
const SFORM = [
  [-0.5, 0, 0, 90],
  [0, 1, 0, -126],
  [0, 0, 2, -72],
];

describe('readNifti', () => {
  const both = [1, 2].flatMap((version) => [true, false].map((little) => ({ version, little })));

  it.each(both)('version $version, little endian: $little', async ({ version, little }) => {
    const data = little ? bytesOf(COUNT) : swapped(bytesOf(COUNT), 2);
    const fields = { ...FIELDS, version: version as 1 | 2, little, sform: SFORM };
    const image = await readNifti(niftiFile(fields, data));
    expect(image.data.shape).toEqual([2, 3, 4]);
    expect(image.data.dtype).toBe('int16');
    expect([1, 2, 3].reduce((t, at) => t.select(0, at), image.data).item()).toBe(23);
    expect(image.data.permute(2, 1, 0).isContiguous).toBe(true);
    expect(image.data.permute(2, 1, 0).flatten().tolist()).toEqual([...COUNT]);
    expect(image.spacing).toEqual([0.5, 1, 2]);
    expect(image.affine).toEqual([...SFORM, [0, 0, 0, 1]]);
    expect([image.slope, image.inter]).toEqual([1, 0]);
    expect(image.header).toMatchObject({
      version,
      byteOrder: little ? 'little' : 'big',
      dims: [2, 3, 4],
      type: 'int16',
      unit: 'mm',
      sformCode: 2,
    });
  });

  it.each([1, 2] as const)(
    'makes the affine of the qform or the spacing (version %i)',
    async (version) => {
      const { affine } = await readNifti(niftiFile({ ...FIELDS, version }, bytesOf(COUNT)));
      expect(affine).toEqual([
        [0.5, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 2, 0],
        [0, 0, 0, 1],
      ]);
      // b = 0, c = 0, d = 1: half a turn about z.
      const qform = [0, 0, 1, 10, 20, 30];
      const turned = await readNifti(niftiFile({ ...FIELDS, version, qform }, bytesOf(COUNT)));
      expect(turned.affine.flat().map((value) => value + 0)).toEqual([
        ...[-0.5, 0, 0, 10],
        ...[0, -1, 0, 20],
        ...[0, 0, 2, 30],
        ...[0, 0, 0, 1],
      ]);
    },
  );

  it('scales on request', async () => {
    const file = niftiFile({ ...FIELDS, slope: 2, inter: -1 }, bytesOf(COUNT));
    const stored = await readNifti(file);
    expect([stored.data.dtype, stored.slope, stored.inter]).toEqual(['int16', 2, -1]);
    const scaled = await readNifti(file, { scale: true });
    expect(scaled.data.dtype).toBe('float32');
    expect(scaled.data.permute(2, 1, 0).flatten().tolist()).toEqual(
      [...COUNT].map((v) => 2 * v - 1),
    );
    expect((await readNifti(file, { scale: true, dtype: 'float64' })).data.dtype).toBe('float64');
    expect((await readNifti(file, { dtype: 'int32' })).data.dtype).toBe('int32');
    const none = niftiFile({ ...FIELDS, slope: Number.NaN, inter: Number.NaN }, bytesOf(COUNT));
    expect(await readNifti(none)).toMatchObject({ slope: 1, inter: 0 });
  });

  it('reads every element type, widening unsigned ones', async () => {
    const rows: [type: number, array: ArrayBufferView, dtype: string, values: unknown[]][] = [
      [2, Uint8Array.of(0, 255), 'uint8', [0, 255]],
      [256, Int8Array.of(-1, 1), 'int8', [-1, 1]],
      [512, Uint16Array.of(1, 65535), 'int32', [1, 65535]],
      [8, Int32Array.of(-5, 5), 'int32', [-5, 5]],
      [768, Uint32Array.of(1, 2 ** 32 - 1), 'int64', [1n, 4294967295n]],
      [1024, BigInt64Array.of(-1n, 2n), 'int64', [-1n, 2n]],
      [1280, BigUint64Array.of(1n, 2n), 'int64', [1n, 2n]],
      [16, Float32Array.of(0.5, -2), 'float32', [0.5, -2]],
      [64, Float64Array.of(0.1, -2), 'float64', [0.1, -2]],
    ];
    for (const [type, array, dtype, values] of rows) {
      const fields = { dims: [2], type, bits: array.byteLength * 4 };
      const { data } = await readNifti(niftiFile(fields, bytesOf(array)));
      expect([data.dtype, data.tolist()]).toEqual([dtype, values]);
    }
    const large = niftiFile(
      { dims: [1], type: 1280, bits: 64 },
      bytesOf(BigUint64Array.of(2n ** 63n)),
    );
    expect((await failure(readNifti(large))).message).toMatch(/uint64 values above 2\^63 - 1/);
  });

  it('says what is wrong with a file', async () => {
    const good = niftiFile(FIELDS, bytesOf(COUNT));
    const cut = await failure(readNifti(good.subarray(0, good.length - 1)));
    expect(cut.code).toBe('CORRUPT');
    expect(cut.message).toBe(
      'the given bytes: its header says 2 × 3 × 4 elements of int16 (48 bytes) from byte 352 on, but the file ' +
        'ends at byte 399; the download or copy may be incomplete',
    );
    const wrong = async (fields: Partial<NiftiFields>) =>
      (await failure(readNifti(niftiFile({ ...FIELDS, ...fields }, bytesOf(COUNT))))).message;
    expect(await wrong({ dims: [2, -3, 4] })).toContain('impossible sizes (dim = 3, 2, -3, 4');
    expect(await wrong({ dims: [] })).toContain('impossible sizes');
    expect(await wrong({ type: 128 })).toContain('holds RGB colours');
    expect(await wrong({ type: 99 })).toContain('elements of the unknown type 99');
    expect(await wrong({ dims: [30000, 30000, 30000] })).toContain('but the file ends at');
    expect(await wrong({ magic: 'ni1\0' })).toContain('convert the pair to one .nii file');
    const zero = Uint8Array.from(good);
    zero.fill(0, 0, 4);
    expect((await failure(readNifti(zero))).message).toContain('its NIfTI header is damaged');
  });
});

describe('what is no volume is named', () => {
  const rows: [start: string, says: string][] = [
    ['', 'an empty file'],
    ['<!DOCTYPE html>', 'a web page'],
    ['PK\x03\x04', 'a zip archive'],
    ['\x89HDF\r\n', 'an HDF5 file'],
    ['version https://git-lfs', 'a Git LFS pointer'],
    ['hello wo', 'something else (it starts with bytes 68 65 6c 6c 6f 20 77 6f)'],
    ['\x93NUMPY\x01\x00', 'a NumPy array: read it with readNpy'],
  ];

  it.each(rows)('%j', async (start, says) => {
    const error = await failure(readNifti(Buffer.from(start, 'latin1')));
    expect(error.code).toBe('FORMAT');
    expect(error.message).toContain(`is no NIfTI image but ${says}`);
  });

  it('the other way round', async () => {
    const error = await failure(readNpy(niftiFile(FIELDS, bytesOf(COUNT))));
    expect(error.message).toBe(
      'the given bytes: is no .npy file but a NIfTI image: read it with readNifti',
    );
  });
});

describe('readNpy', () => {
  const npy = (header: string, data: Uint8Array = new Uint8Array(0), version = 1) => {
    const text = Buffer.from(header, 'latin1');
    const length = Buffer.from(Uint16Array.of(text.length).buffer);
    return Buffer.concat([
      Buffer.from(`\x93NUMPY${String.fromCharCode(version)}\0`, 'latin1'),
      length,
      text,
      data,
    ]);
  };
  const dict = (descr: string, shape: string, fortran = 'False') =>
    `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': (${shape}), }\n`;

  it('reads a file at an odd offset', async () => {
    const read = await readNpy(npy(`${dict("'<f8'", '2,')} `, bytesOf(Float64Array.of(1, 2))));
    expect(read.tolist()).toEqual([1, 2]);
  });

  // The format's own tests are those of the checkpoint package, whose reader this is.
  it('says what is wrong with a file', async () => {
    const error = await failure(readNpy(npy(dict("'<f4'", '2,'), new Uint8Array(7))));
    expect(error.code).toBe('CORRUPT');
    expect(error.message).toMatch(/^the given bytes: its header says 8 bytes of elements/);
    const objects = await failure(readNpy(npy(dict("'|O'", '1,'))));
    expect(objects.code).toBe('UNSUPPORTED');
    expect(objects.message).toMatch(/^the given bytes: holds Python objects/);
  });
});

describe('readRaw', () => {
  const data = bytesOf(Float32Array.of(1, 2, 3, 4, 5, 6));

  it('reads elements in either byte order, from an offset', async () => {
    const options = { shape: [2, 3], dtype: 'float32' } as const;
    const right = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    expect((await readRaw(data, options)).tolist()).toEqual(right);
    expect((await readRaw(swapped(data, 4), { ...options, byteOrder: 'big' })).tolist()).toEqual(
      right,
    );
    const late = Buffer.concat([Buffer.alloc(3), data]);
    expect((await readRaw(late, { ...options, offset: 3 })).tolist()).toEqual(right);
    const first = await readRaw(data, { shape: [2], dtype: 'float32', allowTrailing: true });
    expect(first.tolist()).toEqual([1, 2]);
    expect((await readRaw(Uint8Array.of(0, 7), { shape: [2], dtype: 'bool' })).tolist()).toEqual([
      false,
      true,
    ]);
  });

  it('leaves the given bytes alone', async () => {
    const given = Uint8Array.from(data);
    const read = await readRaw(given, { shape: [6], dtype: 'float32' });
    read.zero_();
    expect(given).toEqual(Uint8Array.from(data));
  });

  it('says what does not add up', async () => {
    const says = async (options: object) =>
      (await failure(readRaw(data, { shape: [6], dtype: 'float32', ...options }))).message;
    expect(await says({ shape: [7] })).toBe(
      'the given bytes: holds 24 bytes from byte 0 on, but [7] of float32 takes 28; check shape, dtype and offset',
    );
    expect(await says({ shape: [5] })).toContain('or pass allowTrailing');
    expect(await says({ dtype: 'float31' })).toContain(
      "uint16, uint32, uint64), but got 'float31'",
    );
    expect(await says({ byteOrder: 'middle' })).toContain("'little' or 'big'");
    expect(await says({ offset: -1 })).toContain('offset must be a number of bytes');
    expect(await says({ shape: [-1] })).toContain('negative dimension');
  });
});

describe('sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-data-'));
  const file = niftiFile(FIELDS, bytesOf(COUNT));
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/volume.nii.gz' ? 200 : 404;
    response.end(gzipSync(file));
  });
  const address = (): string => {
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  };

  beforeAll(() => {
    writeFileSync(join(folder, 'volume.nii'), file);
    writeFileSync(join(folder, 'volume.nii.gz'), gzipSync(file));
    return new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    server.close();
  });

  it('are paths, URLs, Blobs, buffers and views, plain or gzip', async () => {
    const path = join(folder, 'volume.nii');
    const shared = new SharedArrayBuffer(file.length);
    new Uint8Array(shared).set(file);
    const sources = [
      path,
      `${path}.gz`,
      pathToFileURL(path),
      pathToFileURL(path).href,
      `${address()}/volume.nii.gz`,
      new URL(`${address()}/volume.nii.gz`),
      new Blob([file]),
      new Blob([gzipSync(file)]),
      file.buffer,
      gzipSync(file),
      new Uint8Array(shared),
    ];
    for (const source of sources)
      expect((await readNifti(source)).data.permute(2, 1, 0).flatten().tolist()).toEqual([
        ...COUNT,
      ]);
  });

  it('are named when they cannot be read', async () => {
    const says = async (source: string) => failure(readNifti(source));
    const missing = join(folder, 'none.nii');
    expect((await says(missing)).code).toBe('IO');
    expect((await says(missing)).message).toContain(`${missing}: cannot be read (ENOENT`);
    expect((await says(folder)).message).toContain('cannot be read (EISDIR');
    expect((await says(`${address()}/else`)).message).toContain('the server answered 404');
    expect((await says('http://127.0.0.1:1/x')).message).toContain('cannot be fetched (');
    expect((await failure(readNifti(7 as unknown as string))).message).toContain('but got 7');
  });

  it('say when gzip ends early or is damaged', async () => {
    const packed = gzipSync(file);
    const cut = await failure(readNifti(packed.subarray(0, packed.length - 12)));
    expect(cut.code).toBe('CORRUPT');
    expect(cut.message).toContain('is gzip, but cannot be inflated (');
    const damaged = Uint8Array.from(packed).fill(255, 20, 40);
    expect((await failure(readNifti(damaged))).message).toContain('cannot be inflated');
  });
});

// Files and pickles put together by hand, where no program that is at hand writes them.

import * as zip from '@zip.js/zip.js';

/** Bytes of numbers, latin1 texts and byte arrays in a row. */
export function bytes(...parts: (number | string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const all = parts.map((part) => {
    if (typeof part === 'number') return Uint8Array.of(part);
    return typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
  });
  return new Uint8Array(Buffer.concat(all));
}

export const u32 = (n: number): Uint8Array => new Uint8Array(Uint32Array.of(n).buffer);
export const u64 = (n: number | bigint): Uint8Array =>
  new Uint8Array(BigUint64Array.of(BigInt(n)).buffer);

/** A zip archive of `entries`, stored or deflated. */
export async function archive(
  entries: Readonly<Record<string, Uint8Array>>,
  { level = 0 } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new zip.ZipWriter(new zip.Uint8ArrayWriter(), { level, useWebWorkers: false });
  for (const [name, content] of Object.entries(entries))
    await writer.add(name, new zip.Uint8ArrayReader(content));
  return Uint8Array.from(await writer.close());
}

/** The entries of a zip archive. */
export async function entriesOf(file: Uint8Array): Promise<Record<string, Uint8Array>> {
  const reader = new zip.ZipReader(new zip.Uint8ArrayReader(file), { useWebWorkers: false });
  const entries: Record<string, Uint8Array> = {};
  for (const entry of await reader.getEntries())
    if (!entry.directory) entries[entry.filename] = await entry.getData(new zip.Uint8ArrayWriter());
  return entries;
}

/** A .pt file around a hand-made pickle. */
export const torchFile = (pickle: Uint8Array, storages: Record<string, Uint8Array> = {}) =>
  archive({
    'archive/data.pkl': pickle,
    ...Object.fromEntries(
      Object.entries(storages).map(([key, content]) => [`archive/data/${key}`, content]),
    ),
    'archive/version': bytes('3\n'),
  });

/** Python values as pickle bytes (protocol 2), to be put together by hand. */
export const py = {
  none: bytes('N'),
  true: bytes(0x88),
  false: bytes(0x89),
  dict: bytes('}'),
  int: (n: number | bigint) => bytes(0x8a, 8, new Uint8Array(BigInt64Array.of(BigInt(n)).buffer)),
  text: (text: string) => bytes('X', u32(text.length), text),
  bytes: (content: Uint8Array) => bytes('B', u32(content.length), content),
  tuple: (...items: Uint8Array[]) => bytes('(', ...items, 't'),
  ints: (...items: (number | bigint)[]) => py.tuple(...items.map(py.int)),
  name: (module: string, name: string) => bytes('c', module, '\n', name, '\n'),
  call: (callee: Uint8Array, ...args: Uint8Array[]) => bytes(callee, py.tuple(...args), 'R'),
  storage: (type: string, key: string, numel: number | bigint) =>
    bytes(
      py.tuple(
        py.text('storage'),
        py.name('torch', type),
        py.text(key),
        py.text('cpu'),
        py.int(numel),
      ),
      'Q',
    ),
  /** A whole pickle of `value`. */
  pickle: (value: Uint8Array) => bytes(0x80, 2, value, '.'),
};

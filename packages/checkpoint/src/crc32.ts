// CRC-32 of zip archives (polynomial 0xedb88320, reflected), eight bytes at a time: table[k][b] is
// the checksum of byte b followed by k zero bytes ("slicing by 8", Kounavis and Berry, 2005).

import { nodeZlib } from './files.js';

const TABLES: readonly Uint32Array[] = makeTables();

function makeTables(): Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    tables[0][byte] = crc;
  }
  for (let k = 1; k < 8; k++)
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[k - 1][byte];
      tables[k][byte] = (before >>> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}

/** The checksum of `bytes`, as an unsigned 32-bit number; of what had `before` with `bytes` added. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = ~before;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const low = crc ^ view.getUint32(at, true);
    const high = view.getUint32(at + 4, true);
    crc =
      t7[low & 0xff] ^
      t6[(low >>> 8) & 0xff] ^
      t5[(low >>> 16) & 0xff] ^
      t4[low >>> 24] ^
      t3[high & 0xff] ^
      t2[(high >>> 8) & 0xff] ^
      t1[(high >>> 16) & 0xff] ^
      t0[high >>> 24];
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}

let fast: Promise<typeof crc32> | undefined;

/** Node's own checksum where it has one (20.15, 22.2 and later), which is several times as fast. */
export function fastCrc32(): Promise<typeof crc32> {
  fast ??= nodeZlib().then((zlib) => zlib?.crc32 ?? crc32);
  return fast;
}

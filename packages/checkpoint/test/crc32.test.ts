import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { crc32 } from '../src/crc32.js';
import { bytes } from './support.js';

test('the check value of the CRC catalogue', () => {
  expect(crc32(bytes('123456789'))).toBe(0xcbf43926);
});

// Node has its own since 20.15.
test.skipIf(zlib.crc32 === undefined)('equals zlib at every length and alignment', () => {
  const data = Uint8Array.from({ length: 100 }, (_, i) => (i * 151) ^ (i >> 2));
  for (let start = 0; start < 9; start++)
    for (let end = start; end <= data.length; end++)
      expect(crc32(data.subarray(start, end))).toBe(zlib.crc32(data.subarray(start, end)));
});

// Files that PyTorch wrote (test/oracle).

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url);

export const fixturePath = (name: string): string => fileURLToPath(new URL(name, FIXTURES));
export const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(fixturePath(name)));

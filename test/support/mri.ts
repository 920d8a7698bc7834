// A real MRI with a network for it and what PyTorch says of both; not part of this repository.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where it is, with the separator at the end. */
export const MRI = fileURLToPath(new URL('../../../shared/data/brain/', import.meta.url));

export const mriIsHere = existsSync(MRI);

/** What a test without it says. */
export const titledMri = (name: string): string =>
  mriIsHere ? name : `${name} (skipped: the folder shared/data/brain is absent)`;

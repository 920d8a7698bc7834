// NumPy's .npz format: a zip archive with a .npy file per array (numpy/lib/npyio.py, `savez`).

import { bytesPerElement, type Tensor } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { tensorsByName } from '../write/by-name.js';
import type { Contents, Pieces } from '../write/contents.js';
import { tensorPieces } from '../write/elements.js';
import { type ZipEntry, zipContents } from '../write/zip.js';
import { npyHeader } from './npy.js';

/** A .npz file that holds the tensors of `value`, a map from names; `numpy.load` needs no pickle. */
export function npzContents(value: unknown): Contents {
  const named = tensorsByName(value, 'npz');
  checkNames(named.map(([name]) => name));
  return {
    ...zipContents(named.map(entryOf)),
    storages: named.map(([, tensor]) => tensor.storage),
  };
}

/** NumPy takes `.npy` off the names of entries, and Python's zipfile all from a NUL on. */
function checkNames(names: readonly string[]): void {
  const known = new Set(names);
  for (const name of names) {
    const why = name.includes('\0')
      ? 'holds a NUL, at which Python ends the names of an archive'
      : name.endsWith('.npy') && known.has(name.slice(0, -'.npy'.length))
        ? `would go by the same name as ${JSON.stringify(name.slice(0, -'.npy'.length))} in NumPy`
        : undefined;
    if (why !== undefined)
      throw new CheckpointError('VALUE', `${JSON.stringify(name)} ${why}. Rename it`, {
        path: [name],
      });
  }
}

function entryOf([name, tensor]: [string, Tensor]): ZipEntry {
  const { dtype, shape, numel } = tensor;
  const header = npyHeader(dtype, shape);
  if (header === undefined)
    throw new CheckpointError(
      'VALUE',
      `is of ${dtype}, which NumPy does not have. Save its .to('float32'), which holds all of its values`,
      { path: [name] },
    );
  return {
    name: `${name}.npy`,
    size: header.length + numel * bytesPerElement(dtype),
    pieces: () => write(header, tensor),
  };
}

async function* write(header: Uint8Array, tensor: Tensor): Pieces {
  yield header;
  yield* tensorPieces(tensor);
}

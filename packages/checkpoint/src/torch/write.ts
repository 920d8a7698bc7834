// The zip archive of torch.save, as PyTorch 1.13 and later read it: entries are stored, not
// deflated, and their data aligned to 64 bytes so that they can be mapped into memory.

import type { Contents } from '../write/contents.js';
import { type ZipEntry, zipContents } from '../write/zip.js';
import { bytesIn, compactStorages, wholeStorages } from './layout.js';
import { type Pickled, pickle } from './pickler.js';

/** PyTorch names the folder after the file; a fixed name makes equal values equal bytes. */
const PREFIX = 'archive';

/** kProducedFileFormatVersion in caffe2/serialize/versions.h. */
const FORMAT_VERSION = '3\n';

/** A `.pt` file that holds `value`; see `SaveOptions.compact`. */
export function torchContents(
  value: unknown,
  { compact }: { readonly compact: boolean },
): Contents {
  const { bytes, storages, tensors } = compact
    ? pickleCompact(value)
    : pickle(value, wholeStorages());
  const text = new TextEncoder();
  const entries = [
    entryOf('data.pkl', bytes),
    entryOf('byteorder', text.encode('little')),
    ...storages.map((storage, i) => ({
      name: `${PREFIX}/data/${i}`,
      size: bytesIn(storage),
      pieces: () => storage.pieces(),
    })),
    entryOf('version', text.encode(FORMAT_VERSION)),
  ];
  return { ...zipContents(entries), storages: tensors.map((tensor) => tensor.storage) };
}

/** Which tensors there are is known when all of the value has been seen, so it is pickled twice. */
function pickleCompact(value: unknown): Pickled {
  const { tensors } = pickle(value, wholeStorages());
  return pickle(value, compactStorages(tensors));
}

const entryOf = (name: string, bytes: Uint8Array): ZipEntry => ({
  name: `${PREFIX}/${name}`,
  size: bytes.length,
  pieces: () => [bytes],
});

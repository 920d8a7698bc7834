// The zip archive of torch.save, as PyTorch 1.13 and later read it: entries are stored, not
// deflated, and their data aligned to 64 bytes so that they can be mapped into memory.

import { bytesPerElement, contiguousStrides, type Tensor } from '@voxgrad/core';
import * as zip from '@zip.js/zip.js';
import { type Placed, pickle } from './pickler.js';

/** PyTorch names the folder after the file; a fixed name makes equal values equal bytes. */
const PREFIX = 'archive';

/** kProducedFileFormatVersion in caffe2/serialize/versions.h. */
const FORMAT_VERSION = '3\n';

/** The earliest time that a zip can hold. */
const NO_TIME = new Date(1980, 0, 1);

/** The bytes of a `.pt` file that holds `value`. */
export async function writeTorch(value: unknown): Promise<Uint8Array> {
  const contents = new Map<object, () => Promise<ArrayBufferView>>();
  let size = 0;
  const { bytes, storages } = pickle(value, (tensor) => {
    const [placed, read] = place(tensor);
    if (!contents.has(placed.storage)) size += placed.length * bytesPerElement(placed.dtype);
    contents.set(placed.storage, read);
    return placed;
  });
  const writer = new zip.ZipWriter(
    new zip.Uint8ArrayWriter(roomFor(size + bytes.length, contents.size)),
    {
      level: 0,
      useWebWorkers: false,
      lastModDate: NO_TIME,
      extendedTimestamp: false,
      // USDZ, a format for 3D scenes, asks for the same alignment as PyTorch.
      usdz: true,
    },
  );
  const add = (name: string, content: ArrayBufferView) =>
    writer.add(`${PREFIX}/${name}`, new zip.Uint8ArrayReader(bytesOf(content)));
  const text = new TextEncoder();
  await add('data.pkl', bytes);
  await add('byteorder', text.encode('little'));
  for (const [index, storage] of storages.entries()) {
    const read = contents.get(storage);
    if (read !== undefined) await add(`data/${index}`, await read());
  }
  await add('version', text.encode(FORMAT_VERSION));
  return writer.close();
}

/** About what the archive takes, so that its buffer need not grow; entries have two headers. */
const roomFor = (content: number, entries: number): number => content + 400 * (entries + 4);

/** How a tensor is written, and how its storage is read when its turn comes. */
function place(tensor: Tensor): [Placed, () => Promise<ArrayBufferView>] {
  const { dtype, storage, strides, offset } = tensor;
  if (tensor.device.capabilities.synchronous)
    return [{ storage, dtype, length: storage.length, strides, offset }, async () => storage.array];
  // Elsewhere only the tensor's own elements can be had, and each is written for itself.
  const packed = { storage: tensor, dtype, length: tensor.numel, offset: 0 };
  return [{ ...packed, strides: contiguousStrides(tensor.shape) }, () => tensor.data()];
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

// What runs on the host: small tensors, whose kernels would cost less than their call, and
// operations and dtypes that have no kernel here (listed in the package's README).

import { bytesPerElement, numelOf, Storage, type View } from '@voxgrad/core';
import { Block } from '../memory/block.js';
import { copies, copyTo } from './copy.js';
import { calling, type Engine } from './engine.js';

export const isSmall = ({ memory }: Engine, view: View): boolean =>
  numelOf(view.shape) * bytesPerElement(view.dtype) < memory.smallBytes;

/**
 * `view` for a kernel of the host. A window over a storage that only the device has is copied out
 * alone, instead of bringing the whole storage over.
 */
export function onHost(engine: Engine, view: View): View {
  const { residence } = view.storage;
  const length = numelOf(view.shape);
  if (!(residence instanceof Block) || residence.onHost || 2 * length > view.storage.length)
    return view;
  if (!copies(view)) return view;
  const storage = calling(engine, 'copy', (call) => {
    const pointer = call.workspace(length * bytesPerElement(view.dtype));
    copyTo(engine, call, view, pointer);
    return new Storage(view.dtype, engine.memory.copyOut(view.dtype, pointer, length));
  });
  const strides = view.shape.map((_, axis) => numelOf(view.shape.slice(axis + 1)));
  return { storage, dtype: view.dtype, shape: view.shape, strides, offset: 0 };
}

import {
  bytesPerElement,
  cpuKernels,
  type DType,
  type Kernels,
  numelOf,
  type Storage,
  type View,
} from '@voxgrad/core';
import type { Call } from '../memory/call.js';
import { copies, copyFrom, copyTo, rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import { isSmall, onHost } from './host.js';

/** Copies and in-place writes that keep the dtype; conversions run on the host. */
export function movements(engine: Engine): Pick<Kernels, 'copy' | 'assign'> {
  const apart = (call: Call, view: View): number => {
    const pointer = call.workspace(numelOf(view.shape) * bytesPerElement(view.dtype));
    copyTo(engine, call, view, pointer);
    return pointer;
  };
  return {
    copy(x: View, dtype: DType): Storage {
      if (dtype !== x.dtype || isSmall(engine, x) || !copies(x))
        return cpuKernels.copy(onHost(engine, x), dtype);
      return calling(engine, 'copy', (call) => {
        const out = call.output(dtype, numelOf(x.shape));
        copyTo(engine, call, x, out.pointer);
        return out.storage();
      });
    },
    assign(target: View, source: View): void {
      if (
        target.dtype !== source.dtype ||
        isSmall(engine, target) ||
        !copies(target) ||
        !copies(source)
      ) {
        cpuKernels.assign(target, onHost(engine, source));
        return;
      }
      calling(engine, 'copy_', (call) => {
        // Elements are brought together first, since the two may overlap.
        const overlapping = source.storage === target.storage;
        const from = overlapping ? apart(call, source) : rowMajor(engine, call, source);
        copyFrom(engine, from, call.update(target.storage), target);
      });
    },
  };
}

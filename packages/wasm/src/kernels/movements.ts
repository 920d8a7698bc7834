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
import { convertRun, converts } from './convert.js';
import { copies, copyFrom, copyTo, rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import { isSmall, onHost } from './host.js';

/** Copies and in-place writes, with conversions other than those of the 16-bit floats. */
export function movements(engine: Engine): Pick<Kernels, 'copy' | 'assign'> {
  const apart = (call: Call, view: View): number => {
    const pointer = call.workspace(numelOf(view.shape) * bytesPerElement(view.dtype));
    copyTo(engine, call, view, pointer);
    return pointer;
  };
  const moves = (from: View, to: DType): boolean =>
    (from.dtype === to || converts(from.dtype, to)) && copies(from);
  return {
    copy(x: View, dtype: DType): Storage {
      if (isSmall(engine, x) || !moves(x, dtype)) return cpuKernels.copy(onHost(engine, x), dtype);
      return calling(engine, 'copy', (call) => {
        const length = numelOf(x.shape);
        const out = call.output(dtype, length);
        if (x.dtype === dtype) copyTo(engine, call, x, out.pointer);
        else convertRun(engine, x.dtype, dtype, rowMajor(engine, call, x), out.pointer, length);
        return out.storage();
      });
    },
    assign(target: View, source: View): void {
      if (isSmall(engine, target) || !copies(target) || !moves(source, target.dtype)) {
        cpuKernels.assign(target, onHost(engine, source));
        return;
      }
      calling(engine, 'copy_', (call) => {
        // Elements are brought together first, since the two may overlap.
        const overlapping = source.storage === target.storage;
        let from = overlapping ? apart(call, source) : rowMajor(engine, call, source);
        if (source.dtype !== target.dtype) {
          const length = numelOf(source.shape);
          const converted = call.workspace(length * bytesPerElement(target.dtype));
          convertRun(engine, source.dtype, target.dtype, from, converted, length);
          from = converted;
        }
        copyFrom(engine, from, call.update(target.storage), target);
      });
    },
  };
}

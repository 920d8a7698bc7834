import { defineOp, Tensor } from '@voxgrad/core';
import type { NpuDevice } from '../device.js';
import { logOf } from '../messages/log.js';
import {
  baseFormat,
  checkFormatShape,
  findFormat,
  formatId,
  isInternal,
  type StorageFormat,
} from './formats.js';
import { formatOf, requireNpu, setStorageFormat } from './storage.js';

const castOp = defineOp<StorageFormat>({
  name: 'formatCast',
  forward: ([x], format) => {
    const storage = x.device.kernels.copy(x, x.dtype);
    setStorageFormat(storage, format);
    return new Tensor({ device: x.device, shape: x.shape, storage });
  },
  backward: ([g]) => [g],
});

/**
 * `tensor` stored in `format`, the counterpart of `torch_npu.npu_format_cast`; `tensor` itself where it
 * is. The values are the same, and so are the gradients; only the way in which the NPU stores them
 * changes (`storageShape` gives the dimensions in memory). Where internal formats are switched off,
 * torch_npu warns and keeps the base format; the warning is in `device.logged`.
 * @param format a name or its number: `NCDHW` or 30
 * @throws VoxgradError for tensors of other devices, unknown formats and dimensions that do not fit
 */
export function formatCast(tensor: Tensor, format: StorageFormat | number): Tensor {
  requireNpu('formatCast', tensor);
  const wanted = findFormat(format);
  checkFormatShape(wanted, tensor.shape);
  const device = tensor.device as NpuDevice;
  const refused = isInternal(wanted) && !device.profile.allowInternalFormat.on;
  if (refused)
    logOf(device).add({
      level: 'warning',
      // The wording is that of public logs; no source of this list has it (inferred).
      message:
        'Cannot create tensor with internal format while allow_internel_format=False, tensor will be ' +
        `created with base format. (asked for: ${wanted}, ${formatId(wanted)})`,
      source: null,
    });
  const target = refused ? baseFormat(tensor.ndim) : wanted;
  return formatOf(tensor) === target ? tensor : castOp([tensor], target);
}

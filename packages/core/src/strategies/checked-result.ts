import type { Device } from '../device/device.js';
import { VoxgradError } from '../errors.js';
import type { DType } from '../tensor/dtype.js';
import { describe, formatShape, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';

/** What a strategy has to return. */
export interface Expected {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly device: Device;
}

/** `got` if it is such a tensor; a user's own strategy may return anything. */
export function checkedResult(
  strategy: { readonly op: string; readonly name: string },
  what: string,
  got: unknown,
  { shape, dtype, device }: Expected,
): Tensor {
  const isTensor = got instanceof Tensor;
  if (isTensor && got.dtype === dtype && got.device === device && sameShape(got.shape, shape))
    return got;
  const text = (t: Tensor) => `${t.dtype} ${formatShape(t.shape)} on ${t.device}`;
  throw new VoxgradError(
    'STRATEGY',
    `strategy '${strategy.name}' of ${strategy.op} must return the ${what} as a Tensor, ${dtype} ` +
      `${formatShape(shape)} on ${device}, but returned ${isTensor ? text(got) : describe(got)}`,
  );
}

// From what a user passes to what a kernel takes: numbers become tensors, dtypes are promoted,
// shapes broadcast, devices must agree. One home for all of it.

import { requireTensors } from '../arguments.js';
import type { Device } from '../device/device.js';
import { argumentError, dtypeError, VoxgradError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import {
  type DType,
  type DTypeKind,
  getDefaultDtype,
  isFloat,
  kindOf,
  resultType,
  torchName,
} from '../tensor/dtype.js';
import { broadcastShapes, describe, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { expand } from './views.js';

export type Scalar = number | bigint | boolean;
export type TensorOrScalar = Tensor | Scalar;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

/** The device of all `tensors`; mixing devices is an error, never a silent transfer. */
export function commonDevice(operation: string, tensors: readonly Tensor[]): Device {
  const [first, ...rest] = tensors;
  const other = rest.find((t) => t.device !== first.device);
  if (other) {
    const [a, b] = [first.device.name, other.device.name];
    const advice =
      a === b
        ? `two devices that are both called ${a} (one was made after the other, which keeps its tensors). ` +
          'Make one and use it everywhere, or move one tensor with .to(device), the device itself and not its name'
        : `at least two devices, ${a} and ${b}. Move one with .to(device)`;
    throw new VoxgradError(
      'DEVICE',
      `${operation}: expected all tensors to be on the same device, but found ${advice}`,
    );
  }
  return first.device;
}

/** Zeros like `x`, off the tape. */
export const zeroOf = (x: Tensor): Tensor => Tensor.filled(x.shape, 0, x.dtype, x.device);

/** Throws in PyTorch's words unless `device` computes in `dtype`. */
export function requireCompute(operation: string, device: Device, dtype: DType): void {
  if (device.capabilities.computes.has(dtype)) return;
  throw dtypeError(
    `"${operation}" not implemented for '${dtype}' on ${device.name}, which computes in ` +
      `${[...device.capabilities.computes].join(', ')}; convert with .to(...) first`,
  );
}

/** Throws in PyTorch's words unless `dtype` is of one of the `kinds`. */
export function requireKind(operation: string, dtype: DType, ...kinds: DTypeKind[]): void {
  if (!kinds.includes(kindOf(dtype)))
    throw dtypeError(`"${operation}" not implemented for '${torchName(dtype)}'`);
}

/**
 * What `operation` got after its tensor `x`: PyTorch's optional dim may be left out before the
 * options, `x.sum({ dtype })`. A dim of the wrong kind or a misspelt option is an error, since it
 * must not change what is reduced.
 */
export function leading<O extends object>(
  operation: string,
  x: unknown,
  known: OptionTable<NoInfer<O>>,
  first: number | NoInfer<O> | null | undefined,
  options: O | undefined,
): [number | undefined, O | undefined];
export function leading<O extends object>(
  operation: string,
  x: unknown,
  known: OptionTable<NoInfer<O>>,
  first: number | readonly number[] | NoInfer<O> | null | undefined,
  options: O | undefined,
): [number | readonly number[] | undefined, O | undefined];
export function leading<O extends object>(
  operation: string,
  x: unknown,
  known: OptionTable<NoInfer<O>>,
  first: number | readonly number[] | O | null | undefined,
  options: O | undefined,
): [number | readonly number[] | undefined, O | undefined] {
  requireTensors(operation, { input: x });
  const positional = typeof first === 'number' || isNumberList(first);
  const given = positional || first === undefined || first === null ? options : first;
  if (given !== undefined && (typeof given !== 'object' || given === null))
    throw argumentError(
      `${operation}(): a dim must be a number or a list of numbers, and options an object such as { keepdim: true }, but got ${describe(given)}`,
    );
  checkOptions(operation, given, known);
  const { keepdim } = (given ?? {}) as { keepdim?: unknown };
  if (keepdim !== undefined && typeof keepdim !== 'boolean')
    throw argumentError(
      `${operation}(): keepdim must be true or false, but got ${describe(keepdim)}`,
    );
  return [positional ? first : undefined, given];
}

const isNumberList = (value: unknown): value is readonly number[] => Array.isArray(value);

/** A 0-d tensor of a number. */
export function scalarTensor(value: Scalar, dtype: DType, device: Device): Tensor {
  if (!isScalar(value)) throw dtypeError(`expected a number, but got ${describe(value)}`);
  if (kindOf(dtype) === 'float') return Tensor.filled([], Number(value), dtype, device);
  return Tensor.filled(
    [],
    typeof value === 'bigint' ? value : Math.trunc(Number(value)),
    dtype,
    device,
  );
}

/** Whether all operands are tensors that can be taken as they are: the case that must be quick. */
function alike(operands: readonly unknown[], dtype?: DType): operands is Tensor[] {
  const [first] = operands;
  if (!(first instanceof Tensor) || (dtype ?? first.dtype) !== first.dtype) return false;
  return operands.every(
    (x) =>
      x instanceof Tensor &&
      x.dtype === first.dtype &&
      x.device === first.device &&
      sameShape(x.shape, first.shape),
  );
}

/** All operands as tensors of one dtype, broadcast against each other. */
export function broadcastOperands(
  operation: string,
  operands: readonly TensorOrScalar[],
  wanted?: DType,
): Tensor[] {
  if (alike(operands, wanted)) {
    requireCompute(operation, operands[0].device, operands[0].dtype);
    return operands;
  }
  const dtype = wanted ?? resultType(...operands.map((o) => checkOperand(operation, o)));
  const tensors = operands.filter((o): o is Tensor => o instanceof Tensor);
  const device = commonDevice(operation, tensors);
  requireCompute(operation, device, dtype);
  const shape = broadcastShapes(...tensors.map((t) => t.shape));
  return operands.map((o) => {
    const x = o instanceof Tensor ? cast(o, dtype) : scalarTensor(o, dtype, device);
    return sameShape(x.shape, shape) ? x : expand(x, shape);
  });
}

export function checkOperand(operation: string, operand: TensorOrScalar): TensorOrScalar {
  if (operand instanceof Tensor || isScalar(operand)) return operand;
  throw dtypeError(`${operation}(): expected a Tensor or a number, but got ${describe(operand)}`);
}

/** Integers become the default float dtype, as for every function with real values in PyTorch. */
export const toFloat = (x: Tensor): Tensor => (isFloat(x.dtype) ? x : cast(x, getDefaultDtype()));

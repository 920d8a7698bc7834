// One case run and compared: what was right, and what was returned.

import type { Device, Kernels } from '../../device/device.js';
import type { DType, HostArray } from '../../tensor/dtype.js';
import { numelOf } from '../../tensor/shape.js';
import type { Storage } from '../../tensor/storage.js';
import { Tensor } from '../../tensor/tensor.js';
import type { Case, Results } from './cases.js';
import type { Values } from './reference.js';

/** Evidence that a kernel errs. */
export interface Evidence {
  readonly case: string;
  /** Name of the result: `input`, `weight`, `output`, … */
  readonly result: string;
  /** What is wrong in words: `12.5 instead of -3 at [0, 1, 2, 0, 0]`. */
  readonly text: string;
  readonly expected: number | null;
  readonly got: number | null;
  /** max|got − expected| / max(1, max|expected|); null where nothing could be compared. */
  readonly error: number | null;
}

/** How a result of a case came out; `evidence` is null where it is right. */
export interface Outcome {
  readonly result: string;
  readonly error: number | null;
  readonly evidence: Evidence | null;
}

/**
 * Largest relative error that is put down to rounding: a few hundred products are summed.
 * Integers have none.
 */
export const toleranceOf = (dtype: DType): number =>
  ({ float64: 1e-12, float32: 2e-5, float16: 1e-2, bfloat16: 8e-2 })[dtype as string] ?? 0;

const unlike = (name: string, result: string, text: string): Outcome => ({
  result,
  error: null,
  evidence: { case: name, result, text, expected: null, got: null, error: null },
});

const positionIn = (shape: readonly number[], flat: number): number[] => {
  let rest = flat;
  return [...shape]
    .reverse()
    .map((size) => {
      const at = rest % size;
      rest = Math.floor(rest / size);
      return at;
    })
    .reverse();
};

/** Distance of two numbers, where NaN is like NaN and an infinity like itself. */
const distance = (a: number, b: number): number => {
  if (Object.is(a, b) || a === b) return 0;
  const d = Math.abs(a - b);
  return Number.isNaN(d) ? Number.POSITIVE_INFINITY : d;
};

function compare(name: string, result: string, right: Values, got: ArrayLike<number>): Outcome {
  let [worst, at, scale] = [0, 0, 1];
  for (let i = 0; i < right.numbers.length; i++) {
    const d = distance(got[i], right.numbers[i]);
    if (d > worst) [worst, at] = [d, i];
    if (Number.isFinite(right.numbers[i])) scale = Math.max(scale, Math.abs(right.numbers[i]));
  }
  const error = worst / scale;
  if (error <= toleranceOf(right.dtype)) return { result, error, evidence: null };
  const [expected, found] = [right.numbers[at], got[at]];
  const text = `${found} instead of ${expected} at [${positionIn(right.shape, at).join(', ')}]`;
  return { result, error, evidence: { case: name, result, text, expected, got: found, error } };
}

/** A storage as a tensor of its own length, to be read back. */
const flat = (device: Device, storage: Storage) =>
  new Tensor({ device, shape: [storage.length], storage });

interface Raw {
  readonly name: string;
  readonly right: Values;
  readonly tensor: Tensor | Outcome;
}

/** The results of a case as tensors to read, or what is wrong with them before any is read. */
function collect({ name, expected }: Case, results: Results, device: Device): Raw[] {
  return Object.entries(expected).map(([result, right]): Raw => {
    const storage = results[result];
    if (!storage)
      return { name: result, right, tensor: unlike(name, result, 'nothing was returned') };
    const [has, wants] = [storage.length, numelOf(right.shape)];
    if (has !== wants) {
      const text = `${has} elements instead of the ${wants} of [${right.shape.join(', ')}]`;
      return { name: result, right, tensor: unlike(name, result, text) };
    }
    if (storage.dtype !== right.dtype) {
      const text = `${storage.dtype} instead of ${right.dtype}`;
      return { name: result, right, tensor: unlike(name, result, text) };
    }
    return { name: result, right, tensor: flat(device, storage) };
  });
}

const thrown = (c: Case, error: unknown): Outcome[] => {
  const text = `it threw: ${error instanceof Error ? error.message : String(error)}`;
  return Object.keys(c.expected).map((result) => unlike(c.name, result, text));
};

const readable = (dtype: DType, tensor: Tensor): Tensor =>
  dtype === 'float16' || dtype === 'bfloat16' ? tensor.to('float32') : tensor;

const judged = (c: Case, raw: Raw, data: HostArray): Outcome =>
  compare(c.name, raw.name, raw.right, Array.from<number | bigint, number>(data, Number));

/** Runs a case on a device that is read synchronously. */
export function runCase(c: Case, kernels: Kernels, device: Device): Outcome[] {
  try {
    return collect(c, c.run(kernels, device), device).map((raw) =>
      raw.tensor instanceof Tensor
        ? judged(c, raw, readable(raw.right.dtype, raw.tensor).dataSync())
        : raw.tensor,
    );
  } catch (error) {
    return thrown(c, error);
  }
}

/** Starts a case; its outcomes come when the device has answered, or after `timeoutMs`. */
export function startCase(
  c: Case,
  kernels: Kernels,
  device: Device,
  timeoutMs: number,
): Promise<Outcome[]> {
  try {
    const reading = collect(c, c.run(kernels, device), device).map(async (raw) =>
      raw.tensor instanceof Tensor
        ? judged(c, raw, await within(readable(raw.right.dtype, raw.tensor).data(), timeoutMs))
        : raw.tensor,
    );
    return Promise.all(reading).catch((error: unknown) => thrown(c, error));
  } catch (error) {
    return Promise.resolve(thrown(c, error));
  }
}

async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

import type { ConvCall, ConvFormats, ConvGeometry, Needs, Triple } from '../ops/conv/geometry.js';
import { instanceOfBrand } from '../shared.js';
import type { DType } from '../tensor/dtype.js';
import type { Storage, View } from '../tensor/storage.js';
import { trustedCheck, trustedKernels } from './trust.js';

/** Kernels of one operand. */
export type UnaryName =
  | 'neg'
  | 'abs'
  | 'sign'
  | 'exp'
  | 'expm1'
  | 'log'
  | 'log1p'
  | 'sqrt'
  | 'rsqrt'
  | 'reciprocal'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'tanh'
  | 'sigmoid'
  | 'relu'
  | 'floor'
  | 'ceil'
  | 'round'
  | 'trunc'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'sinh'
  | 'cosh'
  | 'asinh'
  | 'acosh'
  | 'atanh'
  | 'exp2'
  | 'log2'
  | 'log10'
  | 'erf'
  | 'erfc'
  | 'erfinv'
  | 'lgamma'
  | 'digamma';

/** Kernels of two operands of one shape and dtype. */
export type BinaryName =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'pow'
  | 'maximum'
  | 'minimum'
  | 'atan2'
  | 'hypot'
  | 'copysign'
  | 'remainder'
  | 'fmod'
  | 'floorDivide'
  | 'zeta';
/** Kernels of two integer operands. */
export type BitwiseName =
  | 'bitwiseAnd'
  | 'bitwiseOr'
  | 'bitwiseXor'
  | 'bitwiseLeftShift'
  | 'bitwiseRightShift';
/** Kernels that compare two operands and give bools. */
export type CompareName = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';
/** Kernels that reduce axes. */
export type ReduceName = 'sum' | 'prod' | 'amax' | 'amin';
/** Kernels that find the position of an extreme along an axis. */
export type ArgReduceName = 'argmax' | 'argmin';
/** Kernels that keep a running extreme and its position. */
export type ArgScanName = 'cummax' | 'cummin';
/** What happens where several elements meet, and with what was there. */
export type ScatterMode = 'set' | 'mul' | 'amax' | 'amin';

/** Windows along one axis: number i reads `starts[i]`, `starts[i] + step`, … before `ends[i]`. */
export interface AxisWindows {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly step: number;
}

/** The windows of a pooling over the last three axes of `[outer, D, H, W]`, all inside the input. */
export interface PoolGeometry {
  readonly input: Triple;
  readonly output: Triple;
  readonly windows: readonly [AxisWindows, AxisWindows, AxisWindows];
}

/**
 * The primitives of a device. A kernel reads strided views and returns fresh contiguous storage;
 * views of one call have the same shape and dtype unless it says otherwise. Kernels know nothing
 * of the tape. The convolution kernels are optional: without one, the registry composes the call.
 */
export interface Kernels {
  fill(dtype: DType, length: number, value: number | bigint): Storage;
  /** Elements of `x` in row-major order, converted to `dtype`. */
  copy(x: View, dtype: DType): Storage;
  /** Writes `source` into the elements that `target` views, in place, converting. */
  assign(target: View, source: View): void;
  unary(op: UnaryName, x: View): Storage;
  binary(op: BinaryName, a: View, b: View): Storage;
  /** Integers and bool. */
  bitwise(op: BitwiseName, a: View, b: View): Storage;
  compare(op: CompareName, a: View, b: View): Storage;
  /** `condition` is bool; result has the dtype of `a` and `b`. */
  where(condition: View, a: View, b: View): Storage;
  /** Reduces the last `count` axes. */
  reduce(op: ReduceName, x: View, count: number): Storage;
  /** int64 positions along the last axis; the first of equal values; NaN wins. */
  argReduce(op: ArgReduceName, x: View): Storage;
  /** `h[…, t] = a[…, t] · h[…, t − 1] + b[…, t]` along the last axis, from 0. */
  recurrence(a: View, b: View): Storage;
  /** int64 positions of the extreme so far along the last axis; the last of equal values; NaN wins. */
  argScan(op: ArgScanName, x: View): Storage;
  /** int64 positions that sort the last axis; equal values keep their order; NaN counts as largest. */
  argSort(x: View, descending: boolean): Storage;
  /** For each value, int64, how many elements of its row are below it (`right`: or equal to it). */
  searchSorted(sorted: View, values: View, right: boolean): Storage;
  /** `[batch, m, k] × [batch, k, n] → [batch, m, n]`. */
  matmul(a: View, b: View): Storage;
  /** `out[i, j, k] = x[i, index[i, j, k], k]`; `index` is int64, same sizes as x but along axis 1. */
  gather(x: View, index: View): Storage;
  /** The adjoint of gather: zeros of `[outer, size, inner]`, `out[i, index[i, j, k], k] += x[i, j, k]`. */
  scatterAdd(x: View, index: View, size: number): Storage;
  /** `base` with `source[i, j, k]` at `[i, index[i, j, k], k]`; in mode 'set' the last one stays. */
  scatter(mode: ScatterMode, base: View, index: View, source: View): Storage;
  /** Flat int64 positions of the elements that are not 0, in order. */
  nonzero(x: View): Storage;
  /** Flat int64 positions (within D·H·W) of the largest element of each window of `[outer, D, H, W]`. */
  maxPoolIndices(x: View, geometry: PoolGeometry): Storage;
  /** The sum of each window of `[outer, D, H, W]`. */
  sumPool(x: View, geometry: PoolGeometry): Storage;
  /** The adjoint of sumPool: adds each element of `[outer, oD, oH, oW]` to its whole window. */
  spreadPool(x: View, geometry: PoolGeometry): Storage;

  /**
   * `[N, Ci, D, H, W], [Co, Ci/g, kD, kH, kW] → [N, Co, oD, oH, oW]`. The first `output`
   * positions are wanted; an adjoint's output padding can leave room for more. `bias`, `[Co]`, is
   * given only where the capabilities say that the kernel adds it.
   */
  convForward?(x: View, weight: View, geometry: ConvGeometry, bias?: View): Storage;
  /** The weight gradient alone. */
  convWeight?(x: View, gradOutput: View, geometry: ConvGeometry): Storage;
  /** All wanted gradients in one call; x or weight is null where no gradient wanted needs it. */
  convBackward?(
    gradOutput: View,
    x: View | null,
    weight: View | null,
    geometry: ConvGeometry,
    needs: Needs,
  ): [Storage | null, Storage | null, Storage | null];

  // Kernels that only save passes over memory; without one the operation is composed.

  /** `[N, C, …]` with the statistics of the batch; mean and biased variance are `[C]`. */
  batchNorm?(
    x: View,
    weight: View | null,
    bias: View | null,
    eps: number,
  ): { y: Storage; mean: Storage; variance: Storage };
  batchNormBackward?(
    gradOutput: View,
    x: View,
    weight: View | null,
    statistics: NormStatistics,
    needs: Needs,
  ): [Storage | null, Storage | null, Storage | null];
  /** The same with a ReLU after it: `max(0, y)`, and gradients that pass where it is above 0 or NaN. */
  batchNormRelu?: Kernels['batchNorm'];
  batchNormReluBackward?: Kernels['batchNormBackward'];
  /** `x · scale + shift` for each channel of `[N, C, …]`. */
  channelAffine?(x: View, scale: View, shift: View): Storage;
  /** One step of Adam on a parameter and its moments, in place. */
  adamStep?(views: AdamViews<View>, numbers: AdamNumbers): void;
  /** `gradOutput` where `output` is above 0 or NaN, else 0. */
  reluBackward?(gradOutput: View, output: View): Storage;
}

/** A parameter, its gradient, and what Adam remembers of it. */
export interface AdamViews<T> {
  readonly parameter: T;
  readonly gradient: T;
  /** The running means of the gradient and of its square. */
  readonly mean: T;
  readonly square: T;
  /** The largest square so far, with amsgrad. */
  readonly largest: T | null;
}

/** m ← β₁·m + (1 − β₁)·g, v ← β₂·v + (1 − β₂)·g², p ← p − size·m / (√v / root + eps). */
export interface AdamNumbers {
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  /** lr / (1 − β₁ᵗ) */
  readonly size: number;
  /** √(1 − β₂ᵗ) */
  readonly root: number;
}

/** What the backward of a batch norm knows of its batch. */
export interface NormStatistics {
  readonly mean: View;
  /** Biased. */
  readonly variance: View;
  readonly eps: number;
  /** Where a ReLU follows. */
  readonly bias?: View | null;
}

/** The kernels of convolution. */
export type ConvKernelName = 'convForward' | 'convWeight' | 'convBackward';

/** Why a device does not run a kernel on a call, with the numbers where a limit was passed. */
export interface Refusal {
  /** Short name of the check: `groups`, `L1`, `dtype`, … */
  readonly check: string;
  /** The whole text as the device's user would see it. */
  readonly message: string;
  /** The device's own error code, such as `EZ9999`. */
  readonly code?: string;
  readonly needBytes?: number;
  readonly limitBytes?: number;
  /** Where the limit is written down. */
  readonly source?: string;
}

/**
 * What a device's work costs besides convolutions, in multiplications of its convolution kernel: the
 * unit in which strategies are compared.
 */
export interface CostRates {
  /** One call of a kernel, whatever its size. */
  readonly perCall: number;
  /** One element that an element-wise pass reads or writes. */
  readonly perElement: number;
  /**
   * A strided convolution's input gradient, for each remainder of the position by the stride: where a
   * device runs a small convolution for each of them.
   */
  readonly perRemainder: number;
}

/** How the products of a convolution are summed. */
export type ConvAlgorithm = 'direct' | 'winograd' | 'fft';

/** The algorithms behind a device's fused convolutions. Left alone, the device chooses by itself. */
export interface ConvAlgorithms {
  /** Why `algorithm` does not run `call`; empty if it does. */
  check(algorithm: ConvAlgorithm, call: ConvCall): readonly Refusal[];
  /** What `kernel` takes for the passes of `call` where none is named. */
  usual(kernel: ConvKernelName, call: ConvCall): readonly ConvAlgorithm[];
  /** Runs `fn`, in which the device's convolutions take that algorithm. */
  with<T>(algorithm: ConvAlgorithm, fn: () => T): T;
}

/** What a device can do, as data: strategies ask this record and never the device's name. */
export interface Capabilities {
  /** Dtypes in which arithmetic runs; all ten dtypes load, store and convert everywhere. */
  readonly computes: ReadonlySet<DType>;
  /** False where results can only be read with `await`. */
  readonly synchronous: boolean;
  /** The machine whose limits this device enforces while computing elsewhere, or null. */
  readonly profile: string | null;
  /** What other work costs beside a convolution's; measured once, on one machine of its kind. */
  readonly rates?: CostRates;
  /** Whether the forward convolution adds a bias itself. */
  readonly convAddsBias?: boolean;
  /** Where the algorithm of a convolution may be named: `fused:direct`, `fused:winograd`, `fused:fft`. */
  readonly convAlgorithms?: ConvAlgorithms;
  /** Unusual layouts among a convolution's tensors, on devices where they decide what runs. */
  convFormats?(
    tensors: {
      readonly [K in keyof ConvFormats]: View | null;
    },
  ): ConvFormats | undefined;
  /**
   * Whether the kernels are not this project's: they run only after they agreed with the reference
   * (`certify`), at the first use where the device is synchronous, else once that was awaited.
   */
  readonly foreign?: boolean;
  /** Kernels of a foreign device that this project wrote after all; they need not be compared first. */
  readonly ownKernels?: ReadonlySet<keyof Kernels>;
  /** Whether the device has a kernel of this name; a {@link Device} answers for itself. */
  hasKernel?(name: keyof Kernels): boolean;
  /** Whether `kernel` takes `call`; an empty list means yes. */
  checkConv(kernel: ConvKernelName, call: ConvCall): readonly Refusal[];
}

const BRAND = Symbol.for('voxgrad.Device');

/** A place where tensors live and kernels run. */
export class Device {
  readonly [BRAND] = true;
  readonly capabilities: Capabilities;
  readonly kernels: Kernels;

  constructor(
    /** Unique name: `cpu`, `tfjs:cpu`, `npu:Ascend910B1`. */
    readonly name: string,
    /** Family: `cpu`, `tfjs`, `npu`. */
    readonly type: string,
    capabilities: Capabilities,
    kernels: Kernels,
  ) {
    const hasKernel = (kernel: keyof Kernels) => kernels[kernel] !== undefined;
    this.kernels = capabilities.foreign ? trustedKernels(this, kernels) : kernels;
    this.capabilities = {
      ...capabilities,
      hasKernel,
      ...(capabilities.foreign ? { checkConv: trustedCheck(this, capabilities.checkConv) } : {}),
    };
  }

  toString(): string {
    return this.name;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Device, BRAND, value);
  }
}

/** The refusal of a kernel that a device does not have. */
export const missingKernel = (kernel: ConvKernelName): Refusal => ({
  check: 'kernel',
  message: `the device has no ${kernel} kernel`,
});

import type { Capabilities, Refusal } from '../device/device.js';
import type { ConvCall, Needs } from '../ops/conv/geometry.js';
import type { Tensor } from '../tensor/tensor.js';

/** A kernel of the device, composed of other operations, the same in pieces, or a user's own. */
export type StrategyKind = 'fused' | 'composite' | 'tiled' | 'custom';

/** An answer with its reasons; `refusals` carry a device's own code and numbers. */
export interface Support {
  readonly ok: boolean;
  readonly reasons: readonly string[];
  readonly refusals?: readonly Refusal[];
}

/**
 * One way to run an operation, as data. `run` works untaped: the derivative rule of the operation
 * is known elsewhere, so every strategy has derivatives of every order.
 *
 * @typeParam Call what is asked about, without tensors
 * @typeParam Tensors what `run` computes from
 * @typeParam Result what it returns
 */
export interface Strategy<Call, Tensors, Result> {
  /** `conv3d` for the backward of a convolution, `conv3d.forward` for its forward, … */
  readonly op: string;
  readonly name: string;
  readonly kind: StrategyKind;
  /** On other devices it is neither listed nor considered; on all if omitted. */
  offeredOn?(capabilities: Capabilities): boolean;
  /**
   * Whether it runs a call, with reasons. Like `cost` it is asked once for calls that are alike, and
   * must answer by the call and the capabilities alone.
   */
  supports(call: Call, capabilities: Capabilities): Support;
  /**
   * Relative cost: multiplications of the device's convolution kernel, other work counted in by
   * `capabilities.rates`. Infinity: only where it is forced.
   */
  cost(call: Call, capabilities: Capabilities): number;
  /** Whether a forward convolution adds the bias itself where there is one; else it is added after. */
  addsBias?(capabilities: Capabilities): boolean;
  run(call: Call, tensors: Tensors, needs: Needs): Result;
}

/** Tensors of a convolution backward; null where no wanted gradient reads it. All are 5-D. */
export interface ConvBackwardTensors {
  /** `[N, Co, oD, oH, oW]` */
  readonly gradOutput: Tensor;
  /** `[N, Ci, D, H, W]` */
  readonly input: Tensor | null;
  /** `[Co, Ci/g, kD, kH, kW]` */
  readonly weight: Tensor | null;
}

/** Tensors of a convolution forward. */
export interface ConvForwardTensors {
  readonly input: Tensor;
  readonly weight: Tensor;
  /** Only for strategies that add it: see `addsBias`. */
  readonly bias?: Tensor;
}

/** The gradients of a convolution; null where one is not wanted. */
export type ConvGradients = readonly [
  input: Tensor | null,
  weight: Tensor | null,
  bias: Tensor | null,
];

/** A strategy for `conv3d`, the backward of convolutions. */
export type ConvBackwardStrategy = Strategy<ConvCall, ConvBackwardTensors, ConvGradients>;
/** A strategy for `conv3d.forward`. */
export type ConvForwardStrategy = Strategy<ConvCall, ConvForwardTensors, Tensor>;

/** The answer to a device's checks. */
export const supportOf = (refusals: readonly Refusal[], yes: string): Support =>
  refusals.length === 0
    ? { ok: true, reasons: [yes] }
    : {
        ok: false,
        reasons: refusals.map((r) => (r.code ? `${r.code}: ${r.message}` : r.message)),
        refusals,
      };

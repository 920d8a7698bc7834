import type { Device } from '../device/device.js';
import type { Needs } from '../ops/conv/geometry.js';
import type { DType } from '../tensor/dtype.js';

/**
 * What the registry knows of an operation that strategies compete for. All but the name may be left
 * out: calls are then taken as they are, decided anew each time, and cannot be measured.
 *
 * @typeParam Call what strategies are asked about
 * @typeParam Tensors what they compute from
 */
export interface Operation<Call, Tensors> {
  /** `batchNorm` for a backward, `batchNorm.forward` for a forward, `adam.step` for a step. */
  readonly op: string;
  /** A call as strategies see it, from one as users write it; throws for what is none. */
  normalize?(op: string, call: object): Call;
  /** A call as users write it. */
  plain?(call: Call): object;
  /** All that a strategy may look at in a call: calls with one key are decided once. */
  key?(call: Call): string;
  /** Calls of one class cost alike per unit of `cost`; a calibration keeps a factor for each. */
  shapeClass?(call: Call): string;
  /** A small call of each class, to be measured or asked about. */
  samples?(dtype: DType): readonly Call[];
  /** Operands for a sample. */
  tensors?(call: Call, device: Device): Tensors;
  /** Which results are wanted of a sample. */
  needs?(call: Call): Needs;
}

/** An operation whose calls the registry does not look into. */
export type AnyOperation = Operation<never, unknown>;

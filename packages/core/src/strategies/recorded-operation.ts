// Recorded operations as the registry sees them: `relu.forward` has one strategy, `builtin`, and those
// that users register. The derivative rule stays the operation's own.

import type { DType } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Entry } from './catalogue.js';
import { isRecorded } from './recorded.js';
import type { Strategy } from './types.js';

export { isRecorded };

/** A call of a recorded operation: `explain('relu', { inputs: [[2, 3]], dtype: 'float32' })`. */
export interface RecordedCall {
  /** Shapes of the inputs. */
  readonly inputs: readonly (readonly number[])[];
  /** Dtype of the first input. */
  readonly dtype: DType;
  /** What the operation was asked besides, in its own form. */
  readonly options?: unknown;
}

/** What such a strategy computes from: the inputs, and the forward that is built in. */
export interface RecordedTensors {
  readonly inputs: readonly Tensor[];
  /** The operation's own forward, for strategies that only do something around it. */
  readonly builtin: () => Tensor | Tensor[];
}

/** A strategy for the forward of a recorded operation. */
export type RecordedStrategy = Strategy<RecordedCall, RecordedTensors, Tensor | Tensor[]>;

const FORWARD = '.forward';

/** The name under which a recorded operation is defined, from its name in the registry. */
export const recordedName = (op: string): string | null =>
  op.endsWith(FORWARD) && isRecorded(op.slice(0, -FORWARD.length))
    ? op.slice(0, -FORWARD.length)
    : null;

/** Operation and `builtin` strategy of a recorded operation. */
export function recordedEntry(op: string): Entry | undefined {
  if (recordedName(op) === null) return undefined;
  const builtin: RecordedStrategy = {
    op,
    name: 'builtin',
    kind: 'fused',
    supports: () => ({ ok: true, reasons: ["the operation's own forward"] }),
    cost: ({ inputs }) => inputs.reduce((sum, shape) => sum + numelOf(shape), 0),
    run: (_, { builtin }) => builtin(),
  };
  return { operation: { op }, strategies: [builtin as unknown as Entry['strategies'][number]] };
}

import type { Device } from '../device/device.js';
import { VoxgradError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import type { RecordedForward } from './recorded.js';
import type { RecordedCall, RecordedStrategy } from './recorded-operation.js';
import { runStrategy } from './run.js';

/** The forward of a recorded operation by the strategy that `choose` names. */
export function runRecorded(
  definition: RecordedForward<never>,
  inputs: readonly Tensor[],
  options: unknown,
  choose: (call: RecordedCall, device: Device) => RecordedStrategy,
): Tensor | Tensor[] {
  const builtin = () => definition.forward(inputs, options as never);
  if (inputs.length === 0) return builtin();
  const [{ dtype, device }] = inputs;
  const call = { inputs: inputs.map((x) => x.shape), dtype, options };
  const strategy = choose(call, device);
  if (strategy.name === 'builtin') return builtin();
  const result: unknown = runStrategy(strategy, call, { inputs, builtin }, [true, true, true]);
  const outputs = Array.isArray(result) ? result : [result];
  const wrong = outputs.find((y) => !(y instanceof Tensor && y.device === device));
  if (outputs.length > 0 && wrong === undefined && result !== undefined)
    return result as Tensor | Tensor[];
  throw new VoxgradError(
    'STRATEGY',
    `strategy '${strategy.name}' of ${definition.name} must return tensors on ${device}, but returned ` +
      `${wrong instanceof Tensor ? `one on ${wrong.device}` : describe(wrong ?? result)}`,
  );
}

import type { Capabilities } from '../device/device.js';
import type { ConvCall } from '../ops/conv/geometry.js';

/**
 * A plan that `supports`, `cost` and `run` ask for one after the other, made once. It is forgotten
 * with the call, so that it never outlives a change of what the device takes.
 */
export function remembered<T>(
  plan: (call: ConvCall, capabilities: Capabilities) => T,
): (call: ConvCall, capabilities: Capabilities) => T {
  const made = new WeakMap<ConvCall, { capabilities: Capabilities; result: T }>();
  return (call, capabilities) => {
    const known = made.get(call);
    if (known?.capabilities === capabilities) return known.result;
    const result = plan(call, capabilities);
    made.set(call, { capabilities, result });
    return result;
  };
}

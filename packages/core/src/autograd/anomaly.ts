import { requireFunction } from '../arguments.js';
import { autogradError } from '../errors.js';
import { shared } from '../shared.js';
import { isFloat } from '../tensor/dtype.js';
import type { Gradients, Node } from './node.js';

const state = shared('autograd.anomaly', () => ({ enabled: false }));
const traces = new WeakMap<Node, string>();

export const isAnomalyEnabled = (): boolean => state.enabled;

/**
 * While on, operations remember where they were called, and a backward that produces NaN throws
 * and names the forward operation. Slow: for debugging.
 */
export function setDetectAnomaly(enabled: boolean): void {
  state.enabled = enabled;
}

/** {@link setDetectAnomaly} while `fn` runs. Run forward and backward inside. */
export function detectAnomaly<T>(fn: () => T): T {
  requireFunction('detectAnomaly', 'fn', fn);
  const before = state.enabled;
  state.enabled = true;
  try {
    return fn();
  } finally {
    state.enabled = before;
  }
}

/** Remembers the call that made `node`. */
export function rememberCall(node: Node): void {
  if (!state.enabled) return;
  // The first lines are the tape's own.
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  traces.set(node, lines.filter((line) => !/autograd[/\\](op|anomaly)\./.test(line)).join('\n'));
}

/** Throws when a rule made NaN out of gradients. */
export function checkAnomaly(node: Node, results: Gradients): void {
  if (!state.enabled) return;
  results.forEach((gradient, i) => {
    if (!gradient || !isFloat(gradient.dtype)) return;
    const values = gradient.detach().to('float64').dataSync() as Float64Array;
    if (!values.some(Number.isNaN)) return;
    const trace = traces.get(node);
    throw autogradError(
      `the backward of '${node.name}' returned nan values in the gradient of its input ${i}.` +
        (trace
          ? ` Its forward was called here:\n${trace}`
          : ' Run the forward inside detectAnomaly to see where it was called.'),
    );
  });
}

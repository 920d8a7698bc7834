// The state of the default generator, as `torch.get_rng_state` and its neighbours give and take it.

import { requireFunction } from '../arguments.js';
import { argumentError, dtypeError } from '../errors.js';
import { defaultGenerator } from '../random/generator.js';
import { fromHost } from './create.js';
import { describe } from './shape.js';
import { Tensor } from './tensor.js';

/** The 5056 bytes of `torch.get_rng_state()`: a uint8 tensor. */
export function getRngState(): Tensor {
  const bytes = defaultGenerator().stateBytes();
  return fromHost(bytes, 'uint8', [bytes.length], { device: 'cpu' });
}

/**
 * Continues the stream of a state that {@link getRngState} or PyTorch has saved (5056 bytes, or the
 * 5048 of PyTorch before 1.3). Bytes that are no state are refused, and nothing changes.
 */
export function setRngState(state: Tensor | Uint8Array): void {
  if (!(state instanceof Tensor || state instanceof Uint8Array))
    throw argumentError(`setRngState(): expected the bytes of a state, but got ${describe(state)}`);
  defaultGenerator().setStateBytes(state instanceof Tensor ? bytesOf(state) : state);
}

function bytesOf(state: Tensor): Uint8Array {
  const data = state.dataSync();
  if (state.dtype === 'uint8' && data instanceof Uint8Array) return data;
  throw dtypeError(`RNG state must be a torch.ByteTensor (uint8), but it is ${state.dtype}`);
}

/** The seed from which the default generator started, 0 to 2^64 - 1. */
export const initialSeed = (): bigint => defaultGenerator().initialSeed;

/** Seeds the default generator with a number that nobody can foresee, and returns it. */
export const seed = (): bigint => defaultGenerator().seed();

/**
 * Runs `fn` and then puts the default generator back, so that what `fn` draws is not missed
 * outside. After a promise, as soon as it is settled; until then others draw from the same stream.
 */
export function forkRng<T>(fn: () => T): T {
  requireFunction('forkRng', 'fn', fn);
  const generator = defaultGenerator();
  const state = generator.getState();
  const restore = () => {
    generator.setState(state);
  };
  let result: T;
  try {
    result = fn();
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as T;
  restore();
  return result;
}

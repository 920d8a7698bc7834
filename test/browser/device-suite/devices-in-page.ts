// The wasm device of the page, in place of test/devices/devices.ts: on two threads where the page is
// isolated, on one elsewhere.

import { cpu, type Device } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';
import { bare } from '../../devices/bare.js';
import { placesOf } from '../../devices/places.js';

// Tensors of tests are small; they must not be left to the host.
export const wasm = createWasmDevice({ threads: 2, smallBytes: 0 });
await wasm.ready();

/** `cpu` is there to be mixed with, `bare` for a test of its own. */
export const DEVICES: readonly Device[] = [wasm, cpu, bare];
export const PLACES = placesOf([wasm]);

export {
  computed,
  refused,
  STRATEGIES,
  tolerance,
  unlessItMustRead,
} from '../../devices/places.js';

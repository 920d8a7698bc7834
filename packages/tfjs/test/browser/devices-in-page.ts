// The device of the page, in place of test/devices/devices.ts.

import { cpu, type Device } from '@voxgrad/core';
import { bare } from '../../../../test/devices/bare.js';
import { placesOf } from '../../../../test/devices/places.js';
import { pageDevice } from './page-device.js';

/** `cpu` is there to be mixed with, `bare` for a test of its own. */
export const DEVICES: readonly Device[] = [pageDevice, cpu, bare];
export const PLACES = placesOf([pageDevice]);

export {
  computed,
  refused,
  STRATEGIES,
  tolerance,
  unlessItMustRead,
} from '../../../../test/devices/places.js';

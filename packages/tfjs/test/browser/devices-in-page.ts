// The device of the page, in place of test/devices/devices.ts.

import { cpu, type Device } from '@voxgrad/core';
import { placesOf } from '../../../../test/devices/places.js';
import { pageDevice } from './page-device.js';

/** `cpu` is there to be mixed with. */
export const DEVICES: readonly Device[] = [pageDevice, cpu];
export const PLACES = placesOf([pageDevice]);

export {
  computed,
  refused,
  STRATEGIES,
  tolerance,
  unlessItMustRead,
} from '../../../../test/devices/places.js';

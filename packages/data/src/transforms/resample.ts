// Image and label sampled at one grid: the image interpolated, the label by its nearest voxel.

import {
  argumentError,
  describe,
  type GridPaddingMode,
  gridSample,
  type Tensor,
} from '@voxgrad/core';
import { mapGeometry, type Sample } from './sample.js';

/** What lies outside of the volume: 0, the nearest voxel, or the mirrored volume. */
export type Outside = GridPaddingMode;

const OUTSIDE: readonly Outside[] = ['zeros', 'border', 'reflection'];

export function checkOutside(name: string, mode: Outside): Outside {
  if (OUTSIDE.includes(mode)) return mode;
  throw argumentError(
    `${name}: expected paddingMode to be 'zeros', 'border' or 'reflection', but got ${describe(mode)}`,
  );
}

/** @param grid `[1, D, H, W, 3]`, as gridSample takes it, in the dtype of the image */
export function resample<S extends Sample>(sample: S, grid: Tensor, paddingMode: Outside): S {
  return mapGeometry(
    sample,
    (image) => gridSample(image.unsqueeze(0), grid, { paddingMode }).squeeze(0),
    (label) => {
      // Labels of any dtype pass through the widest float of the device, which holds them exactly.
      const { computes } = label.device.capabilities;
      const dtype = computes.has('float64') ? 'float64' : 'float32';
      const options = { mode: 'nearest', paddingMode } as const;
      const wide = label.to(dtype).unsqueeze(0);
      return gridSample(wide, grid.to(dtype), options).squeeze(0).to(label.dtype);
    },
  );
}

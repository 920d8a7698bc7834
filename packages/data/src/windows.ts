// Where the windows of a sliding-window inference lie and how they are weighed.
// Source: MONAI, monai/data/utils.py (dense_patch_slices, compute_importance_map) and
// monai/inferers/utils.py (_get_scan_interval), Apache 2.0.

/**
 * First positions of windows of `window` elements along an axis of `size` (at least `window`):
 * `floor(window · (1 - overlap))` apart, the last one moved back to end with the axis.
 */
export function windowStarts(size: number, window: number, overlap: number): number[] {
  const step = size === window ? size : Math.max(Math.floor(window * (1 - overlap)), 1);
  const last = size - window;
  const count = Math.ceil(last / step) + 1;
  return Array.from({ length: count }, (_, i) => Math.min(i * step, last));
}

/** Every choice of one start per axis; the last axis varies fastest. */
export const windowPlaces = (starts: readonly (readonly number[])[]): number[][] =>
  starts.reduce<number[][]>(
    (places, axis) => places.flatMap((place) => axis.map((start) => [...place, start])),
    [[]],
  );

/** Weights below this fraction of the centre's are raised to it. */
const LEAST_WEIGHT = 1e-3;

/** A Gaussian of standard deviation `sigmaScale · size` along each axis around the centre, row-major. */
export function gaussianWeights(
  window: readonly number[],
  sigmaScale: number,
): Float64Array<ArrayBuffer> {
  const axes = window.map((size) =>
    Array.from({ length: size }, (_, i) =>
      Math.exp(-((i - (size - 1) / 2) ** 2) / (2 * (sigmaScale * size) ** 2)),
    ),
  );
  const weights = axes.reduce((rows, axis) => rows.flatMap((row) => axis.map((w) => row * w)), [1]);
  const least = Math.max(
    weights.reduce((a, b) => Math.min(a, b), 1),
    LEAST_WEIGHT,
  );
  return Float64Array.from(weights, (weight) => Math.max(weight, least));
}

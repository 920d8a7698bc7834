// Inference on volumes larger than a network takes at once.
// Source of the semantics: MONAI, monai/inferers/utils.py (sliding_window_inference), Apache 2.0.

import {
  argumentError,
  cat,
  checkCall,
  describe,
  formatShape,
  isFloat,
  noGrad,
  type OptionTable,
  ones,
  type PadMode,
  pad,
  perAxis,
  shapeError,
  Tensor,
  tensor,
  VoxgradError,
  where,
  zeros,
} from '@voxgrad/core';
import { gaussianWeights, windowPlaces, windowStarts } from './windows.js';

/** Options of {@link slidingWindowInference}. */
export interface SlidingWindowOptions {
  /** Size of the windows along each spatial axis; a number for all, 0 or less for the whole axis. */
  windowSize: number | readonly number[];
  /**
   * The network: `[B, C, …window]` → `[B, K, …window]`, floating point; may be asynchronous. It runs
   * off the tape (an asynchronous one up to its first await; it calls noGrad itself after that).
   */
  predictor: (windows: Tensor) => Tensor | Promise<Tensor>;
  /** How much neighbouring windows share, 0 up to but not including 1; 0.25 by default. */
  overlap?: number;
  /** Weights of a window where several meet: equal, or falling off from its centre. */
  blend?: 'constant' | 'gaussian';
  /** Standard deviation of the Gaussian as a fraction of the window, 0.125 by default. */
  sigmaScale?: number;
  /** Windows per call of the predictor, 1 by default. */
  batchSize?: number;
  /** How a volume smaller than the window is filled up; the result is cropped back. */
  paddingMode?: PadMode;
  /** What constant padding puts there, 0 by default. */
  paddingValue?: number;
  /** Called after every call of the predictor with the number of windows done and of all. */
  progress?: (done: number, total: number) => void;
}

const WINDOW_OPTIONS: OptionTable<SlidingWindowOptions> = {
  windowSize: true,
  predictor: true,
  overlap: true,
  blend: true,
  sigmaScale: true,
  batchSize: true,
  paddingMode: true,
  paddingValue: true,
  progress: true,
};

/**
 * The outputs of `predictor` on overlapping windows, averaged where they meet.
 *
 * Where all windows agree (a predictor that looks at one element at a time) the result is exactly
 * what they say, because the weighted mean is updated by differences. Beside the input there are one
 * output and one weight per position, whatever the number of windows.
 * @param input `[N, C, …]` with one to three spatial axes
 * @returns `[N, K, …]` on the device of the input, in the dtype of the predictor's outputs
 */
export async function slidingWindowInference(
  input: Tensor,
  options: SlidingWindowOptions,
): Promise<Tensor> {
  checkCall('slidingWindowInference', { input }, options ?? null, WINDOW_OPTIONS);
  const { predictor, progress, batchSize = 1 } = options;
  const window = checked(input, options);
  const sizes = input.shape.slice(2);
  const pairs = sizes.map((size, axis): [lo: number, hi: number] => {
    const missing = Math.max(window[axis] - size, 0);
    return [Math.floor(missing / 2), Math.ceil(missing / 2)];
  });
  const volume = noGrad(() => padded(input, pairs, options));
  const { overlap = 0.25 } = options;
  const places = windowPlaces(
    volume.shape.slice(2).map((size, axis) => windowStarts(size, window[axis], overlap)),
  );
  const total = input.shape[0] * places.length;
  let mean: RunningMean | undefined;
  for (let first = 0; first < total; first += batchSize) {
    const count = Math.min(batchSize, total - first);
    const group = Array.from({ length: count }, (_, i) => ({
      image: Math.floor((first + i) / places.length),
      place: places[(first + i) % places.length],
    }));
    // Wrapped, since noGrad refuses a promise as a result: it could not keep its word for one.
    const { result } = noGrad(() => {
      const windows = group.map(({ image, place }) => windowAt(volume, image, place, window));
      return { result: predictor(cat(windows)) };
    });
    const output = await result;
    checkOutput(output, count, window, mean?.output);
    mean ??= new RunningMean(volume.shape, output, weightsOf(output, window, options));
    for (const [i, { image, place }] of group.entries()) mean.add(output, i, image, place);
    progress?.(first + count, total);
  }
  if (mean === undefined)
    throw shapeError('slidingWindowInference: expected at least one image, but the batch is empty');
  const { output } = mean;
  return noGrad(() =>
    pairs.reduce((y, [lo], axis) => y.narrow(axis + 2, lo, sizes[axis]), output).contiguous(),
  );
}

const windowAt = (
  volume: Tensor,
  image: number,
  place: readonly number[],
  window: readonly number[],
): Tensor =>
  place.reduce(
    (x, start, axis) => x.narrow(axis + 2, start, window[axis]),
    volume.narrow(0, image, 1),
  );

/** A weighted mean at every position, in two tensors. Windows of one image come one after another. */
class RunningMean {
  readonly output: Tensor;
  readonly #total: Tensor;
  readonly #weights: Tensor;
  #image = 0;

  constructor([batch, , ...sizes]: readonly number[], first: Tensor, weights: Tensor) {
    const { dtype, device } = first;
    this.output = zeros([batch, first.shape[1], ...sizes], { dtype, device });
    this.#total = zeros([1, 1, ...sizes], { dtype, device });
    this.#weights = weights;
  }

  /** Adds row `i` of `outputs` as the window at `place`. */
  add(outputs: Tensor, i: number, image: number, place: readonly number[]): void {
    noGrad(() => {
      if (image !== this.#image) this.#total.zero_();
      this.#image = image;
      const window = this.#weights.shape.slice(2);
      const total = windowAt(this.#total, 0, place, window);
      const mean = windowAt(this.output, image, place, window);
      const value = outputs.narrow(0, i, 1);
      total.add_(this.#weights);
      // Equal values stay, also infinite ones, whose difference is no number.
      const step = where(value.eq(mean), 0, value.sub(mean)).mul(this.#weights.div(total));
      mean.add_(step);
    });
  }
}

function weightsOf(
  output: Tensor,
  window: readonly number[],
  { blend = 'constant', sigmaScale = 0.125 }: SlidingWindowOptions,
): Tensor {
  const { dtype, device } = output;
  const shape = [1, 1, ...window];
  if (blend === 'constant') return ones(shape, { dtype, device });
  return tensor(gaussianWeights(window, sigmaScale), { shape, dtype, device });
}

function padded(
  input: Tensor,
  pairs: readonly (readonly [number, number])[],
  { paddingMode: mode = 'constant', paddingValue = 0 }: SlidingWindowOptions,
): Tensor {
  if (pairs.every(([lo, hi]) => lo === 0 && hi === 0)) return input;
  const widths = pairs.toReversed().flat();
  return pad(input, widths, mode === 'constant' ? { mode, value: paddingValue } : { mode });
}

/** Checks the call; returns the window along each axis. */
function checked(input: Tensor, options: SlidingWindowOptions): number[] {
  const { predictor, overlap = 0.25, blend = 'constant', sigmaScale = 0.125 } = options;
  const fail = (text: string) => argumentError(`slidingWindowInference: ${text}`);
  if (!(input instanceof Tensor) || input.ndim < 3 || input.ndim > 5)
    throw shapeError(
      'slidingWindowInference: expected an input of shape [N, C, …] with one to three spatial axes, but got ' +
        (input instanceof Tensor ? formatShape(input.shape) : describe(input)),
    );
  if (typeof predictor !== 'function')
    throw fail(`expected the predictor as a function, but got ${describe(predictor)}`);
  if (!(overlap >= 0 && overlap < 1))
    throw fail(`overlap must be >= 0 and < 1, but got ${describe(overlap)}`);
  if (blend !== 'constant' && blend !== 'gaussian')
    throw fail(`blend must be 'constant' or 'gaussian', but got ${describe(blend)}`);
  if (!(sigmaScale > 0)) throw fail(`sigmaScale must be positive, but got ${describe(sigmaScale)}`);
  const { batchSize = 1, windowSize } = options;
  if (!(Number.isInteger(batchSize) && batchSize > 0))
    throw fail(`batchSize must be a positive integer, but got ${describe(batchSize)}`);
  const sizes = input.shape.slice(2);
  return perAxis(windowSize, sizes.length, 'windowSize', 'slidingWindowInference').map(
    (size, axis) => (size > 0 ? size : sizes[axis]),
  );
}

function checkOutput(
  output: Tensor,
  count: number,
  window: readonly number[],
  known: Tensor | undefined,
): void {
  if (!(output instanceof Tensor))
    throw argumentError(
      `slidingWindowInference: expected the predictor to return a tensor, but got ${describe(output)}`,
    );
  const [rows, channels, ...sizes] = output.shape;
  const fits =
    rows === count &&
    formatShape(sizes) === formatShape(window) &&
    (known === undefined || known.shape[1] === channels);
  if (!fits)
    throw shapeError(
      `slidingWindowInference: expected the predictor to return [${count}, ${known?.shape[1] ?? 'K'}, ${window.join(', ')}] ` +
        `for ${count} window(s), but got ${formatShape(output.shape)}`,
    );
  if (!isFloat(output.dtype))
    throw new VoxgradError(
      'DTYPE',
      `slidingWindowInference: cannot average ${output.dtype}; let the predictor return logits or ` +
        'probabilities, and take the argmax of the result',
    );
}

// Windows of signal processing.

import { argumentError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { CREATE_OPTIONS, type CreateOptions, converted, fromHost } from './create.js';
import { checkDType, getDefaultDtype } from './dtype.js';
import type { Tensor } from './tensor.js';

/** Options of {@link hannWindow} and {@link hammingWindow}. */
export interface WindowFunctionOptions extends CreateOptions {
  /** True, the default, leaves out the last point, which the next period begins with. */
  periodic?: boolean;
}

const WINDOW_OPTIONS: OptionTable<WindowFunctionOptions> = { ...CREATE_OPTIONS, periodic: true };

/** `value` at the shares 0 to 1 of the way through the window. */
function window(
  name: string,
  length: number,
  given: WindowFunctionOptions,
  value: (share: number) => number,
): Tensor {
  checkOptions(name, given, WINDOW_OPTIONS);
  const { periodic = true, ...options } = given;
  if (!(Number.isInteger(length) && length >= 0))
    throw argumentError(`${name} requires non-negative window_length, got window_length=${length}`);
  const last = periodic ? length : length - 1;
  const values = Float64Array.from({ length }, (_, i) => (length === 1 ? 1 : value(i / last)));
  const made = fromHost(values, 'float64', [length], { device: options.device });
  return converted(made, checkDType(options.dtype ?? getDefaultDtype()), options);
}

/** Σ weight[k]·cos(2πk·share), with signs that alternate. */
const cosines =
  (...weights: number[]) =>
  (share: number): number =>
    weights.reduce((sum, w, k) => sum + (-1) ** k * w * Math.cos(2 * Math.PI * k * share), 0);

/** A triangle from 0 over 1 to 0, `[length]`. */
export const bartlettWindow = (length: number, options: WindowFunctionOptions = {}): Tensor =>
  window('bartlett_window', length, options, (share) => 1 - Math.abs(2 * share - 1));

/** `[length]` */
export const blackmanWindow = (length: number, options: WindowFunctionOptions = {}): Tensor =>
  window('blackman_window', length, options, cosines(0.42, 0.5, 0.08));

/** A raised cosine, `[length]`. */
export const hannWindow = (length: number, options: WindowFunctionOptions = {}): Tensor =>
  window('hann_window', length, options, cosines(0.5, 0.5));

/** A cosine of weight `beta` (0.46) about `alpha` (0.54), `[length]`. */
export function hammingWindow(
  length: number,
  options: WindowFunctionOptions & { alpha?: number; beta?: number } = {},
): Tensor {
  checkOptions('hamming_window', options, { ...WINDOW_OPTIONS, alpha: true, beta: true });
  const { alpha = 0.54, beta = 0.46, ...rest } = options;
  return window('hamming_window', length, rest, cosines(alpha, beta));
}

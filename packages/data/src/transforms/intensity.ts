import { argumentError, randn, type Tensor, where } from '@voxgrad/core';
import {
  type Draws,
  type Interval,
  interval,
  type RandomOptions,
  RandomTransform,
  type Range,
} from './random.js';
import { requireFloatImage, type Sample, type Triple } from './sample.js';

/** Options of {@link RandomIntensity}. */
export interface IntensityOptions extends RandomOptions {
  /** Exponent of the intensities within each channel's own range (0.2 is 0.8 to 1.2). */
  gamma?: Range;
  /** Factor (0.1 is 0.9 to 1.1). */
  gain?: Range;
  /** Summand, in units of the image. */
  bias?: Range;
  /** Standard deviation of normal noise, in units of the image: a number, or [low, high] to draw from. */
  noise?: Range;
}

/**
 * Changes the intensities of the image (floating point) and nothing else: gamma, then gain, bias and
 * noise, each where it is given.
 */
export class RandomIntensity extends RandomTransform {
  readonly #gamma: Interval | undefined;
  readonly #gain: Interval | undefined;
  readonly #bias: Interval | undefined;
  readonly #noise: Interval | undefined;

  constructor(options: IntensityOptions) {
    super(options, ['gamma', 'gain', 'bias', 'noise']);
    const { gamma, gain, bias, noise } = options;
    const given = (option: string, range: Range | undefined, neutral: number) =>
      range === undefined ? undefined : interval(this.name, option, range, neutral);
    this.#gamma = given('gamma', gamma, 1);
    this.#gain = given('gain', gain, 1);
    this.#bias = given('bias', bias, 0);
    this.#noise = given('noise', typeof noise === 'number' ? [noise, noise] : noise, 0);
    if ([gamma, gain, bias, noise].every((range) => range === undefined))
      throw argumentError(`${this.name}: expected at least one of gamma, gain, bias and noise`);
    if ((this.#gamma?.[0] ?? 1) <= 0 || (this.#noise?.[0] ?? 0) < 0)
      throw argumentError(
        `${this.name}: expected a positive gamma and a standard deviation of noise of 0 or more`,
      );
  }

  protected override apply<S extends Sample>(sample: S, _sizes: Triple, draws: Draws): S {
    requireFloatImage(this.name, sample);
    let { image } = sample;
    if (this.#gamma) image = withGamma(image, draws.uniform(this.#gamma));
    if (this.#gain) image = image.mul(draws.uniform(this.#gain));
    if (this.#bias) image = image.add(draws.uniform(this.#bias));
    if (this.#noise) image = image.add(noiseLike(image, draws).mul(draws.uniform(this.#noise)));
    return { ...sample, image };
  }
}

/** Each channel to [0, 1], to the power of `gamma`, and back to its own range. */
function withGamma(image: Tensor, gamma: number): Tensor {
  const over = [1, 2, 3];
  const low = image.amin(over, { keepdim: true });
  const span = image.amax(over, { keepdim: true }).sub(low);
  const scale = where(span.eq(0), 1, span); // a constant channel stays as it is
  return image.sub(low).div(scale).pow(gamma).mul(scale).add(low);
}

const noiseLike = (image: Tensor, { generator }: Draws): Tensor => {
  const { shape, dtype, device } = image;
  const drawn = dtype === 'float64' ? 'float64' : 'float32';
  return randn(shape, { generator, dtype: drawn, device }).to(dtype);
};

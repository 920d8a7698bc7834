import { affineGrid, argumentError, describe, tensor } from '@voxgrad/core';
import { applyTo, inverse, type Matrix, product, rows, rotation as turn } from './matrix.js';
import {
  type AxisRange,
  type Draws,
  interval,
  intervals,
  type RandomOptions,
  RandomTransform,
  type Range,
} from './random.js';
import { checkOutside, type Outside, resample } from './resample.js';
import { requireFloatImage, type Sample, type Triple } from './sample.js';

/** Options of {@link RandomAffine}. */
export interface AffineOptions extends RandomOptions {
  /** Degrees about the depth, height and width axis; 0 by default. */
  rotation?: AxisRange;
  /** Factors by which the content grows (0.1 is 0.9 to 1.1); 1 by default. */
  scale?: AxisRange;
  /** One factor for all axes, drawn from the first range; false by default. */
  isotropic?: boolean;
  /** Shift along one axis per step along another, for the six pairs of axes; 0 by default. */
  shear?: Range;
  /** Shift along each axis, in units of `spacing`; 0 by default. */
  translation?: AxisRange;
  /** Distance of voxels along depth, height and width, so that a turned sphere stays one. 1 by default. */
  spacing?: Triple;
  /** What lies outside: 'zeros' by default. */
  paddingMode?: Outside;
}

const OPTIONS = [
  'rotation',
  'scale',
  'isotropic',
  'shear',
  'translation',
  'spacing',
  'paddingMode',
];

/**
 * Rotates, shears, scales and moves image (trilinear, floating point) and label (nearest) about the
 * centre of the volume, whose sizes stay: content x goes to rotation · shear · scale · x + translation.
 */
export class RandomAffine extends RandomTransform {
  readonly #ranges;
  readonly #isotropic: boolean;
  readonly #spacing: Triple;
  readonly #outside: Outside;

  constructor(options: AffineOptions) {
    super(options, OPTIONS);
    const { rotation = 0, scale = 0, shear = 0, translation = 0, spacing = [1, 1, 1] } = options;
    this.#ranges = {
      rotation: intervals(this.name, 'rotation', rotation),
      scale: intervals(this.name, 'scale', scale, 1),
      shear: interval(this.name, 'shear', shear),
      translation: intervals(this.name, 'translation', translation),
    };
    this.#isotropic = options.isotropic ?? false;
    this.#spacing = spacing;
    this.#outside = checkOutside(this.name, options.paddingMode ?? 'zeros');
    if (this.#ranges.scale.some(([low]) => low <= 0))
      throw argumentError(
        `${this.name}: expected positive scale factors, but got ${describe(scale)}`,
      );
    if (spacing.length !== 3 || !spacing.every((step) => step > 0))
      throw argumentError(
        `${this.name}: expected spacing as three positive numbers, but got ${describe(spacing)}`,
      );
  }

  protected override apply<S extends Sample>(sample: S, sizes: Triple, draws: Draws): S {
    requireFloatImage(this.name, sample);
    const { rotation, scale, shear, translation } = this.#ranges;
    const angles = rotation.map((range) => (draws.uniform(range) * Math.PI) / 180);
    const first = draws.uniform(scale[0]);
    const rest = this.#isotropic
      ? [first, first]
      : [draws.uniform(scale[1]), draws.uniform(scale[2])];
    const sheared = rows((i, j) => (i === j ? 1 : draws.uniform(shear)));
    const [d, h, w] = translation.map((range) => draws.uniform(range));
    const factors = [first, ...rest];
    const content = [
      ...angles.map((angle, axis) => turn(axis, angle)),
      sheared,
      rows((i, j) => (i === j ? factors[i] : 0)),
    ].reduce(product);
    const theta = samplingMatrix(content, [d, h, w], sizes, this.#spacing);
    if (!theta.flat().every(Number.isFinite))
      throw argumentError(
        `${this.name}: the drawn map flattens the volume and has no inverse; reduce shear`,
      );
    const { image } = sample;
    const matrix = tensor(theta, { dtype: image.dtype, device: image.device }).unsqueeze(0);
    return resample(sample, affineGrid(matrix, [1, 1, ...sizes]), this.#outside);
  }
}

/**
 * Where the output samples the input: the inverse of the map of the content, in the coordinates of
 * gridSample, which run from -1 to 1 over each axis (outer edges of the voxels), x (width) first.
 */
function samplingMatrix(
  content: Matrix,
  shift: Triple,
  sizes: Triple,
  spacing: Triple,
): number[][] {
  const back = inverse(content);
  const offset = applyTo(back, shift);
  const half = sizes.map((size, axis) => (size * spacing[axis]) / 2);
  return [2, 1, 0].map((i) => [
    ...[2, 1, 0].map((j) => (back[i][j] * half[j]) / half[i]),
    -offset[i] / half[i],
  ]);
}

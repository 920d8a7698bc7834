// Smooth random deformations: displacements of a coarse lattice of control points, interpolated by
// uniform cubic B-splines (twice continuously differentiable). Source of the form: Rueckert et al.,
// IEEE Trans. Medical Imaging 18(8), 1999; of the bound: Choi and Lee, Graphical Models 62, 2000.

import { affineGrid, argumentError, describe, stack, type Tensor, tensor } from '@voxgrad/core';
import { type Draws, type RandomOptions, RandomTransform } from './random.js';
import { checkOutside, type Outside, resample } from './resample.js';
import { requireFloatImage, type Sample, type Triple } from './sample.js';

/** Options of {@link RandomElastic}. */
export interface ElasticOptions extends RandomOptions {
  /** Points of the lattice along each axis, 4 or more; 7 by default. Fewer deform more smoothly. */
  controlPoints?: number;
  /**
   * Bound of the displacement along each axis, in voxels; 5 by default. The deformation cannot fold
   * where it is below 0.4 of the distance of the points, size / (controlPoints - 3).
   */
  maxDisplacement?: number;
  /** What lies outside: 'border' by default. */
  paddingMode?: Outside;
}

/** Bends image (trilinear, floating point) and label (nearest) by one smooth displacement. */
export class RandomElastic extends RandomTransform {
  readonly controlPoints: number;
  readonly maxDisplacement: number;
  readonly #outside: Outside;

  constructor(options: ElasticOptions = {}) {
    super(options, ['controlPoints', 'maxDisplacement', 'paddingMode']);
    this.controlPoints = options.controlPoints ?? 7;
    this.maxDisplacement = options.maxDisplacement ?? 5;
    this.#outside = checkOutside(this.name, options.paddingMode ?? 'border');
    if (!(Number.isInteger(this.controlPoints) && this.controlPoints >= 4))
      throw argumentError(
        `${this.name}: expected controlPoints as an integer of 4 or more, but got ${describe(this.controlPoints)}`,
      );
    if (!(this.maxDisplacement >= 0 && Number.isFinite(this.maxDisplacement)))
      throw argumentError(
        `${this.name}: expected maxDisplacement of 0 or more, but got ${describe(this.maxDisplacement)}`,
      );
  }

  protected override apply<S extends Sample>(sample: S, sizes: Triple, draws: Draws): S {
    requireFloatImage(this.name, sample);
    const { dtype, device } = sample.image;
    const { controlPoints: n, maxDisplacement: most } = this;
    const drawn = Float64Array.from({ length: 3 * n ** 3 }, () => draws.uniform([-most, most]));
    const lattice = tensor(drawn, { shape: [3, n, n, n], dtype, device });
    const voxels = interpolate(lattice, sizes);
    const still = affineGrid(tensor([IDENTITY], { dtype, device }), [1, 1, ...sizes]);
    // In gridSample's coordinates a voxel is 2 / size, and x (width) comes first.
    const moved = stack(
      [2, 1, 0].map((axis) => voxels.select(0, axis).mul(2 / sizes[axis])),
      -1,
    );
    return resample(sample, still.add(moved.unsqueeze(0)), this.#outside);
  }
}

const IDENTITY = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
];

/** `[3, n, n, n]` control points → `[3, D, H, W]`, one axis after the other. */
const interpolate = (lattice: Tensor, sizes: Triple): Tensor =>
  sizes.reduce((field, size, axis) => {
    const { dtype, device } = field;
    const points = lattice.shape[axis + 1];
    const weights = tensor(splineWeights(size, points), { shape: [points, size], dtype, device });
    return field
      .transpose(axis + 1, 3)
      .matmul(weights)
      .transpose(axis + 1, 3);
  }, lattice);

/** `[points, size]`: the weight of each control point at each voxel. Every column adds up to 1. */
export function splineWeights(size: number, points: number): Float64Array<ArrayBuffer> {
  const weights = new Float64Array(points * size);
  for (let voxel = 0; voxel < size; voxel++) {
    const position = ((voxel + 0.5) / size) * (points - 3);
    const first = Math.floor(position);
    const t = position - first;
    const basis = [
      (1 - t) ** 3,
      3 * t ** 3 - 6 * t ** 2 + 4,
      -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1,
      t ** 3,
    ];
    basis.forEach((weight, i) => {
      weights[(first + i) * size + voxel] = weight / 6;
    });
  }
  return weights;
}

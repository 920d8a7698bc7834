// What the transforms work on, and where its spatial axes are.

import {
  describe,
  formatShape,
  isFloat,
  sameShape,
  shapeError,
  Tensor,
  VoxgradError,
} from '@voxgrad/core';

/** A volume with its labels; entries of other names pass through unchanged. */
export interface Sample {
  /** `[C, D, H, W]` */
  readonly image: Tensor;
  /** `[D, H, W]` or `[C, D, H, W]`, of any dtype */
  readonly label?: Tensor;
}

/** Depth, height, width. */
export type Triple = readonly [depth: number, height: number, width: number];

const spatial = (x: Tensor): Triple => {
  const [depth, height, width] = x.shape.slice(-3);
  return [depth, height, width];
};

/** Sizes of the volume, after checking that the parts of the sample fit together. */
export function sizesOf(name: string, { image, label }: Sample): Triple {
  if (!(image instanceof Tensor) || image.ndim !== 4)
    throw shapeError(
      `${name}: expected sample.image of shape [C, D, H, W], but got ${shapeText(image)}`,
    );
  if (label !== undefined) {
    const rank = label instanceof Tensor ? label.ndim : 0;
    if ((rank !== 3 && rank !== 4) || !sameShape(spatial(label), spatial(image)))
      throw shapeError(
        `${name}: expected sample.label of shape [D, H, W] or [C, D, H, W] with the sizes of the image ` +
          `${formatShape(image.shape)}, but got ${shapeText(label)}`,
      );
  }
  return spatial(image);
}

const shapeText = (value: unknown): string =>
  value instanceof Tensor ? formatShape(value.shape) : describe(value);

/** The same change of geometry for image and label, each as `[C, D, H, W]`. */
export function mapGeometry<S extends Sample>(
  sample: S,
  forImage: (image: Tensor) => Tensor,
  forLabel: (label: Tensor) => Tensor = forImage,
): S {
  const image = forImage(sample.image);
  const { label } = sample;
  if (label === undefined) return { ...sample, image };
  if (label.ndim === 4) return { ...sample, image, label: forLabel(label) };
  return { ...sample, image, label: forLabel(label.unsqueeze(0)).squeeze(0) };
}

/** Interpolation and intensities need numbers between the given ones. */
export function requireFloatImage(name: string, { image }: Sample): void {
  if (isFloat(image.dtype)) return;
  throw new VoxgradError(
    'DTYPE',
    `${name}: expected a floating-point image, but got ${image.dtype}; convert it first: image.to('float32')`,
  );
}

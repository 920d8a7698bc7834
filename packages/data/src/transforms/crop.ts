import {
  argumentError,
  checkOptions,
  describe,
  noGrad,
  type PadMode,
  pad,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { type Draws, type RandomOptions, RandomTransform, type Transform } from './random.js';
import { mapGeometry, type Sample, sizesOf, type Triple } from './sample.js';

/** Options of {@link RandomCrop}. */
export interface CropOptions {
  /** Pad a volume that is too small equally on both sides, instead of refusing it. */
  padIfNeeded?: boolean;
  /** 'constant' by default. */
  paddingMode?: PadMode;
  /** What constant padding puts into the image, 0 by default. */
  value?: number;
  /** What constant padding puts into the label, 0 by default; say, the index that a loss ignores. */
  labelValue?: number;
}

const CROP_OPTIONS = ['padIfNeeded', 'paddingMode', 'value', 'labelValue'];

/** One size for all axes, or depth, height and width. */
export type Sizes = number | Triple;

function triple(name: string, option: string, value: Sizes, least: number): Triple {
  const list = typeof value === 'number' ? [value, value, value] : value;
  if (
    !Array.isArray(list) ||
    list.length !== 3 ||
    !list.every((n) => Number.isInteger(n) && n >= least)
  )
    throw argumentError(
      `${name}: expected ${option} as an integer of ${least} or more, or three of them, but got ${describe(value)}`,
    );
  return [list[0], list[1], list[2]];
}

type Pairs = readonly (readonly [lo: number, hi: number])[];

function padded<S extends Sample>(sample: S, pairs: Pairs, options: CropOptions): S {
  if (pairs.every(([lo, hi]) => lo === 0 && hi === 0)) return sample;
  const mode = options.paddingMode ?? 'constant';
  const widths = pairs.toReversed().flat();
  const padWith =
    (value = 0) =>
    (x: Tensor) =>
      pad(x, widths, mode === 'constant' ? { mode, value } : { mode });
  return mapGeometry(sample, padWith(options.value), padWith(options.labelValue));
}

/** At least as large as `size`; what is missing is added on both sides, the odd one at the end. */
function grown<S extends Sample>(name: string, sample: S, size: Triple, options: CropOptions): S {
  const sizes = sizesOf(name, sample);
  const missing = sizes.map((have, axis) => Math.max(size[axis] - have, 0));
  if (!options.padIfNeeded && missing.some((n) => n > 0))
    throw shapeError(
      `${name}: Required crop size (${size.join(', ')}) is larger than input volume size (${sizes.join(', ')}); ` +
        'pass padIfNeeded: true to pad it',
    );
  const pairs = missing.map((n): [number, number] => [Math.floor(n / 2), Math.ceil(n / 2)]);
  return padded(sample, pairs, options);
}

const cut = <S extends Sample>(sample: S, starts: readonly number[], size: Triple): S =>
  mapGeometry(sample, (x) =>
    starts.reduce((y, start, axis) => y.narrow(axis + 1, start, size[axis]), x),
  );

/** A window of `size` at a random place (a view where nothing had to be padded). */
export class RandomCrop extends RandomTransform {
  readonly size: Triple;
  readonly padding: Triple;
  readonly #options: CropOptions;

  /** @param options.padding voxels added on both sides of each axis before cropping, 0 by default */
  constructor(size: Sizes, options: RandomOptions & CropOptions & { padding?: Sizes } = {}) {
    super(options, [...CROP_OPTIONS, 'padding']);
    this.size = triple(this.name, 'size', size, 1);
    this.padding = triple(this.name, 'padding', options.padding ?? 0, 0);
    this.#options = options;
  }

  protected override apply<S extends Sample>(sample: S, _sizes: Triple, draws: Draws): S {
    const margins = this.padding.map((n): [number, number] => [n, n]);
    const room = grown(this.name, padded(sample, margins, this.#options), this.size, this.#options);
    const starts = sizesOf(this.name, room).map((have, axis) =>
      draws.integer(have - this.size[axis] + 1),
    );
    return cut(room, starts, this.size);
  }
}

/** The middle `size` of a volume; one voxel towards the beginning where it does not split evenly. */
export class CenterCrop implements Transform {
  readonly size: Triple;

  constructor(
    size: Sizes,
    readonly options: CropOptions = {},
  ) {
    checkOptions('CenterCrop', options, CROP_OPTIONS);
    this.size = triple('CenterCrop', 'size', size, 1);
  }

  call<S extends Sample>(sample: S): S {
    return noGrad(() => {
      const room = grown('CenterCrop', sample, this.size, this.options);
      const starts = sizesOf('CenterCrop', room).map((have, axis) =>
        Math.floor((have - this.size[axis]) / 2),
      );
      return cut(room, starts, this.size);
    });
  }
}

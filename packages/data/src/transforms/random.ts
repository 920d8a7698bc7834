// Randomness of the transforms: everything is drawn in float64 from one generator, in the order in
// which it is written down, so that a seed fixes every number.

import {
  argumentError,
  checkOptions,
  defaultGenerator,
  describe,
  type Generator,
  noGrad,
} from '@voxgrad/core';
import { type Sample, sizesOf, type Triple } from './sample.js';

/** An interval to draw from uniformly. */
export type Interval = readonly [low: number, high: number];
/** A number r stands for an interval around the neutral value: [-r, r], or [1 - r, 1 + r] for factors. */
export type Range = number | Interval;
/** One range for all axes, or one each for depth, height and width. */
export type AxisRange = Range | readonly [Range, Range, Range];

/** Options of every random transform. */
export interface RandomOptions {
  /** How likely the transform is applied at all: 1 by default unless said otherwise. */
  p?: number;
  /** The default generator unless given. */
  generator?: Generator;
}

/** Something that turns a sample into another one. */
export interface Transform {
  call<S extends Sample>(sample: S): S;
}

/** Draws for one application of a transform. */
export class Draws {
  readonly generator: Generator;

  constructor(generator: Generator) {
    this.generator = generator;
  }

  uniform([low, high]: Interval): number {
    return low + this.generator.uniform64() * (high - low);
  }

  chance(p: number): boolean {
    return this.generator.uniform64() < p;
  }

  /** 0 to n - 1, as `randint`. */
  integer(n: number): number {
    return this.generator.uint32() % n;
  }
}

/** Checks the sample, decides whether to apply, and applies off the tape. */
export abstract class RandomTransform implements Transform {
  readonly p: number;
  readonly #generator: Generator | undefined;

  /** @param known the options of the subclass, besides those of all */
  constructor(options: RandomOptions, known: readonly string[], p = 1) {
    checkOptions(new.target.name, options ?? null, ['p', 'generator', ...known]);
    this.p = options.p ?? p;
    this.#generator = options.generator;
    if (!(this.p >= 0 && this.p <= 1))
      throw argumentError(`${this.name}: expected p in [0, 1], but got ${describe(this.p)}`);
  }

  get name(): string {
    return this.constructor.name;
  }

  call<S extends Sample>(sample: S): S {
    const sizes = sizesOf(this.name, sample);
    const draws = new Draws(this.#generator ?? defaultGenerator());
    if (!this.applies(draws)) return sample;
    return noGrad(() => this.apply(sample, sizes, draws));
  }

  /** One draw, whatever p is. */
  protected applies(draws: Draws): boolean {
    return draws.chance(this.p);
  }

  protected abstract apply<S extends Sample>(sample: S, sizes: Triple, draws: Draws): S;
}

const isInterval = (value: unknown): value is Interval =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every(Number.isFinite) &&
  value[0] <= value[1];

/** The interval that `range` stands for around `neutral`. */
export function interval(name: string, option: string, range: Range, neutral = 0): Interval {
  if (isInterval(range)) return range;
  if (typeof range === 'number' && range >= 0 && Number.isFinite(range))
    return [neutral - range, neutral + range];
  throw argumentError(
    `${name}: expected ${option} as a number of 0 or more or as [low, high], but got ${describe(range)}`,
  );
}

type Intervals = readonly [Interval, Interval, Interval];

/** An interval for each of depth, height and width. */
export function intervals(name: string, option: string, range: AxisRange, neutral = 0): Intervals {
  const of = (value: Range) => interval(name, option, value, neutral);
  if (typeof range !== 'number' && range.length === 3)
    return [of(range[0]), of(range[1]), of(range[2])];
  const one = of(range);
  return [one, one, one];
}

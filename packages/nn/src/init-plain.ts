// Initial values of one distribution or one number. A tensor may be null in the types, since the
// weight of a norm or the bias of a layer may be; that there is none is an error when it happens.

import { checkOptions, noGrad, type OptionTable, requireTensors, type Tensor } from '@voxgrad/core';
import type { InitOptions } from './init-structured.js';
import { INIT } from './option-tables.js';
import { optionsOf } from './options.js';

/** What is initialised: a tensor, or a parameter that a module may lack. */
export type InitTarget = Tensor | null;

/** Runs `write` off the tape on `target`, which must be there. */
export function inPlace(
  operation: string,
  target: InitTarget,
  write: (tensor: Tensor) => void,
): Tensor {
  requireTensors(operation, { tensor: target });
  const tensor = target as Tensor;
  noGrad(() => write(tensor));
  return tensor;
}

/** Numbers by position, then options; or all of them in one options object. */
export function numbersOf<O extends InitOptions, K extends keyof O & string>(
  operation: string,
  known: OptionTable<O>,
  key: K,
  first: number | O,
  others: { readonly [P in keyof O]?: O[P] | undefined },
  options: InitOptions,
): O {
  checkOptions(operation, options, INIT);
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const more = { ...Object.fromEntries(given), ...options } as Omit<O, K>;
  return optionsOf(operation, known, key, first, more);
}

/** Options of {@link uniform_}. */
export interface UniformOptions extends InitOptions {
  a?: number;
  b?: number;
}

const UNIFORM: OptionTable<UniformOptions> = { a: true, b: true, generator: true };

/** Uniform on [a, b), [0, 1) unless given. */
export function uniform_(
  tensor: InitTarget,
  a: number | UniformOptions = {},
  b?: number,
  options: InitOptions = {},
): Tensor {
  const given = numbersOf<UniformOptions, 'a'>('uniform_', UNIFORM, 'a', a, { b }, options);
  const { a: from = 0, b: to = 1, generator } = given;
  return inPlace('uniform_', tensor, (x) => x.uniform_(from, to, { generator }));
}

/** Options of {@link normal_}. */
export interface NormalOptions extends InitOptions {
  mean?: number;
  std?: number;
}

const NORMAL: OptionTable<NormalOptions> = { mean: true, std: true, generator: true };

/** Normal with `mean` (0) and standard deviation `std` (1). */
export function normal_(
  tensor: InitTarget,
  mean: number | NormalOptions = {},
  std?: number,
  options: InitOptions = {},
): Tensor {
  const given = numbersOf<NormalOptions, 'mean'>('normal_', NORMAL, 'mean', mean, { std }, options);
  const { mean: centre = 0, std: width = 1, generator } = given;
  return inPlace('normal_', tensor, (x) => x.normal_(centre, width, { generator }));
}

/** Every element becomes `value`. */
export const constant_ = (tensor: InitTarget, value: number): Tensor =>
  inPlace('constant_', tensor, (x) => x.fill_(value));

/** Fills a tensor with 0. */
export const zeros_ = (tensor: InitTarget): Tensor => inPlace('zeros_', tensor, (x) => x.fill_(0));
/** Fills a tensor with 1. */
export const ones_ = (tensor: InitTarget): Tensor => inPlace('ones_', tensor, (x) => x.fill_(1));

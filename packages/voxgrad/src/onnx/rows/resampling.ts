// Resampling to another size.

import type { InterpolateOptions } from '@voxgrad/core';
import type { CallRow } from '../graph.js';
import { type Attribute, ints, text } from '../proto.js';
import { isValue, type Value } from '../trace.js';

const optionsOf = (args: readonly unknown[]): InterpolateOptions =>
  (args[1] ?? {}) as InterpolateOptions;

const isWholeNumber = (x: unknown) => typeof x === 'number' && Number.isInteger(x) && x >= 1;

/** Whether every axis grows by a whole factor: then rounding cannot move a nearest neighbour. */
function growsByWholes(x: Value, { size, scaleFactor }: InterpolateOptions): boolean {
  const spatial = x.shape.slice(2);
  const list = (given: number | readonly number[]): readonly number[] =>
    typeof given === 'number' ? spatial.map(() => given) : given;
  if (scaleFactor !== undefined && scaleFactor !== null)
    return list(scaleFactor).every(isWholeNumber);
  if (size === undefined || size === null) return false;
  return list(size).every((output, axis) => isWholeNumber(output / spatial[axis]));
}

/** Other modes are made of slices that are picked and weighted. */
const MODES: Readonly<Record<string, string>> = {
  nearest: 'nearest',
  'nearest-exact': 'nearest',
  linear: 'linear',
  bilinear: 'linear',
  trilinear: 'linear',
};

function attributes({ mode = 'nearest', alignCorners }: InterpolateOptions) {
  const common: Record<string, Attribute> = { mode: text(MODES[mode]) };
  if (mode === 'nearest')
    return {
      ...common,
      coordinate_transformation_mode: text('asymmetric'),
      nearest_mode: text('floor'),
    };
  const positions = alignCorners ? 'align_corners' : 'half_pixel';
  return { ...common, coordinate_transformation_mode: text(positions) };
}

/** The user's factors, where positions follow them and not the sizes. */
function factorsOf(x: Value, y: Value, options: InterpolateOptions): number[] | undefined {
  const { scaleFactor, recomputeScaleFactor } = options;
  if (scaleFactor === undefined || scaleFactor === null || recomputeScaleFactor) return undefined;
  const factors = x.shape
    .slice(2)
    .map((_, axis) => (typeof scaleFactor === 'number' ? scaleFactor : scaleFactor[axis]));
  const fits = factors.every(
    (factor, axis) => Math.floor(x.shape[axis + 2] * Math.fround(factor)) === y.shape[axis + 2],
  );
  return fits ? factors : undefined;
}

const interpolate: CallRow = {
  accepts: (args) => {
    const options = optionsOf(args);
    const { mode = 'nearest', antialias } = options;
    if (!isValue(args[0]) || !Object.hasOwn(MODES, mode) || antialias) return false;
    return MODES[mode] === 'linear' || growsByWholes(args[0], options);
  },
  emit: (graph, { inputs: [x], outputs: [y], args }) => {
    const options = optionsOf(args);
    const factors = factorsOf(x, y, options);
    if (factors !== undefined) {
      const scales = graph.numbers([1, 1, ...factors], 'float32', [factors.length + 2]);
      return graph.add('Resize', [graph.of(x), '', scales], attributes(options));
    }
    const varies = graph.varies(y).some(Boolean);
    if (!varies)
      return graph.add('Resize', [graph.of(x), '', '', graph.list(y.shape)], attributes(options));
    const sizes = graph.list(y.shape.slice(2));
    const axes = ints(y.shape.slice(2).map((_, axis) => axis + 2));
    return graph.add('Resize', [graph.of(x), '', '', sizes], { ...attributes(options), axes });
  },
};

export const RESAMPLING_CALLS: Readonly<Record<string, CallRow>> = {
  interpolate,
  upsample: interpolate,
};

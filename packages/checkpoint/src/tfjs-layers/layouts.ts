// Keras's weights as PyTorch's: their names, and the order of their axes. Keras puts the channels of
// a kernel last, whatever `data_format` says of the layer's input.

import type { LayerConfig } from './manifest.js';

/** Axes of the result, by their number in Keras. */
export type Permutation = readonly number[];

export interface Layout {
  /** Such as `weight`. */
  readonly name: string;
  /** Undefined where the axes stay. */
  readonly permutation?: Permutation;
}

/** [D, H, W, in, out] to [out, in, D, H, W]; of a transposed one, [D, H, W, out, in] to [in, out, …]. */
const kernel = (rank: number): Layout => ({
  name: 'weight',
  permutation: [rank + 1, rank, ...Array.from({ length: rank }, (_, axis) => axis)],
});

const BIAS: readonly [string, Layout] = ['bias', { name: 'bias' }];

const convolution = (rank: number) => new Map([['kernel', kernel(rank)], BIAS]);

const CLASSES: ReadonlyMap<string, ReadonlyMap<string, Layout>> = new Map([
  ...[1, 2, 3].flatMap((rank) =>
    [`Conv${rank}D`, `Conv${rank}DTranspose`].map((name) => [name, convolution(rank)] as const),
  ),
  ['Dense', new Map([['kernel', { name: 'weight', permutation: [1, 0] }], BIAS])],
  [
    'BatchNormalization',
    new Map([
      ['gamma', { name: 'weight' }],
      ['beta', { name: 'bias' }],
      ['moving_mean', { name: 'running_mean' }],
      ['moving_variance', { name: 'running_var' }],
    ]),
  ],
]);

/** The name of a layer as that of a module, which has no dots. */
export const moduleName = (layer: string): string => layer.replaceAll('.', '_');

/**
 * How the weight called `name` (`conv3d_1/kernel`) is called in PyTorch and laid out: by the class of
 * its layer, and unchanged but for dots where that is not known.
 */
export function layoutOf(
  name: string,
  shape: readonly number[],
  layers: ReadonlyMap<string, LayerConfig>,
): Layout {
  const plain = name.replace(/:\d+$/, ''); // TensorFlow counts the outputs of a variable
  const steps = plain.split('/');
  // A scope may stand before the layer's name, and a count behind the weight's.
  const own = (steps.pop() ?? '').replace(/_\d+$/, '');
  const layer = layers.get(steps.join('/')) ?? layers.get(steps.at(-1) ?? '');
  const known = layer && CLASSES.get(layer.className)?.get(own);
  if (layer === undefined || known === undefined)
    return { name: plain.split('/').map(moduleName).join('.') };
  const { permutation } = known;
  return {
    name: `${moduleName(layer.name)}.${known.name}`,
    permutation: permutation?.length === shape.length ? permutation : undefined,
  };
}

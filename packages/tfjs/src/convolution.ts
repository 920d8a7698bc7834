// The convolution kernels of tfjs, channels last. Padding is made explicit; groups, and stride together
// with dilation, are refused (`checks.ts`) and composed by core.

import {
  AXES,
  type ConvGeometry,
  type Needs,
  numelOf,
  type Storage,
  samePadding,
  type View,
} from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { asFive, elementsOf, isWhole, store } from './elements.js';
import { arranged, padded } from './layout.js';
import { sumRows } from './reduce.js';

/** `[N, C, D, H, W]` as `[N, D, H, W, C]`, kept beside the storage for the next call. */
function channelsLast(backend: Backend, x: View): TfTensor {
  const shape = asFive(x);
  if (shape && isWhole(x)) return elementsOf(backend, x.storage).last(shape);
  return backend.transpose(arranged(backend, x), [0, 2, 3, 4, 1]);
}

/** `[Co, Ci, kD, kH, kW]` as `[kD, kH, kW, Ci, Co]`. */
function asFilter(backend: Backend, weight: View): TfTensor {
  const filter = backend.transpose(arranged(backend, weight), [2, 3, 4, 1, 0]);
  if (!backend.foldsTensors) return filter;
  // A texture with a row for each tap and input channel, one element a texel, is read fastest: a fifth of
  // the time of a convolution (`npm run bench -- tfjs`). Tiling makes one where transposing does not.
  const [outChannels] = weight.shape;
  const rows = backend.reshape(filter, [filter.size / outChannels, outChannels]);
  return backend.reshape(backend.kernel('Tile', { x: rows }, { reps: [1, 1] }), filter.shape);
}

const margins = (g: ConvGeometry): readonly (readonly [number, number])[] => [
  [0, 0],
  ...g.padding,
  [0, 0],
];

/** Whether the padding is what tfjs calls 'same'; it then skips the zeros instead of reading them. */
const isSame = (g: ConvGeometry): boolean =>
  AXES.every((a) => {
    const [lo, hi] = samePadding(g.kernel[a], g.dilation[a]);
    return g.stride[a] === 1 && g.padding[a][0] === lo && g.padding[a][1] === hi;
  });

const attributes = (g: ConvGeometry) => ({
  strides: [...g.stride],
  dilations: [...g.dilation],
  dataFormat: 'NDHWC',
});

/** The first `sizes` positions along D, H and W. */
function cut(backend: Backend, y: TfTensor, sizes: readonly number[]): TfTensor {
  const [n, d, h, w, c] = y.shape;
  if (d === sizes[0] && h === sizes[1] && w === sizes[2]) return y;
  return backend.kernel('Slice', { x: y }, { begin: [0, 0, 0, 0, 0], size: [n, ...sizes, c] });
}

export function convForward(
  backend: Backend,
  x: View,
  weight: View,
  g: ConvGeometry,
  bias?: View,
): Storage {
  const last = backend.run(() => {
    const [input, filter] = [channelsLast(backend, x), asFilter(backend, weight)];
    const same = isSame(g);
    const y = backend.kernel(
      'Conv3D',
      { x: same ? input : padded(backend, input, margins(g)), filter },
      { ...attributes(g), pad: same ? 'same' : 'valid' },
    );
    // An output padding beyond the stride makes more positions than the geometry asks for.
    const wanted = cut(backend, y, g.output);
    if (!bias) return wanted;
    const rows = backend.reshape(wanted, [wanted.size / g.outChannels, g.outChannels]);
    const sum = backend.kernel('Add', { a: rows, b: arranged(backend, bias) });
    return backend.reshape(sum, wanted.shape);
  });
  return store(backend, x.dtype, numelOf([g.batch, g.outChannels, ...g.output]), { last });
}

/** The sizes of the input with its padding. */
const paddedSizes = (g: ConvGeometry): number[] =>
  AXES.map((a) => g.input[a] + g.padding[a][0] + g.padding[a][1]);

export function convInput(
  backend: Backend,
  gradOutput: View,
  weight: View,
  g: ConvGeometry,
): Storage {
  const last = backend.run(() => {
    const dy = channelsLast(backend, gradOutput);
    const inputShape = [g.batch, ...paddedSizes(g), g.inChannels];
    const y = backend.kernel(
      'Conv3DBackpropInputV2',
      { dy, filter: asFilter(backend, weight) },
      { pad: 'valid', strides: [...g.stride], inputShape },
    );
    if (g.padding.every(([lo, hi]) => lo + hi === 0)) return y;
    const begin = [0, ...g.padding.map(([lo]) => lo), 0];
    return backend.kernel('Slice', { x: y }, { begin, size: [g.batch, ...g.input, g.inChannels] });
  });
  return store(backend, gradOutput.dtype, numelOf([g.batch, g.inChannels, ...g.input]), { last });
}

export function convWeight(backend: Backend, x: View, gradOutput: View, g: ConvGeometry): Storage {
  const filterShape = [...g.kernel, g.inChannels, g.outChannels];
  const first = backend.run(() => {
    const y = backend.kernel(
      'Conv3DBackpropFilterV2',
      {
        x: padded(backend, channelsLast(backend, x), margins(g)),
        dy: channelsLast(backend, gradOutput),
      },
      { pad: 'valid', strides: [...g.stride], filterShape },
    );
    return backend.transpose(y, [4, 3, 0, 1, 2]);
  });
  return store(backend, x.dtype, numelOf(filterShape), { first });
}

/** Sums over all but the channels. */
function biasGradient(backend: Backend, gradOutput: View, g: ConvGeometry): Storage {
  const first = backend.run(() => {
    const dy = channelsLast(backend, gradOutput);
    const rows = backend.reshape(dy, [dy.size / g.outChannels, g.outChannels]);
    return sumRows(backend, rows);
  });
  return store(backend, gradOutput.dtype, g.outChannels, { first });
}

export function convBackward(
  backend: Backend,
  gradOutput: View,
  x: View | null,
  weight: View | null,
  g: ConvGeometry,
  needs: Needs,
): [Storage | null, Storage | null, Storage | null] {
  return [
    needs[0] && weight ? convInput(backend, gradOutput, weight, g) : null,
    needs[1] && x ? convWeight(backend, x, gradOutput, g) : null,
    needs[2] ? biasGradient(backend, gradOutput, g) : null,
  ];
}

import {
  type ConvGeometry,
  inputShape,
  type Kernels,
  numelOf,
  outputShape,
  type Storage,
  type View,
  VoxgradError,
  weightShape,
} from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
import { type FftPass, fftFor } from './conv/fft/choice.js';
import { fftBackward } from './conv/fft/convolve.js';
import type { Tiling } from './conv/fft/tile.js';
import { convForward, convInput } from './conv/pass.js';
import { convWeight } from './conv/weight-gradient.js';
import { rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import { reductions } from './reductions.js';

/** The convolution and its adjoints, for the floating dtypes. */
export function convolutions(
  engine: Engine,
): Required<Pick<Kernels, 'convForward' | 'convWeight' | 'convBackward'>> {
  const { reduce } = reductions(engine);
  return {
    convForward: (x, weight, g, bias) =>
      calling(engine, 'conv3d', (call) => {
        const dtype = x.dtype as FloatDType;
        const out = call.output(dtype, numelOf(outputShape(g)));
        const pointers = { x: rowMajor(engine, call, x), weight: rowMajor(engine, call, weight) };
        const biasAt = bias ? rowMajor(engine, call, bias) : null;
        convForward(engine, call, dtype, g, { ...pointers, bias: biasAt, out: out.pointer });
        return out.storage();
      }),
    convWeight: (x, gradOutput, g) => {
      const [, dw] = gradients(engine, gradOutput, x, null, g);
      if (dw) return dw;
      throw new VoxgradError('DEVICE', 'convWeight returned no gradient');
    },
    convBackward: (gradOutput, x, weight, g, needs) => [
      ...gradients(engine, gradOutput, needs[1] ? x : null, needs[0] ? weight : null, g),
      needs[2] ? reduce('sum', channelsFirst(gradOutput), gradOutput.shape.length - 1) : null,
    ],
  };
}

/** The same elements with the channel axis before the batch. */
const channelsFirst = (view: View): View => {
  const exchange = ([n, c, ...rest]: readonly number[]) => [c, n, ...rest];
  return {
    ...{ storage: view.storage, dtype: view.dtype, offset: view.offset },
    shape: exchange(view.shape),
    strides: exchange(view.strides),
  };
};

/**
 * The gradient of the input, where there is a weight for it, and of the weight, where there is an
 * input for it.
 */
function gradients(
  engine: Engine,
  gradOutput: View,
  x: View | null,
  weight: View | null,
  g: ConvGeometry,
): [Storage | null, Storage | null] {
  const dtype = gradOutput.dtype as FloatDType;
  const passes: FftPass[] = [
    ...(weight ? ['input' as const] : []),
    ...(x ? ['weight' as const] : []),
  ];
  const tiling = passes.length > 0 ? fftFor(engine, dtype, g, passes) : null;
  const both = tiling && throughFft(engine, gradOutput, x, weight, g, tiling);
  if (both) return both;
  return [
    weight && inputGradient(engine, gradOutput, weight, g),
    x && weightGradient(engine, x, gradOutput, g),
  ];
}

/** Both gradients through one spectrum of what they come from; null where they are not finite. */
const throughFft = (
  engine: Engine,
  gradOutput: View,
  x: View | null,
  weight: View | null,
  g: ConvGeometry,
  tiling: Tiling,
): [Storage | null, Storage | null] | null =>
  calling(engine, 'conv3d backward', (call) => {
    const dx = weight && call.output('float32', numelOf(inputShape(g)));
    const dw = x && call.output('float32', numelOf(weightShape(g)));
    const pointers = {
      gradOutput: rowMajor(engine, call, gradOutput),
      x: x ? rowMajor(engine, call, x) : 0,
      weight: weight ? rowMajor(engine, call, weight) : 0,
    };
    const out = { input: dx?.pointer ?? null, weight: dw?.pointer ?? null };
    if (!call.attempt(() => fftBackward({ engine, call, tiling, g }, pointers, out))) return null;
    return [dx?.storage() ?? null, dw?.storage() ?? null];
  });

const inputGradient = (engine: Engine, gradOutput: View, weight: View, g: ConvGeometry): Storage =>
  calling(engine, 'conv3d backward (input)', (call) => {
    const dtype = gradOutput.dtype as FloatDType;
    const out = call.output(dtype, numelOf(inputShape(g)));
    const pointers = {
      gradOutput: rowMajor(engine, call, gradOutput),
      weight: rowMajor(engine, call, weight),
    };
    convInput(engine, call, dtype, g, { ...pointers, out: out.pointer });
    return out.storage();
  });

const weightGradient = (engine: Engine, x: View, gradOutput: View, g: ConvGeometry): Storage =>
  calling(engine, 'conv3d backward (weight)', (call) => {
    const dtype = x.dtype as FloatDType;
    const out = call.output(dtype, numelOf(weightShape(g)));
    const pointers = {
      x: rowMajor(engine, call, x),
      gradOutput: rowMajor(engine, call, gradOutput),
    };
    convWeight(engine, call, dtype, g, { ...pointers, out: out.pointer });
    return out.storage();
  });

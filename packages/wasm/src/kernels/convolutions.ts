import {
  type ConvGeometry,
  inputShape,
  type Kernels,
  numelOf,
  outputShape,
  type Storage,
  type View,
  weightShape,
} from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
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
    convWeight: (x, gradOutput, g) => weightGradient(engine, x, gradOutput, g),
    convBackward: (gradOutput, x, weight, g, needs) => [
      needs[0] && weight ? inputGradient(engine, gradOutput, weight, g) : null,
      needs[1] && x ? weightGradient(engine, x, gradOutput, g) : null,
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

// What distinguishes one convolution from another, as far as kernels have been seen to err on some
// and not on others. A conviction names one of these.

import { AXES, type ConvCall, dilatedKernel } from '../../ops/conv/geometry.js';

const someAxis = (test: (axis: 0 | 1 | 2) => boolean): boolean => AXES.some(test);

export const FEATURES = {
  'stride over 1': ({ geometry: g }) => someAxis((a) => g.stride[a] > 1),
  'dilation over 1': ({ geometry: g }) => someAxis((a) => g.dilation[a] > 1),
  'groups over 1': ({ geometry: g }) => g.groups > 1,
  padding: ({ geometry: g }) => someAxis((a) => g.padding[a][0] + g.padding[a][1] > 0),
  'uneven padding': ({ geometry: g }) => someAxis((a) => g.padding[a][0] !== g.padding[a][1]),
  'input that no output reads': ({ geometry: g }) =>
    someAxis((a) => {
      const reach = (g.output[a] - 1) * g.stride[a] + dilatedKernel(g.kernel[a], g.dilation[a]);
      return reach < g.input[a] + g.padding[a][0] + g.padding[a][1];
    }),
  'batch over 1': ({ geometry: g }) => g.batch > 1,
  'an empty batch': ({ geometry: g }) => g.batch === 0,
  'axes of size 1': ({ geometry: g }) => someAxis((a) => g.input[a] === 1),
  'one output position': ({ geometry: g }) => AXES.every((a) => g.output[a] === 1),
  'kernel axes of size 1': ({ geometry: g }) => someAxis((a) => g.kernel[a] === 1),
  'even kernels': ({ geometry: g }) => someAxis((a) => g.kernel[a] % 2 === 0),
  'some gradients alone': ({ needs }) => needs.some((need) => !need),
} as const satisfies Readonly<Record<string, (call: ConvCall) => boolean>>;

export type Feature = keyof typeof FEATURES;

const NAMES = Object.keys(FEATURES) as Feature[];

/** The features that a call has. */
export const featuresOf = (call: ConvCall): Feature[] =>
  NAMES.filter((name) => FEATURES[name](call));

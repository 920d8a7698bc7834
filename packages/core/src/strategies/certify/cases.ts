// The designed set: small calls, each telling about one thing. What a kernel gets wrong on one of
// them is compared with what it gets right on the plain one.

import type { ConvKernelName, Device, Kernels } from '../../device/device.js';
import {
  type ConvCall,
  type ConvGeometry,
  type ConvOptions,
  convGeometry,
  inputShape,
  type Needs,
  outputShape,
  weightShape,
} from '../../ops/conv/geometry.js';
import type { DType } from '../../tensor/dtype.js';
import type { Storage } from '../../tensor/storage.js';
import { type Feature, featuresOf } from './features.js';
import { Reference, type Values } from './reference.js';

/** What a kernel returned for one case, by the name of the result. */
export type Results = Readonly<Record<string, Storage | null | undefined>>;

export interface Case {
  readonly name: string;
  readonly features: readonly Feature[];
  /** The right values, by the name of the result. */
  readonly expected: Readonly<Record<string, Values>>;
  /** Runs the kernel on the device's own tensors. */
  readonly run: (kernels: Kernels, device: Device) => Results;
}

type Sizes = readonly [input: readonly number[], weight: readonly number[]];

const PLAIN: Sizes = [
  [1, 2, 4, 5, 6],
  [3, 2, 3, 3, 3],
];

/** Sizes and options of the convolutions; nothing but what the name says differs from the plain one. */
const CALLS: Readonly<Record<string, readonly [sizes: Sizes, options: ConvOptions]>> = {
  plain: [PLAIN, {}],
  'stride 2': [[[1, 2, 5, 7, 9], PLAIN[1]], { stride: 2 }],
  'stride 3, 1, 2': [[[1, 2, 6, 5, 7], PLAIN[1]], { stride: [3, 1, 2] }],
  'stride 2 and a tail': [[[1, 2, 4, 6, 8], PLAIN[1]], { stride: 2 }],
  'dilation 2': [[[1, 2, 5, 6, 7], PLAIN[1]], { dilation: 2 }],
  'stride 2, dilation 2': [[[1, 2, 5, 7, 7], PLAIN[1]], { stride: 2, dilation: 2 }],
  'groups 2': [
    [
      [1, 4, 4, 5, 4],
      [6, 2, 3, 3, 3],
    ],
    { groups: 2 },
  ],
  depthwise: [
    [
      [1, 3, 4, 3, 5],
      [3, 1, 3, 3, 3],
    ],
    { groups: 3 },
  ],
  'depthwise, two outputs each': [
    [
      [1, 2, 3, 4, 5],
      [4, 1, 3, 3, 3],
    ],
    { groups: 2 },
  ],
  'padding 1': [[[1, 2, 3, 4, 5], PLAIN[1]], { padding: 1 }],
  'padding 0, 1, 2': [[[1, 2, 4, 3, 3], PLAIN[1]], { padding: [0, 1, 2] }],
  'uneven padding': [
    [[1, 2, 3, 4, 5], PLAIN[1]],
    {
      padding: [
        [1, 0],
        [0, 2],
        [2, 1],
      ],
    },
  ],
  'stride 2, padding 1': [[[1, 2, 5, 7, 7], PLAIN[1]], { stride: 2, padding: 1 }],
  'batch 2': [[[2, 2, 4, 4, 5], PLAIN[1]], {}],
  'an empty batch': [[[0, 2, 4, 4, 5], PLAIN[1]], {}],
  'one output': [[[1, 2, 3, 3, 3], PLAIN[1]], {}],
  'a depth of 1': [
    [
      [1, 2, 1, 5, 4],
      [3, 2, 1, 3, 3],
    ],
    {},
  ],
  'kernel 1': [
    [
      [1, 2, 3, 4, 5],
      [3, 2, 1, 1, 1],
    ],
    {},
  ],
  'kernel 2, 4, 2': [
    [
      [1, 2, 4, 5, 4],
      [3, 2, 2, 4, 2],
    ],
    {},
  ],
  'many channels': [
    [
      [1, 9, 3, 4, 5],
      [17, 9, 3, 3, 3],
    ],
    {},
  ],
};

/** Masks of the backward: all gradients, and each alone. */
const MASKS: Readonly<Record<string, Needs>> = {
  'all gradients': [true, true, true],
  'the input gradient alone': [true, false, false],
  'the weight gradient alone': [false, true, false],
  'the bias gradient alone': [false, false, true],
};

const geometryOf = ([input, weight]: Sizes, options: ConvOptions): ConvGeometry =>
  convGeometry('certify', 3, input, weight, null, options);

const callOf = (geometry: ConvGeometry, dtype: DType, needs: Needs): ConvCall => ({
  geometry,
  dtype,
  bias: false,
  needs,
});

type ConvCase = Case & { readonly call: ConvCall };

function forwardCase(name: string, geometry: ConvGeometry, dtype: DType): ConvCase {
  const call = callOf(geometry, dtype, [true, true, false]);
  const at = new Reference(dtype);
  const [x, w] = [at.draw(inputShape(geometry)), at.draw(weightShape(geometry))];
  // The reference computes all gradients of no batch, too; a forward asks for none.
  const features = featuresOf({ ...call, needs: [true, true, true] });
  return {
    name,
    call,
    features,
    expected: { output: at.conv(x, w, geometry) },
    run: (kernels, device) => ({
      output: kernels.convForward?.(x.on(device), w.on(device), geometry),
    }),
  };
}

function weightCase(name: string, geometry: ConvGeometry, dtype: DType): ConvCase {
  const call = callOf(geometry, dtype, [false, true, false]);
  const at = new Reference(dtype);
  const [x, g] = [at.draw(inputShape(geometry)), at.draw(outputShape(geometry))];
  return {
    name,
    call,
    features: featuresOf({ ...call, needs: [true, true, true] }),
    expected: { weight: at.gradients(g, x, null, geometry, call.needs)[1] },
    run: (kernels, device) => ({
      weight: kernels.convWeight?.(x.on(device), g.on(device), geometry),
    }),
  };
}

function backwardCase(name: string, geometry: ConvGeometry, dtype: DType, needs: Needs): ConvCase {
  const call = callOf(geometry, dtype, needs);
  const at = new Reference(dtype);
  const x = at.draw(inputShape(geometry));
  const w = at.draw(weightShape(geometry));
  const g = at.draw(outputShape(geometry));
  const right = at.gradients(g, x, w, geometry, needs);
  const names = ['input', 'weight', 'bias'] as const;
  return {
    name,
    call,
    features: featuresOf(call),
    expected: Object.fromEntries(names.flatMap((n, i) => (needs[i] ? [[n, right[i]]] : []))),
    run(kernels, device) {
      const [input, weight, bias] =
        kernels.convBackward?.(
          g.on(device),
          needs[1] ? x.on(device) : null,
          needs[0] ? w.on(device) : null,
          geometry,
          needs,
        ) ?? [];
      return { input, weight, bias };
    },
  };
}

/**
 * The cases of a convolution kernel; those that the device refuses tell nothing. Derivatives of
 * higher order are these kernels again, with other arguments and one gradient at a time.
 */
export function convCases(
  kernel: ConvKernelName,
  dtype: DType,
  accepts: (call: ConvCall) => boolean,
): Case[] {
  const cases: ConvCase[] = Object.entries(CALLS).flatMap(([name, [sizes, options]]) => {
    const geometry = geometryOf(sizes, options);
    if (kernel === 'convForward') return [forwardCase(name, geometry, dtype)];
    if (kernel === 'convWeight') return [weightCase(name, geometry, dtype)];
    return [backwardCase(name, geometry, dtype, [true, true, true])];
  });
  if (kernel === 'convBackward')
    for (const [name, needs] of Object.entries(MASKS).slice(1))
      for (const from of ['plain', 'stride 2 and a tail']) {
        const geometry = geometryOf(...CALLS[from]);
        cases.push(backwardCase(`${from}, ${name}`, geometry, dtype, needs));
      }
  return cases.filter(({ call }) => accepts(call));
}

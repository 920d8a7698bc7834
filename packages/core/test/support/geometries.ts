// Convolutions drawn at random, with sizes for which their loops take microseconds.

import fc from 'fast-check';
import * as vg from '../../src/index.js';

export interface DrawnConvolution {
  readonly rank: 1 | 2 | 3;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly options: {
    readonly stride: readonly number[];
    readonly padding: readonly vg.Pair[];
    readonly dilation: readonly number[];
    readonly groups: number;
  };
}

const axis = fc.record({
  kernel: fc.integer({ min: 1, max: 4 }),
  stride: fc.integer({ min: 1, max: 4 }),
  dilation: fc.integer({ min: 1, max: 3 }),
  padding: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
  /** Positions beyond the fewest that one window needs. */
  spare: fc.integer({ min: 0, max: 5 }),
});

const oneOrTwo = fc.integer({ min: 1, max: 2 });

/** Any convolution that PyTorch accepts, with its padding given in pairs. */
export const convolutions: fc.Arbitrary<DrawnConvolution> = fc
  .constantFrom(1, 2, 3)
  .chain((rank) =>
    fc.record({
      rank: fc.constant(rank as 1 | 2 | 3),
      batch: fc.integer({ min: 0, max: 2 }),
      groups: fc.integer({ min: 1, max: 3 }),
      perGroupIn: oneOrTwo,
      perGroupOut: oneOrTwo,
      axes: fc.array(axis, { minLength: rank, maxLength: rank }),
    }),
  )
  .map(({ rank, batch, groups, perGroupIn, perGroupOut, axes }) => {
    const size = axes.map(({ kernel, dilation, padding: [lo, hi], spare }) =>
      Math.max(1, vg.dilatedKernel(kernel, dilation) - lo - hi + spare),
    );
    return {
      rank,
      input: [batch, groups * perGroupIn, ...size],
      weight: [groups * perGroupOut, perGroupIn, ...axes.map((a) => a.kernel)],
      options: {
        stride: axes.map((a) => a.stride),
        padding: axes.map((a): vg.Pair => a.padding),
        dilation: axes.map((a) => a.dilation),
        groups,
      },
    };
  });

type Convolve = (
  x: vg.Tensor,
  w: vg.Tensor,
  bias: vg.Tensor | null,
  options: vg.ConvCallOptions,
) => vg.Tensor;

export const convolve: Readonly<Record<1 | 2 | 3, Convolve>> = {
  1: vg.conv1d,
  2: vg.conv2d,
  3: vg.conv3d,
};

export const convolveTransposed: Readonly<
  Record<1 | 2 | 3, (...args: Parameters<typeof vg.convTranspose3d>) => vg.Tensor>
> = { 1: vg.convTranspose1d, 2: vg.convTranspose2d, 3: vg.convTranspose3d };

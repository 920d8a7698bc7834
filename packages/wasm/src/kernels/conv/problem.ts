// A convolution, or one phase of its adjoint, as the direct kernel sees it: outputs at regular
// places of a padded source, each a sum over taps at fixed offsets.

import { type ConvGeometry, mapTriple, type Triple } from '@voxgrad/core';

/** One axis of a problem. */
export interface ProblemAxis {
  /** Output positions. */
  readonly count: number;
  /** Source positions from one output to the next. */
  readonly step: number;
  /** Kernel positions that take part, and where the first output meets them in the source. */
  readonly taps: readonly { readonly k: number; readonly at: number }[];
  /** The first output position in the result, and the distance to the next. */
  readonly outFirst: number;
  readonly outStep: number;
}

export type Axes = readonly [ProblemAxis, ProblemAxis, ProblemAxis];

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** y from x. */
export const forwardAxes = (g: ConvGeometry): Axes =>
  mapTriple((axis) => ({
    count: g.output[axis],
    step: g.stride[axis],
    taps: range(g.kernel[axis]).map((k) => ({ k, at: k * g.dilation[axis] - g.padding[axis][0] })),
    outFirst: 0,
    outStep: 1,
  }));

/**
 * dx from gy: input position i gets w[k] · gy[o] for all o · stride + k · dilation − padding = i.
 * Positions with the same remainder of i + padding by the stride see the same taps, so each
 * remainder is a convolution of its own with stride 1.
 */
export function adjointAxes(g: ConvGeometry): Axes[] {
  const [d, h, w] = mapTriple((axis) => remainders(g, axis));
  return d.flatMap((a) => h.flatMap((b) => w.map((c) => [a, b, c] as const)));
}

function remainders(g: ConvGeometry, axis: 0 | 1 | 2): ProblemAxis[] {
  const stride = g.stride[axis];
  const before = g.padding[axis][0];
  return range(stride).flatMap((remainder) => {
    const first = Math.ceil((before - remainder) / stride); // q, where i + before = q · stride + remainder
    const last = Math.floor((g.input[axis] - 1 + before - remainder) / stride);
    if (last < first) return [];
    const taps = range(g.kernel[axis])
      .filter((k) => (k * g.dilation[axis]) % stride === remainder)
      .map((k) => ({ k, at: first - (k * g.dilation[axis] - remainder) / stride }))
      .reverse(); // positions in the source ascend, as they do for the forward
    return [
      {
        count: last - first + 1,
        step: 1,
        taps,
        outFirst: first * stride + remainder - before,
        outStep: stride,
      },
    ];
  });
}

/** The source positions `[from, to)` along an axis that a problem reads. */
export function reach(axis: ProblemAxis): readonly [from: number, to: number] {
  const places = axis.taps.map((tap) => tap.at);
  if (places.length === 0 || axis.count === 0) return [0, 0];
  return [Math.min(...places), Math.max(...places) + (axis.count - 1) * axis.step + 1];
}

/** The source positions that any of several problems reads, along each axis. */
export const reachOfAll = (problems: readonly Axes[]) =>
  mapTriple((axis) => {
    const all = problems.map((p) => reach(p[axis])).filter(([from, to]) => to > from);
    if (all.length === 0) return [0, 0] as const;
    return [Math.min(...all.map((r) => r[0])), Math.max(...all.map((r) => r[1]))] as const;
  });

export type { Triple };

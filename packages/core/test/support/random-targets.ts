// The tensors that the random fixtures draw into (test/oracle/random_streams.py).

import { type DType, type Tensor, zeros } from '../../src/index.js';

export interface Target {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** In which order the memory lies; that of the indices unless given. */
  readonly layout?: 'transposed' | 'permuted' | 'strided' | 'expanded';
}

/** A tensor of zeros whose memory has the order of `layout`. */
export function emptyTarget({ shape, dtype, layout }: Target): Tensor {
  const axes = shape.map((_, axis) => axis);
  switch (layout) {
    case 'transposed':
      return zeros([...shape].reverse(), { dtype }).permute([...axes].reverse());
    case 'permuted':
      return zeros([...shape.slice(-1), ...shape.slice(0, -1)], { dtype }).permute([
        ...axes.slice(1),
        0,
      ]);
    case 'strided':
      return axes.reduce(
        (x, axis) => x.slice(axis, 0, undefined, 2),
        zeros(
          shape.map((size) => 2 * size),
          { dtype },
        ),
      );
    case 'expanded':
      return zeros([1, ...shape.slice(1)], { dtype }).expand(shape);
    default:
      return zeros(shape, { dtype });
  }
}

/** `log_normal_` as `logNormal_`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

// What is in a tensor: how much of it is not finite, and its range. Counted on the device at once, while
// the tensor is what it is, and read later, since some devices cannot be read in the middle of a step.

import {
  amax,
  amin,
  isFloat,
  isfinite,
  isnan,
  logicalNot,
  noGrad,
  sum,
  type Tensor,
  where,
  zerosLike,
} from '@voxgrad/core';

/** Numbers on the device. */
interface Counted {
  readonly total: number;
  readonly bad: Tensor;
  readonly nan: Tensor;
  readonly low: Tensor;
  readonly high: Tensor;
}

/** The same, read. */
export interface Elements {
  readonly total: number;
  /** How many are NaN or infinite. */
  readonly bad: number;
  readonly nan: number;
  /** The range of the others. */
  readonly low: number;
  readonly high: number;
}

/** Counts the elements of a tensor; undefined where they are finite by kind. */
export function count(x: Tensor): Counted | undefined {
  if (!isFloat(x.dtype) || x.numel === 0) return undefined;
  return noGrad(() => {
    const values = x.detach();
    const good = isfinite(values);
    const finite = where(good, values, zerosLike(values));
    const counted = {
      bad: sum(logicalNot(good)),
      nan: sum(isnan(values)),
      low: amin(finite),
      high: amax(finite),
    };
    for (const tensor of Object.values(counted)) tensor.keep();
    return { total: x.numel, ...counted };
  });
}

export async function read(counted: Counted | undefined): Promise<Elements | undefined> {
  if (!counted) return undefined;
  const { total, bad, nan, low, high } = counted;
  const [a, b, c, d] = await Promise.all([bad, nan, low, high].map((x) => x.itemAsync()));
  return { total, bad: Number(a), nan: Number(b), low: Number(c), high: Number(d) };
}

export type { Counted };

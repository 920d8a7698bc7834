// How far results are from the right ones.

type Numbers = ArrayLike<number>;

/** max|a − b| and max|b| over pairs of results; NaN where an `a` has one, Infinity for another length. */
export function deviation(pairs: readonly (readonly [a: Numbers | undefined, b: Numbers])[]): {
  readonly off: number;
  readonly largest: number;
} {
  let [off, largest] = [0, 0];
  for (const [a, b] of pairs) {
    if (a?.length !== b.length) return { off: Number.POSITIVE_INFINITY, largest: 1 };
    for (let i = 0; i < b.length; i++) {
      off = Math.max(off, Math.abs(a[i] - b[i])); // NaN stays
      largest = Math.max(largest, Math.abs(b[i]));
    }
  }
  return { off, largest };
}

/** max|a − b| / max(1, max|b|) */
export function relativeError(a: Numbers, b: Numbers): number {
  const { off, largest } = deviation([[a, b]]);
  return off / Math.max(1, largest);
}

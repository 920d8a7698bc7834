import { full } from '@voxgrad/core';

/** What the file holds at one time or the other: several writes long, and of different lengths. */
export const CONTENTS = [1, 2].map((which) => () => ({
  which,
  weights: [full([which * 2 ** 20], which), full([3], which)],
}));

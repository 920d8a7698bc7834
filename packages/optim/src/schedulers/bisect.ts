/** How many of the ascending `sorted` are not above `value`: Python's bisect_right. */
export const bisectRight = (sorted: readonly number[], value: number): number =>
  sorted.filter((item) => item <= value).length;

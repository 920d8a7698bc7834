import type { Refusal } from '../../device/device.js';
import type { ConvGeometry } from '../../ops/conv/geometry.js';
import { Pieces, SPLIT_AXES, type Split, type SplitAxis, wholeGrid } from './pieces.js';

const WORDS: Record<SplitAxis, (size: number) => string> = {
  batch: (n) => `batch (${n} at a time)`,
  groups: (n) => `groups (${n} at a time)`,
  out: (n) => `output channels (${n} of a group)`,
  in: (n) => `input channels (${n} of a group)`,
  depth: (n) => `depth (${n} outputs)`,
  height: (n) => `height (${n} outputs)`,
  width: (n) => `width (${n} outputs)`,
};

/** `in 3 pieces along width (64 outputs)`, or `whole`. */
export function describeSplit(g: ConvGeometry, { grid, evenPadding }: Split): string {
  const whole = wholeGrid(g);
  const axes = SPLIT_AXES.filter((axis) => grid[axis] < whole[axis]);
  if (axes.length === 0) return 'whole';
  const along = axes.map((axis) => WORDS[axis](grid[axis])).join(' and ');
  const padding = evenPadding ? ', uneven padding made explicit' : '';
  return `in ${new Pieces(g).traffic(grid).pieces} pieces along ${along}${padding}`;
}

/** The refusals that remain for the best split, said to be so. */
export const unfixable = (what: string, refusals: readonly Refusal[]): Refusal[] =>
  refusals.map((refusal) => ({
    ...refusal,
    message: `no split along batch, groups, channels, depth, height or width makes ${what} fit: ${refusal.message}`,
  }));

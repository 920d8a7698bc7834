// The grid of least overhead whose pieces a device takes: along one axis, else along two. Where that
// is not enough, the finest pieces are made larger again, axis by axis, as far as the device takes
// them. A bound on the number of questions keeps the search in the order of a millisecond.

import type { Refusal } from '../../device/device.js';
import type { ConvGeometry } from '../../ops/conv/geometry.js';
import {
  type Grid,
  type Piece,
  Pieces,
  SPLIT_AXES,
  type Split,
  type SplitAxis,
  type Traffic,
  wholeGrid,
  withTile,
} from './pieces.js';

/** Why a device does not run a piece; empty if it does. */
export type PieceCheck = (geometry: ConvGeometry) => readonly Refusal[];

/** Devices work in blocks of 16 along a row; a tile of whole blocks wastes none. */
const BLOCK = 16;
/** Pieces along one axis that are tried one by one; from there on in steps of a quarter. */
const FINE = 12;
/** The axes whose splits cost most come first; channels need one group to a piece until then. */
const COARSEN_ORDER: readonly SplitAxis[] = [
  'in',
  'out',
  'width',
  'height',
  'depth',
  'groups',
  'batch',
];
const MOST_QUESTIONS = 500;
const MOST_PIECES = 4096;

/** Costs in multiplications: a call of a kernel, and one element read or written once more. */
const PER_PIECE = 20_000;
const PER_ELEMENT = 2;

/** `gradients` counts what each piece computes at once, each of which reads all that it needs. */
const costOf = ({ pieces, input, output }: Traffic, gradients = 1): number =>
  pieces * PER_PIECE + gradients * PER_ELEMENT * (input + output);

/** Multiplications that running a grid costs beyond those of the convolution itself. */
export const overheadOf = (g: ConvGeometry, grid: Grid, gradients = 1): number =>
  costOf(new Pieces(g).traffic(grid), gradients);

/** Tile sizes for an axis of `total`. */
function tileSizes(axis: SplitAxis, total: number): number[] {
  const sizes = new Set<number>();
  for (let count = 2; count < total; count = count < FINE ? count + 1 : Math.ceil(count * 1.25)) {
    const size = Math.ceil(total / count);
    const blocks = Math.ceil(size / BLOCK) * BLOCK;
    if (axis === 'width' && blocks < total) sizes.add(blocks);
    sizes.add(size);
  }
  return [...sizes];
}

/** Halves, quarters, …: enough where several axes are split. */
const coarseSizes = (total: number): number[] => {
  const sizes: number[] = [];
  for (let size = Math.ceil(total / 2); total > 1; size = Math.ceil(size / 2)) {
    sizes.push(size);
    if (size === 1) break;
  }
  return sizes;
};

/** What is wrong with a piece, as far as another size of it may change that. */
const symptom = (refusals: readonly Refusal[]): string =>
  refusals.map((r) => `${r.check} ${r.needBytes ?? ''} ${r.message}`).join('\n');

const excess = (refusals: readonly Refusal[]): number =>
  refusals.reduce((sum, r) => sum + (r.needBytes ?? 0) - (r.limitBytes ?? 0), 0);

export type Search =
  | { readonly split: Split }
  /** The fewest refusals that any grid left: what no split fixes. */
  | { readonly refusals: readonly Refusal[] };

export interface SplitOptions {
  /**
   * Whether a split is wanted only where it is needed. Else a call that passes as it is comes in two
   * pieces along the cheapest axis all the same: who forces a split means one.
   */
  readonly needed: boolean;
}

const isEven = ({ geometry }: Piece): boolean => geometry.padding.every(([lo, hi]) => lo === hi);

class Searcher {
  private readonly answers = new Map<string, readonly Refusal[]>();
  private paddings: readonly boolean[] = [false, true];
  private best: { split: Split; cost: number } | undefined;
  private fewest: readonly Refusal[] | undefined;
  private readonly pieces: Pieces;

  constructor(
    private readonly g: ConvGeometry,
    private readonly check: PieceCheck,
  ) {
    this.pieces = new Pieces(g);
  }

  private ask(geometry: ConvGeometry): readonly Refusal[] {
    const { groups, inChannels, outChannels, batch, input, output, padding } = geometry;
    const key = [batch, groups, inChannels, outChannels, input, output, padding].join();
    let refusals = this.answers.get(key);
    if (!refusals) {
      refusals = this.check(geometry);
      this.answers.set(key, refusals);
    }
    return refusals;
  }

  /** The first piece of a split that does not pass, and why. */
  private failure(split: Split): { piece: Piece; refusals: readonly Refusal[] } | undefined {
    for (const { piece } of this.pieces.kinds(split)) {
      const refusals = this.ask(piece.geometry);
      if (refusals.length === 0) continue;
      this.remember(refusals);
      return { piece, refusals };
    }
    return undefined;
  }

  private remember(refusals: readonly Refusal[]): void {
    const known = this.fewest;
    if (
      !known ||
      refusals.length < known.length ||
      (refusals.length === known.length && excess(refusals) < excess(known))
    )
      this.fewest = refusals;
  }

  /** Whether the pieces of a grid pass, some perhaps with their padding made explicit. */
  private tryGrid(grid: Grid): boolean {
    const traffic = this.pieces.traffic(grid);
    const cost = costOf(traffic);
    if (this.best && cost >= this.best.cost) return false;
    if (traffic.pieces > MOST_PIECES || this.answers.size > MOST_QUESTIONS) return false;
    for (const evenPadding of this.paddings) {
      const split = { grid, evenPadding };
      const failure = this.failure(split);
      if (failure && isEven(failure.piece)) return false;
      if (failure) continue;
      this.best = { split, cost };
      // A device that pads both sides alike need not be asked for anything else again.
      if (evenPadding) this.paddings = [true];
      return true;
    }
    return false;
  }

  /** Keeps the cheapest of `grids` that passes. */
  private tryAll(grids: readonly Grid[]): void {
    const priced = grids.map((grid) => ({ grid, cost: this.cost(grid) }));
    priced.sort((a, b) => a.cost - b.cost).find(({ grid }) => this.tryGrid(grid));
  }

  private cost(grid: Grid): number {
    return costOf(this.pieces.traffic(grid));
  }

  /**
   * Axes along which halves or single positions change what is wrong; the others cannot help. Those
   * that are enough alone come first.
   */
  private helpful(whole: Grid): { enough: SplitAxis[]; partly: SplitAxis[] } {
    const wrong = (grid: Grid) =>
      symptom(this.failure({ grid, evenPadding: true })?.refusals ?? []);
    const before = wrong(whole);
    const [enough, partly]: [SplitAxis[], SplitAxis[]] = [[], []];
    for (const axis of SPLIT_AXES) {
      const sizes = [Math.ceil(whole[axis] / 2), 1].filter((size) => size < whole[axis]);
      const found = new Set(sizes.map((size) => wrong(withTile(whole, axis, size))));
      if (found.has('')) enough.push(axis);
      else if ([...found].some((what) => what !== before)) partly.push(axis);
    }
    return { enough, partly };
  }

  /** Whether the smallest pieces pass, or such of a whole block along the width. */
  private isHopeless(whole: Grid): boolean {
    const finest = SPLIT_AXES.reduce((finer, axis) => withTile(finer, axis, 1), whole);
    const blocks = { ...finest, width: Math.min(BLOCK, whole.width) };
    return [finest, blocks].every((grid) => this.failure({ grid, evenPadding: true }));
  }

  /** Splits along one axis: by halves first, then what is cheaper than the best of those. */
  private tryAxes(whole: Grid, axes: readonly SplitAxis[]): void {
    const grids = (axis: SplitAxis, sizes: readonly number[]) =>
      sizes.map((size) => withTile(whole, axis, size));
    this.tryAll(axes.flatMap((axis) => grids(axis, coarseSizes(whole[axis]))));
    const most = this.best?.cost;
    if (most === undefined) return;
    this.tryAll(
      axes.flatMap((axis) => {
        const finer = grids(axis, tileSizes(axis, whole[axis]));
        const end = finer.findIndex((grid) => this.cost(grid) >= most);
        return end < 0 ? finer : finer.slice(0, end);
      }),
    );
  }

  private tryPairs(whole: Grid, axes: readonly SplitAxis[]): void {
    const along = (grid: Grid, axis: SplitAxis) =>
      coarseSizes(grid[axis]).map((size) => withTile(grid, axis, size));
    const pairs = axes.flatMap((a, i) => axes.slice(i + 1).map((b) => [a, b] as const));
    this.tryAll(pairs.flatMap(([a, b]) => along(whole, a).flatMap((grid) => along(grid, b))));
  }

  /** From the finest pieces to larger ones, axis by axis. */
  private coarsen(whole: Grid): void {
    let grid = SPLIT_AXES.reduce((finer, axis) => withTile(finer, axis, 1), whole);
    const passes = (tried: Grid) => !this.failure({ grid: tried, evenPadding: true });
    if (!passes(grid)) return;
    for (const axis of COARSEN_ORDER)
      for (const size of [whole[axis], ...coarseSizes(whole[axis])]) {
        const coarser = { ...grid, [axis]: size };
        if (!passes(coarser)) continue;
        grid = coarser;
        break;
      }
    this.tryGrid(grid);
  }

  run({ needed }: SplitOptions): Search {
    const whole = wholeGrid(this.g);
    if (!needed) {
      this.tryAxes(whole, SPLIT_AXES);
      if (!this.best) this.tryGrid(whole); // nothing to split
      return this.result();
    }
    if (this.tryGrid(whole)) return this.result();
    const { enough, partly } = this.helpful(whole);
    this.tryAxes(whole, enough);
    if (this.best || this.isHopeless(whole)) return this.result();
    this.tryAxes(whole, partly);
    if (!this.best) this.tryPairs(whole, partly);
    if (!this.best) this.coarsen(whole);
    return this.result();
  }

  private result(): Search {
    return this.best ? { split: this.best.split } : { refusals: this.fewest ?? [] };
  }
}

/** The split of least overhead whose every piece passes `check`. */
export const findSplit = (g: ConvGeometry, check: PieceCheck, options: SplitOptions): Search =>
  new Searcher(g, check).run(options);

/** The split of a search that has found one, as `supports` has seen to. */
export function splitOf(search: Search, what: string): Split {
  if ('split' in search) return search.split;
  const reasons = search.refusals.map((r) => r.message).join('; ');
  throw new Error(`tiled: no split of the ${what} fits: ${reasons}`);
}

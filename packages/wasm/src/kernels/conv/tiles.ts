import type { Tile } from './direct-kernel.js';

/** Vector registers for sums, inputs, a weight and a product; with more, code spills. */
const REGISTERS = 15;

/**
 * Cycles of one tap for `lines` lines over `places` vectors: two multiplications and two additions a
 * cycle, two loads a cycle, six instructions a cycle (Zen 3; Intel's cores are close in proportion).
 */
function tapCycles(lines: number, places: number): number {
  const loads = places + lines;
  const instructions = 2 * lines * places + loads + 9;
  return Math.max((lines * places) / 2, loads / 2, instructions / 6, 2);
}

interface Plane {
  readonly rows: number;
  readonly vectors: number;
  /** Kernel rows; 0 where rows cannot share inputs. */
  readonly sharedRows: number;
}

/** Cycles of a tile for one tap of every one of its outputs, over all tiles of the plane. */
function planeCost({ lines, share, rows, vectors }: Tile, plane: Plane): number {
  const places = rows * vectors;
  const tall = share === 'rows' ? lines : rows;
  const blocks = Math.ceil(plane.rows / tall) * Math.ceil(plane.vectors / vectors);
  if (share === 'channels') return blocks * tapCycles(lines, places);
  // Full phases, and two triangles with 1, 2, … lines; per kernel row.
  let cycles = (plane.sharedRows - lines + 1) * tapCycles(lines, places);
  for (let part = 1; part < lines; part++) cycles += 2 * tapCycles(part, places);
  return (blocks * cycles) / plane.sharedRows;
}

function candidates(channels: number, plane: Plane): Tile[] {
  const tiles: Tile[] = [];
  const fits = (lines: number, places: number) => lines * places + places + 2 <= REGISTERS;
  for (let vectors = 1; vectors <= Math.min(8, plane.vectors); vectors++) {
    for (let rows = 1; rows <= Math.min(4, plane.rows); rows++)
      if (fits(channels, rows * vectors))
        tiles.push({ lines: channels, share: 'channels', rows, vectors });
    if (channels === 1)
      for (let lines = 2; lines <= Math.min(plane.rows, plane.sharedRows); lines++)
        if (fits(lines, vectors)) tiles.push({ lines, share: 'rows', rows: 1, vectors });
  }
  return tiles;
}

/** The best tile of `channels` channels, and what a channel of it costs. */
function bestTile(channels: number, plane: Plane): { tile: Tile; cost: number } {
  const [best] = candidates(channels, plane)
    .map((tile) => ({ tile, cost: planeCost(tile, plane) / channels }))
    .sort((a, b) => a.cost - b.cost);
  return best;
}

/** Runs of equal tiles that cover `channels` output channels most cheaply. */
export function tilesOf(channels: number, plane: Plane): { tile: Tile; count: number }[] {
  const sizes = [1, 2, 3, 4, 5, 6].map((size) => ({ size, ...bestTile(size, plane) }));
  const cost = [0];
  const choice = [0];
  for (let n = 1; n <= channels; n++) {
    cost[n] = Infinity;
    for (const { size, cost: perChannel } of sizes) {
      if (size > n) continue;
      const total = cost[n - size] + perChannel * size;
      if (total < cost[n] - 1e-9) [cost[n], choice[n]] = [total, size];
    }
  }
  const counts = new Map<number, number>();
  for (let n = channels; n > 0; n -= choice[n])
    counts.set(choice[n], (counts.get(choice[n]) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => b - a)
    .map(([size, count]) => ({ tile: sizes[size - 1].tile, count }));
}

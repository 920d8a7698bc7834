// Where a piece reads and writes: windows over the whole tensors, never copies of them.

import { padAxes } from '../../ops/pad.js';
import { narrow } from '../../ops/views.js';
import { releasing } from '../../tensor/temporaries.js';
import type { Tensor } from '../../tensor/tensor.js';
import type { Piece } from './pieces.js';

interface Range {
  readonly from: number;
  readonly size: number;
}

const windowOf = (x: Tensor, ranges: readonly (Range | null)[]): Tensor =>
  ranges.reduce<Tensor>(
    (part, range, axis) =>
      range === null || range.size === part.shape[axis]
        ? part
        : narrow(part, axis, range.from, range.size),
    x,
  );

/** The part of a tensor like the input that a piece reads, without its margins. */
export const inputWindow = (x: Tensor, { batch, channels, spatial }: Piece): Tensor =>
  windowOf(x, [batch, channels.in, ...spatial.map((t) => t.input)]);

/** The part of a tensor like the output. */
export const outputWindow = (y: Tensor, { batch, channels, spatial }: Piece): Tensor =>
  windowOf(y, [batch, channels.out, ...spatial.map((t) => t.output)]);

/** The part of a tensor like the weight. */
export const weightWindow = (w: Tensor, { channels }: Piece): Tensor =>
  windowOf(w, [channels.out, channels.perGroup, null, null, null]);

const hasMargins = ({ margins }: Piece): boolean => margins.some(([lo, hi]) => lo > 0 || hi > 0);

/** A piece's input with its margins as zeros: a copy of the piece, and only at an uneven edge. */
export const withMargins = (part: Tensor, piece: Piece): Tensor =>
  hasMargins(piece) ? padAxes(part, [[0, 0], [0, 0], ...piece.margins]) : part;

/** The gradient of {@link withMargins}: what fell on the zeros is cut off. */
export const withoutMargins = (part: Tensor, piece: Piece): Tensor =>
  hasMargins(piece)
    ? windowOf(part, [
        null,
        null,
        ...piece.spatial.map((t, a) => ({ from: piece.margins[a][0], size: t.input.size })),
      ])
    : part;

/** Writes `part` into `window`, or adds it to what stands there. */
export function put(window: Tensor, part: Tensor, options: { readonly add: boolean }): void {
  window.device.kernels.assign(window, options.add ? window.add(part) : part);
}

/** Runs a piece, of which nothing lives on but what it wrote into tensors that were there. */
export const runPiece = (fn: () => void): void => releasing(fn, () => new Set());

// Line search for the strong Wolfe conditions: bracketing, then zooming, both by cubic
// interpolation (Nocedal and Wright, Numerical Optimization, 2nd ed., algorithms 3.5 and 3.6).

import type { Tensor } from '@voxgrad/core';

/** The objective at step length `t`: value, gradient, and slope along the direction. */
export interface Point {
  readonly t: number;
  readonly f: number;
  readonly g: Tensor;
  readonly slope: number;
}

export interface WolfeOptions {
  /** Value and gradient at step length `t`. */
  readonly evaluate: (t: number) => { f: number; g: Tensor };
  /** The point at t = 0. */
  readonly start: Point;
  readonly direction: Tensor;
  readonly firstStep: number;
  readonly toleranceChange: number;
}

export interface WolfeResult extends Point {
  readonly evaluations: number;
}

const SUFFICIENT_DECREASE = 1e-4;
const CURVATURE = 0.9;
const MAX_EVALUATIONS = 25;

type Bracket = [Point] | [Point, Point];

/** A step that decreases the objective enough and flattens the slope; the best seen if none does. */
export function strongWolfe(options: WolfeOptions): WolfeResult {
  const { evaluate, start, direction, toleranceChange } = options;
  let evaluations = 0;
  const at = (t: number): Point => {
    evaluations++;
    const { f, g } = evaluate(t);
    return { t, f, g, slope: g.dot(direction).item() };
  };
  const tooHigh = (p: Point) => p.f > start.f + SUFFICIENT_DECREASE * p.t * start.slope;
  const flat = (p: Point) => Math.abs(p.slope) <= -CURVATURE * start.slope;

  // Bracket: go on until a minimum lies between two points, or a point will do.
  let [previous, current] = [start, at(options.firstStep)];
  let bracket: Bracket | undefined;
  let tries = 0;
  for (; tries < MAX_EVALUATIONS; tries++) {
    if (tooHigh(current) || (tries > 1 && current.f >= previous.f)) bracket = [previous, current];
    else if (flat(current)) bracket = [current];
    else if (current.slope >= 0) bracket = [previous, current];
    if (bracket) break;
    const nearest = current.t + 0.01 * (current.t - previous.t);
    const t = cubicMinimum(previous, current, [nearest, current.t * 10]);
    [previous, current] = [current, at(t)];
  }
  bracket ??= [start, current];
  if (bracket.length === 1) return { ...bracket[0], evaluations };

  // Zoom: shrink the bracket around the lower of its ends.
  const size = direction.abs().amax().item();
  let low: 0 | 1 = bracket[0].f <= bracket[1].f ? 0 : 1;
  let stalled = false;
  for (; tries < MAX_EVALUATIONS; tries++) {
    const [a, b] = bracket;
    if (Math.abs(b.t - a.t) * size < toleranceChange) break;
    const [left, right] = [Math.min(a.t, b.t), Math.max(a.t, b.t)];
    let t = cubicMinimum(a, b);
    // Near an end twice in a row, or beyond: step a tenth of the bracket inwards instead.
    const margin = 0.1 * (right - left);
    const near: boolean = Math.min(right - t, t - left) < margin;
    const inwards: boolean = near && (stalled || t >= right || t <= left);
    if (inwards) t = Math.abs(t - right) < Math.abs(t - left) ? right - margin : left + margin;
    stalled = near && !inwards;
    const next = at(t);
    const high: 0 | 1 = low === 0 ? 1 : 0;
    if (tooHigh(next) || next.f >= bracket[low].f) {
      bracket[high] = next;
      low = bracket[0].f <= bracket[1].f ? 0 : 1;
      continue;
    }
    const done = flat(next);
    if (!done && next.slope * (bracket[high].t - bracket[low].t) >= 0) bracket[high] = bracket[low];
    bracket[low] = next;
    if (done) break;
  }
  return { ...bracket[low], evaluations };
}

/** The minimum of the cubic through two points with their slopes, kept within `bounds`. */
export function cubicMinimum(
  a: Omit<Point, 'g'>,
  b: Omit<Point, 'g'>,
  bounds: readonly [number, number] = a.t <= b.t ? [a.t, b.t] : [b.t, a.t],
): number {
  const [least, most] = bounds;
  const d1 = a.slope + b.slope - (3 * (a.f - b.f)) / (a.t - b.t);
  const square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const d2 = Math.sqrt(square);
  const [from, to] = a.t <= b.t ? [a, b] : [b, a];
  const t = to.t - (to.t - from.t) * ((to.slope + d2 - d1) / (to.slope - from.slope + 2 * d2));
  return Math.min(Math.max(t, least), most);
}

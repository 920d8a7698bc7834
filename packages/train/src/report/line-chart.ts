// Curves as SVG. Ticks, scales and paths are d3's; what is drawn needs neither a DOM nor a script.

import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { html, type Markup } from './markup.js';

export interface Series {
  readonly name: string;
  /** [x, y], by rising x; what is not finite leaves a gap. */
  readonly points: readonly (readonly [number, number])[];
  /** A running mean in front of the points themselves, which are noisy. */
  readonly smooth?: boolean;
  /** Marks each point. */
  readonly dots?: boolean;
}

export interface LineChart {
  readonly series: readonly Series[];
  readonly xLabel?: string;
}

const [WIDTH, HEIGHT] = [960, 320];
const MARGIN = { top: 10, right: 16, bottom: 34, left: 56 };
const COLOURS = 6;
/** More points than pixels show nothing more. */
const MOST_POINTS = 800;

let charts = 0;

/** Curves over one axis, with a switch between a linear and a logarithmic scale. */
export function lineChart(chart: LineChart): Markup {
  const name = `scale-${++charts}`;
  const values = chart.series.flatMap(({ points }) => points.map(([, y]) => y));
  const positive = values.filter((y) => y > 0 && Number.isFinite(y));
  const [low, high] = extent(positive);
  // Over a smaller range, or with values at 0, a logarithm shows nothing more.
  const canLog = positive.length > 0 && !values.some((y) => y <= 0) && high >= 2 * low;
  const option = (kind: string, text: string, checked: boolean) =>
    html`<label><input type="radio" name="${name}" class="to-${kind}"${checked && html` checked`}>${text}</label>`;
  return html`<div class="chart"><div class="bar-of">${chart.series.map(
    (series, i) =>
      html`<span class="key" style="color: ${colour(i)}"><i></i><span>${series.name}</span></span>`,
  )}${
    canLog &&
    html`<span class="scales">${option('linear', 'linear', true)}${option('log', 'log', false)}</span>`
  }</div>${plot(chart, 'linear')}${canLog && plot(chart, 'log')}</div>`;
}

const colour = (i: number): string => `var(--c${(i % COLOURS) + 1})`;

function plot({ series, xLabel }: LineChart, kind: 'linear' | 'log'): Markup {
  const finite = series.flatMap(({ points }) => points.filter((p) => p.every(Number.isFinite)));
  const [xs, ys] = [finite.map(([x]) => x), finite.map(([, y]) => y)];
  const x = scaleLinear()
    .domain(extent(xs))
    .range([MARGIN.left, WIDTH - MARGIN.right]);
  const range = [HEIGHT - MARGIN.bottom, MARGIN.top];
  const y =
    kind === 'log'
      ? scaleLog().domain(extent(ys)).range(range)
      : scaleLinear().domain(extent(ys, true)).nice().range(range);
  const yTicks = y.ticks(5);
  const format = kind === 'log' ? plain : y.tickFormat(5);
  const marks = yTicks.filter((tick) => kind === 'linear' || isRound(tick, yTicks.length));
  const path = line<readonly [number, number]>(
    ([at]) => round(x(at)),
    ([, value]) => round(y(value)),
  ).defined(([at, value]) => Number.isFinite(at) && Number.isFinite(value));
  const draw = (points: Series['points'], i: number, faint = false) =>
    html`<path d="${path([...thinned(points)]) ?? ''}" stroke="${colour(i)}"${faint && html` class="faint"`}/>`;
  return html`<svg class="${kind}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${series
    .map((s) => s.name)
    .join(', ')}">
${marks.map(
  (
    tick,
  ) => html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>
<text x="${MARGIN.left - 10}" y="${round(y(tick) + 4)}" text-anchor="end">${format(tick)}</text>\n`,
)}
${wholeTicks(x.ticks(8)).map(
  (tick) =>
    html`<text x="${round(x(tick))}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${plain(tick)}</text>\n`,
)}
${xLabel && html`<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 2}" text-anchor="end">${xLabel}</text>`}
${series.map((s, i) =>
  s.smooth ? [draw(s.points, i, true), draw(smoothed(s.points), i)] : draw(s.points, i),
)}
${series.map(
  (s, i) =>
    s.dots &&
    s.points.length <= 60 &&
    s.points
      .filter((p) => p.every(Number.isFinite))
      .map(
        ([at, value]) =>
          html`<circle cx="${round(x(at))}" cy="${round(y(value))}" r="3.5" fill="${colour(i)}" stroke="var(--card)" stroke-width="1.5"><title>${s.name} ${plain(at)}: ${plain(value)}</title></circle>`,
      ),
)}
</svg>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
const plain = (value: number): string => String(Number(value.toPrecision(3)));
const wholeTicks = (ticks: readonly number[]) => ticks.filter(Number.isInteger);

/** Of crowded logarithmic ticks, those at 1, 2 and 5 times a power of ten, or at the powers alone. */
function isRound(tick: number, count: number): boolean {
  if (count <= 8) return true;
  const digit = Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-9));
  return digit === 1 || (count <= 24 && (digit === 2 || digit === 5));
}

/** The range of values; `zero` draws it down to 0 where that is near. */
function extent(values: readonly number[], zero = false): [number, number] {
  if (values.length === 0) return [0, 1];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (zero && low > 0 && low < high * 0.5) low = 0;
  if (low < high) return [low, high];
  return low > 0 ? [low * 0.5, high * 2] : [low - 1, high + 1];
}

/** Fewer points of the same shape: of every stretch, the lowest and the highest. */
function* thinned(points: Series['points']): Iterable<readonly [number, number]> {
  const stretch = Math.ceil((2 * points.length) / MOST_POINTS);
  if (stretch <= 2) return yield* points;
  for (let from = 0; from < points.length; from += stretch) {
    const part = points.slice(from, from + stretch);
    const low = part.reduce((a, b) => (b[1] < a[1] ? b : a));
    const high = part.reduce((a, b) => (b[1] > a[1] ? b : a));
    yield* low[0] <= high[0] ? [low, high] : [high, low];
  }
}

/** An exponential running mean over about a twentieth of the curve, corrected for its beginning. */
function smoothed(points: Series['points']): [number, number][] {
  const keep = 1 - 1 / Math.max(2, points.length / 20);
  let [mean, weight] = [0, 0];
  return points.map(([x, y]) => {
    if (!Number.isFinite(y)) return [x, y];
    mean = keep * mean + (1 - keep) * y;
    weight = keep * weight + (1 - keep);
    return [x, mean / weight];
  });
}

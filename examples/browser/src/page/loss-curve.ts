// The losses of all steps, and their running mean.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { byId, element } from './dom.js';

/** Distances between marks of the axis of steps, of which there are no halves. */
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

/** How much of the running mean stays at each step. */
const KEEP = 0.9;

export class LossCurve {
  readonly #box = element('loss');
  readonly #now = byId('loss-now', HTMLOutputElement);
  #steps: number[] = [];
  #losses: number[] = [];
  #means: number[] = [];
  readonly #plot: uPlot;
  #waits = false;

  constructor() {
    const axis = {
      stroke: () => colour('--dim'),
      grid: { stroke: () => colour('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const losses = {
      ...axis,
      size: 46,
      splits: (_: uPlot, __: number, least: number, most: number) => decades(least, most),
      filter: (_: uPlot, splits: number[]) => splits,
      values: (_: uPlot, splits: number[]) => splits.map(label),
    };
    this.#plot = new uPlot(
      {
        width: 300,
        height: 200,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { distr: 3 } },
        axes: [{ ...axis, size: 28, incrs: WHOLE_STEPS }, losses],
        series: [
          {},
          { stroke: () => colour('--accent-dim'), width: 1, points: { show: false } },
          { stroke: () => colour('--accent'), width: 2, points: { show: false } },
        ],
      },
      [[], [], []],
      this.#box,
    );
    new ResizeObserver(([{ contentRect }]) => {
      const { width, height } = contentRect;
      if (width > 0 && height > 0) this.#plot.setSize({ width, height });
    }).observe(this.#box);
  }

  set(losses: readonly number[]): void {
    this.#steps = [];
    this.#losses = [];
    this.#means = [];
    this.add(losses);
  }

  add(losses: readonly number[]): void {
    for (const loss of losses) {
      const last = this.#means[this.#means.length - 1];
      this.#steps.push(this.#steps.length + 1);
      this.#losses.push(loss);
      this.#means.push(last === undefined ? loss : KEEP * last + (1 - KEEP) * loss);
    }
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => this.#draw());
  }

  /** Draws anew, such as in other colours. */
  redraw(): void {
    this.#plot.redraw(false, true);
  }

  #draw(): void {
    this.#waits = false;
    // A logarithm needs numbers above 0.
    const shown = (values: number[]) => values.map((v) => Math.max(v, 1e-12));
    this.#plot.setData([this.#steps, shown(this.#losses), shown(this.#means)]);
    const count = this.#losses.length;
    element('loss-empty').hidden = count > 0;
    const text =
      count === 0
        ? 'no steps yet'
        : `${this.#losses[count - 1].toPrecision(4)} at step ${count}, mean ${this.#means[count - 1].toPrecision(4)}`;
    this.#now.textContent = text;
    this.#box.setAttribute('aria-label', `Loss curve: ${text}`);
  }
}

/** What a colour of the style sheet is now; a canvas knows neither variables nor light and dark. */
function colour(name: string): string {
  const probe = element('loss-now');
  const before = probe.style.color;
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.style.color = before;
  return color;
}

/** 1, 2 and 5 times the powers of ten from `least` to `most`. */
function decades(least: number, most: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most; power++)
    for (const factor of [1, 2, 5]) {
      const tick = factor * 10 ** power;
      if (tick >= least && tick <= most) ticks.push(tick);
    }
  return most / least > 100 ? ticks.filter((tick) => Number.isInteger(Math.log10(tick))) : ticks;
}

const label = (value: number): string =>
  value >= 0.001 ? String(Number(value.toPrecision(2))) : value.toExponential(0);

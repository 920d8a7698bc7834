// Panels of pictures, lines and bars in one SVG document.

import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { type Pixels, toPng } from './pixels.js';

/** A panel draws itself into a square of `SIDE` units. */
export interface Panel {
  readonly title: string;
  readonly body: string;
}

const SIDE = 240;
const TITLE = 26;
const GAP = 20;
const COLOURS = ['#1f6fb4', '#d9541e', '#2a9d55', '#8a4fbe', '#666666'];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const label = (x: number, y: number, text: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" font-size="11" ${attributes}>${escaped(text)}</text>`;

/** A picture, as large as fits, with a line of text below. */
export function picture(title: string, pixels: Pixels, below = ''): Panel {
  const uri = `data:image/png;base64,${Buffer.from(toPng(pixels)).toString('base64')}`;
  const style = 'style="image-rendering:pixelated"';
  return {
    title,
    body: `<image width="${SIDE}" height="${SIDE}" href="${uri}" ${style}/>${label(0, SIDE + 13, below)}`,
  };
}

export interface LinesOptions {
  /** What the horizontal axis counts. */
  readonly x: string;
  /** Whether the vertical axis is logarithmic. */
  readonly log?: boolean;
}

/** Numbers over their index, a line for each name; the second and later ones are dashed. */
export function lines(
  title: string,
  series: Readonly<Record<string, readonly number[]>>,
  { x: axis, log = false }: LinesOptions,
): Panel {
  const names = Object.keys(series);
  const all = Object.values(series).flat();
  const shown = log ? all.filter((v) => v > 0) : all;
  const [left, bottom, top] = [44, SIDE - 30, 8];
  const count = Math.max(...names.map((name) => series[name].length));
  const x = scaleLinear([0, Math.max(count - 1, 1)], [left, SIDE - 6]);
  const domain = [Math.min(...shown), Math.max(...shown)];
  const y = (log ? scaleLog(domain, [bottom, top]) : scaleLinear(domain, [bottom, top])).nice();
  const path = (values: readonly number[]) =>
    line<number>((_, i) => x(i), y).defined((v) => !log || v > 0)([...values]);
  const curves = names.map((name, i) => {
    const dash = i > 0 ? 'stroke-dasharray="5 3"' : '';
    return `<path d="${path(series[name])}" fill="none" stroke="${COLOURS[i]}" stroke-width="1.6" ${dash}/>`;
  });
  const keys = names.map((name, i) =>
    label(SIDE - 8, top + 12 + 14 * i, name, `text-anchor="end" fill="${COLOURS[i]}"`),
  );
  const format = y.tickFormat(5, log ? '.0e' : undefined);
  const ticks = y.ticks(5).flatMap((value) => {
    const text = format(value);
    return text === '' ? [] : [label(left - 5, y(value) + 4, text, 'text-anchor="end"')];
  });
  const frame = `<path d="M${left} ${top}V${bottom}H${SIDE - 6}" fill="none" stroke="#999"/>`;
  const below = [
    label(left, bottom + 14, '0', 'text-anchor="middle"'),
    label(SIDE - 6, bottom + 14, String(count - 1), 'text-anchor="end"'),
    label((left + SIDE) / 2, bottom + 26, axis, 'text-anchor="middle"'),
  ];
  return { title, body: [frame, ...curves, ...ticks, ...below, ...keys].join('') };
}

/** A bar from zero for each name, with its value in a unit. */
export function bars(title: string, values: Readonly<Record<string, number>>, unit: string): Panel {
  const names = Object.keys(values);
  const x = scaleLinear([0, Math.max(...Object.values(values))], [0, SIDE - 60]);
  const height = Math.min(SIDE / names.length, 44);
  const body = names.map((name, i) => {
    const [y, width] = [i * height, x(values[name])];
    const bar = `<rect y="${y + 16}" width="${width}" height="${height - 22}" fill="${COLOURS[i % COLOURS.length]}"/>`;
    const value = `${Number(values[name].toPrecision(3))} ${unit}`;
    return label(0, y + 12, name) + bar + label(width + 5, y + height / 2 + 9, value);
  });
  return { title, body: body.join('') };
}

/** Panels in rows, as the text of an SVG file. */
export function figure(panels: readonly Panel[], columns = panels.length): string {
  const rows = Math.ceil(panels.length / columns);
  const width = columns * (SIDE + GAP) + GAP;
  const height = rows * (SIDE + TITLE + GAP) + GAP;
  const placed = panels.map(({ title, body }, i) => {
    const left = GAP + (i % columns) * (SIDE + GAP);
    const top = GAP + Math.floor(i / columns) * (SIDE + TITLE + GAP);
    const head = `<text y="14" font-size="13" font-weight="600">${escaped(title)}</text>`;
    return `<g transform="translate(${left} ${top})">${head}<g transform="translate(0 ${TITLE})">${body}</g></g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" fill="#222">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...placed,
    '</svg>\n',
  ].join('\n');
}

// Time, memory and strategies of each layer.

import { strategies } from '@voxgrad/core';
import type { LayerProfile, LayerRow } from '../profile.js';
import { html, type Markup } from './markup.js';
import { type Cell, reportTable } from './page.js';

/** Time and memory, the slowest parts visible at a glance. */
export function layerTable({ rows, totalMs }: LayerProfile): Markup {
  const slowest = Math.max(...rows.map((row) => row.forwardMs + row.backwardMs), 1e-9);
  const head = [
    'layer',
    'class',
    { title: 'parameters', numeric: true },
    { title: 'forward', numeric: true },
    { title: 'backward', numeric: true },
    { title: 'share', numeric: true },
    '',
    { title: 'makes', numeric: true },
  ];
  const bar = (row: LayerRow) => {
    const width = (ms: number) => `${((100 * ms) / slowest).toFixed(1)}%`;
    return html`<div class="bar"><i style="width: ${width(row.forwardMs)}; background: var(--c1)"></i><i style="width: ${width(row.backwardMs)}; background: var(--c2)"></i></div>`;
  };
  return reportTable(
    head,
    rows.map((row): Cell[] => [
      html`<code>${nameOf(row)}</code>`,
      row.type,
      row.parameters.toLocaleString('en-US'),
      milliseconds(row.forwardMs),
      milliseconds(row.backwardMs),
      `${((100 * (row.forwardMs + row.backwardMs)) / totalMs).toFixed(1)} %`,
      bar(row),
      bytes(row.outputBytes),
    ]),
  );
}

/** Which strategy ran for each call of each layer, and why. */
export function strategyTable({ rows }: LayerProfile): Markup {
  const entries = rows.flatMap((row) =>
    row.strategies.map((entry) => ({ layer: nameOf(row), entry })),
  );
  const groups = new Map<
    string,
    { layer: string; entry: (typeof entries)[number]['entry']; times: number }
  >();
  for (const { layer, entry } of entries) {
    const key = JSON.stringify([layer, entry.op, entry.strategy, entry.call, entry.reasons]);
    const known = groups.get(key);
    if (known) known.times++;
    else groups.set(key, { layer, entry, times: 1 });
  }
  return reportTable(
    ['layer', 'operation', 'strategy', 'device', 'call', 'why', { title: 'times', numeric: true }],
    [...groups.values()].map(({ layer, entry, times }) => [
      html`<code>${layer}</code>`,
      entry.op,
      html`<strong>${entry.strategy}</strong>`,
      entry.device,
      html`<code>${callText(entry)}</code>`,
      entry.reasons.join('; '),
      times,
    ]),
  );
}

const nameOf = ({ path }: LayerRow): string => {
  if (path === null) return '(outside of the model)';
  return path === '' ? '(the model itself)' : path;
};

/** The call as a trace's own table writes it. */
function callText(entry: LayerRow['strategies'][number]): string {
  const line = strategies.table([{ ...entry, site: undefined, reasons: [] }]).split('\n')[2] ?? '';
  return line.split(/ {2,}/).slice(4).join(' ').trim();
}

const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
function bytes(count: number): string {
  const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), UNITS.length - 1);
  return `${power === 0 ? count : (count / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

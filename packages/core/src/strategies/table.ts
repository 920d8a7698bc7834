// Explanations and traces as text with aligned columns, to be read in a terminal or put into a ticket.

import { argumentError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import type { Explanation, TraceEntry } from './registry.js';

/** Rows of one width per column; lines of a last cell stand below each other. */
function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    i === head.length - 1 ? 0 : Math.max(title.length, ...rows.map((row) => row[i].length)),
  );
  const indent = ' '.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
      .replaceAll('\n', `\n${indent}`);
  const rule = line(head.map((title, i) => '-'.repeat(widths[i] || title.length)));
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const number = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  return value >= 1e5 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
};

const NAMES_OF_NEEDS = ['input', 'weight', 'bias'];

/** `input [1, 7, 8, 8, 8] · weight [7, 1, 3, 3, 3] · padding 1 · groups 7`; what is usual is left out. */
export function describeCall(call: unknown): string {
  if (typeof call !== 'object' || call === null) return describe(call);
  const parts = Object.entries(call).flatMap(([name, value]): string[] => {
    if (isUsual(name, value)) return [];
    if (name === 'dtype') return [String(value)];
    if (name === 'needs' && Array.isArray(value))
      return [`gradients of ${NAMES_OF_NEEDS.filter((_, i) => value[i]).join(', ')}`];
    return [value === true ? name : `${name} ${textOf(value)}`];
  });
  return parts.join(' · ');
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const same = value.length > 1 && value.length <= 3 && value.every((v) => v === value[0]);
    return same ? textOf(value[0]) : `[${value.map(textOf).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${k}: ${textOf(v)}`)
      .join(', ');
  return String(value);
}

const USUAL: Readonly<Record<string, number>> = { stride: 1, padding: 0, dilation: 1, groups: 1 };

function isUsual(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (!Object.hasOwn(USUAL, name)) return false;
  const values: unknown[] = Array.isArray(value) ? value.flat() : [value];
  return values.every((v) => v === USUAL[name]);
}

function explanationTable(e: Explanation): string {
  const by = e.forcedBy ? `, forced by ${e.forcedBy}` : '';
  const head = [
    `${e.op} on ${e.device}`,
    describeCall(e.call),
    e.chosen === null ? 'chosen: none, every strategy is refused' : `chosen: ${e.chosen}${by}`,
  ];
  const rows = e.considered.map(({ name, ok, reasons, cost }) => [
    name === e.chosen ? `> ${name}` : `  ${name}`,
    ok ? 'yes' : 'no',
    number(cost),
    reasons.join('\n'),
  ]);
  return `${head.join('\n')}\n\n${columns(['  strategy', 'runs', 'cost', 'reasons'], rows)}`;
}

/** Equal calls in one row, in the order in which each came first. */
function traceTable(entries: readonly TraceEntry[]): string {
  const groups = new Map<string, { entry: TraceEntry; call: string; times: number }>();
  for (const entry of entries) {
    const call = describeCall(entry.call);
    const key = [entry.op, entry.device, entry.strategy, call, ...entry.reasons].join('|');
    const found = groups.get(key);
    if (found) found.times++;
    else groups.set(key, { entry, call, times: 1 });
  }
  const rows = [...groups.values()].map(({ entry, call, times }) => [
    String(times),
    entry.op,
    entry.device,
    entry.strategy,
    call,
    entry.reasons.join('\n'),
  ]);
  return columns(['times', 'operation', 'device', 'strategy', 'call', 'reasons'], rows);
}

/**
 * What `explain` or `trace` returned, as text. Costs are relative: see {@link Strategy.cost}.
 * @throws VoxgradError ARGUMENT for anything else
 */
export function table(what: Explanation | readonly TraceEntry[]): string {
  if (Array.isArray(what) && what.every((entry) => entry?.strategy !== undefined))
    return traceTable(what);
  if (typeof what === 'object' && what !== null && 'considered' in what)
    return explanationTable(what);
  throw argumentError(
    `strategies.table(): expected what strategies.explain or strategies.trace returned, but got ${describe(what)}`,
  );
}

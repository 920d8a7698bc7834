// Which strategy ran for each layer, and why: a row for each layer, its forward beside its backward.

import type { RanLayer } from '../shared/protocol.js';
import { element, make } from './dom.js';

export function showRan(rows: readonly RanLayer[], title: string): void {
  element('ran-empty').hidden = rows.length > 0;
  const box = element('ran');
  box.hidden = rows.length === 0;
  const hasBackward = rows.some(({ pass }) => pass === 'backward');
  const passes = hasBackward ? (['forward', 'backward'] as const) : (['forward'] as const);
  const layers = new Map<string, RanLayer[]>();
  for (const row of rows) {
    const key = `${row.layer}|${row.call}`;
    layers.set(key, [...(layers.get(key) ?? []), row]);
  }
  const head = ['Layer', 'Call', ...passes.map((pass) => pass[0].toUpperCase() + pass.slice(1))];
  const body = [...layers.values()].map((group) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, group[0].layer),
      make('td', { class: 'call' }, group[0].call),
      ...passes.map((pass) => make('td', {}, ...group.filter((r) => r.pass === pass).map(cellOf))),
    ),
  );
  box.replaceChildren(
    make(
      'table',
      {},
      make('caption', {}, title),
      make('thead', {}, make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)))),
      make('tbody', {}, ...body),
    ),
  );
}

function cellOf({ strategy, device, times, reasons, considered }: RanLayer): HTMLElement {
  const why =
    reasons.join('; ').replace('forced by strategies.use', 'your choice') ||
    'the cheapest that the device supports';
  const others = considered.map(({ name, ok, cost, reasons: said }) =>
    make(
      'li',
      {},
      make('b', {}, name),
      ok ? ` ${costText(cost)}` : ' is refused',
      said.length > 0 ? `: ${said.join('; ')}` : '',
    ),
  );
  return make(
    'details',
    {},
    make(
      'summary',
      {},
      make('span', { class: `chip ${strategy}` }, strategy),
      make('small', {}, ` on ${device}${times > 1 ? `, ${times} times` : ''}: ${why}`),
    ),
    make('ul', {}, ...others),
  );
}

/** Costs compare strategies of one call; an infinite one is never chosen by itself. */
function costText(value: number): string {
  if (!Number.isFinite(value)) return 'runs where it is chosen';
  const short = Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
  return `runs at a relative cost of ${short.format(value)}`;
}

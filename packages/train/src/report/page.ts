// The frame of every report: one file that needs no other, and no network.

import { html, Markup } from './markup.js';
import { STYLE } from './style.js';

export interface ReportSection {
  readonly title: string;
  /** What there is to see, in a sentence. */
  readonly note?: string;
  readonly body: Markup;
}

export interface ReportPage {
  readonly title: string;
  readonly subtitle?: string;
  /** A few numbers that everybody looks for first. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly sections: readonly ReportSection[];
  readonly footer?: string;
}

/**
 * A self-contained HTML page, light and dark, as text.
 *
 * ```ts
 * reportPage({ title: 'Plan', sections: [{ title: 'Layers', body: reportTable(head, rows) }] });
 * ```
 */
export function reportPage({ title, subtitle, facts, sections, footer }: ReportPage): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<header><h1>${title}</h1>${subtitle && html`<div class="muted">${subtitle}</div>`}</header>
${facts && factList(facts)}
${sections.map(section)}
${footer && html`<footer>${footer}</footer>`}
</main>
</body>
</html>
`;
  return page.text;
}

const factList = (facts: Readonly<Record<string, string>>): Markup =>
  html`<dl class="facts">${Object.entries(facts).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

const section = ({ title, note, body }: ReportSection): Markup =>
  html`<section><h2>${title}</h2>${note && html`<p class="muted">${note}</p>`}${body}</section>\n`;

export type Cell = string | number | Markup;

export interface ReportColumn {
  readonly title: string;
  /** Right-aligned. */
  readonly numeric?: boolean;
}

/** A table; cells that are no markup are escaped. */
export function reportTable(
  head: readonly (string | ReportColumn)[],
  rows: readonly (readonly Cell[])[],
): Markup {
  const columns = head.map((column) => (typeof column === 'string' ? { title: column } : column));
  const kind = (i: number) => (columns[i]?.numeric ? html` class="number"` : '');
  return html`<div class="scroll"><table><thead><tr>${columns.map(
    ({ title }, i) => html`<th${kind(i)}>${title}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell, i) => html`<td${kind(i)}>${cell}</td>`)}</tr>\n`,
  )}</tbody></table></div>`;
}

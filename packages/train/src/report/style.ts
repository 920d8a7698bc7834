// The look of every report: one column, light and dark by what the reader prefers, fit for printing.

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1b2130; --muted: #667085; --rule: #e4e7ec;
  --c1: #2f6fdf; --c2: #d9730d; --c3: #0f9d7a; --c4: #b5379b; --c5: #7a5af8; --c6: #c4320a;
  --good: #0f9d7a; --bad: #c4320a; --heat: 47, 111, 223;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1218; --card: #171b23; --ink: #e6e9f0; --muted: #98a2b3; --rule: #2a303c;
    --c1: #6ea2ff; --c2: #f2994a; --c3: #4cd6ac; --c4: #e879d0; --c5: #a594ff; --c6: #ff7a59;
    --good: #4cd6ac; --bad: #ff7a59; --heat: 110, 162, 255;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.55 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main { max-width: 1040px; margin: 0 auto; padding: 40px 24px 64px; }
header { margin-bottom: 28px; }
h1 { font-size: 27px; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 6px; }
h2 { font-size: 17px; letter-spacing: -0.01em; margin: 0 0 4px; }
h3 { font-size: 13px; font-weight: 600; margin: 18px 0 8px; }
p { margin: 0 0 12px; }
.muted { color: var(--muted); }
section, .facts div {
  background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
}
section { padding: 22px 24px; margin-top: 20px; }
section > .muted { margin-bottom: 16px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 0; }
.facts div { padding: 12px 16px; }
.facts dt { color: var(--muted); font-size: 12px; }
.facts dd { margin: 2px 0 0; font-size: 20px; font-weight: 600; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--muted); white-space: nowrap; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
th.number, td.number { text-align: right; white-space: nowrap; }
td code, p code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.bar { position: relative; min-width: 110px; height: 8px; margin-top: 6px; border-radius: 4px; background: var(--rule); overflow: hidden; display: flex; }
.bar i { display: block; height: 100%; }
.good { color: var(--good); } .bad { color: var(--bad); }
details summary { cursor: pointer; color: var(--muted); }
.chart svg { display: block; width: 100%; height: auto; overflow: visible; }
.chart text { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart path { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.chart path.faint { stroke-width: 1; opacity: 0.3; }
.chart .bar-of { display: flex; flex-wrap: wrap; gap: 6px 18px; align-items: center; margin-bottom: 10px; font-size: 13px; }
.key { display: inline-flex; align-items: center; gap: 7px; }
.key i { width: 14px; height: 3px; border-radius: 2px; background: currentColor; }
.key span { color: var(--ink); }
.scales { margin-left: auto; display: inline-flex; border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; font-size: 12px; }
.scales label { padding: 3px 10px; cursor: pointer; color: var(--muted); }
.scales input { position: absolute; opacity: 0; pointer-events: none; }
.scales label:has(:checked) { background: var(--rule); color: var(--ink); }
.scales label:has(:focus-visible) { outline: 2px solid var(--c1); outline-offset: -2px; }
.chart:has(.to-log:checked) .linear, .chart:not(:has(.to-log:checked)) .log { display: none; }
.slices { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
figure { margin: 0; }
figure img { display: block; width: 100%; border-radius: 8px; background: #000; image-rendering: pixelated; }
figcaption { color: var(--muted); font-size: 12px; margin-top: 5px; }
.confusion td.cell { text-align: right; border: 2px solid var(--card); border-radius: 6px; padding: 8px 10px; }
footer { color: var(--muted); font-size: 12px; margin-top: 28px; }
@media print { body { background: none; } section { break-inside: avoid; } .scales { display: none; } }
`;

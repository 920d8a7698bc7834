/** A cell: numbers get as many digits as mean something. */
export type Cell = string | number | boolean;

const text = (cell: Cell): string => {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'NO';
  if (typeof cell === 'string') return cell;
  if (!Number.isFinite(cell)) return String(cell);
  return Math.abs(cell) >= 100 ? cell.toFixed(0) : cell.toPrecision(3);
};

/** Prints rows as a Markdown table, ready for docs/benchmarks.md. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const lines = [head, ...rows.map((row) => row.map(text))];
  const widths = head.map((_, i) => Math.max(3, ...lines.map((line) => line[i].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  console.log([`\n### ${title}\n`, line(head), rule, ...lines.slice(1).map(line)].join('\n'));
}

/** `0.83 ≥ 0.8`, or `0.75 ✗ 0.8` where the goal is missed. */
export const against = (value: number, goal: number, kind: 'least' | 'most' = 'least'): string => {
  const sign = kind === 'least' ? '≥' : '≤';
  const reached = kind === 'least' ? value >= goal : value <= goal;
  return `${text(value)} ${reached ? sign : '✗'} ${goal}`;
};

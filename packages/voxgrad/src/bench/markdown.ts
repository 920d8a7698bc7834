/** A cell: numbers get as many digits as mean something. */
export type Cell = string | number | boolean;

export const cellText = (cell: Cell): string => {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'NO';
  if (typeof cell === 'string') return cell;
  if (!Number.isFinite(cell)) return String(cell);
  return Math.abs(cell) >= 100 ? cell.toFixed(0) : cell.toPrecision(3);
};

/** Rows as the lines of a Markdown table whose columns stand below each other. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): string[] {
  const lines = [head, ...rows.map((row) => row.map(cellText))];
  const widths = head.map((_, i) => Math.max(3, ...lines.map((line) => line[i].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...lines.slice(1).map(line)];
}

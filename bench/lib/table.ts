import {
  type Cell,
  markdownTable,
  cellText as text,
} from '../../packages/voxgrad/src/bench/markdown.js';

export type { Cell } from '../../packages/voxgrad/src/bench/markdown.js';

/** Prints rows as a Markdown table, ready for docs/benchmarks.md. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  console.log([`\n### ${title}\n`, ...markdownTable(head, rows)].join('\n'));
}

/** `0.83 ≥ 0.8`, or `0.75 ✗ 0.8` where the goal is missed. */
export const against = (value: number, goal: number, kind: 'least' | 'most' = 'least'): string => {
  const sign = kind === 'least' ? '≥' : '≤';
  const reached = kind === 'least' ? value >= goal : value <= goal;
  return `${text(value)} ${reached ? sign : '✗'} ${goal}`;
};

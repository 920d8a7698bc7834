import { styleText } from 'node:util';
import type { Run, RunResult } from './finetune.js';

type Results = readonly { readonly run: Run; readonly result: RunResult }[];

const bold = (text: string) => (process.stdout.isTTY ? styleText('bold', text) : text);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, c) => Math.max(...[head, ...rows].map((row) => row[c].length)));
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ')}`;
  return [bold(line(head)), ...rows.map(line)].join('\n');
}

/** The losses of every run side by side. */
export function lossTable(results: Results): string {
  const head = ['epoch', ...results.map(({ run }) => run.name)];
  const epochs = results[0].result.losses.map((_, epoch) => [
    String(epoch + 1),
    ...results.map(({ result }) => result.losses[epoch].toFixed(6)),
  ]);
  const time = ['time', ...results.map(({ result }) => `${result.seconds.toFixed(1)} s`)];
  return table(head, [...epochs, time]);
}

/** Which strategy ran for the backward of each layer. */
export function strategyTable(results: Results): string {
  const layers = [...results[0].result.layers.keys()];
  const head = ['layer', ...results.map(({ run }) => run.name)];
  const rows = layers.map((layer) => [
    layer,
    ...results.map(({ result }) => result.layers.get(layer)?.strategy ?? '-'),
  ]);
  return table(head, rows);
}

/** Why: each run's reasons, layers with the same reasons together. */
export function reasons(results: Results): string {
  return results
    .map(({ run, result }) => {
      const layersByReason = new Map<string, string[]>();
      for (const [layer, entry] of result.layers) {
        const text = entry.reasons.join('\n      ');
        layersByReason.set(text, [...(layersByReason.get(text) ?? []), layer]);
      }
      const lines = [...layersByReason].map(
        ([text, layers]) => `    ${layers.join(', ')}:\n      ${text}`,
      );
      return `  ${bold(run.name)}\n${lines.join('\n')}`;
    })
    .join('\n');
}

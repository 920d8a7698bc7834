// What a command found, as the text that goes to standard output.

import type { Report } from './command.js';
import { COLOURED, PLAIN } from './terminal.js';

/** How standard output is written. */
export interface OutputFormat {
  /** One JSON document instead of text. */
  readonly json: boolean;
  readonly coloured: boolean;
}

export interface Output {
  readonly text: string;
  readonly finding: boolean;
}

export const outputOf = (
  { json: value, text, finding = false }: Report,
  { json, coloured }: OutputFormat,
): Output => ({
  text: json ? jsonText(value) : [...text(coloured ? COLOURED : PLAIN), ''].join('\n'),
  finding,
});

export function jsonText(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_, item) => (typeof item === 'bigint' ? String(item) : item),
    2,
  );
  return `${text}\n`;
}

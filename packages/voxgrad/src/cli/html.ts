// `--html FILE`: what a command found as one self-contained page, with the frame of every report.

import { rename, writeFile } from 'node:fs/promises';
import { VoxgradError } from '@voxgrad/core';
import { type ReportPage, reportPage } from '@voxgrad/train';
import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

export const withHtmlOption = (command: Command): Command =>
  command.option('--html <file>', 'also write the result to FILE as a page that needs no network');

/** Writes `page` where `--html` asks for it; the file is replaced whole or not at all. */
export async function writeHtml(
  { html }: Readonly<Record<string, unknown>>,
  page: () => ReportPage,
  terminal: Terminal,
): Promise<void> {
  if (typeof html !== 'string') return;
  const temporary = `${html}.${process.pid}.tmp`;
  try {
    await terminal.temporary(temporary, async () => {
      await writeFile(temporary, reportPage(page()));
      await rename(temporary, html);
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new VoxgradError('IO', `${html}: cannot be written (${reason})`, { cause: error });
  }
  terminal.note(`wrote ${html}`);
}

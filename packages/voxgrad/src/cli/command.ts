// What a command is to the program: its name, arguments and options, and a function that returns what
// it found. How that is printed, errors and exit codes are the program's (main.ts).

import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** What a command found out or did. */
export interface Report {
  /** For `--json`; bigints become texts. */
  readonly json: unknown;
  /** For people, line by line. */
  text(style: Style): Iterable<string>;
  /** True where something was found that a script should stop at: exit code 1. */
  readonly finding?: boolean;
}

/** Colours, or nothing where they are not wanted. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
}

/** A line as it is typed, with what it does. */
export type Example = readonly [line: string, does: string];

export interface CliCommand {
  /** Name, arguments, options and help; `--json` is added to every command. */
  describe(command: Command): Command;
  /** The end of the help; the first one stands in the help of the program too. */
  readonly examples: readonly [Example, ...Example[]];
  /**
   * True for what computes for seconds without a pause: it runs in a thread of its own, so that the
   * program hears signals meanwhile.
   */
  readonly computes?: boolean;
  /**
   * @throws UsageError for arguments that make no sense (exit code 2), VoxgradError for what fails
   *   (exit code 1)
   */
  run(
    args: readonly string[],
    options: Readonly<Record<string, unknown>>,
    terminal: Terminal,
  ): Promise<Report>;
}

/** Arguments that make no sense, with what to write instead. */
export class UsageError extends Error {}

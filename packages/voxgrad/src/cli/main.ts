// Reads the command line, runs a command and says how it went: one JSON document or text on standard
// output, everything else on standard error. Exit codes: 0 success, 1 a finding or failure, 2 wrong
// usage, 128 + n ended by signal n.

import { constants } from 'node:os';
import { VoxgradError } from '@voxgrad/core';
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { bench } from './bench.js';
import { certifyDevice } from './certify.js';
import { type CliCommand, type Report, UsageError } from './command.js';
import { convert } from './convert.js';
import { examine } from './doctor.js';
import { inspectFile } from './inspect.js';
import { planModel } from './plan.js';
import { writeRepro } from './repro.js';
import { styleFor, Terminal } from './terminal.js';

const COMMANDS: readonly CliCommand[] = [
  inspectFile,
  convert,
  planModel,
  examine,
  writeRepro,
  bench,
  certifyDevice,
];

export async function main(argv: readonly string[]): Promise<void> {
  const json = argv.includes('--json');
  const terminal = new Terminal(process.stderr);
  // Whoever reads the output may have seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      terminal.interrupted();
      failed(new Interrupted(), json, terminal);
      process.exit(128 + constants.signals[signal]);
    });
  try {
    await programOf(json, terminal).parseAsync(argv, { from: 'user' });
  } catch (error) {
    process.exitCode = failed(error, json, terminal);
  } finally {
    terminal.done();
  }
}

class Interrupted extends Error {
  override readonly message = 'interrupted; nothing was written';
}

function programOf(json: boolean, terminal: Terminal): Command {
  const program = new Command('voxgrad')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    // Errors are printed once, where they end up.
    .configureOutput({ writeErr: () => {} });
  for (const command of COMMANDS) {
    const described = command
      .describe(program.command('?').exitOverride())
      .option('--json', 'print one JSON document on standard output')
      .action(async () => {
        const report = await command.run(described.args, described.opts(), terminal);
        terminal.done();
        print(report, json);
        if (report.finding) process.exitCode = 1;
      });
  }
  return program;
}

function print(report: Report, json: boolean): void {
  if (json) printJson(report.json);
  else for (const line of report.text(styleFor(process.stdout))) process.stdout.write(`${line}\n`);
}

const printJson = (value: unknown): void => {
  const text = JSON.stringify(
    value,
    (_, item) => (typeof item === 'bigint' ? String(item) : item),
    2,
  );
  process.stdout.write(`${text}\n`);
};

/** Says what went wrong; returns the exit code. */
function failed(error: unknown, json: boolean, terminal: Terminal): number {
  const { code, message, exitCode } = described(error);
  if (exitCode === 0) return 0; // help and version were asked for
  terminal.note(message);
  if (json) printJson({ error: { code, message: message.replace(/^error: /, '') } });
  return exitCode;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

function described(error: unknown): Failure {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { code: 'HELP', message: '', exitCode: 0 };
    // Without a command there is no message, but the help.
    const asked = error.code === 'commander.help';
    const message = asked ? 'error: which command? See voxgrad --help' : error.message;
    return { code: 'USAGE', message, exitCode: 2 };
  }
  if (error instanceof UsageError)
    return { code: 'USAGE', message: `error: ${error.message}`, exitCode: 2 };
  if (error instanceof Interrupted)
    return { code: 'INTERRUPTED', message: error.message, exitCode: 1 };
  if (error instanceof VoxgradError)
    return { code: error.code, message: `error: ${error.message}`, exitCode: 1 };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: 'INTERNAL',
    message: `this is a bug in voxgrad, please report it: ${text}`,
    exitCode: 1,
  };
}

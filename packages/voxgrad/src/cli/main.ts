// Reads the command line, runs a command and says how it went: one JSON document or text on standard
// output, everything else on standard error. Exit codes: 0 success, 1 a finding or failure, 2 wrong
// usage, 128 + n ended by signal n.

import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { bench } from './bench.js';
import { certifyDevice } from './certify.js';
import { type CliCommand, type Example, UsageError } from './command.js';
import { convert } from './convert.js';
import { examine } from './doctor.js';
import { type Failure, failureOf } from './failure.js';
import { checkGradients } from './gradcheck.js';
import { inspectFile } from './inspect.js';
import { jsonText, type OutputFormat, outputOf } from './output.js';
import { planModel } from './plan.js';
import { writeRepro } from './repro.js';
import { ErrorStream, wantsColours } from './terminal.js';
import { answer, inThread } from './thread.js';

const COMMANDS: readonly CliCommand[] = [
  inspectFile,
  convert,
  planModel,
  examine,
  writeRepro,
  bench,
  checkGradients,
  certifyDevice,
];

export const main = (argv: readonly string[]): Promise<void> =>
  isMainThread ? program(argv) : answer(COMMANDS);

async function program(argv: readonly string[]): Promise<void> {
  const format = { json: argv.includes('--json'), coloured: wantsColours(process.stdout) };
  const terminal = new ErrorStream(process.stderr);
  // Whoever reads the output may have seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  for (const signal of SIGNALS)
    process.once(signal, () => {
      terminal.interrupted();
      tell(INTERRUPTED, format, terminal);
      process.exit(128 + constants.signals[signal]);
    });
  const help: string[] = [];
  try {
    await commandLine(format, terminal, help).parseAsync(argv, { from: 'user' });
  } catch (error) {
    // The help or the version was asked for.
    if (error instanceof CommanderError && error.exitCode === 0) {
      const text = help.join('');
      process.stdout.write(format.json ? jsonText({ help: text }) : text);
      return;
    }
    const failure = failureOf(error);
    done(terminal);
    tell({ ...failure, message: `error: ${failure.message}` }, format, terminal);
    process.exitCode = failure.exitCode;
  }
}

/** TypeScript itself is run through a loader, which threads do not have. */
const isSource = process.argv[1].endsWith('.ts');

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const INTERRUPTED: Omit<Failure, 'exitCode'> = {
  code: 'INTERRUPTED',
  message: 'interrupted; nothing was written',
};

/** From here on there is nothing to interrupt, and one document to print. */
function done(terminal: ErrorStream): void {
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  terminal.clear();
}

function tell(
  { code, message }: Omit<Failure, 'exitCode'>,
  { json }: OutputFormat,
  terminal: ErrorStream,
): void {
  terminal.note(message);
  if (json)
    process.stdout.write(jsonText({ error: { code, message: message.replace(/^error: /, '') } }));
}

/** @param help where it is put piece by piece if it is asked for */
function commandLine(format: OutputFormat, terminal: ErrorStream, help: string[]): Command {
  const voxgrad = new Command('voxgrad')
    .description(manifest.description)
    .version(manifest.version)
    .option(...JSON_OPTION)
    .exitOverride(advised('voxgrad'))
    .configureOutput({
      writeOut: (text) => help.push(text),
      // Errors are printed once, where they end up.
      writeErr: () => {},
    });
  for (const [index, command] of COMMANDS.entries()) {
    const described = command.describe(voxgrad.command('?'));
    described
      .exitOverride(advised(`voxgrad ${described.name()}`))
      .option(...JSON_OPTION)
      .addHelpText('after', exampleText(command.examples))
      .action(async () => {
        const { args } = described;
        const { json: _, ...options } = described.opts();
        const output =
          command.computes && !isSource
            ? await inThread({ index, args, options, format }, terminal)
            : outputOf(await command.run(args, options, terminal), format);
        done(terminal);
        process.stdout.write(output.text);
        if (output.finding) process.exitCode = 1;
      });
  }
  return voxgrad.addHelpText(
    'after',
    `${exampleText(COMMANDS.map(({ examples }) => examples[0]))}

Exit codes: 0 success, 1 a finding or failure, 2 wrong usage. Progress and errors go to standard
error. voxgrad help <command> has the options and more examples.`,
  );
}

const JSON_OPTION = ['--json', 'print one JSON document on standard output'] as const;

const exampleText = (examples: readonly Example[]): string =>
  ['', 'Examples:', ...examples.flatMap(([line, does]) => [`  # ${does}`, `  ${line}`])].join('\n');

/** Wrong usage, with where to read about the right one. */
const advised =
  (name: string) =>
  (error: CommanderError): never => {
    if (error.exitCode === 0) throw error;
    // Without a command there is no message, but the help.
    const problem = error.code === 'commander.help' ? 'which command?' : error.message;
    throw new UsageError(`${problem.replace(/^error: /, '')}\nSee ${name} --help`);
  };

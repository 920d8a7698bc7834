// voxgrad doctor: what is wrong with an installation, an environment or a run, from what they say.

import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { VoxgradError } from '@voxgrad/core';
import { diagnosisLines, doctor, LogScan } from '@voxgrad/npu';
import type { CliCommand } from './command.js';
import { doctorPage } from './doctor-page.js';
import { withHtmlOption, writeHtml } from './html.js';
import { readInstallation } from './installation.js';

const HERE = '/usr/local/Ascend';

export const examine: CliCommand = {
  describe: (command) =>
    withHtmlOption(command.name('doctor'))
      .description(
        'find mixed CANN installations and versions that do not go together, and explain a log',
      )
      .option(
        '--root <folder>',
        `an installation, or a copy of a file system; ${HERE} if nothing is given`,
      )
      .option('--env <file>', 'output of env; the variables of this process if nothing is given')
      .option('--log <file>', 'a log of any length; - reads standard input'),
  examples: [
    ['voxgrad doctor', 'what is wrong with the installation here'],
    ['voxgrad doctor --log train.log', 'what the errors in a log mean, and what to do'],
    ['voxgrad doctor --root ./copy-of-the-machine --env env.txt', 'of another machine'],
  ],
  run: async (_, options, terminal) => {
    const { root, env, log } = options;
    if ((env === '-' || log === '-') && process.stdin.isTTY)
      terminal.note('reading standard input to its end (Ctrl-D); or name a file');
    const isHere = root === undefined && env === undefined && log === undefined;
    if (isHere) terminal.note(`reading ${HERE} and the environment of this process`);
    const tree =
      typeof root === 'string'
        ? await readInstallation(root)
        : isHere
          ? await readInstallation(HERE).catch(() => undefined)
          : undefined;
    const environment =
      typeof env === 'string' ? await readText(env) : isHere ? ownEnvironment() : undefined;
    const scan =
      typeof log === 'string'
        ? await readLog(log, (lines) => terminal.progress(`${log}: ${lines} lines`))
        : undefined;
    const diagnosis = doctor({
      ...(tree && { tree }),
      ...(environment !== undefined && { environment }),
      ...(scan && { log: scan }),
    });
    await writeHtml(options, () => doctorPage(diagnosis), terminal);
    return {
      json: diagnosis,
      text: () => diagnosisLines(diagnosis),
      finding: diagnosis.findings.length > 0,
    };
  },
};

const ownEnvironment = (): Map<string, string> =>
  new Map(
    Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const unread = (file: string, error: unknown) =>
  new VoxgradError(
    'ARGUMENT',
    `${file}: cannot be read (${error instanceof Error ? error.message : error})`,
  );

async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw unread(file, error);
  }
}

/** Editors and shells of Windows write UTF-16, which begins with a mark. */
async function encodingOf(file: string): Promise<'utf8' | 'utf16le'> {
  if (!(await stat(file)).isFile()) return 'utf8'; // a pipe, which is read once
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0xff && buffer[1] === 0xfe ? 'utf16le' : 'utf8';
  } finally {
    await handle.close();
  }
}

async function readLog(file: string, progress: (lines: number) => void): Promise<LogScan> {
  const scan = new LogScan();
  try {
    const stream =
      file === '-'
        ? process.stdin.setEncoding('utf8')
        : createReadStream(file, { encoding: await encodingOf(file), highWaterMark: 1 << 20 });
    for await (const part of stream) {
      scan.add(String(part));
      if (scan.isBinary) break;
      progress(scan.lines);
    }
  } catch (error) {
    throw unread(file, error);
  }
  scan.end();
  if (scan.isBinary)
    throw new VoxgradError(
      'ARGUMENT',
      `${file}: this is no text but binary data; give the log as text (decompress it first, or plog's .log files)`,
    );
  return scan;
}

// voxgrad bench: the published patterns on this machine, or on the profile of an NPU.

import type { Device } from '@voxgrad/core';
import { type ReportPage, reportTable } from '@voxgrad/train';
import { createWasmDevice } from '@voxgrad/wasm';
import { Option } from 'commander';
import { cellText } from '../bench/markdown.js';
import {
  type BenchResult,
  benchLines,
  benchTable,
  isWrong,
  MODES,
  type Mode,
  runBench,
  SUITES,
  type SuiteName,
} from '../bench/run.js';
import { type CliCommand, UsageError } from './command.js';
import { withHtmlOption, writeHtml } from './html.js';
import { dtypeFrom, npuFrom, withNpuOptions } from './npu-options.js';
import { otherDevice } from './tfjs-device.js';

/** The reference of the precision mode computes in plain loops. */
const SCALES: Readonly<Record<Mode, number>> = { precision: 8, perf: 1 };

export const bench: CliCommand = {
  describe: (command) =>
    withNpuOptions(
      withHtmlOption(command)
        .name('bench')
        .description('time convolution patterns, or compare every strategy with float64')
        .addOption(
          new Option('--suite <name>', 'which cases')
            .choices(Object.keys(SUITES))
            .default('patterns'),
        )
        .addOption(new Option('--mode <name>', 'what to measure').choices(MODES).default('perf')),
    )
      .option('--dtype <name>', 'float32 if omitted; float64 where the device has it')
      .option('--scale <n>', 'divide each axis of the volumes by n (8 for precision, 1 for perf)')
      .option('--only <text>', 'cases whose names hold this text')
      .option('--all', 'time every strategy, not the chosen and the native one alone')
      .option('--rounds <n>', 'turns of each measurement', '5')
      .option('--threads <n>', 'threads of the wasm device'),
  computes: true,
  examples: [
    [
      'voxgrad bench --only train05 --scale 4',
      'forward, forward and backward, and the speedup, on this machine',
    ],
    [
      'voxgrad bench --device npu:Ascend910B1 --cann 8.2.RC1',
      'which patterns an NPU refuses, and what runs instead',
    ],
    ['voxgrad bench --mode precision --device cpu', 'every strategy against float64'],
  ],
  run: async (_, options, terminal) => {
    const { suite, mode, only, all } = options as {
      suite: SuiteName;
      mode: Mode;
      only?: string;
      all?: boolean;
    };
    const result = await runBench({
      suite,
      mode,
      device: await deviceFrom(options),
      dtype: dtypeFrom(options) ?? 'float32',
      scale: numberFrom('--scale', options.scale) ?? SCALES[mode],
      rounds: numberFrom('--rounds', options.rounds) ?? 5,
      ...(all && { all }),
      ...(only !== undefined && { only }),
      progress: (text) => terminal.progress(text),
    });
    if (result.rows.length === 0)
      throw new UsageError(
        `--only ${only}: no case is called so; there are ${SUITES[suite].map(({ name }) => name).join(', ')}`,
      );
    await writeHtml(options, () => pageOf(result), terminal);
    return { json: result, text: () => benchLines(result), finding: isWrong(result) };
  },
};

function pageOf(result: BenchResult): ReportPage {
  const { title, head, rows } = benchTable(result);
  return {
    title: 'Benchmark',
    subtitle: title,
    facts: { cases: String(result.rows.length) },
    sections: [
      {
        title: result.suite,
        body: reportTable(
          head,
          rows.map((row) => row.map(cellText)),
        ),
      },
    ],
  };
}

function numberFrom(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= 1) return number;
  throw new UsageError(`${name} takes a number from 1 on, but got ${JSON.stringify(value)}`);
}

async function deviceFrom(options: Readonly<Record<string, unknown>>): Promise<Device> {
  const { device: name = 'wasm' } = options;
  const threads = numberFrom('--threads', options.threads);
  if (name !== 'cpu') {
    const wasm = createWasmDevice(threads === undefined ? {} : { threads });
    await wasm.ready();
    if (name === 'wasm') return wasm;
  }
  // The profile of an NPU computes on that device.
  return String(name).startsWith('npu:') ? npuFrom(options, 'wasm') : otherDevice(String(name));
}

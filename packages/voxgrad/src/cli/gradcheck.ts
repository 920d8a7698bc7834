// voxgrad gradcheck: derivatives on a device, for every strategy of a convolution.

import { type Device, getDevice } from '@voxgrad/core';
import { html, type ReportPage, reportTable } from '@voxgrad/train';
import { createWasmDevice } from '@voxgrad/wasm';
import { type GradcheckResult, runGradcheck } from '../gradcheck/run.js';
import { type CliCommand, type Style, UsageError } from './command.js';
import { columns, counted } from './format.js';
import { withHtmlOption, writeHtml } from './html.js';
import { npuFrom, withNpuOptions } from './npu-options.js';
import { otherDevice } from './tfjs-device.js';

export const checkGradients: CliCommand = {
  describe: (command) =>
    withHtmlOption(
      withNpuOptions(command.name('gradcheck'))
        .description(
          'compare first and second derivatives with finite differences, for every strategy; on wasm if no device is named',
        )
        .option('--only <text>', 'cases whose family, name or strategy holds this text'),
    ),
  computes: true,
  examples: [
    ['voxgrad gradcheck', 'every operation and strategy on the default device'],
    [
      'voxgrad gradcheck --device cpu --only conv --html gradcheck.html',
      'some of them, and a page to keep',
    ],
  ],
  run: async (_, options, terminal) => {
    const { only } = options as { only?: string };
    const result = await runGradcheck({
      device: await deviceFrom(options),
      ...(only !== undefined && { only }),
      progress: (text) => terminal.progress(`checking ${text}`),
    });
    if (result.rows.length === 0)
      throw new UsageError(
        `--only ${only}: no case holds this text; without --only all are listed`,
      );
    await writeHtml(options, () => pageOf(result), terminal);
    return {
      json: result,
      text: (style) => lines(result, style),
      finding: result.totals.wrong > 0,
    };
  },
};

/** Small tensors too are computed on the device, and not beside it. */
async function deviceFrom(options: Readonly<Record<string, unknown>>): Promise<Device> {
  const { device: name = 'wasm' } = options;
  if (name === 'cpu') return getDevice('cpu');
  const wasm = createWasmDevice({ smallBytes: 0 });
  await wasm.ready();
  if (name === 'wasm') return wasm;
  return String(name).startsWith('npu:') ? npuFrom(options, wasm) : otherDevice(String(name));
}

function* lines(result: GradcheckResult, style: Style): Iterable<string> {
  const { device, dtype, against, rows, totals } = result;
  const marks = { ok: 'ok', wrong: 'WRONG', refused: 'refused' } as const;
  yield `${device}, ${dtype}, against ${against}`;
  yield '';
  const [head, ...body] = columns([
    ['family', 'case', 'strategy', 'result'],
    ...rows.map((row) => [
      row.group,
      row.name,
      row.strategy ?? '',
      row.error === null || row.outcome !== 'ok'
        ? marks[row.outcome]
        : `${marks.ok} (${row.error.toExponential(1)})`,
    ]),
  ]);
  yield style.strong(head);
  for (const [i, line] of body.entries()) {
    const { outcome, message } = rows[i];
    yield outcome === 'wrong'
      ? style.strong(line)
      : outcome === 'refused'
        ? style.faint(line)
        : line;
    if (message !== null)
      for (const part of message.trimEnd().split('\n')) yield style.faint(`    ${part}`);
  }
  yield '';
  const refused = totals.refused > 0 ? `, ${totals.refused} refused by the device` : '';
  yield `${counted(rows.length, 'case')}: ${totals.ok} right, ${totals.wrong} wrong${refused}`;
}

function pageOf({ device, dtype, against, rows, totals }: GradcheckResult): ReportPage {
  const kind = { ok: 'good', wrong: 'bad', refused: 'muted' } as const;
  return {
    title: `Derivatives on ${device}`,
    subtitle: `First and second derivatives, ${dtype}, against ${against}`,
    facts: {
      cases: String(rows.length),
      right: String(totals.ok),
      wrong: String(totals.wrong),
      refused: String(totals.refused),
    },
    sections: [...new Set(rows.map(({ group }) => group))].map((group) => ({
      title: group,
      body: reportTable(
        ['case', 'strategy', 'result', 'notes'],
        rows
          .filter((row) => row.group === group)
          .map((row) => [
            row.name,
            row.strategy ?? '',
            html`<span class="${kind[row.outcome]}">${row.outcome}</span>`,
            row.message ?? (row.error === null ? '' : `error ${row.error.toExponential(1)}`),
          ]),
      ),
    })),
  };
}

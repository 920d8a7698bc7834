// voxgrad plan: which layers an NPU's own operators run, and what runs instead of the others.

import { readFile } from 'node:fs/promises';
import { VoxgradError } from '@voxgrad/core';
import {
  checkModel,
  type ModelDescription,
  type PlanLayer,
  parseConv,
  plan,
  planLines,
} from '@voxgrad/npu';
import { type CliCommand, UsageError } from './command.js';
import { withHtmlOption, writeHtml } from './html.js';
import { dtypeFrom, npuFrom, withNpuOptions } from './npu-options.js';
import { planPage } from './plan-page.js';

export const planModel: CliCommand = {
  describe: (command) =>
    withHtmlOption(
      withNpuOptions(
        command
          .name('plan')
          .description(
            'say which convolutions an NPU runs natively, and what runs instead of the others',
          )
          .option(
            '--conv <call>',
            'one convolution: "x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7"; may be given again',
            (value: string, before: readonly string[] = []) => [...before, value],
          )
          .option('--model <file>', 'a model description in JSON, as describeModel writes it'),
      ).option('--dtype <name>', 'of layers that do not name one: float32, float16, bfloat16'),
    ),
  examples: [
    [
      'voxgrad plan --conv "x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7" --device npu:Ascend910B1 --cann 8.2.RC1',
      'whether one convolution runs natively, and what refuses it',
    ],
    [
      'voxgrad plan --model model.json --device npu:Ascend910B1 --cann 8.2.RC1 --dtype float16',
      'every layer of a model that describeModel wrote',
    ],
  ],
  run: async (_, options, terminal) => {
    const layers = await layersFrom(options);
    const device = npuFrom(options);
    const dtype = dtypeFrom(options);
    terminal.progress(`planning for ${device.name}`);
    const planned = plan(device, layers, dtype === undefined ? {} : { dtype });
    await writeHtml(options, () => planPage(planned), terminal);
    return {
      json: planned,
      text: () => planLines(planned),
      finding: planned.totals.refused > 0,
    };
  },
};

async function layersFrom({
  conv,
  model,
}: Readonly<Record<string, unknown>>): Promise<readonly PlanLayer[] | ModelDescription> {
  if (Array.isArray(conv) && model === undefined)
    return conv.map((text: string, i) => ({
      ...parsed(text),
      ...(conv.length > 1 && { name: `conv${i + 1}` }),
    }));
  if (typeof model === 'string' && conv === undefined) return readModel(model);
  throw new UsageError('expected either --conv "x=… w=…" or --model FILE.json');
}

/** What cannot be read is wrong usage; sizes that do not fit together are the plan's to refuse. */
export function parsed(text: string): PlanLayer {
  try {
    return parseConv(text);
  } catch (error) {
    throw error instanceof VoxgradError ? new UsageError(`--conv: ${error.message}`) : error;
  }
}

async function readModel(file: string): Promise<ModelDescription> {
  const fail = (what: string) => new VoxgradError('ARGUMENT', `${file}: ${what}`);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw fail(`cannot be read (${error instanceof Error ? error.message : error})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(
      `is no JSON (${error instanceof Error ? error.message : error}); a model description looks like ` +
        '{ "input": [1, 1, 64, 64, 64], "layers": [{ "name": "stem", "type": "Conv3d", "outChannels": 8, "kernelSize": 3 }] }',
    );
  }
  try {
    return checkModel(value);
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
}

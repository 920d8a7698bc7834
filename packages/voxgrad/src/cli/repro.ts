// voxgrad repro: a script of its own for one convolution.

import { givenIn, REPRO_TARGETS, type ReproTarget, repro } from '@voxgrad/npu';
import { Option } from 'commander';
import { type CliCommand, UsageError } from './command.js';
import { npuFrom, withNpuOptions } from './npu-options.js';
import { parsed } from './plan.js';

export const writeRepro: CliCommand = {
  describe: (command) =>
    withNpuOptions(
      command
        .name('repro')
        .description(
          'write a self-contained script that runs one convolution natively and in parts',
        )
        .requiredOption(
          '--conv <call>',
          'the convolution: "x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7"',
        )
        .addOption(
          new Option('--target <name>', 'what the script runs on')
            .choices(REPRO_TARGETS)
            .default('torch_npu'),
        ),
    ),
  examples: [
    [
      'voxgrad repro --conv "x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7" > repro.py',
      'a script for torch_npu that shows how one convolution fails',
    ],
    [
      'voxgrad repro --conv "x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7" --target voxgrad --device npu:Ascend910B1 --cann 8.2.RC1 > repro.mjs',
      'the same on the profile of an NPU, without one',
    ],
  ],
  run: async (_, options) => {
    const { conv, target, device } = options;
    if (typeof conv !== 'string') throw new UsageError('expected --conv "x=… w=…"');
    const npu = device === undefined ? undefined : npuFrom(options).profile;
    const script = repro(parsed(conv), {
      target: target as ReproTarget,
      ...(npu && { device: givenIn(npu) }),
    });
    const language = target === 'voxgrad' ? 'javascript' : 'python';
    return { json: { target, language, conv, script }, text: () => [script.replace(/\n$/, '')] };
  },
};

// voxgrad certify: the kernels of a device compared with the reference.

import { certify, type DeviceLike, getDevice } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';
import type { CliCommand } from './command.js';
import { npuFrom, withNpuOptions } from './npu-options.js';

export const certifyDevice: CliCommand = {
  describe: (command) =>
    withNpuOptions(
      command
        .name('certify')
        .description("compare a device's kernels with the reference; wasm if no device is named"),
    ),
  computes: true,
  examples: [
    ['voxgrad certify', 'the kernels of the default device against the reference'],
    ['voxgrad certify --device npu:Ascend910B1 --cann 8.2.RC1', 'those of the profile of an NPU'],
  ],
  run: async (_, options, terminal) => {
    const device = deviceFrom(options);
    terminal.progress(`comparing the kernels of ${device}`);
    const report = await certify(device);
    return { json: report, text: () => String(report).split('\n'), finding: !report.ok };
  },
};

function deviceFrom(options: Readonly<Record<string, unknown>>): DeviceLike {
  const { device = 'wasm' } = options;
  if (device === 'wasm') return createWasmDevice({ smallBytes: 0 });
  return String(device).startsWith('npu:') ? npuFrom(options) : getDevice(String(device));
}

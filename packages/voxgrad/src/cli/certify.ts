// voxgrad certify: the kernels of a device compared with the reference.

import { certify, type Device } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';
import type { CliCommand } from './command.js';
import { npuFrom, withNpuOptions } from './npu-options.js';
import { otherDevice } from './tfjs-device.js';

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
    [
      'voxgrad certify --device tfjs:wasm',
      'those of TensorFlow.js, where it is installed; what errs is named with a case',
    ],
    ['voxgrad certify --device npu:Ascend910B1 --cann 8.2.RC1', 'those of the profile of an NPU'],
  ],
  run: async (_, options, terminal) => {
    const device = await deviceFrom(options);
    terminal.progress(`comparing the kernels of ${device}`);
    const report = await certify(device);
    return { json: report, text: () => String(report).split('\n'), finding: !report.ok };
  },
};

async function deviceFrom(options: Readonly<Record<string, unknown>>): Promise<Device> {
  const { device = 'wasm' } = options;
  if (device === 'wasm') return createWasmDevice({ smallBytes: 0 });
  return String(device).startsWith('npu:') ? npuFrom(options) : otherDevice(String(device));
}

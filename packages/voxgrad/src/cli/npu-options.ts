// The options by which commands name an NPU and what is installed on it.

import { checkDType, type DeviceLike, type DType } from '@voxgrad/core';
import { type NpuDevice, npu } from '@voxgrad/npu';
import type { Command } from 'commander';
import { UsageError } from './command.js';

type Options = Readonly<Record<string, unknown>>;

export const withNpuOptions = (command: Command): Command =>
  command
    .option('--device <name>', 'the device, such as npu:Ascend910B1')
    .option('--cann <version>', 'version of CANN, such as 8.2.RC1')
    .option('--torch-npu <version>', 'version, tag or branch of torch_npu, such as 2.7.1.post2')
    .option(
      '--allow-internal-format <switch>',
      'torch.npu.config.allow_internal_format: true or false',
    )
    .option('--jit-compile <switch>', 'torch.npu.set_compile_mode(jit_compile=…): true or false')
    .option('--library-path <path>', 'value of LD_LIBRARY_PATH');

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

function switchOf(name: string, value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new UsageError(`${name} takes true or false, but got ${JSON.stringify(value)}`);
}

/**
 * The device that `options` describe.
 * @param host what computes in its place
 */
export function npuFrom(options: Options, host?: DeviceLike): NpuDevice {
  const name = text(options.device);
  const [, soc] = /^npu:(.+)$/.exec(name ?? '') ?? [];
  if (soc === undefined)
    throw new UsageError(
      `expected --device npu:<chip>, such as npu:Ascend910B1, but got ${name ?? 'none'}`,
    );
  const cann = text(options.cann);
  if (cann === undefined)
    throw new UsageError(`--device ${name} needs --cann, such as --cann 8.2.RC1`);
  const allowInternalFormat = switchOf('--allow-internal-format', options.allowInternalFormat);
  const jitCompile = switchOf('--jit-compile', options.jitCompile);
  const [torchNpu, libraryPath] = [text(options.torchNpu), text(options.libraryPath)];
  return npu(soc, {
    cann,
    ...(host !== undefined && { host }),
    ...(torchNpu !== undefined && { torchNpu }),
    ...(allowInternalFormat !== undefined && { allowInternalFormat }),
    ...(jitCompile !== undefined && { jitCompile }),
    ...(libraryPath !== undefined && { libraryPath }),
  });
}

/** `--dtype`, if it was given. */
export function dtypeFrom({ dtype }: Options): DType | undefined {
  if (dtype === undefined) return undefined;
  try {
    return checkDType(dtype);
  } catch (error) {
    throw new UsageError(`--dtype: ${error instanceof Error ? error.message : error}`);
  }
}

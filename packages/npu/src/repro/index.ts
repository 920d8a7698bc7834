// A script of its own for one convolution: to be run elsewhere, and pasted into a report.

import { argumentError, checkOptions, type OptionTable } from '@voxgrad/core';
import type { ConvDescription } from '../plan/layer.js';
import { nearest } from '../profile/nearest.js';
import { reproCall } from './call.js';
import { torchScript } from './torch.js';
import { torchNpuScript } from './torch-npu.js';
import { type ReproDevice, voxgradScript } from './voxgrad.js';

export type { ReproDevice } from './voxgrad.js';

export const REPRO_TARGETS = ['torch_npu', 'torch', 'voxgrad'] as const;
export type ReproTarget = (typeof REPRO_TARGETS)[number];

export interface ReproOptions {
  /** What the script runs on; `torch_npu` if omitted. */
  readonly target?: ReproTarget;
  /**
   * The chip that the script for voxgrad asks, Ascend910B1 under CANN 8.2.RC1 if omitted; that for
   * torch_npu sets its switches.
   */
  readonly device?: ReproDevice;
}

const OPTIONS: OptionTable<ReproOptions> = { target: true, device: true };

/**
 * A self-contained script that runs the backward of `conv` natively and in parts and compares them:
 * Python for torch_npu and torch, an ES module for voxgrad.
 * @throws VoxgradError for an unknown target, and for calls that PyTorch has no function for
 */
export function repro(conv: ConvDescription, options: ReproOptions = {}): string {
  checkOptions('repro', options, OPTIONS);
  const { target = 'torch_npu', device } = options;
  const call = reproCall(conv);
  if (target === 'torch_npu') return torchNpuScript(call, device);
  if (target === 'torch') return torchScript(call);
  if (target === 'voxgrad') return voxgradScript(call, device);
  throw argumentError(
    `repro(): no target is called ${JSON.stringify(target)}; the nearest known names are ` +
      nearest(String(target), REPRO_TARGETS, 3).join(', '),
  );
}

import {
  type Capabilities,
  type ConvCall,
  type ConvKernelName,
  Device,
  type DeviceLike,
  type DType,
  getDevice,
  type Kernels,
  missingKernel,
  registerDevice,
  VoxgradError,
} from '@voxgrad/core';
import { checkConv } from './checks/conv.js';
import type { NpuProfile } from './profile/profile.js';
import { findSoc } from './profile/socs.js';
import { findCann } from './profile/versions.js';

export interface NpuOptions {
  /** CANN version, such as `8.2.RC1`. */
  readonly cann: string;
  /** Version of torch_npu, such as `2.6.0`. */
  readonly torchNpu?: string;
  /** The device that computes; `cpu` if omitted. */
  readonly host?: DeviceLike;
}

/** A device that computes on another one and refuses what the NPU of its profile would refuse. */
export interface NpuDevice extends Device {
  readonly profile: NpuProfile;
}

/**
 * The profile of an Ascend NPU: `npu('Ascend910B1', { cann: '8.2.RC1' })` computes on its host and
 * enforces the limits of that chip under that CANN version, with their codes, texts and sources.
 * The device is registered as `npu:<soc>`.
 * @param soc name of the chip in the platform files, such as `Ascend910B1`
 * @throws VoxgradError where the chip or the version is unknown
 */
export function npu(soc: string, options: NpuOptions): NpuDevice {
  const profile: NpuProfile = {
    soc: findSoc(soc),
    cann: findCann(options?.cann),
    torchNpu: options.torchNpu ?? null,
  };
  const host = getDevice(options.host ?? 'cpu');
  const device = new Device(
    `npu:${profile.soc.name}`,
    'npu',
    capabilitiesOf(profile, host),
    kernelsOf(host),
  );
  registerDevice(device);
  return Object.assign(device, { profile });
}

/** The chips have no float64; float16 and bfloat16 need the emulation of their arithmetic. */
const NOT_COMPUTED: readonly DType[] = ['float64', 'float16', 'bfloat16'];

const capabilitiesOf = (profile: NpuProfile, host: Device): Capabilities => ({
  computes: new Set([...host.capabilities.computes].filter((d) => !NOT_COMPUTED.includes(d))),
  synchronous: host.capabilities.synchronous,
  profile: profile.soc.name,
  checkConv: (kernel, call) => [
    ...checkConv(kernel, call, profile),
    ...checkHost(host, kernel, call),
  ],
});

/** What keeps the host from standing in for the NPU. */
function checkHost(host: Device, kernel: ConvKernelName, call: ConvCall) {
  const stand = kernel === 'convWeight' && !host.kernels.convWeight ? 'convBackward' : kernel;
  if (!host.kernels[stand]) return [missingKernel(stand)];
  return host.capabilities.checkConv(stand, call);
}

/** The host's kernels, and its backward masked to the weight where it has no such kernel alone. */
function kernelsOf(host: Device): Kernels {
  const { convWeight, convBackward } = host.kernels;
  if (convWeight || !convBackward) return { ...host.kernels };
  return {
    ...host.kernels,
    convWeight: (x, gradOutput, geometry) => {
      const [, weight] = convBackward(gradOutput, x, null, geometry, [false, true, false]);
      if (weight) return weight;
      throw new VoxgradError('DEVICE', `${host}: convBackward returned no weight gradient`);
    },
  };
}

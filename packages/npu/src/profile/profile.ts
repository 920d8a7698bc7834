import { argumentError, describe } from '@voxgrad/core';
import { internalFormatSwitch, jitSwitch, type Switch } from '../routing/switches.js';
import { loadedRuntime, type Runtime } from '../streams/library-path.js';
import { findTorchNpu, type TorchNpu } from './releases.js';
import { findSoc, type Soc } from './socs.js';
import { type Cann, findCann } from './versions.js';

/** The machine and the software on it whose limits a device enforces. */
export interface NpuProfile {
  readonly soc: Soc;
  readonly cann: Cann;
  /** Version of torch_npu, or null where the caller left it open. */
  readonly torchNpu: string | null;
  /** The release of torch_npu: the named one, or what goes with the CANN version. */
  readonly release: TorchNpu;
  readonly allowInternalFormat: Switch;
  readonly jitCompile: Switch;
  /** The runtime library that a process loads. */
  readonly runtime: Runtime;
}

export interface ProfileOptions {
  /** CANN version, such as `8.2.RC1`. */
  readonly cann: string;
  /** Release of torch_npu: version `2.7.1.post2`, tag `v7.3.0-pytorch2.7.1` or branch. */
  readonly torchNpu?: string;
  /** `torch.npu.config.allow_internal_format`; the release's default for the chip if omitted. */
  readonly allowInternalFormat?: boolean;
  /** `torch.npu.set_compile_mode(jit_compile=…)`; the chip's default if omitted. */
  readonly jitCompile?: boolean;
  /**
   * `LD_LIBRARY_PATH`, or a list of its folders or of CANN versions: the runtime is that of the first
   * installation in it. That of `cann` if omitted.
   */
  readonly libraryPath?: string | readonly string[];
}

function checkSwitch(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw argumentError(`npu(): ${name} must be true or false, but got ${describe(value)}`);
}

/**
 * The profile of the chip `soc` under the software of `options`, with every default filled in.
 * @throws VoxgradError where the chip, a version or a release is unknown
 */
export function profileOf(soc: string, options: ProfileOptions): NpuProfile {
  const chip = findSoc(soc);
  const cann = findCann(options?.cann);
  const { torchNpu, allowInternalFormat, jitCompile, libraryPath } = options;
  checkSwitch('allowInternalFormat', allowInternalFormat);
  checkSwitch('jitCompile', jitCompile);
  const release = findTorchNpu(torchNpu, cann.version);
  return {
    soc: chip,
    cann,
    torchNpu: torchNpu ?? null,
    release,
    allowInternalFormat: internalFormatSwitch(chip, release, allowInternalFormat),
    jitCompile: jitSwitch(chip, jitCompile),
    runtime: loadedRuntime(cann.version, libraryPath),
  };
}

/** The chip and the options that its caller set: what stands for defaults is left out. */
export const givenIn = ({ soc, cann, torchNpu, allowInternalFormat, jitCompile }: NpuProfile) => ({
  soc: soc.name,
  cann: cann.version,
  ...(torchNpu !== null && { torchNpu }),
  ...(allowInternalFormat.source === null && { allowInternalFormat: allowInternalFormat.on }),
  ...(jitCompile.source === null && { jitCompile: jitCompile.on }),
});

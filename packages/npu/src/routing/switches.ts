// The two switches of torch_npu that decide where an operation goes, and their defaults.

import { VoxgradError } from '@voxgrad/core';
import type { TorchNpu } from '../profile/releases.js';
import { SOC_IDS, socId } from '../profile/soc-ids.js';
import type { Soc } from '../profile/socs.js';
import type { SourceKey } from '../profile/sources.js';

/** A switch, and where its position comes from. */
export interface Switch {
  readonly on: boolean;
  readonly why: string;
  readonly source: SourceKey | null;
}

const set = (on: boolean): Switch => ({ on, why: 'set by the caller', source: null });

/**
 * `torch.npu.set_compile_mode(jit_compile=…)`: off by default from Ascend910B1 on, else on. A chip that
 * torch_npu has no number for is taken for a newer one (inferred).
 */
export function jitSwitch(soc: Soc, given: boolean | undefined): Switch {
  if (given !== undefined) return set(given);
  const id = socId(soc) ?? Number.POSITIVE_INFINITY;
  const on = id < SOC_IDS.Ascend910B1;
  return { on, why: `the default of ${soc.name}`, source: 'jitdef' };
}

/**
 * `torch.npu.config.allow_internal_format`: since 6.0.rc3 off by default on Ascend910B1 … 910B4_1 and
 * from Ascend910_9391 on; allowed elsewhere and before.
 * @throws VoxgradError where it is switched on for a chip that has only aclnn operators
 */
export function internalFormatSwitch(
  soc: Soc,
  { internalFormatOff, generation }: TorchNpu,
  given: boolean | undefined,
): Switch {
  // Which chips have aclnn operators only is inferred: the ones with the kernels of arch35.
  if (given === true && soc.backward === 'arch35')
    throw new VoxgradError(
      'ARGUMENT',
      `npu(): ${soc.name} has aclnn operators only, so torch_npu rejects allowInternalFormat: true; ` +
        'leave it out',
    );
  if (given !== undefined) return set(given);
  const id = socId(soc) ?? Number.POSITIVE_INFINITY;
  const isNewer =
    (id >= SOC_IDS.Ascend910B1 && id < SOC_IDS.Ascend310B1) || id >= SOC_IDS.Ascend910_9391;
  const why = `the default of torch_npu ${generation} on ${soc.name}`;
  return { on: !(internalFormatOff && isNewer), why, source: 'intfmtdef' };
}

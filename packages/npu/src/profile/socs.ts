// The chips (SoCs) and what decides about a convolution on them: the size of L1 and which
// implementation of the 3D backward they have.

import { VoxgradError } from '@voxgrad/core';
import { nearest } from './nearest.js';
import type { SourceKey } from './sources.js';

/**
 * Who computes the backward of a 3D convolution:
 * - `arch22`: the cube kernels of Atlas A2 and A3, with their bounds and their L1 check;
 * - `arch35`: the kernels of Ascend950, which skip the L1 check of the input gradient;
 * - `no3d`: aclnnConvolutionBackward exists, but not for three dimensions;
 * - `none`: there is no aclnnConvolutionBackward;
 * - `undocumented`: no source says that there is one.
 */
export type Backward = 'arch22' | 'arch35' | 'no3d' | 'none' | 'undocumented';

export interface SocFamily {
  readonly family: string;
  readonly names: readonly string[];
  /** `l1_size` of the platform file: bytes of L1 per core. */
  readonly l1: number;
  readonly backward: Backward;
  /** Of the names and `l1`, then of `backward` where a source decides it. */
  readonly sources: readonly SourceKey[];
  /** True where `backward` is a deduction. */
  readonly inferred?: true;
}

const MIB = 1024 * 1024;
const prefixed = (prefix: string, endings: string) => endings.split(' ').map((e) => prefix + e);

// "Ascend910B" without a digit is a chip of the first generation, not of the family Ascend910B.
export const SOC_FAMILIES: readonly SocFamily[] = [
  {
    family: 'Ascend910B',
    names: prefixed('Ascend910B', '1 2 2C 3 4 4-1'),
    l1: MIB / 2,
    backward: 'arch22',
    sources: ['plat_head', 'doc_bwd'],
  },
  {
    family: 'Ascend910_93',
    names: prefixed('Ascend910_93', '62 63 72 81 82 91 92'),
    l1: MIB / 2,
    backward: 'arch22',
    sources: ['plat_head', 'doc_bwd'],
  },
  {
    family: 'Ascend950',
    names: [
      ...prefixed('Ascend950DT_', '950x 950y 9571 9572 9573 9574 9575 9576 9577 9578 9581 9581x'),
      ...prefixed('Ascend950DT_', '9582 9582x 9583 9584 9585 9586 9587 9588 9591 9592 9595 9596'),
      ...prefixed('Ascend950DT_', '95A1 95A2'),
      ...prefixed('Ascend950PR_', '950z 9579 957b 957bx 957c 957d 9589 958b 9599'),
    ],
    l1: MIB / 2,
    backward: 'arch35',
    sources: ['plat_head', 'dx_check'],
  },
  // The next two share the core AIC-C-310 with Ascend950; the third has its architecture, 3510.
  {
    family: 'Ascend910_95',
    names: ['Ascend910_95'],
    l1: MIB / 2,
    backward: 'arch35',
    sources: ['plat_81'],
    inferred: true,
  },
  {
    family: 'Ascend910_55',
    names: ['Ascend910_5591'],
    l1: MIB / 2,
    backward: 'arch35',
    sources: ['plat_81'],
    inferred: true,
  },
  {
    family: 'Ascend350',
    names: prefixed('Ascend350_', '354f 355e'),
    l1: MIB / 2,
    backward: 'arch35',
    sources: ['plat_head'],
    inferred: true,
  },
  {
    family: 'Ascend910',
    names: prefixed('Ascend910', 'A B PremiumA ProA ProB'),
    l1: MIB,
    backward: 'no3d',
    sources: ['plat_head', 'doc_bwd_products'],
  },
  {
    family: 'Ascend310P',
    names: prefixed('Ascend310P', '1 3 5 7'),
    l1: MIB,
    backward: 'no3d',
    sources: ['plat_head', 'doc_bwd_products'],
  },
  {
    family: 'Ascend310B',
    names: prefixed('Ascend310B', '1 2 3 4'),
    l1: MIB,
    backward: 'none',
    sources: ['plat_head', 'doc_bwd_products'],
  },
  ...undocumented('plat_head', [
    ['Ascend031', 65536, ['Ascend031']],
    ['Ascend035', 0, ['Ascend035', 'Ascend035A', 'Ascend035B']],
  ]),
  ...undocumented('plat_kirin', [
    ['Kirin9030', 524288, ['Kirin9030']],
    ['KirinDev0000', 1572864, ['KirinDev0000']],
    ['KirinDev0001', 1310720, ['KirinDev0001']],
    ['KirinDev0002', 393216, ['KirinDev0002']],
    ['KirinDev0003', 1048576, ['KirinDev0003']],
    ['KirinX90', 1048576, ['KirinX90']],
  ]),
  ...undocumented('plat_81', [
    ['AS31XM1', 1048576, ['AS31XM1X']],
    ['Ascend310', 1048576, ['Ascend310']],
    ['Ascend610', 1048576, ['Ascend610']],
    ['Ascend610Lite', 1048576, ['Ascend610Lite']],
    ['BS9SX1A', 1048576, ['BS9SX1AA', 'BS9SX1AB', 'BS9SX1AC']],
    ['BS9SX2A', 1048576, ['BS9SX2AA', 'BS9SX2AB']],
    ['Hi3796CV300CS', 1048576, ['Hi3796CV300CS']],
    ['Hi3796CV300ES', 524288, ['Hi3796CV300ES']],
    ['MC61AM21A', 1048576, ['MC61AM21AA', 'MC61AM21AB']],
    ['SD3403', 1048576, ['SD3403']],
  ]),
];

function undocumented(
  source: SourceKey,
  rows: readonly (readonly [family: string, l1: number, names: readonly string[]])[],
): SocFamily[] {
  return rows.map(([family, l1, names]) => ({
    family,
    names,
    l1,
    backward: 'undocumented',
    sources: [source],
    inferred: true,
  }));
}

export interface Soc extends Omit<SocFamily, 'names'> {
  readonly name: string;
}

export const SOC_NAMES: readonly string[] = SOC_FAMILIES.flatMap((row) => row.names);

/**
 * The chip that the platform files call `name`, such as `Ascend910B1`.
 * @throws VoxgradError naming the most similar chips
 */
export function findSoc(name: string): Soc {
  const found = SOC_FAMILIES.find((row) => row.names.includes(name));
  if (found) {
    const { names: _, ...family } = found;
    return { name, ...family };
  }
  throw new VoxgradError(
    'ARGUMENT',
    `npu(): no SoC is called ${JSON.stringify(name)}; the nearest known names are ` +
      nearest(String(name), SOC_NAMES, 3).join(', '),
  );
}

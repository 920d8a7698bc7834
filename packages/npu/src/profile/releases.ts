// The releases of torch_npu: which CANN each was released with, and what each changed about the
// backward of a 3D convolution. Releases of one generation share the code that decides (op-plugin).

import { VoxgradError } from '@voxgrad/core';
import { compareCann } from './cann-order.js';
import { nearest } from './nearest.js';
import type { SourceKey } from './sources.js';

/** When a gradient that nobody wants reaches aclnnConvolutionBackward as a null pointer. */
export type NullMasked = 'never' | 'always' | 'from CANN 8.5.1';

export interface Generation {
  /** As in tags and branches: `7.2.0`, `7.1.RC1.alpha002`. */
  readonly name: string;
  /** The CANN version of its row in the compatibility table; null for what has no row. */
  readonly cann: string | null;
  /** Version of torch_npu to version of PyTorch, newest first. */
  readonly releases: Readonly<Record<string, string>>;
  /** A 3D backward goes to aclnnConvolutionBackward whatever the switches say. */
  readonly alwaysAclnn3d: boolean;
  readonly nullMasked: NullMasked;
  /** Internal formats are off by default on the newer chips. */
  readonly internalFormatOff: boolean;
  readonly sources: readonly SourceKey[];
  /** True where the three behaviours follow from dates of commits and not from the release's own code. */
  readonly inferred?: true;
}

type Row = readonly [name: string, cann: string | null, releases: Readonly<Record<string, string>>];

const rows = (
  behaviour: Pick<Generation, 'alwaysAclnn3d' | 'nullMasked' | 'internalFormatOff' | 'inferred'>,
  list: readonly Row[],
): Generation[] =>
  list.map(([name, cann, releases]) => ({
    ...{ name, cann, releases, ...behaviour },
    sources: ['compat', 'oppl', 'intfmtdef'],
  }));

/** Newest first; what has no row in the compatibility table (tags only) stands at the end. */
export const GENERATIONS: readonly Generation[] = [
  ...rows({ alwaysAclnn3d: true, nullMasked: 'from CANN 8.5.1', internalFormatOff: true }, [
    [
      ...(['26.1.0', '9.1.0'] as const),
      {
        '2.12.0': '2.12.0',
        '2.11.0': '2.11.0',
        '2.10.0.post4': '2.10.0',
        '2.9.0.post6': '2.9.0',
        '2.7.1.post8': '2.7.1',
      },
    ],
    [
      ...(['26.0.0', '9.0.0'] as const),
      { '2.9.0.post2': '2.9.0', '2.8.0.post4': '2.8.0', '2.7.1.post4': '2.7.1' },
    ],
  ]),
  ...rows({ alwaysAclnn3d: true, nullMasked: 'always', internalFormatOff: true }, [
    [
      ...(['7.3.0', '8.5.0'] as const),
      {
        '2.9.0': '2.9.0',
        '2.8.0.post2': '2.8.0',
        '2.7.1.post2': '2.7.1',
        '2.6.0.post5': '2.6.0',
      },
    ],
  ]),
  ...rows({ alwaysAclnn3d: true, nullMasked: 'never', internalFormatOff: true }, [
    [
      ...(['7.2.0', '8.3.RC1'] as const),
      { '2.8.0': '2.8.0', '2.7.1': '2.7.1', '2.6.0.post3': '2.6.0', '2.1.0.post17': '2.1.0' },
    ],
  ]),
  ...rows({ alwaysAclnn3d: false, nullMasked: 'never', internalFormatOff: true }, [
    ['7.1.0', '8.2.RC1', { '2.6.0': '2.6.0', '2.5.1.post1': '2.5.1', '2.1.0.post13': '2.1.0' }],
    [
      ...(['7.0.0', '8.1.RC1'] as const),
      { '2.5.1': '2.5.1', '2.4.0.post4': '2.4.0', '2.3.1.post6': '2.3.1', '2.1.0.post12': '2.1.0' },
    ],
  ]),
  ...rows({ alwaysAclnn3d: false, nullMasked: 'never', internalFormatOff: true, inferred: true }, [
    [
      ...(['6.0.0', '8.0.0'] as const),
      { '2.4.0.post2': '2.4.0', '2.3.1.post4': '2.3.1', '2.1.0.post10': '2.1.0' },
    ],
    [
      ...(['6.0.rc3', '8.0.RC3'] as const),
      { '2.4.0': '2.4.0', '2.3.1.post2': '2.3.1', '2.1.0.post8': '2.1.0' },
    ],
  ]),
  ...rows({ alwaysAclnn3d: false, nullMasked: 'never', internalFormatOff: false, inferred: true }, [
    [
      ...(['6.0.rc2', '8.0.RC2'] as const),
      {
        '2.3.1': '2.3.1',
        '2.2.0.post2': '2.2.0',
        '2.1.0.post6': '2.1.0',
        '1.11.0.post14': '1.11.0',
      },
    ],
    [
      ...(['6.0.rc1', '8.0.RC1'] as const),
      { '2.2.0': '2.2.0', '2.1.0.post4': '2.1.0', '1.11.0.post11': '1.11.0' },
    ],
    [
      ...(['5.0.0', '7.0.0'] as const),
      { '2.1.0': '2.1.0', '2.0.1.post1': '2.0.1', '1.11.0.post8': '1.11.0' },
    ],
    [
      ...(['5.0.rc3', '7.0.RC1'] as const),
      { '2.1.0.rc1': '2.1.0', '2.0.1': '2.0.1', '1.11.0.post4': '1.11.0' },
    ],
    ['5.0.rc2.2', '6.3.RC3.1', { '1.11.0.post3': '1.11.0' }],
    ['5.0.rc2.1', '6.3.RC3', { '1.11.0.post2': '1.11.0' }],
    [
      ...(['5.0.rc2', '6.3.RC2'] as const),
      { '2.0.1.rc1': '2.0.1', '1.11.0.post1': '1.11.0', '1.8.1.post2': '1.8.1' },
    ],
    ['5.0.rc1', '6.3.RC1', { '1.11.0': '1.11.0', '1.8.1.post1': '1.8.1' }],
    [
      ...(['3.0.0', '6.0.1'] as const),
      { '1.5.0.post8': '1.5.0', '1.8.1': '1.8.1', '1.11.0.rc2 (beta)': '1.11.0' },
    ],
    [
      ...(['3.0.rc3', '6.0.RC1'] as const),
      { '1.5.0.post7': '1.5.0', '1.8.1.rc3': '1.8.1', '1.11.0.rc1 (beta)': '1.11.0' },
    ],
    ['3.0.rc2', '5.1.RC2', { '1.5.0.post6': '1.5.0', '1.8.1.rc2': '1.8.1' }],
    ['3.0.rc1', '5.1.RC1', { '1.5.0.post5': '1.5.0', '1.8.1.rc1': '1.8.1' }],
    ['2.0.4.tr5', '5.0.4', { '1.5.0.post4': '1.5.0' }],
    ['2.0.3.tr5', '5.0.3', { '1.5.0.post3': '1.8.1' }],
    ['2.0.2.tr5', '5.0.2', { '1.5.0.post2': '1.5.0' }],
  ]),
  ...rows({ alwaysAclnn3d: true, nullMasked: 'from CANN 8.5.1', internalFormatOff: true }, [
    ['26.0.1', null, { '2.7.1.post6': '2.7.1' }],
  ]),
  ...rows({ alwaysAclnn3d: true, nullMasked: 'always', internalFormatOff: true }, [
    ['7.3.1', null, { '2.7.1.post3': '2.7.1' }],
  ]),
  ...rows({ alwaysAclnn3d: true, nullMasked: 'never', internalFormatOff: true }, [
    ['7.2.0.1', null, { '2.7.1.post1': '2.7.1' }],
    ['7.2.RC1.alpha003', null, { '2.7.1': '2.7.1' }],
  ]),
  ...rows({ alwaysAclnn3d: false, nullMasked: 'never', internalFormatOff: true }, [
    ['7.2.RC1.alpha002', null, { '2.7.1': '2.7.1' }],
    ['7.1.RC1.alpha002', null, { '2.7.1': '2.7.1' }],
  ]),
];

export interface TorchNpu extends Omit<Generation, 'releases' | 'name'> {
  readonly generation: string;
  /** Version of torch_npu and of PyTorch; null where only the generation is assumed. */
  readonly version: string | null;
  readonly torch: string | null;
  /** `v7.3.0-pytorch2.7.1`; null where only the generation is assumed. */
  readonly tag: string | null;
  /** Why this one, where the caller's words left a choice. */
  readonly assumed: string | null;
}

const release = (
  { name, releases, ...behaviour }: Generation,
  version: string | null,
  assumed: string | null = null,
): TorchNpu => {
  const torch = version === null ? null : releases[version];
  const tag = torch === null ? null : `v${name}-pytorch${torch}`;
  return { generation: name, version, torch, tag, assumed, ...behaviour };
};

interface Named {
  readonly generation: Generation;
  readonly version: string;
  readonly names: readonly string[];
}

/** Every release with the names that it goes by: version, tag, branch. */
const NAMED: readonly Named[] = GENERATIONS.flatMap((generation) =>
  Object.entries(generation.releases).map(([version, torch]) => ({
    generation,
    version,
    names: [
      version,
      `v${generation.name}-pytorch${torch}`,
      // The oldest branches are called like their generation.
      /tr\d/.test(generation.name) ? generation.name : `v${torch}-${generation.name}`,
    ],
  })),
);

/** All names of releases: versions of torch_npu, tags and branches. */
export const TORCH_NPU_NAMES: readonly string[] = [...new Set(NAMED.flatMap((r) => r.names))];

/**
 * The release of torch_npu called `name` (version `2.7.1.post2`, tag `v7.3.0-pytorch2.7.1` or branch
 * `v2.7.1-7.3.0`), or the generation that goes with `cann` where there is no name. Of a version that
 * was released more than once, an older CANN means a pre-release.
 * @throws VoxgradError naming the most similar releases
 */
export function findTorchNpu(name: string | undefined, cann: string): TorchNpu {
  if (name === undefined) {
    const paired = GENERATIONS.find((g) => g.cann !== null && compareCann(g.cann, cann) <= 0);
    const generation = paired ?? GENERATIONS[0];
    const pair = `torch_npu of ${generation.name}, released with CANN ${generation.cann}`;
    return release(generation, null, `no torch_npu was named; assumed: ${pair}`);
  }
  const found = NAMED.filter(({ names }) => names.includes(name));
  if (found.length === 0)
    throw new VoxgradError(
      'ARGUMENT',
      `npu(): no release of torch_npu is called ${JSON.stringify(name)}; the nearest known names are ` +
        nearest(String(name), TORCH_NPU_NAMES, 3).join(', '),
    );
  const [released] = found;
  const early = found.length > 1 && compareCann(cann, released.generation.cann ?? cann) < 0;
  const chosen = early ? found[found.length - 1] : released;
  const assumed = early
    ? `torch_npu ${name} was released with CANN ${released.generation.cann}; with ${cann}, assumed: ` +
      `the pre-release of ${chosen.generation.name}`
    : null;
  return release(chosen.generation, chosen.version, assumed);
}

// PyTorch, torch_npu, CANN and Python that no release brings together. Source: compat.

import { compareCann, isCannName } from '../../profile/cann-order.js';
import { nearest } from '../../profile/nearest.js';
import { GENERATIONS } from '../../profile/releases.js';
import { CANN_ERAS } from '../../profile/versions.js';
import { evidenceOf, type Facts } from '../facts.js';
import type { Finding } from '../finding.js';
import { PYTHON_VERSIONS } from '../python-versions.js';

interface Row {
  readonly torchNpu: string;
  readonly torch: string;
  /** null for what was tagged and never paired. */
  readonly cann: string | null;
  readonly tag: string;
}

const ROWS: readonly Row[] = GENERATIONS.flatMap(({ name, cann, releases }) =>
  Object.entries(releases).map(([torchNpu, torch]) => ({
    torchNpu,
    torch,
    cann,
    tag: `v${name}-pytorch${torch}`,
  })),
);

/** `2.7.1` of `2.7.1+cpu`, and of `2.7.1.dev20250724` with what it is. */
export const plainVersion = (version: string): string =>
  version.replace(/\+.*$/, '').replace(/^v/i, '');

const IS_EARLY = /(?:dev|a|b|rc|alpha|beta)\.?\d+/i;
/** What an early version leads to. */
const led = (version: string) => version.replace(/[.-]?(?:dev|a|b|rc|alpha|beta)\.?\d+.*$/i, '');

/** The same minor version: 8.5.1 follows 8.5.0 without a row of its own (inferred). */
const follows = (cann: string, row: string) =>
  cann === row ||
  (/^\d+\.\d+\.\d+$/.test(cann) &&
    /^\d+\.\d+\.\d+$/.test(row) &&
    cann.split('.', 2).join() === row.split('.', 2).join());

const listed = (rows: readonly Row[]): string =>
  rows
    .map((row) => `torch_npu ${row.torchNpu} with PyTorch ${row.torch} and CANN ${row.cann}`)
    .join('; ');

export function versionRules(facts: Facts): Finding[] {
  return [...pairOf(facts), ...pythonOf(facts), ...unknownCann(facts)];
}

function pairOf({ torch, torchNpu, cann }: Facts): Finding[] {
  const npu = torchNpu && plainVersion(torchNpu.value);
  const base = torch && plainVersion(torch.value);
  const toolkit = cann?.value ?? null;
  if (npu === null)
    return base === null || toolkit === null
      ? []
      : unpaired(base, toolkit, evidenceOf(torch, cann));
  const rows = ROWS.filter((row) => row.torchNpu === npu);
  const findings: Finding[] = [];
  if (rows.length === 0) {
    const early = IS_EARLY.test(npu);
    const near = nearest(early ? led(npu) : npu, [...new Set(ROWS.map((row) => row.torchNpu))], 3);
    findings.push({
      id: early ? 'pre-release' : 'unknown-torch-npu',
      certainty: 'possible',
      cause: early
        ? `torch_npu ${npu} is a pre-release: it is in no row of the compatibility table`
        : `torch_npu ${npu} is in no row of the compatibility table`,
      evidence: evidenceOf(torchNpu),
      remedies: [
        `the nearest releases are ${near.join(', ')}: ${listed(ROWS.filter((row) => row.cann !== null && near.includes(row.torchNpu)))}`,
      ],
      sources: ['compat'],
    });
    if (base !== null && toolkit !== null)
      findings.push(...unpaired(base, toolkit, evidenceOf(torch, torchNpu, cann)));
    return findings;
  }
  const torchOfRow = rows[0].torch;
  if (base !== null && !rows.some((row) => row.torch === base))
    findings.push({
      id: 'torch-pair',
      certainty: 'certain',
      cause: `torch_npu ${npu} is built for PyTorch ${torchOfRow}, and PyTorch ${base} is installed`,
      evidence: evidenceOf(torch, torchNpu),
      remedies: [
        `PyTorch ${torchOfRow}`,
        ...ROWS.filter((row) => row.torch === base && row.cann !== null)
          .slice(0, 3)
          .map((row) => `torch_npu ${row.torchNpu} with CANN ${row.cann}`),
      ],
      sources: ['compat'],
    });
  const paired = rows.filter((row) => row.cann !== null);
  if (toolkit === null || !isCannName(toolkit) || paired.length === 0) return findings;
  if (paired.some((row) => row.cann !== null && follows(toolkit, row.cann))) return findings;
  const [row] = paired;
  const older = compareCann(toolkit, row.cann ?? toolkit) < 0;
  const forToolkit = ROWS.filter((r) => r.cann === toolkit && r.torch === torchOfRow);
  const tags = ROWS.filter((r) => r.torchNpu === npu && r.cann === null).map(({ tag }) => tag);
  findings.push({
    id: 'version-pair',
    certainty: older ? 'certain' : 'likely',
    cause:
      `torch_npu ${npu} was released with CANN ${row.cann}, and CANN ${toolkit} is ${older ? 'older' : 'newer'}: ` +
      `no released row pairs them${tags.length > 0 ? ` (only pre-releases: ${tags.join(', ')})` : ''}`,
    evidence: evidenceOf(torchNpu, cann),
    remedies: [
      `CANN ${row.cann} for torch_npu ${npu}`,
      ...(forToolkit.length > 0
        ? [`or ${listed(forToolkit)}`]
        : [
            `or, staying on CANN ${toolkit}: ${listed(ROWS.filter((r) => r.cann === toolkit)) || 'no release of torch_npu names it'}`,
          ]),
    ],
    sources: ['compat'],
  });
  return findings;
}

/** PyTorch and CANN alone. */
function unpaired(torch: string, cann: string, evidence: Finding['evidence']): Finding[] {
  const ofTorch = ROWS.filter((row) => row.torch === torch);
  if (ofTorch.length === 0 || !isCannName(cann)) return [];
  if (ofTorch.some((row) => row.cann !== null && follows(cann, row.cann))) return [];
  const tags = ofTorch.filter((row) => row.cann === null).map(({ tag }) => tag);
  return [
    {
      id: 'version-pair',
      certainty: 'certain',
      cause: `no released torch_npu brings PyTorch ${torch} together with CANN ${cann}${tags.length > 0 ? `; there are tags without a row: ${tags.join(', ')}` : ''}`,
      evidence,
      remedies: [
        `what is released for PyTorch ${torch}: ${listed(ofTorch.filter((row) => row.cann !== null))}`,
      ],
      sources: ['compat'],
    },
  ];
}

function pythonOf({ python, torch, torchNpu }: Facts): Finding[] {
  const base = torch ?? torchNpu;
  if (!python || !base) return [];
  const version = plainVersion(base.value).split('.').slice(0, 3).join('.');
  const row = PYTHON_VERSIONS.find((r) => r.torch === version);
  const [interpreter] = /^3\.\d+/.exec(python.value) ?? [];
  if (!row || interpreter === undefined || row.python.includes(interpreter)) return [];
  return [
    {
      id: 'python-pair',
      certainty: 'certain',
      cause: `PyTorch ${version} with torch_npu takes Python ${row.python.join(', ')}, and this is Python ${interpreter}`,
      evidence: evidenceOf(python, base),
      remedies: [`Python ${row.python[row.python.length - 1]}`],
      sources: ['compat'],
    },
  ];
}

const KNOWN_CANN = CANN_ERAS.flatMap((era) => era.versions);

/** A version that no table here has is no fault, but what is said of it rests on its neighbours. */
function unknownCann({ cann }: Facts): Finding[] {
  if (!cann || KNOWN_CANN.includes(cann.value)) return [];
  const near = nearest(cann.value, KNOWN_CANN, 3).join(', ');
  return [
    {
      id: 'unknown-cann',
      certainty: 'possible',
      cause: `CANN ${cann.value} is no release that is known here; the nearest known versions are ${near}`,
      evidence: evidenceOf(cann),
      remedies: ['take what is said of versions below with care, or install a release'],
      sources: ['compat'],
    },
  ];
}

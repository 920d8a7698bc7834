// What a comparison found: data that serialises as it is, and a table to read.

import type { Kernels } from '../../device/device.js';
import type { DType } from '../../tensor/dtype.js';
import { describeClass, type Quarantine } from './verdict.js';

/** What {@link certify} found about one kernel. */
export interface KernelReport {
  readonly kernel: keyof Kernels;
  readonly dtype: DType;
  /** Results compared, and how many of them were wrong. */
  readonly cases: number;
  readonly failed: number;
  /** The worst relative error among all that could be compared. */
  readonly worstError: number;
  readonly tolerance: number;
  /** `shared` is a kernel of the reference itself, `absent` one that the device lacks or refuses. */
  readonly verdict: 'trusted' | 'quarantined' | 'shared' | 'absent';
  /** The classes of calls that are kept away from the kernel. */
  readonly quarantine: readonly Quarantine[];
}

/** What {@link certify} found; as text a table. */
export interface CertifyReport {
  readonly device: string;
  /** Whether nothing is in quarantine. */
  readonly ok: boolean;
  readonly kernels: readonly KernelReport[];
  /** The report as a table to read. */
  toString(): string;
}

const HEAD = ['kernel', 'dtype', 'results', 'worst error', 'tolerance', 'verdict'];

const row = (k: KernelReport): string[] => [
  k.kernel,
  k.dtype,
  k.cases === 0 ? '' : `${k.cases - k.failed}/${k.cases}`,
  k.cases === 0 ? '' : k.worstError.toExponential(1),
  k.cases === 0 ? '' : k.tolerance.toExponential(0),
  k.verdict,
];

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((r) => r[column].length)));
  return rows.map((r) =>
    r
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

const evidence = (k: KernelReport): string[] =>
  k.quarantine.map(
    (q) =>
      `${k.kernel} ${k.dtype}: ${describeClass(q)} is wrong; case '${q.evidence.case}', ` +
      `${q.evidence.result}: ${q.evidence.text}`,
  );

export function reportOf(device: string, kernels: readonly KernelReport[]): CertifyReport {
  const ok = kernels.every(({ quarantine }) => quarantine.length === 0);
  const report: CertifyReport = { device, ok, kernels };
  // Not enumerable: the report itself is plain data.
  Object.defineProperty(report, 'toString', {
    value: () =>
      [
        `${device}: ${ok ? 'every kernel agrees with the reference' : 'kernels in quarantine'}`,
        ...table([HEAD, ...kernels.map(row)]),
        ...kernels.flatMap(evidence),
      ].join('\n'),
  });
  return report;
}

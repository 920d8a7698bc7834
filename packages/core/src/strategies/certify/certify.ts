// Comparing the kernels of a device with the reference: on request, whole and awaited, or one kernel
// at its first use, where the device can be read synchronously.

import { noGrad } from '../../autograd/mode.js';
import { cpu } from '../../cpu/device.js';
import type { ConvKernelName, Device, Kernels } from '../../device/device.js';
import { type DeviceLike, getDevice } from '../../device/registry.js';
import { type Conviction, rawKernels, setJudge } from '../../device/trust.js';
import { argumentError } from '../../errors.js';
import { checkOptions } from '../../options.js';
import { shared } from '../../shared.js';
import { type DType, isFloat } from '../../tensor/dtype.js';
import { describe } from '../../tensor/shape.js';
import { outsideCollections } from '../../tensor/temporaries.js';
import { addGuard, quarantineChanged } from '../quarantine.js';
import { type Case, convCases } from './cases.js';
import { OTHER_KERNELS, type OtherKernel, otherCases } from './other-cases.js';
import { type Outcome, runCase, startCase, toleranceOf } from './outcome.js';
import { type CertifyReport, type KernelReport, reportOf } from './report.js';
import { type CaseOutcome, convictionOf, quarantinesOf } from './verdict.js';

/** Options of {@link certify}. */
export interface CertifyOptions {
  /** How long one result of an asynchronous device may take; 30 000 if omitted. */
  readonly timeoutMs?: number;
}

type Name = ConvKernelName | OtherKernel;

const CONVOLUTIONS: readonly ConvKernelName[] = ['convForward', 'convWeight', 'convBackward'];
const OTHERS = Object.keys(OTHER_KERNELS) as OtherKernel[];
const NAMES: readonly Name[] = [...CONVOLUTIONS, ...OTHERS];

const isName = (kernel: string): kernel is Name => (NAMES as readonly string[]).includes(kernel);
const isConvolution = (kernel: Name): kernel is ConvKernelName =>
  (CONVOLUTIONS as readonly string[]).includes(kernel);

const state = shared('certify', () => ({
  /** What is held against each kernel that was compared. */
  convictions: new WeakMap<Device, Map<string, readonly Conviction[]>>(),
  /** Kernels that are being compared, which nobody may ask about meanwhile. */
  running: new WeakMap<Device, Set<string>>(),
}));

function mapOf<K extends object, V>(map: WeakMap<K, V>, key: K, create: () => V): V {
  const known = map.get(key) ?? create();
  map.set(key, known);
  return known;
}

const convictionsOf = (device: Device) =>
  mapOf(state.convictions, device, () => new Map<string, readonly Conviction[]>());
const runningOf = (device: Device) => mapOf(state.running, device, () => new Set<string>());

/** Float dtypes in which the kernel is compared: the fused kernels beside convolutions take two. */
const dtypesOf = (device: Device, kernel: Name): DType[] =>
  [...device.capabilities.computes].filter((dtype) =>
    isConvolution(kernel) ? isFloat(dtype) : dtype === 'float32' || dtype === 'float64',
  );

const casesOf = (device: Device, kernel: Name, dtype: DType): Case[] =>
  isConvolution(kernel)
    ? convCases(kernel, dtype, (call) => device.capabilities.checkConv(kernel, call).length === 0)
    : otherCases(kernel, dtype);

interface Examined {
  readonly report: KernelReport;
  readonly convictions: readonly Conviction[];
}

/** Judges the outcomes of one kernel in one dtype. */
function examine(device: Device, kernel: Name, dtype: DType, outcomes: CaseOutcome[]): Examined {
  const quarantine = quarantinesOf(outcomes, { separate: kernel === 'convBackward' });
  const errors = outcomes.map(({ outcome }) => outcome.error ?? Number.POSITIVE_INFINITY);
  return {
    report: {
      kernel,
      dtype,
      cases: outcomes.length,
      failed: outcomes.filter(({ outcome }) => outcome.evidence).length,
      worstError: Math.max(0, ...errors),
      tolerance: kernel === 'maxPoolIndices' ? 0 : toleranceOf(dtype),
      verdict: verdictOf(outcomes, quarantine.length > 0),
      quarantine,
    },
    convictions: quarantine.map((q) => {
      const { reason, concerns } = convictionOf(device.name, kernel, q);
      const ofDtype = (call: Parameters<typeof concerns>[0]) =>
        (call === null || call.dtype === dtype) && concerns(call);
      return { reason, concerns: ofDtype };
    }),
  };
}

const verdictOf = (outcomes: readonly CaseOutcome[], convicted: boolean) => {
  if (convicted) return 'quarantined';
  return outcomes.length === 0 ? 'absent' : 'trusted';
};

const skipped = (kernel: Name, dtype: DType, verdict: 'shared' | 'absent'): Examined => ({
  report: {
    kernel,
    dtype,
    cases: 0,
    failed: 0,
    worstError: 0,
    tolerance: kernel === 'maxPoolIndices' ? 0 : toleranceOf(dtype),
    verdict,
    quarantine: [],
  },
  convictions: [],
});

/** A kernel that need not be compared: there is none, or it is the reference's own. */
function notCompared(device: Device, kernel: Name): 'shared' | 'absent' | null {
  const run = rawKernels(device)[kernel];
  if (!run) return 'absent';
  return device !== cpu && run === cpu.kernels[kernel] ? 'shared' : null;
}

/** Runs `compare` while the kernel counts as trusted, so that it can be asked and called. */
function comparing<T>(device: Device, kernel: Name, compare: () => T): T {
  const running = runningOf(device);
  running.add(kernel);
  try {
    return outsideCollections(() => noGrad(compare));
  } finally {
    running.delete(kernel);
  }
}

function remember(device: Device, kernel: Name, examined: readonly Examined[]): void {
  convictionsOf(device).set(
    kernel,
    examined.flatMap(({ convictions }) => convictions),
  );
  quarantineChanged();
}

const withCase = (c: Case, outcomes: readonly Outcome[]): CaseOutcome[] =>
  outcomes.map((outcome) => ({ case: c, outcome }));

/** Compares one kernel now. */
function compareSync(device: Device, kernel: Name): readonly Conviction[] {
  const reason = notCompared(device, kernel);
  const examined = dtypesOf(device, kernel).map((dtype) =>
    reason
      ? skipped(kernel, dtype, reason)
      : comparing(device, kernel, () => {
          const outcomes = casesOf(device, kernel, dtype).flatMap((c) =>
            withCase(c, runCase(c, rawKernels(device), device)),
          );
          return examine(device, kernel, dtype, outcomes);
        }),
  );
  remember(device, kernel, examined);
  return examined.flatMap(({ convictions }) => convictions);
}

async function compareAsync(
  device: Device,
  kernel: Name,
  timeoutMs: number,
): Promise<readonly Examined[]> {
  const reason = notCompared(device, kernel);
  const examined: Examined[] = [];
  for (const dtype of dtypesOf(device, kernel)) {
    if (reason) {
      examined.push(skipped(kernel, dtype, reason));
      continue;
    }
    const outcomes: CaseOutcome[] = [];
    const cases = comparing(device, kernel, () => casesOf(device, kernel, dtype));
    for (const c of cases) {
      const { outcome } = comparing(device, kernel, () => ({
        outcome: startCase(c, rawKernels(device), device, timeoutMs),
      }));
      outcomes.push(...withCase(c, await outcome));
    }
    examined.push(examine(device, kernel, dtype, outcomes));
  }
  remember(device, kernel, examined);
  return examined;
}

/**
 * Compares every fused kernel of a device with the reference on a small designed set, in each float
 * dtype that the device computes. From then on the kernels of a foreign device (the capability
 * `foreign`) run where they agreed, and are in quarantine where they erred.
 * @returns per kernel the cases, the worst relative error, the tolerance and the verdict with its
 * evidence; `String(report)` is a table
 */
export async function certify(
  device?: DeviceLike,
  options: CertifyOptions = {},
): Promise<CertifyReport> {
  const asked = getDevice(device);
  checkOptions('certify', options, ['timeoutMs']);
  const { timeoutMs = 30_000 } = options;
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw argumentError(
      `certify(): timeoutMs must be a positive number, but got ${describe(timeoutMs)}`,
    );
  const examined: Examined[] = [];
  for (const kernel of NAMES) examined.push(...(await compareAsync(asked, kernel, timeoutMs)));
  return reportOf(
    asked.name,
    examined.map(({ report }) => report),
  );
}

/** What is held against a kernel of a foreign device; it is compared at the first question. */
function judge(device: Device, kernel: keyof Kernels): readonly Conviction[] {
  if (!isName(kernel) || runningOf(device).has(kernel)) return [];
  const known = convictionsOf(device).get(kernel);
  if (known) return known;
  if (device.capabilities.ownKernels?.has(kernel)) return [];
  if (device.capabilities.synchronous) return compareSync(device, kernel);
  const reason =
    `${kernel} of ${device.name} has not been compared with the reference, which takes an ` +
    'asynchronous device: await certify(device) once, before the first use';
  return notCompared(device, kernel) ? [] : [{ reason, concerns: () => true }];
}

setJudge(judge);

/** Kernels that the fused strategy of an operation stands for. */
const KERNEL_OF: Readonly<Record<string, OtherKernel>> = {
  'batchNorm.forward': 'batchNorm',
  batchNorm: 'batchNormBackward',
  'batchNormRelu.forward': 'batchNormRelu',
  batchNormRelu: 'batchNormReluBackward',
  'channelAffine.forward': 'channelAffine',
  'adam.step': 'adamStep',
  'maxPool.forward': 'maxPoolIndices',
  'sumPool.forward': 'sumPool',
  'spreadPool.forward': 'spreadPool',
  'relu.backward': 'reluBackward',
};

addGuard('certify', (device, op, strategy) => {
  const kernel = strategy === 'fused' && Object.hasOwn(KERNEL_OF, op) ? KERNEL_OF[op] : null;
  if (kernel === null || !device.capabilities.foreign) return null;
  return judge(device, kernel)[0]?.reason ?? null;
});

// Whether the chip's own operators run a layer: every check of every pass, those that hold included,
// with its numbers.

import { AXES, type ConvCall, type ConvKernelName, type Needs, type Refusal } from '@voxgrad/core';
import { checkConv } from '../checks/conv.js';
import { convDTypes } from '../checks/dtypes.js';
import { forwardL1 } from '../checks/forward.js';
import { inputGradientL1 } from '../checks/input-gradient.js';
import { weightGradientL1 } from '../checks/weight-gradient.js';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES, type SourceKey } from '../profile/sources.js';
import type { CheckedLayer } from './layer.js';

export type Pass = 'forward' | 'input' | 'weight';

export interface PlanCheck {
  readonly pass: Pass;
  /** `L1`, `width`, `groups`, `dtype`, `format`, … */
  readonly check: string;
  readonly ok: boolean;
  /** Bytes of L1 that the smallest load takes, and that there are. */
  readonly needBytes?: number;
  readonly limitBytes?: number;
  /** Code and text as the user would see them. */
  readonly code?: string;
  readonly text?: string;
  readonly source: string;
}

const INPUT_ONLY: Needs = [true, false, false];
const WEIGHT_ONLY: Needs = [false, true, false];

/** Which kernel of the convolution a pass is; a transposed one runs its input gradient forwards. */
interface Kernels {
  readonly forward: Run;
  readonly input: Run;
  readonly weight: Run;
}

interface Run {
  readonly kernel: ConvKernelName;
  readonly needs: Needs;
}

const PLAIN: Kernels = {
  forward: { kernel: 'convForward', needs: INPUT_ONLY },
  input: { kernel: 'convBackward', needs: INPUT_ONLY },
  weight: { kernel: 'convBackward', needs: WEIGHT_ONLY },
};
// That the operator of a transposed forward has the limits of the input gradient is inferred: both
// multiply the spread tensor with the flipped kernel.
const TRANSPOSED: Kernels = { ...PLAIN, forward: PLAIN.input, input: PLAIN.forward };

const sameRefusal = (a: Refusal, b: Refusal) => a.check === b.check && a.message === b.message;

/**
 * Every check that decides about a layer. A backward is one call for all gradients that are wanted, so
 * what refuses one of them refuses it.
 */
export function nativeChecks({ call, transposed }: CheckedLayer, profile: NpuProfile): PlanCheck[] {
  const kernels = transposed ? TRANSPOSED : PLAIN;
  const [wantsInput, wantsWeight] = call.needs;
  const ask = ({ kernel, needs }: Run) => checkConv(kernel, { ...call, needs }, profile);
  const checks: PlanCheck[] = [];
  const add = (pass: Pass, refusals: readonly Refusal[]) => {
    checks.push(...refusals.map((refusal) => failed(pass, refusal)));
    const holds = heldL1(kernels[pass], call, profile);
    if (holds && !refusals.some(blocksL1)) checks.push({ pass, ...holds });
  };
  add('forward', ask(kernels.forward));
  if (transposed) {
    if (wantsInput) add('input', ask(kernels.input));
    if (wantsWeight) add('weight', ask(kernels.weight));
    return checks;
  }
  // Which gradients are wanted can matter beyond their own checks, so the call as it is decides.
  const whole = checkConv('convBackward', call, profile);
  const ofInput = ask(kernels.input);
  const ofWeight = ask(kernels.weight);
  if (wantsInput)
    add(
      'input',
      ofInput.filter((r) => whole.some((w) => sameRefusal(r, w))),
    );
  if (wantsWeight)
    add(
      'weight',
      whole.filter(
        (r) =>
          ofWeight.some((w) => sameRefusal(r, w)) ||
          !(wantsInput && ofInput.some((w) => sameRefusal(r, w))),
      ),
    );
  return checks;
}

/** What was refused before L1 came into question, or because of it. */
const blocksL1 = ({ check }: Refusal) => ['L1', 'soc', 'dtype', 'kernel'].includes(check);

function failed(pass: Pass, refusal: Refusal): PlanCheck {
  const { check, needBytes, limitBytes, code, message, source } = refusal;
  return {
    pass,
    check,
    ok: false,
    ...(needBytes !== undefined && { needBytes }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(code !== undefined && { code }),
    text: message,
    source: source ?? '',
  };
}

/** The check of L1 where it is made and holds; null where the chip makes none. */
function heldL1({ kernel, needs }: Run, call: ConvCall, profile: NpuProfile) {
  const { geometry: g, dtype } = call;
  const { soc } = profile;
  if (g.spatialRank < 3 || !convDTypes(kernel, soc).includes(dtype)) return null;
  if (AXES.some((a) => g.output[a] < 1)) return null;
  const held = (needBytes: number, source: SourceKey) => ({
    check: 'L1',
    ok: true,
    needBytes,
    limitBytes: soc.l1,
    source: SOURCES[source],
  });
  if (kernel === 'convForward') return held(forwardL1(g), 'fwd_check');
  if (soc.backward !== 'arch22' && soc.backward !== 'arch35') return null;
  if (!needs[0]) return held(weightGradientL1(g, dtype).total, 'dw_check');
  if (soc.backward === 'arch35') return null;
  return held(inputGradientL1(g, dtype).total, 'dx_check');
}

/** Whether every pass that `call` wants runs natively. */
export function runsNatively({ call, transposed }: CheckedLayer, profile: NpuProfile): boolean {
  const kernels = transposed ? TRANSPOSED : PLAIN;
  const { kernel, needs } = kernels.forward;
  if (checkConv(kernel, { ...call, needs }, profile).length > 0) return false;
  if (!transposed)
    return (
      !(call.needs[0] || call.needs[1]) || checkConv('convBackward', call, profile).length === 0
    );
  const runs = ({ kernel, needs }: Run) =>
    checkConv(kernel, { ...call, needs }, profile).length === 0;
  return (!call.needs[0] || runs(kernels.input)) && (!call.needs[1] || runs(kernels.weight));
}

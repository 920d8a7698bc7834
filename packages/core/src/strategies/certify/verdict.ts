// From failed cases to the calls that a kernel may not run. What failed is kept away from every call
// that has a feature of it which no right case shows to be innocent; where the plain case fails, from
// all calls.

import type { Conviction } from '../../device/trust.js';
import type { ConvCall } from '../../ops/conv/geometry.js';
import type { Case } from './cases.js';
import { FEATURES, type Feature } from './features.js';
import type { Evidence, Outcome } from './outcome.js';

/** One class of calls that a kernel gets wrong. */
export interface Quarantine {
  /** Which of the gradients is wrong, or null for the only result. */
  readonly result: 'input' | 'weight' | 'bias' | null;
  /** A call with all of these is concerned; every call where the list is empty. */
  readonly features: readonly Feature[];
  readonly evidence: Evidence;
}

export interface CaseOutcome {
  readonly case: Case;
  readonly outcome: Outcome;
}

const GRADIENTS = ['input', 'weight', 'bias'] as const;

const gradientOf = (result: string, separate: boolean): Quarantine['result'] =>
  separate ? (GRADIENTS.find((name) => name === result) ?? null) : null;

/** The classes that follow from the outcomes of one result of a kernel. */
function convict(result: Quarantine['result'], outcomes: readonly CaseOutcome[]): Quarantine[] {
  const innocent = new Set(
    outcomes.flatMap(({ case: c, outcome }) => (outcome.evidence ? [] : c.features)),
  );
  const found: Quarantine[] = [];
  const add = (features: readonly Feature[], evidence: Evidence) =>
    found.push({ result, features, evidence });
  const failed = outcomes
    .filter(({ outcome }) => outcome.evidence)
    .sort((a, b) => a.case.features.length - b.case.features.length);
  for (const { case: c, outcome } of failed) {
    // Fewest features first: what a case tells that a simpler one has told already is no news.
    const told = found.some((q) => q.features.every((f) => c.features.includes(f)));
    if (!outcome.evidence || told) continue;
    const suspects = c.features.filter((feature) => !innocent.has(feature));
    if (suspects.length === 0) add(c.features, outcome.evidence);
    for (const feature of suspects) add([feature], outcome.evidence);
  }
  return found;
}

/** `separate` says whether the results are gradients that a call may want one by one. */
export function quarantinesOf(
  outcomes: readonly CaseOutcome[],
  { separate }: { readonly separate: boolean },
): Quarantine[] {
  const results = new Set(outcomes.map(({ outcome }) => gradientOf(outcome.result, separate)));
  return [...results].flatMap((result) =>
    convict(
      result,
      outcomes.filter(({ outcome }) => gradientOf(outcome.result, separate) === result),
    ),
  );
}

/** `the input gradient with stride over 1` */
export const describeClass = ({ result, features }: Quarantine): string => {
  const what = result ? `the ${result} gradient` : 'the result';
  return features.length === 0 ? what : `${what} with ${features.join(' and ')}`;
};

const describeEvidence = ({ case: name, result, text, error }: Evidence): string =>
  `case '${name}', ${result}: ${text}${error === null ? '' : ` (relative error ${error.toExponential(1)})`}`;

export const convictionOf = (device: string, kernel: string, q: Quarantine): Conviction => ({
  reason:
    `${kernel} of ${device} is in quarantine: compared with the reference it gets ` +
    `${describeClass(q)} wrong; ${describeEvidence(q.evidence)}`,
  concerns: (call) => concerns(q, call),
});

/** A call is null where the kernel is no convolution. */
function concerns({ result, features }: Quarantine, call: ConvCall | null): boolean {
  if (call === null) return true;
  if (result !== null && !call.needs[GRADIENTS.indexOf(result)]) return false;
  return features.every((feature) => FEATURES[feature](call));
}

// What the doctor says: a cause, what speaks for it, what to do, and how sure that is.

import type { SourceKey } from '../profile/sources.js';

/**
 * - `certain`: the evidence has no other reading;
 * - `likely`: it usually has this cause;
 * - `possible`: one of several causes, or a risk that has not shown yet.
 */
export type Certainty = 'certain' | 'likely' | 'possible';

export interface Evidence {
  /** `log:12`, `env:LD_LIBRARY_PATH`, or a path of the installation. */
  readonly where: string;
  /** The line itself. */
  readonly text: string;
}

export interface Finding {
  /** Stable name of the diagnosis, such as `nd-format`. */
  readonly id: string;
  readonly certainty: Certainty;
  readonly cause: string;
  readonly evidence: readonly Evidence[];
  readonly remedies: readonly string[];
  /** Where what the diagnosis rests on is written down. */
  readonly sources: readonly SourceKey[];
}

const ORDER: readonly Certainty[] = ['certain', 'likely', 'possible'];

/** The surest first; the rest stays in order. */
export const bySureness = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => ORDER.indexOf(a.certainty) - ORDER.indexOf(b.certainty));

// All cases, run and gathered by path.

import { type Case, cases, type Precision } from './cases.js';
import type { Finding } from './compare.js';
import { describeFinding, differs, runCase } from './run.js';
import { MissingPath } from './values.js';

/** The largest errors of a path; undefined where nothing was compared. */
export interface Errors {
  forward64?: number;
  gradient64?: number;
  float32?: number;
}

export interface PathResult extends Errors {
  readonly path: string;
  readonly family: string;
  readonly kind: Case['kind'];
  readonly options: Set<string>;
  /** Why expectations are not PyTorch's own, where they are not. */
  readonly written: Set<string>;
  cases: number;
  agree: number;
  missing: number;
  readonly differences: string[];
}

const worst = (before: number | undefined, findings: readonly Finding[]) =>
  findings.reduce<number | undefined>((most, { error }) => Math.max(most ?? 0, error), before);

function optionsOf(c: Case): string[] {
  const call = Object.keys(c.callOptions ?? {}).map((name) => `call: ${name}`);
  const mode = c.train === false ? ['eval'] : [];
  const wrap = c.wrap ? [c.wrap[0], ...Object.keys(c.wrap[1])] : [];
  return [...Object.keys(c.options ?? {}), ...call, ...mode, ...wrap];
}

/** Runs a case in one dtype, adds its errors, and returns what differs. */
function measure(c: Case, precision: Precision, into: PathResult): string[] {
  const { forward, gradient } = runCase(c, precision);
  if (precision === 'float64') {
    into.forward64 = worst(into.forward64, forward);
    into.gradient64 = worst(into.gradient64, gradient);
  } else into.float32 = worst(into.float32, [...forward, ...gradient]);
  return [...forward, ...gradient]
    .filter(differs)
    .map((finding) => `${precision}: ${describeFinding(finding)}`);
}

function run(c: Case, into: PathResult): void {
  into.cases++;
  try {
    const found = (['float64', 'float32'] as const).flatMap((precision) =>
      precision === 'float32' && c.float64Only ? [] : measure(c, precision, into),
    );
    if (found.length === 0) into.agree++;
    else into.differences.push(`${c.name}: ${found[0]}`);
  } catch (error) {
    if (error instanceof MissingPath) into.missing++;
    else into.differences.push(`${c.name}: ${String(error).split('\n')[0]}`);
  }
}

/** A norm of a module's weight is its own name in the report, though a layer carries it. */
const nameOf = (c: Case) => c.wrap?.[0] ?? c.path;

export function runAll(): PathResult[] {
  const results = new Map<string, PathResult>();
  for (const c of cases) {
    const path = nameOf(c);
    const made = {
      path,
      family: c.family,
      kind: c.kind,
      options: new Set<string>(),
      written: new Set<string>(),
      cases: 0,
      agree: 0,
      missing: 0,
      differences: [],
    };
    const into: PathResult = results.get(path) ?? made;
    results.set(path, into);
    if (c.written) into.written.add(c.written);
    for (const option of optionsOf(c)) if (option !== path) into.options.add(option);
    run(c, into);
  }
  return [...results.values()];
}

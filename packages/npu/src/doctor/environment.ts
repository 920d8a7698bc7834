// The environment of a process, as `env` prints it, and which CANN its library path brings first.

import { compareCann } from '../profile/cann-order.js';
import { cannOfEntry } from '../streams/library-path.js';
import type { Evidence } from './finding.js';

export type Environment = ReadonlyMap<string, string>;

/** A variable; `declare -x` and `export` lines are read too. */
const VARIABLE = /^(?:declare -x |export )?([A-Za-z_]\w*)=(.*)$/;

const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;

/** The variables in the output of `env` or `export -p`; a value may go over several lines. */
export function parseEnvironment(text: string): Environment {
  const variables = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const match = VARIABLE.exec(line);
    if (match) {
      last = match[1];
      variables.set(last, unquoted(match[2]));
    } else if (last !== undefined && line !== '')
      variables.set(last, `${variables.get(last)}\n${line}`);
  }
  return variables;
}

export const variable = (env: Environment, name: string): Evidence => ({
  where: `env:${name}`,
  text: `${name}=${env.get(name) ?? ''}`,
});

/** A CANN installation that an environment points into. */
export interface CannRoot {
  /** `/usr/local/Ascend/cann-9.0.0`, `/usr/local/Ascend/ascend-toolkit/latest` */
  readonly root: string;
  /** null where the path does not say and no installation was seen that does. */
  readonly version: string | null;
  readonly evidence: Evidence;
}

/** The part of a path up to the version of CANN. Source: setenv, mixed_path. */
const ROOT =
  /^(.*?\/(?:ascend-toolkit|nnae|nnrt)\/(?:latest|[^/]*\d[^/]*)|.*?\/cann(?:[-_][^/]+)?)(?:\/|$)/;

/** The CANN installation that `path` lies in, or null. */
export const rootOfPath = (path: string): string | null => ROOT.exec(path)?.[1] ?? null;

/** Paths in a variable in order, with those that lie in a CANN installation. */
export function rootsIn(
  env: Environment,
  name: string,
  versionOf: (root: string) => string | null,
): CannRoot[] {
  const seen = new Set<string>();
  return (env.get(name) ?? '').split(':').flatMap((entry, i): CannRoot[] => {
    const root = rootOfPath(entry);
    if (root === null || seen.has(root)) return [];
    seen.add(root);
    const evidence = { where: `env:${name}`, text: `entry ${i + 1}: ${entry}` };
    return [{ root, version: versionOf(root) ?? cannOfEntry(entry), evidence }];
  });
}

/** Whether both are known and `a` is the older one. */
export const isOlder = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && compareCann(a, b) < 0;

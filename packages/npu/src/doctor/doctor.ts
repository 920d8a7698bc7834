// From what a machine has, what its environment says and what a program printed to what is wrong with
// it, and what to do.

import { argumentError, describe } from '@voxgrad/core';
import { type Environment, parseEnvironment } from './environment.js';
import { type Facts, factsOf } from './facts.js';
import { bySureness, type Finding } from './finding.js';
import { EMPTY_TREE, type InstallationTree, inventoryOf } from './installation.js';
import { LogScan, scanLog } from './log.js';
import { codeRules } from './rules/codes.js';
import { convolutionRules } from './rules/convolution.js';
import { libraryRules } from './rules/libraries.js';
import { versionRules } from './rules/versions.js';

export interface DoctorInput {
  /** Files and links of an installation, such as `/usr/local/Ascend` and the folders of Python. */
  readonly tree?: InstallationTree;
  /** Output of `env`, or the variables. */
  readonly environment?: string | Environment;
  /** A log, or a scan of one that is too long for a text. */
  readonly log?: string | LogScan;
}

export interface Diagnosis {
  /** What is known, with null for what nothing says. */
  readonly versions: {
    readonly cann: string | null;
    readonly torch: string | null;
    readonly torchNpu: string | null;
    readonly python: string | null;
    readonly soc: string | null;
  };
  readonly switches: { readonly internalFormat: string | null; readonly jitCompile: string | null };
  /** Installed CANN versions with their folders. */
  readonly installed: readonly { readonly version: string; readonly root: string }[];
  /** CANN installations in LD_LIBRARY_PATH, the one that is loaded first. */
  readonly libraryPath: readonly { readonly root: string; readonly version: string | null }[];
  /** Lines of the log that were read. */
  readonly logLines: number;
  /** The surest first. */
  readonly findings: readonly Finding[];
}

/**
 * What is wrong, with cause, evidence, remedy and how sure it is. Whatever is left out is taken as
 * unknown; what nothing is known of gives no findings.
 */
export function doctor(input: DoctorInput): Diagnosis {
  const { tree = EMPTY_TREE, environment = '', log = '' } = input ?? {};
  if (typeof environment !== 'string' && !(environment instanceof Map))
    throw argumentError(
      `doctor(): environment must be the output of env, or a Map, but got ${describe(environment)}`,
    );
  if (typeof log !== 'string' && !(log instanceof LogScan))
    throw argumentError(`doctor(): log must be a text or a LogScan, but got ${describe(log)}`);
  const env = typeof environment === 'string' ? parseEnvironment(environment) : environment;
  const scan = typeof log === 'string' ? scanLog(log) : log;
  const facts = factsOf(env, inventoryOf(tree), scan);
  const direct = [...convolutionRules(facts), ...libraryRules(facts), ...versionRules(facts)];
  const explained = new Set(
    direct.filter(({ certainty }) => certainty !== 'possible').map(({ id }) => id),
  );
  const findings = bySureness([...direct, ...codeRules(facts, explained), ...unreadable(facts)]);
  const value = (known: Facts['cann']) => known?.value ?? null;
  return {
    versions: {
      cann: value(facts.cann),
      torch: value(facts.torch),
      torchNpu: value(facts.torchNpu),
      python: value(facts.python),
      soc: value(facts.soc),
    },
    switches: { internalFormat: value(facts.internalFormat), jitCompile: value(facts.jitCompile) },
    installed: facts.inventory.cann.map(({ version, root }) => ({ version, root })),
    libraryPath: facts.libraryRoots.map(({ root, version }) => ({ root, version })),
    logLines: scan.lines,
    findings,
  };
}

function unreadable({ inventory }: Facts): Finding[] {
  if (inventory.unreadable.length === 0) return [];
  return [
    {
      id: 'unreadable-install-info',
      certainty: 'possible',
      cause:
        'files that name the version of an installation do not: it may be damaged or half removed',
      evidence: inventory.unreadable,
      remedies: ['install that version again, or remove its folder'],
      sources: ['install_info', 'version_info', 'version_cfg'],
    },
  ];
}

// What is known of the machine, from whichever of environment, installation and log says it.

import { findSoc, SOC_FAMILIES, type Soc } from '../profile/socs.js';
import { type CannRoot, type Environment, rootsIn } from './environment.js';
import type { Evidence } from './finding.js';
import type { Installed, Inventory } from './installation.js';
import type { LogFact, LogScan } from './log.js';

export interface Known {
  readonly value: string;
  readonly evidence: Evidence;
}

export interface Facts {
  readonly env: Environment;
  readonly inventory: Inventory;
  readonly log: LogScan;
  /** The CANN that a process loads: first in the library path, else what the variables name. */
  readonly cann: Known | null;
  readonly torch: Known | null;
  readonly torchNpu: Known | null;
  readonly python: Known | null;
  readonly soc: Known | null;
  readonly internalFormat: Known | null;
  readonly jitCompile: Known | null;
  /** CANN installations in LD_LIBRARY_PATH, in order. */
  readonly libraryRoots: readonly CannRoot[];
  /** The one that ASCEND_TOOLKIT_HOME or ASCEND_HOME_PATH names. */
  readonly home: CannRoot | null;
}

const HOMES = ['ASCEND_TOOLKIT_HOME', 'ASCEND_HOME_PATH'];

/** Of several that are installed none is the one that runs. */
const single = (installed: readonly Installed[]): Known | null =>
  installed.length === 1 ? { value: installed[0].version, evidence: installed[0].evidence } : null;

const ofRoot = (root: CannRoot | null | undefined): Known | null =>
  root?.version ? { value: root.version, evidence: root.evidence } : null;

export function factsOf(env: Environment, inventory: Inventory, log: LogScan): Facts {
  const { versionOf } = inventory;
  const libraryRoots = rootsIn(env, 'LD_LIBRARY_PATH', versionOf);
  const [home = null] = HOMES.flatMap((name) => rootsIn(env, name, versionOf));
  const logged = (fact: LogFact): Known | null => {
    const match = log.fact(fact);
    return match ? { value: match.groups.value ?? '', evidence: match } : null;
  };
  return {
    env,
    inventory,
    log,
    cann: ofRoot(home) ?? ofRoot(libraryRoots[0]) ?? logged('cann') ?? single(inventory.cann),
    torch: logged('torch') ?? single(inventory.torch),
    torchNpu: logged('torchNpu') ?? single(inventory.torchNpu),
    python: logged('python') ?? single(inventory.python),
    soc: logged('soc'),
    internalFormat: logged('internalFormat'),
    jitCompile: logged('jitCompile'),
    libraryRoots,
    home,
  };
}

/** Names as people write them: `910B2C`, `310P`, `300I Duo`. */
export function socOf({ value }: Known): Soc | null {
  if (/^(?:300I )?duo$/i.test(value)) return findSoc('Ascend310P3');
  const name = value.startsWith('Ascend') ? value : `Ascend${value}`;
  const row =
    SOC_FAMILIES.find(({ names }) => names.includes(name)) ??
    SOC_FAMILIES.find(({ family }) => family === name);
  return row ? findSoc(row.names.includes(name) ? name : row.names[0]) : null;
}

export const isOn = (known: Known | null): boolean =>
  known !== null && /true|enable/i.test(known.value);

/** The evidence of what is known, without what is not. */
export const evidenceOf = (...known: readonly (Known | null | undefined)[]): Evidence[] =>
  known.flatMap((k) => (k ? [{ where: k.evidence.where, text: k.evidence.text }] : []));

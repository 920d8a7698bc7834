// Libraries of more than one installation in one process: the library path, what is left over of old
// versions, and the symbols that go missing then.

import { compareCann, isCannName } from '../../profile/cann-order.js';
import { refusedAttribute, runtimeEra } from '../../streams/attributes.js';
import { type CannRoot, isOlder, rootOfPath, variable } from '../environment.js';
import { evidenceOf, type Facts } from '../facts.js';
import type { Evidence, Finding } from '../finding.js';
import type { Match } from '../log.js';

export const libraryRules = (facts: Facts): Finding[] => [
  ...libraryPath(facts),
  ...streamAttribute(facts),
  ...leftovers(facts),
  ...components(facts),
  ...undefinedSymbol(facts),
  ...missingLibrary(facts),
  ...abiOfAtb(facts),
];

/** Roots that are not the same installation; `latest` can be the version beside it. */
function distinct(roots: readonly CannRoot[]): CannRoot[] {
  const found: CannRoot[] = [];
  for (const root of roots)
    if (!found.some((other) => other.version !== null && other.version === root.version))
      found.push(root);
  return found;
}

const named = ({ root, version }: CannRoot) =>
  version === null ? root : `${root} (CANN ${version})`;

const CLEAN_PATH = [
  'keep one CANN installation in LD_LIBRARY_PATH: start a fresh shell and source only its set_env.sh',
  'remove the source lines of other versions from ~/.bashrc, /etc/profile.d and the image',
];

/** The only fix that set_env.sh does not make by itself. */
const STAYS =
  'set_env.sh of 8.5 and later takes out entries of …/cann-<version> only, never those of …/ascend-toolkit, and that of 8.1 none';

function libraryPath({ libraryRoots, home }: Facts): Finding[] {
  const roots = distinct(libraryRoots);
  const [first] = roots;
  const wanted = home ?? roots.find((root) => isOlder(first.version, root.version)) ?? null;
  if (first && wanted && isOlder(first.version, wanted.version))
    return [
      {
        id: 'older-runtime-first',
        certainty: 'certain',
        cause: `the libraries of ${named(first)} come before those of ${named(wanted)} in LD_LIBRARY_PATH, so that the older runtime is loaded`,
        evidence: [first.evidence, wanted.evidence],
        remedies: [...CLEAN_PATH, STAYS],
        sources: ['setenv', 'setenv_old', 'mixed_path'],
      },
    ];
  if (roots.length < 2) return [];
  return [
    {
      id: 'mixed-libraries',
      certainty: 'certain',
      cause: `LD_LIBRARY_PATH holds ${roots.length} CANN installations: ${roots.map(named).join(', ')}`,
      evidence: roots.map(({ evidence }) => evidence),
      remedies: [...CLEAN_PATH, STAYS],
      sources: ['mixed_path', 'setenv', 'setenv_old'],
    },
  ];
}

/** Which CANN versions have a runtime whose attributes end before `end`. */
function windowOf(end: number): string {
  const from = { 4: '8.2.RC1.alpha003 to 8.5.0.alpha002', 5: '8.5.0-beta.1 to 9.1.0-beta.1' }[end];
  return from ?? 'an unknown window of versions';
}

function streamAttribute({ log, cann, libraryRoots, home }: Facts): Finding[] {
  const match = log.first('streamAttribute') ?? log.first('streamAttributeNew');
  if (!match) return [];
  const [id, end] = [Number(match.groups.id), Number(match.groups.end)];
  const [first] = distinct(libraryRoots);
  const seen =
    first?.version && isCannName(first.version) && runtimeEra(first.version).end === end
      ? first
      : undefined;
  const caller = home?.version ?? cann?.value ?? null;
  const isMixed =
    seen !== undefined && (isOlder(first.version, caller) || distinct(libraryRoots).length > 1);
  return [
    {
      id: 'stream-attribute',
      certainty: isMixed ? 'certain' : id >= end ? 'likely' : 'possible',
      cause:
        `the loaded runtime knows the stream attributes [1, ${end}) only (CANN ${windowOf(end)}), and its caller ` +
        `asks for attribute ${id}, which ${id === 4 ? 'CANN 8.5.0 and later do' : 'a newer CANN does'}: two ` +
        'versions of CANN are mixed' +
        (isMixed ? `; ${named(first)} comes first in LD_LIBRARY_PATH` : ''),
      evidence: [match, ...(isMixed ? [first.evidence, ...(home ? [home.evidence] : [])] : [])].map(
        line,
      ),
      remedies: [
        ...CLEAN_PATH,
        'the call goes on after the message: it is a sign and not the failure itself, unless the program stops there',
        `see which one is loaded: grep libruntime /proc/<pid>/maps`,
      ],
      sources: ['stream', 'streammsg', 'streamcall', 'incident'],
    },
  ];
}

const line = ({ where, text }: Evidence): Evidence => ({ where, text });

/** What the runtime of a version answers, for those who only have the versions. */
export const wouldSay = (version: string, id: number): string => {
  const { code, message } = refusedAttribute(id, version, 'Get');
  return `${code}: ${message}`;
};

/** Variables that point into another installation than the rest, or into none. */
function leftovers({ env, inventory, home, libraryRoots }: Facts): Finding[] {
  const findings: Finding[] = [];
  const main = home ?? libraryRoots[0] ?? null;
  for (const name of ['ASCEND_OPP_PATH', 'ASCEND_AICPU_PATH', 'TOOLCHAIN_HOME', 'PYTHONPATH']) {
    const value = env.get(name);
    if (value === undefined || !main) continue;
    const strangers = value.split(':').flatMap((entry) => {
      const root = rootOfPath(entry);
      if (root === null) return [];
      const version = inventory.versionOf(root) ?? /(\d+\.\d+\.[^/]+)$/.exec(root)?.[1] ?? null;
      const isOther =
        version !== null && main.version !== null ? version !== main.version : root !== main.root;
      return isOther ? [{ entry, root }] : [];
    });
    if (strangers.length > 0)
      findings.push({
        id: 'leftover-variable',
        certainty: 'likely',
        cause: `${name} points into ${strangers.map(({ root }) => root).join(', ')}, while ${named(main)} is in use`,
        evidence: [variable(env, name), main.evidence],
        remedies: ['source the set_env.sh of one installation in a fresh shell'],
        sources: ['setenv', 'setenv_old'],
      });
  }
  const versions = [...new Set(inventory.cann.map(({ version }) => version))];
  if (versions.length > 1)
    findings.push({
      id: 'several-installations',
      certainty: 'possible',
      cause: `${versions.length} versions of CANN are installed: ${versions.join(', ')}. That works as long as a process sees one of them`,
      evidence: inventory.cann.map(({ evidence }) => evidence),
      remedies: [
        'source the set_env.sh of one of them alone, or uninstall the others',
        ...(versions.some((v) => isCannName(v) && compareCann(v, '8.5.0') >= 0) ? [STAYS] : []),
      ],
      sources: ['install_info', 'cann_layout', 'setenv'],
    });
  return findings;
}

/** Parts of one installation that come from different versions. */
function components({ inventory }: Facts): Finding[] {
  return inventory.cann.flatMap(({ root, version, evidence, components }): Finding[] => {
    const strangers = components.filter((part) => part.version !== version);
    if (strangers.length === 0) return [];
    return [
      {
        id: 'mixed-components',
        certainty: 'certain',
        cause: `${root} is CANN ${version}, but holds parts of others: ${strangers.map((part) => `${part.name} ${part.version}`).join(', ')}`,
        evidence: [evidence, ...strangers.map((part) => part.evidence)],
        remedies: ['uninstall it, remove the folder, and install one version anew'],
        sources: ['version_info', 'version_cfg'],
      },
    ];
  });
}

/** The library that the line names before the symbol. */
const libraryOf = ({ text }: Match): string =>
  /([^\s'":]+\.so[.\d]*): undefined symbol/.exec(text)?.[1] ?? '';

function undefinedSymbol(facts: Facts): Finding[] {
  const { log, cann, torchNpu, env } = facts;
  const match = log.first('undefinedSymbol');
  if (!match) return [];
  const symbol = match.groups.symbol ?? '';
  const library = libraryOf(match);
  const evidence = [line(match)];
  const abi = wrongAbi(symbol, `${library} ${env.get('ATB_HOME_PATH') ?? ''}`);
  if (abi !== null)
    return [
      {
        id: 'cxx-abi',
        certainty: 'likely',
        cause:
          `${symbol} is a name of the C++ ABI ${abi.symbol}, and the libraries of ABI ${abi.library} (cxx_abi_${abi.library}) were ` +
          'chosen: set_env.sh of nnal asks the installed PyTorch, and was sourced before that was there',
        evidence: [
          ...evidence,
          ...(env.has('ATB_HOME_PATH') ? [variable(env, 'ATB_HOME_PATH')] : []),
        ],
        remedies: [
          'install PyTorch and torch_npu first, then source nnal’s set_env.sh again',
          `or set ATB_HOME_PATH to …/nnal/atb/latest/atb/cxx_abi_${abi.symbol} and its lib folder first in LD_LIBRARY_PATH`,
        ],
        sources: ['cxx_abi'],
      },
    ];
  if (
    /atb|nnal|tbe_adapter|libasdops|libmki/i.test(`${library} ${symbol}`) ||
    /^_ZN?K?\d?(?:3Mki|3atb|6AsdOps)/.test(symbol)
  )
    return [
      {
        id: 'nnal-mismatch',
        certainty: 'likely',
        cause:
          `${base(library) || 'a library'} of nnal (ATB) asks for ${symbol}, which the other libraries do not have: nnal is of another ` +
          'version than CANN or torch_npu',
        evidence: [...evidence, ...evidenceOf(torchNpu, cann)],
        remedies: [
          `install the nnal package of the same version as CANN${cann ? ` (${cann.value})` : ''}, and source its set_env.sh after that of CANN`,
        ],
        sources: ['nnal_symbol'],
      },
    ];
  const isErrorManager = /ErrorManager|ATCReportErrMessage/.test(symbol);
  const isCann =
    isErrorManager ||
    /lib(?:runtime|ascendcl|ge_|graph|nnopbase|opapi|error_manager|hccl|msprof)/i.test(library);
  const isTorch = /libtorch_npu|torch/i.test(`${library} ${symbol}`);
  if (!isCann && !isTorch) return [];
  const several = distinct(facts.libraryRoots).length > 1;
  return [
    {
      id: isCann ? 'mixed-libraries' : 'torch-abi',
      certainty: several && isCann ? 'certain' : 'likely',
      cause: isCann
        ? `${base(library) || 'a library'} of CANN asks for ${symbol}, which the libraries found before do not have: libraries of two versions of CANN are mixed`
        : `${base(library) || 'torch_npu'} asks for ${symbol}: torch_npu was built for another PyTorch, or another CANN, than the installed one`,
      evidence: [
        ...evidence,
        ...facts.libraryRoots.slice(0, 2).map(({ evidence: e }) => e),
        ...evidenceOf(torchNpu, cann),
      ],
      remedies: isCann
        ? CLEAN_PATH
        : ['install torch, torch_npu and CANN of one row of the compatibility table'],
      sources: isCann ? ['error_manager', 'setenv'] : ['compat'],
    },
  ];
}

const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Strings of the new C++ ABI carry `__cxx11` in their names, those of the old one are `Ss`. */
function wrongAbi(symbol: string, place: string): { symbol: 0 | 1; library: 0 | 1 } | null {
  const library = /cxx_abi_([01])/.exec(place)?.[1];
  if (library === undefined) return null;
  const isNew = symbol.includes('__cxx11');
  const isOld = !isNew && /[A-Z]Ss(?:$|[A-Z])|RKSs/.test(symbol);
  if (library === '1' && isOld) return { symbol: 0, library: 1 };
  return library === '0' && isNew ? { symbol: 1, library: 0 } : null;
}

function missingLibrary({ log, env }: Facts): Finding[] {
  const match = log.first('missingLibrary');
  const library = match?.groups.library;
  if (!match || library === undefined) return [];
  const isNnal = /libatb|libtbe_adapter|libmki|libasdops/.test(library);
  const isCann = /libascendcl|libruntime|libge_|libhccl|libopapi|libnnopbase|libascend_hal/.test(
    library,
  );
  if (!isNnal && !isCann) return [];
  const [what, script] = isNnal
    ? ['nnal (ATB)', '/usr/local/Ascend/nnal/atb/set_env.sh']
    : library.includes('ascend_hal')
      ? ['the driver', '/usr/local/Ascend/driver/bin/setenv.bash']
      : ['CANN', '…/ascend-toolkit/set_env.sh, or …/cann/set_env.sh since 8.5'];
  const { where, text } = match;
  return [
    {
      id: 'library-missing',
      certainty: 'certain',
      cause: `${library} of ${what} is in no folder of the library path: it is not installed, or its set_env.sh was not sourced`,
      evidence: [
        { where, text },
        ...(env.has('LD_LIBRARY_PATH') ? [variable(env, 'LD_LIBRARY_PATH')] : []),
      ],
      remedies: [`install ${what} if it is missing, then source ${script}`],
      sources: isNnal ? ['nnal_symbol', 'cxx_abi'] : ['setenv', 'cann_layout'],
    },
  ];
}

/** Two ABIs in one environment. */
function abiOfAtb({ env }: Facts): Finding[] {
  const home = /cxx_abi_([01])/.exec(env.get('ATB_HOME_PATH') ?? '')?.[1];
  const path = /cxx_abi_([01])/.exec(env.get('LD_LIBRARY_PATH') ?? '')?.[1];
  if (home === undefined || path === undefined || home === path) return [];
  return [
    {
      id: 'cxx-abi',
      certainty: 'certain',
      cause: `ATB_HOME_PATH names cxx_abi_${home}, and the first of LD_LIBRARY_PATH is cxx_abi_${path}`,
      evidence: [variable(env, 'ATB_HOME_PATH'), variable(env, 'LD_LIBRARY_PATH')],
      remedies: ['source nnal’s set_env.sh again in a fresh shell, after PyTorch is installed'],
      sources: ['cxx_abi'],
    },
  ];
}

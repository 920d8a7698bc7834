// Codes that nothing above explains: what they mean, and where to look next.

import {
  ACLNN_RETURN_CODES,
  ERROR_CODES,
  INNER_CODES,
  RUNTIME_CODES,
} from '../../messages/codes.js';
import { GENERATIONS } from '../../profile/releases.js';
import { evidenceOf, type Facts } from '../facts.js';
import type { Evidence, Finding } from '../finding.js';
import { plainVersion } from './versions.js';

const line = ({ where, text }: Evidence): Evidence => ({ where, text });

const PLOG =
  'read the plog of the process, where the operator itself says why: ~/ascend/log/debug/plog, or export ASCEND_SLOG_PRINT_TO_STDOUT=1 ASCEND_GLOBAL_LOG_LEVEL=3';

/** @param explained ids of what has been found already */
export const codeRules = (facts: Facts, explained: ReadonlySet<string>): Finding[] => [
  ...aclnnMissing(facts),
  ...opCompile(facts),
  ...aclnnFailed(facts, explained),
  ...runtimeCodes(facts),
  ...otherCodes(facts, explained),
];

function aclnnMissing({ log, torchNpu, cann }: Facts): Finding[] {
  const match = log.first('aclnnMissing');
  if (!match) return [];
  const version = torchNpu && plainVersion(torchNpu.value);
  const row =
    version === null
      ? undefined
      : GENERATIONS.find((g) => g.cann !== null && version in g.releases);
  return [
    {
      id: 'cann-too-old',
      certainty: 'likely',
      cause: `${match.groups.api} is not in ${match.groups.library}: CANN is older than what torch_npu or the program was written for`,
      evidence: [line(match), ...evidenceOf(torchNpu, cann)],
      remedies: [
        row
          ? `CANN ${row.cann}, with which torch_npu ${version} was released`
          : 'a newer CANN, of the row of this torch_npu in the compatibility table',
        'an operator of a package of its own (custom opp): install it, and source its set_env.bash',
        'since 8.5 the libraries libaclnn_* are called libopapi_*: a mixed library path looks like this too',
      ],
      sources: ['aclnn_missing', 'compat', 'renamed_libraries'],
    },
  ];
}

function opCompile({ log, torchNpu, cann }: Facts): Finding[] {
  const match = log.first('opCompile') ?? log.codes.get('E40021');
  if (!match || log.count('dynamicTransposed') > 0) return [];
  const isConv3d = /Conv3D|Conv3dv2/i.test(match.text);
  return [
    {
      id: 'op-compile',
      certainty: isConv3d ? 'likely' : 'possible',
      cause: isConv3d
        ? 'a 3D convolution could not be compiled as a graph operator: torch_npu and CANN of different releases do that, and so does the acl_op route'
        : `the graph operator ${match.groups.op ?? ''} could not be compiled`.replace('  ', ' '),
      evidence: [line(match), ...evidenceOf(torchNpu, cann)],
      remedies: [
        'torch, torch_npu and CANN of one row of the compatibility table (torch_npu 2.5.1: CANN 8.1.RC1)',
        'torch.npu.set_compile_mode(jit_compile=False)',
        PLOG,
      ],
      sources: ['conv3d_compile', 'compat', 'errjson'],
    },
  ];
}

/** Findings that say why an aclnn call failed. */
const REASONS = [
  'input-gradient-l1',
  'weight-gradient-l1',
  'forward-l1',
  'forward-kernel',
  'forward-groups',
  'null-gradient',
  'parameter-bounds',
  'internal-format',
  'nd-format',
  'stream-attribute',
  'deterministic-groups',
];

function aclnnFailed({ log }: Facts, explained: ReadonlySet<string>): Finding[] {
  const match = log.first('aclnnFailed');
  if (!match) return [];
  const code = match.groups.code ?? '';
  const name = ACLNN_RETURN_CODES[Number(code)];
  const isInner = code === '561103';
  // The return code follows from what was found.
  if (REASONS.some((id) => explained.has(id))) return [];
  const meaning = isInner
    ? 'a null pointer inside: the tiling or the launch before it failed, and said so in a line of its own'
    : (name ?? 'a code that is not in the list of aclnn');
  return [
    {
      id: isInner ? 'inner-nullptr' : 'aclnn-failed',
      certainty: 'possible',
      cause: `${match.groups.api} returned ${code}${name ? ` (${name})` : ''}: ${meaning}`,
      evidence: log.all('aclnnFailed').map(line),
      remedies: [
        PLOG,
        'look in this log above the line for E69999 or EZ9999 and its text',
        'make the failing call alone: voxgrad repro --conv "x=… w=…" --target torch_npu',
      ],
      sources: ['after_failure', 'ret'],
    },
  ];
}

function runtimeCodes({ log }: Facts): Finding[] {
  const match = log.first('runtimeCode');
  const code = Number(match?.groups.code);
  const meaning = RUNTIME_CODES[code];
  if (!match || meaning === undefined) return [];
  return [
    {
      id: 'runtime-code',
      certainty: 'possible',
      cause: `the runtime returned ${code}: ${meaning}`,
      evidence: log.all('runtimeCode').map(line),
      remedies: [
        PLOG,
        ...(code >= 507_000
          ? ['export ASCEND_LAUNCH_BLOCKING=1 to see which operator it was']
          : []),
      ],
      sources: ['rterr'],
    },
  ];
}

function otherCodes({ log }: Facts, explained: ReadonlySet<string>): Finding[] {
  return [...log.codes].flatMap(([code, match]): Finding[] => {
    const inner = INNER_CODES[code];
    const known = ERROR_CODES.get(code);
    if (explained.size > 0 || (!inner && !known)) return [];
    const title = known?.title ?? inner?.meaning ?? known?.text ?? '';
    const remedies = known?.solution ? known.solution.split('\n') : [];
    return [
      {
        id: 'error-code',
        certainty: 'possible',
        cause: `${code}: ${title}${known?.cause ? ` (${known.cause.replaceAll('\n', ' ')})` : ''}`,
        evidence: [line(match)],
        remedies: [...remedies, PLOG],
        sources: [known?.source ?? inner?.source ?? 'errhdr'],
      },
    ];
  });
}

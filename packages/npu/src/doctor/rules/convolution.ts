// Convolutions that an NPU refuses, or dies of.

import { FORMAT_REMEDY } from '../../defects/formats.js';
import { NULL_GRADIENT_FIXED } from '../../defects/null-gradient.js';
import { compareCann, isCannName } from '../../profile/cann-order.js';
import { GENERATIONS } from '../../profile/releases.js';
import { evidenceOf, type Facts, isOn, socOf } from '../facts.js';
import type { Certainty, Evidence, Finding } from '../finding.js';
import type { Match, SignatureName } from '../log.js';
import { plainVersion } from './versions.js';

const PLAN =
  'ask before the next run: voxgrad plan --conv "x=… w=…" --device npu:<chip> --cann <version>';
const COMPOSITE =
  'run the backward of this layer in parts: the composite or the tiled strategy of voxgrad shows which pass the same checks';

const line = ({ where, text }: Evidence): Evidence => ({ where, text });

export const convolutionRules = (facts: Facts): Finding[] => [
  ...illegalFormat(facts),
  ...graphOperator(facts),
  ...inputL1(facts),
  ...otherL1(facts),
  ...bounds(facts),
  ...forwardGroups(facts),
  ...nullGradient(facts),
  ...unsupportedChip(facts),
  ...dynamicTransposed(facts),
  ...deterministic(facts),
  ...onlyNcdhw(facts),
];

const SWITCHES =
  'torch.npu.config.allow_internal_format = False and torch.npu.set_compile_mode(jit_compile=False), before the first operation';

/** Whether a release of torch_npu sends every 3D backward to aclnn; null where it is not known. */
function alwaysAclnn({ torchNpu, cann }: Facts): boolean | null {
  if (!torchNpu) return null;
  const version = plainVersion(torchNpu.value);
  const rows = GENERATIONS.filter(({ releases }) => version in releases);
  if (rows.length === 0) return null;
  // The same version was tagged before its release; an older CANN means such an early one.
  const older = rows.filter(
    (row) =>
      row.cann !== null && cann && isCannName(cann.value) && compareCann(cann.value, row.cann) < 0,
  );
  if (older.length > 0 && rows.some((row) => !row.alwaysAclnn3d)) return false;
  return rows[0].alwaysAclnn3d;
}

function illegalFormat(facts: Facts): Finding[] {
  const match = facts.log.first('illegalFormat');
  if (!match) return [];
  const { internalFormat, jitCompile, torchNpu, cann } = facts;
  const isSwitched = isOn(internalFormat) || isOn(jitCompile);
  const certainty: Certainty = isSwitched || alwaysAclnn(facts) === false ? 'certain' : 'likely';
  return [
    {
      id: 'nd-format',
      certainty,
      cause:
        `the backward went to the graph operator ${match.groups.op} (acl_op route), which reads the storage format of ` +
        `${match.groups.tensor}: a 5-D view of a 2-D tensor is stored as ND there, and only NCDHW is taken` +
        (isOn(internalFormat) ? '; allow_internal_format is on, which leads there' : ''),
      evidence: [line(match), ...evidenceOf(internalFormat, jitCompile, torchNpu, cann)],
      remedies: [
        SWITCHES,
        `cast the input of the convolution: torch_npu.npu_format_cast(x, 30), here ${FORMAT_REMEDY}`,
        'torch_npu 7.2.0 or later (2.7.1 with CANN 8.3.RC1) sends every 3D backward to aclnn, which goes by the number of dimensions',
        'vllm-ascend before it was made configurable sets allow_internal_format = True when it is imported',
      ],
      sources: ['illegal_format', 'internal_format_set', 'oppl', 'infer_fmt', 'incident'],
    },
  ];
}

function graphOperator(facts: Facts): Finding[] {
  const { log, internalFormat, jitCompile, torchNpu, cann, soc } = facts;
  const match = log.first('graphOperator');
  if (!match || log.count('illegalFormat') > 0 || log.count('dynamicTransposed') > 0) return [];
  const chip = soc && socOf(soc);
  // On chips without a 3D backward the route makes no difference.
  if (chip && (chip.backward === 'no3d' || chip.backward === 'none')) return [];
  return [
    {
      id: 'acl-op-route',
      certainty:
        isOn(internalFormat) || isOn(jitCompile) || alwaysAclnn(facts) === false
          ? 'likely'
          : 'possible',
      cause: `${match.groups.op} ran as a graph operator (acl_op route), since internal formats or JIT compilation are on; those operators take fewer convolutions than aclnn's`,
      evidence: [line(match), ...evidenceOf(internalFormat, jitCompile, torchNpu, cann)],
      remedies: [
        SWITCHES,
        'torch_npu 7.2.0 or later, which sends every 3D backward to aclnn',
        'look in the plog for what the operator itself said (illegal format, shape, dtype)',
        'dropping DeepSpeed or FSDP helped a user whose framework changed the switches',
      ],
      sources: ['graph_operator', 'conv3d_tuning', 'oppl', 'jitdef'],
    },
  ];
}

const bytes = (n: number) => `${n.toLocaleString('en-US')} B`;

function inputL1({ log, soc, cann }: Facts): Finding[] {
  const match = log.first('inputL1');
  if (!match) return [];
  const n = (name: string) => Number(match.groups[name] ?? Number.NaN);
  const [need, limit] = [n('a') + n('b') + n('fill'), n('limit')];
  const [width, widest] = [n('width'), n('widthLimit')];
  const isOver = need > limit;
  return [
    {
      id: 'input-gradient-l1',
      certainty: 'certain',
      cause: isOver
        ? `the native input gradient needs ${bytes(need)} of L1 for its smallest load, and a core has ${bytes(limit)}: ${bytes(need - limit)} too many` +
          (width > widest ? `; the width ${width} is above ${widest} too` : '')
        : `the native input gradient takes rows of at most ${widest}, and these have ${width}`,
      evidence: [line(match), ...evidenceOf(soc, cann)],
      remedies: [
        COMPOSITE,
        `${PLAN}; it names the largest width that passes`,
        'put the shortest axis of the volume last, so that rows are short',
        'a smaller crop along the last axis, or an input that requires no gradient (a first layer)',
        'the forward and the weight gradient are not concerned: freezing this layer alone does not help',
      ],
      sources: ['dx_check'],
    },
  ];
}

function otherL1({ log, soc, cann }: Facts): Finding[] {
  const rows: readonly [
    SignatureName,
    string,
    (match: Match) => string,
    'dw_check' | 'fwd_check' | 'load3d',
  ][] = [
    [
      'weightL1',
      'weight-gradient-l1',
      ({ groups }) =>
        `the native weight gradient cannot load its smallest part into L1; the output is ${groups.width} wide`,
      'dw_check',
    ],
    [
      'weightLoad3d',
      'weight-gradient-l1',
      ({ groups }) =>
        `the native weight gradient is beyond its load instruction, or its smallest load is larger than the ${groups.limit} B of L1`,
      'dw_check',
    ],
    [
      'forwardL1',
      'forward-l1',
      ({ groups }) =>
        `the native forward needs ${groups.need} B of L1 for its smallest load, more than a core has`,
      'fwd_check',
    ],
    [
      'forwardLoad3d',
      'forward-kernel',
      ({ groups }) =>
        `the kernel's plane takes ${groups.need} positions, and the load instruction ${groups.limit}`,
      'load3d',
    ],
  ];
  return rows.flatMap(([name, id, cause, source]): Finding[] => {
    const match = log.first(name);
    if (!match) return [];
    return [
      {
        id,
        certainty: 'certain',
        cause: cause(match),
        evidence: [line(match), ...evidenceOf(soc, cann)],
        remedies: [COMPOSITE, PLAN, 'narrower rows: a smaller crop along the last axis'],
        sources: [source],
      },
    ];
  });
}

function bounds({ log }: Facts): Finding[] {
  return log
    .all('bounds')
    .slice(0, 1)
    .map((match) => ({
      id: 'parameter-bounds',
      certainty: 'certain',
      cause: `${match.groups.name} is ${match.groups.value}, and the operator takes ${match.groups.low} to ${match.groups.high}`,
      evidence: log.all('bounds').map(line),
      remedies: [
        'pad or crop the input with an operation of its own, or take the kernel apart',
        PLAN,
      ],
      sources: ['doc_bwd', 'doc_fwd'],
    }));
}

function forwardGroups({ log, cann, torchNpu }: Facts): Finding[] {
  const match = log.first('groups');
  if (!match) return [];
  return [
    {
      id: 'forward-groups',
      certainty: 'certain',
      cause:
        'Conv3d of CANN before 8.1.RC1 takes one group, or as many as there are input channels',
      evidence: [line(match), ...evidenceOf(cann, torchNpu)],
      remedies: [
        'CANN 8.1.RC1 or later, with the torch_npu of its row',
        'until then one call per group: split the channels, convolve, concatenate',
      ],
      sources: ['old_groups'],
    },
  ];
}

/** Releases that pass null, by version. Source: oppl. */
const PASSES_NULL = GENERATIONS.filter(({ nullMasked }) => nullMasked === 'always').flatMap(
  ({ releases }) => Object.keys(releases),
);

/** ACLNN_ERR_PARAM_NULLPTR and ACLNN_ERR_INNER_NULLPTR. */
const NULL_CODES: readonly string[] = ['161001', '561103'];
const TILING: readonly SignatureName[] = [
  'inputL1',
  'weightL1',
  'weightLoad3d',
  'forwardL1',
  'bounds',
  'groups',
  'illegalFormat',
];

function nullGradient({ log, cann, torchNpu }: Facts): Finding[] {
  const call = log.first('workspaceCrash');
  const crash = log.first('crash');
  const nullInput = log.first('nullGradient');
  const failed = log
    .all('aclnnFailed')
    .find(
      ({ groups }) =>
        groups.api === 'aclnnConvolutionBackward' && NULL_CODES.includes(groups.code ?? ''),
    );
  // A tiling that failed returns the same code, and says why.
  const isTiling = TILING.some((name) => log.count(name) > 0);
  if (!((call && (crash || nullInput)) || nullInput || (failed && !isTiling))) return [];
  const version = torchNpu && plainVersion(torchNpu.value);
  const fits = version !== null && PASSES_NULL.includes(version);
  const isOld =
    cann && isCannName(cann.value) ? compareCann(cann.value, NULL_GRADIENT_FIXED) < 0 : null;
  // Another cause then: this one is fixed there.
  if (isOld === false) return [];
  if (failed && !call && !nullInput && !(fits && isOld)) return [];
  const evidence = [call, nullInput, failed, crash].flatMap((match) =>
    match ? [line(match)] : [],
  );
  return [
    {
      id: 'null-gradient',
      certainty:
        failed && !call
          ? 'possible'
          : fits && isOld
            ? 'certain'
            : fits || isOld
              ? 'likely'
              : 'possible',
      cause:
        `aclnnConvolutionBackwardGetWorkspaceSize reads the shape of gradInput, which is null: CANN before ${NULL_GRADIENT_FIXED} does so where only the weight's gradient ` +
        'is wanted and the kernel covers the whole input (patch embeddings), and torch_npu 2.7.1.post2 and post3, 2.8.0.post2 and 2.9.0 pass null there',
      evidence: [...evidence, ...evidenceOf(torchNpu, cann)],
      remedies: [
        `CANN ${NULL_GRADIENT_FIXED} or later`,
        'torch_npu 2.7.1.post4 or later, which passes null to CANN 8.5.1 and later only',
        'until then let the input require its gradient (x.requires_grad_()), or write the layer as a matrix product: kernel and input are of one size',
      ],
      sources: ['dxnull', 'oppl', 'incident'],
    },
  ];
}

function unsupportedChip({ log, soc, cann }: Facts): Finding[] {
  const operator = log.first('opUnsupported');
  const isConv = (m: Match) =>
    /Conv3D/i.test(`${m.groups.type ?? ''} ${m.groups.missing ?? ''} ${m.groups.kernel ?? ''}`);
  const match =
    (operator && isConv(operator) ? operator : undefined) ??
    log.first('backwardUnsupported') ??
    log.first('conv3dUnsupported');
  if (!match) return [];
  const chip = soc && socOf(soc);
  const lacks = chip?.backward === 'no3d' || chip?.backward === 'none';
  const dtype = log.first('dtypeUnsupported');
  if (!lacks && dtype)
    return [
      {
        id: 'conv3d-dtype',
        certainty: 'likely',
        cause: `no Conv3D operator of this installation takes ${dtype.groups.dtype} for ${dtype.groups.input}`,
        evidence: [line(match), line(dtype), ...evidenceOf(soc, cann)],
        remedies: [SWITCHES, 'a newer CANN, or float16'],
        sources: ['opsinfo', 'conv3d_tuning'],
      },
    ];
  return [
    {
      id: 'conv3d-unsupported',
      certainty: lacks ? 'certain' : 'possible',
      cause: lacks
        ? `${chip.name} (${chip.family}) has no ${chip.backward === 'none' ? 'convolution backward' : '3D convolution as Atlas A2 and A3 have it: aclnnConvolutionBackward is not for 3D there'}`
        : 'a Conv3d is not supported here: an older chip (310P, 910A), an operator package that is missing or does not fit, or an acl_op route',
      evidence: [line(match), ...evidenceOf(soc, cann)],
      remedies: lacks
        ? [
            'a chip of Atlas A2 or A3 (Ascend910B, Ascend910_93)',
            'or write the layer without a 3D convolution: a patch embedding whose kernel is its stride is a matrix product',
            PLAN,
          ]
        : [SWITCHES, 'check that the opp package is of the same version as the toolkit', PLAN],
      sources: lacks ? ['conv3d_310p', 'doc_bwd_products'] : ['conv3d_tuning', 'conv3d_310p'],
    },
  ];
}

function dynamicTransposed({ log, cann, jitCompile }: Facts): Finding[] {
  const match = log.first('dynamicTransposed');
  if (!match) return [];
  return [
    {
      id: 'transposed-dynamic-shape',
      certainty: 'likely',
      cause:
        'the graph operator of ConvTranspose3d was compiled for sizes left open (-1, -2), which this version does not take',
      evidence: [line(match), ...evidenceOf(jitCompile, cann)],
      remedies: [
        'torch.npu.set_compile_mode(jit_compile=True), so that it is compiled for the sizes at hand (inferred)',
        'a newer CANN, which computes it by aclnn (inferred)',
      ],
      sources: ['transposed_dynamic'],
    },
  ];
}

function deterministic({ log }: Facts): Finding[] {
  const match = log.first('deterministic');
  if (!match) return [];
  return [
    {
      id: 'deterministic-groups',
      certainty: 'certain',
      cause: `the weight gradient of ${match.groups.groups} groups has no deterministic way here`,
      evidence: [line(match)],
      remedies: ['torch.use_deterministic_algorithms(False) for this layer', 'one call per group'],
      sources: ['doc_bwd'],
    },
  ];
}

function onlyNcdhw({ log }: Facts): Finding[] {
  const match = log.first('onlyNcdhw');
  if (!match) return [];
  return [
    {
      id: 'internal-format',
      certainty: 'certain',
      cause: `${match.groups.tensor} is stored as ${match.groups.format}, and aclnn takes NCDHW alone`,
      evidence: [line(match)],
      remedies: [`torch_npu.npu_format_cast(x, 30), here ${FORMAT_REMEDY}`, SWITCHES],
      sources: ['format_check'],
    },
  ];
}

// Facts without a source are impossible: every entry of every table names where it is written down, or
// says that it is inferred. Where the fact sheet lies beside the repository, the tables are compared
// with it, entry by entry.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROUNDING_SOURCES } from '../src/arithmetic/round.js';
import { BACKWARD_BOUNDS, type Bounds, FORWARD_BOUNDS } from '../src/checks/bounds.js';
import {
  LEGACY_FILTER_BOUNDS,
  LEGACY_SOURCE,
  LEGACY_STRIDE_PLANE,
  LEGACY_TAPS,
} from '../src/checks/legacy.js';
import { OPERATOR_TABLE_SOURCE } from '../src/checks/operator-table.js';
import { NULL_GRADIENT_SOURCES } from '../src/defects/null-gradient.js';
import { GRAPH_FORMATS } from '../src/formats/formats.js';
import {
  ACL_FORMATS,
  CANN_ERAS,
  DEFECTS,
  ERROR_CODES,
  GENERATIONS,
  INNER_CODES,
  npu,
  OPERATOR_TABLES,
  RUNTIME_ERAS,
  SOC_NAMES,
  SOURCES,
  STREAM_ATTRIBUTES,
} from '../src/index.js';
import {
  ACLNN_RETURN_CODES,
  ACLNN_RETURN_SOURCE,
  RUNTIME_CODES,
  RUNTIME_CODES_SOURCE,
} from '../src/messages/codes.js';
import { LAYOUTS } from '../src/messages/layouts.js';
import { SOC_IDS, SOC_IDS_SOURCE } from '../src/profile/soc-ids.js';
import { findSoc, SOC_FAMILIES } from '../src/profile/socs.js';
import { STREAM_ATTRIBUTES_SOURCE } from '../src/streams/attributes.js';
import { L1_VECTORS } from './data/l1-vectors.js';

interface Entry {
  readonly table: string;
  readonly name: string;
  readonly sources: readonly string[];
}

const entries = (
  table: string,
  rows: Iterable<readonly [name: string, sources: readonly string[]]>,
): Entry[] => [...rows].map(([name, sources]) => ({ table, name, sources }));

/** Every entry of every table that a check, a message or an answer of this package reads. */
const ENTRIES: readonly Entry[] = [
  ...entries(
    'chips',
    SOC_FAMILIES.map((row) => [row.family, row.sources]),
  ),
  ...entries(
    'chip numbers',
    Object.keys(SOC_IDS).map((name) => [name, [SOC_IDS_SOURCE]]),
  ),
  ...entries(
    'CANN',
    CANN_ERAS.map((era) => [era.versions[0], era.sources]),
  ),
  ...entries(
    'torch_npu',
    GENERATIONS.map((g) => [g.name, g.sources]),
  ),
  ...entries(
    'bounds',
    [FORWARD_BOUNDS, BACKWARD_BOUNDS].map((b) => [b.operator, [b.source]]),
  ),
  ...entries('bounds', [['TBE', [LEGACY_SOURCE]]]),
  ...entries(
    'operators',
    Object.keys(OPERATOR_TABLES).map((family) => [family, [OPERATOR_TABLE_SOURCE]]),
  ),
  ...entries(
    'formats',
    Object.entries({ ...ACL_FORMATS, ...GRAPH_FORMATS }).map(([n, f]) => [n, [f.source]]),
  ),
  ...entries(
    'stream attributes',
    Object.keys(STREAM_ATTRIBUTES).map((name) => [name, [STREAM_ATTRIBUTES_SOURCE]]),
  ),
  ...entries(
    'runtimes',
    RUNTIME_ERAS.map((era) => [era.from, era.sources]),
  ),
  ...entries(
    'codes',
    [...ERROR_CODES].map(([code, info]) => [code, [info.source]]),
  ),
  ...entries(
    'inner codes',
    Object.entries(INNER_CODES).map(([code, info]) => [code, [info.source]]),
  ),
  ...entries(
    'return codes',
    Object.keys(ACLNN_RETURN_CODES).map((code) => [code, [ACLNN_RETURN_SOURCE]]),
  ),
  ...entries(
    'runtime codes',
    Object.keys(RUNTIME_CODES).map((code) => [code, [RUNTIME_CODES_SOURCE]]),
  ),
  ...entries(
    'layouts',
    Object.values(LAYOUTS).map((layout) => [layout.name, [layout.source]]),
  ),
  ...entries(
    'defects',
    DEFECTS.map((defect) => [defect.name, defect.sources]),
  ),
  ...entries('defects', [['null gradient', NULL_GRADIENT_SOURCES]]),
  ...entries('arithmetic', [['rounding', ROUNDING_SOURCES]]),
  ...entries(
    'L1 vectors',
    L1_VECTORS.map((v, i) => [String(i), v.source]),
  ),
];

describe('every entry has a source that is written down', () => {
  it.each([...new Set(ENTRIES.map((e) => e.table))])('%s', (table) => {
    for (const { name, sources } of ENTRIES.filter((e) => e.table === table)) {
      expect(sources.length, name).toBeGreaterThan(0);
      for (const key of sources) expect(Object.keys(SOURCES), name).toContain(key);
    }
  });

  it('and every source says where to look', () => {
    for (const text of Object.values(SOURCES)) expect(text).toMatch(/\w\/\w|^https:/);
  });

  it('what a chip does is sourced, or marked as inferred', () => {
    for (const { sources, inferred } of SOC_FAMILIES)
      expect(inferred ?? false).toBe(sources.every((key) => key.startsWith('plat_')));
  });

  it('no chip, version and release stands twice', () => {
    const unique = (names: readonly string[]) => expect(new Set(names).size).toBe(names.length);
    unique(SOC_NAMES);
    unique(CANN_ERAS.flatMap((era) => era.versions));
    unique(GENERATIONS.map((g) => g.name));
  });
});

const FACTS = new URL('../../../../shared/facts/ascend.json', import.meta.url);

interface Facts {
  readonly sources: Record<string, string>;
  readonly soc_table: readonly { soc: string; short: string; l1: number }[];
  readonly soc_enum_torch_npu: { readonly values: Record<string, number>; readonly source: string };
  readonly compatibility: readonly {
    torch_npu: string;
    branch: string;
    torch: string;
    cann: string;
  }[];
  readonly routing: {
    readonly releases: readonly {
      tag: string;
      torch_npu: string;
      dim3_guard: boolean;
      null_masked: string;
    }[];
  };
  readonly limits: readonly { readonly scope: string }[];
  readonly formats: {
    readonly acl: Record<string, number>;
    readonly ge_extra: Record<string, number>;
  };
  readonly stream_attrs: { readonly enum: Record<string, number> };
  readonly error_codes: readonly {
    code: string;
    title: string | null;
    message: string;
    cause: string | null;
    solution: string | null;
  }[];
  readonly inner_codes: Record<string, string>;
  readonly aclnn_return_codes: Record<string, string>;
  readonly runtime_codes: Record<string, string>;
  readonly op_dtype_format: {
    readonly socs: Record<
      string,
      {
        ops: Record<string, Record<string, { name: string; dtype: string; format: string }>>;
      }
    >;
  };
}

describe.skipIf(!existsSync(FACTS))(
  'as in ../shared/facts/ascend.json (skipped where there is none)',
  () => {
    const facts: Facts = existsSync(FACTS) ? JSON.parse(readFileSync(FACTS, 'utf8')) : {};
    const withoutSource = (codes: Record<string, string>) =>
      Object.fromEntries(Object.entries(codes).filter(([key]) => key !== 'source'));

    it('sources', () => {
      const cited = Object.entries(facts.sources).filter(([key]) => Object.hasOwn(SOURCES, key));
      expect(cited.length).toBeGreaterThan(15);
      for (const [key, text] of cited) expect(SOURCES[key as keyof typeof SOURCES]).toBe(text);
    });

    it('chips', () => {
      expect(facts.soc_table.map((row) => row.soc).sort()).toEqual([...SOC_NAMES].sort());
      for (const row of facts.soc_table)
        expect(findSoc(row.soc)).toMatchObject({ family: row.short, l1: row.l1 });
      expect(SOC_IDS).toEqual(facts.soc_enum_torch_npu.values);
      expect(SOURCES.soc_ids).toBe(facts.soc_enum_torch_npu.source);
    });

    it('versions and releases', () => {
      const versions = CANN_ERAS.flatMap((era) => era.versions);
      for (const { torch_npu, branch, torch, cann } of facts.compatibility) {
        expect(versions).toContain(cann);
        const { release } = npu('Ascend910B1', { cann, torchNpu: branch }).profile;
        expect(release, branch).toMatchObject({ version: torch_npu, torch, cann });
      }
      const rows = GENERATIONS.filter((g) => g.cann !== null);
      const count = rows.reduce((sum, g) => sum + Object.keys(g.releases).length, 0);
      expect(count).toBe(facts.compatibility.length);
    });

    it('what releases do', () => {
      const words: Record<string, string> = { 'if CANN>=8.5.1': 'from CANN 8.5.1' };
      for (const { tag, torch_npu, dim3_guard, null_masked } of facts.routing.releases) {
        const { release } = npu('Ascend910B1', { cann: '9.1.0', torchNpu: tag }).profile;
        expect(release, tag).toMatchObject({
          ...{ version: torch_npu, tag, alwaysAclnn3d: dim3_guard },
          nullMasked: words[null_masked] ?? null_masked,
        });
      }
    });

    it('formats and stream attributes', () => {
      const ids = (table: Record<string, { id: number }>) =>
        Object.fromEntries(Object.entries(table).map(([name, { id }]) => [name, id]));
      expect(ids(ACL_FORMATS)).toEqual(facts.formats.acl);
      expect(ids(GRAPH_FORMATS)).toEqual(facts.formats.ge_extra);
      expect(
        Object.fromEntries(
          Object.entries(STREAM_ATTRIBUTES).map(([name, id]) => [`ACL_STREAM_ATTR_${name}`, id]),
        ),
      ).toEqual(facts.stream_attrs.enum);
    });

    it('codes', () => {
      const given = (text: string | null) => (text === 'N/A' ? null : text);
      for (const { code, title, message, cause, solution } of facts.error_codes)
        expect(ERROR_CODES.get(code), code).toMatchObject({
          ...{ title, text: message, cause: given(cause), solution: given(solution) },
        });
      expect(ERROR_CODES.size).toBe(facts.error_codes.length);
      for (const [code, { meaning }] of Object.entries(INNER_CODES))
        expect(meaning).toBe(facts.inner_codes[code]);
      expect(ACLNN_RETURN_CODES).toEqual(withoutSource(facts.aclnn_return_codes));
      expect(RUNTIME_CODES).toEqual(withoutSource(facts.runtime_codes));
    });

    it('documented bounds and those of the older operators', () => {
      const scope = (text: string) => facts.limits.find((row) => row.scope.startsWith(text)) ?? {};
      const range = (bounds: Bounds, check: string) =>
        bounds.perAxis.find((bound) => bound.check === check)?.range;
      const forward = scope('aclnnConvolution doc forward 3D');
      expect(forward).toMatchObject({
        weight_hw: range(FORWARD_BOUNDS, 'kernel'),
        stride_hw: range(FORWARD_BOUNDS, 'stride'),
        padding_hw: range(FORWARD_BOUNDS, 'padding'),
        dilation_hw: range(FORWARD_BOUNDS, 'dilation'),
        groups: FORWARD_BOUNDS.groups,
        every_dim_max: FORWARD_BOUNDS.size,
        source: FORWARD_BOUNDS.source,
      });
      expect(scope('aclnnConvolutionBackward doc')).toMatchObject({
        weight_hw: range(BACKWARD_BOUNDS, 'kernel'),
        stride_hw: range(BACKWARD_BOUNDS, 'stride'),
        padding_hw: range(BACKWARD_BOUNDS, 'padding'),
        dilation: range(BACKWARD_BOUNDS, 'dilation'),
        groups: BACKWARD_BOUNDS.groups,
        source: BACKWARD_BOUNDS.source,
      });
      const legacy = (name: string, axes: number) =>
        LEGACY_FILTER_BOUNDS.find((b) => b.name === name && b.axes.length === axes)?.range;
      expect(scope('TBE legacy 8.1.RC1 conv3d_backprop_filter_d')).toMatchObject({
        fmap_hw: legacy('x', 2),
        dedy_hw: legacy('out_backprop', 2),
        filter_hw: expect.stringContaining(`[${legacy('filter', 2)}] new`),
        filter_d: legacy('filter', 1)?.[1],
        stride: legacy('stride', 3),
        pad: legacy('pad', 3),
        dilation_hw: legacy('dilation', 2),
        dilation_d: legacy('dilation', 1)?.[1],
        source: LEGACY_SOURCE,
      });
      expect(scope('TBE legacy conv3d_backprop_input_d')).toMatchObject({
        rules: expect.arrayContaining([
          `stride_h*stride_w <= ${LEGACY_STRIDE_PLANE}`,
          `filter h*w*d <= ${LEGACY_TAPS} (as read)`,
        ]),
        source: LEGACY_SOURCE,
      });
    });

    it('dtypes and formats of operators', () => {
      const names: Record<string, string> = {
        ascend910: 'Ascend910',
        ascend310p: 'Ascend310P',
        ascend310b: 'Ascend310B',
        ascend910b: 'Ascend910B',
        ascend910_93: 'Ascend910_93',
      };
      for (const [soc, { ops }] of Object.entries(facts.op_dtype_format.socs)) {
        const table = OPERATOR_TABLES[names[soc]];
        expect(Object.keys(table).sort()).toEqual(Object.keys(ops).sort());
        for (const [operator, tensors] of Object.entries(ops))
          expect(table[operator], `${soc} ${operator}`).toEqual(
            Object.values(tensors).map(({ name, dtype, format }) => ({
              name,
              dtypes: dtype.split(','),
              formats: format.split(','),
            })),
          );
      }
    });
  },
);

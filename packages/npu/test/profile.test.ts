import { existsSync, readFileSync } from 'node:fs';
import { VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { BACKWARD_BOUNDS, FORWARD_BOUNDS } from '../src/checks/bounds.js';
import { CANN_ERAS, npu, SOC_NAMES, SOURCES } from '../src/index.js';
import { findSoc, SOC_FAMILIES } from '../src/profile/socs.js';
import { L1_VECTORS } from './data/l1-vectors.js';

describe('tables', () => {
  it('every row has a source that is written down', () => {
    const cited = new Set<string>();
    for (const row of [...SOC_FAMILIES, ...CANN_ERAS]) {
      expect(row.sources.length).toBeGreaterThan(0);
      for (const key of row.sources) cited.add(key);
    }
    for (const { source } of [FORWARD_BOUNDS, BACKWARD_BOUNDS]) cited.add(source);
    for (const { source } of L1_VECTORS) for (const key of source) cited.add(key);
    for (const key of cited) expect(Object.keys(SOURCES)).toContain(key);
    for (const text of Object.values(SOURCES)) expect(text).toMatch(/\w\/\w|^https:/);
  });

  it('what a chip does is sourced, or marked as inferred', () => {
    for (const { sources, inferred } of SOC_FAMILIES)
      expect(inferred ?? false).toBe(sources.every((key) => key.startsWith('plat_')));
  });

  it('no chip and no version stands twice', () => {
    expect(new Set(SOC_NAMES).size).toBe(SOC_NAMES.length);
    const versions = CANN_ERAS.flatMap((era) => era.versions);
    expect(new Set(versions).size).toBe(versions.length);
  });

  const FACTS = new URL('../../../../shared/facts/ascend.json', import.meta.url);
  it.skipIf(!existsSync(FACTS))(
    'chips and versions equal ../shared/facts/ascend.json (skipped where there is none)',
    () => {
      const facts = JSON.parse(readFileSync(FACTS, 'utf8')) as {
        soc_table: { soc: string; short: string; l1: number }[];
        compatibility: { cann: string }[];
        sources: Record<string, string>;
      };
      expect(facts.soc_table.map((row) => row.soc).sort()).toEqual([...SOC_NAMES].sort());
      for (const row of facts.soc_table)
        expect(findSoc(row.soc)).toMatchObject({ family: row.short, l1: row.l1 });
      const versions = CANN_ERAS.flatMap((era) => era.versions);
      for (const { cann } of facts.compatibility) expect(versions).toContain(cann);
      for (const key of ['dx_check', 'dw_check', 'fwd_check', 'doc_bwd', 'doc_fwd'] as const)
        expect(SOURCES[key]).toBe(facts.sources[key]);
    },
  );
});

describe('unknown names', () => {
  it('an unknown chip is answered with the nearest ones', () => {
    const wrong = () => npu('ascend910b-1', { cann: '8.2.RC1' });
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow(/no SoC is called "ascend910b-1"; .*Ascend910B1/);
  });

  it('an unknown CANN version is answered with the known ones', () => {
    const wrong = () => npu('Ascend910B1', { cann: '8.4' });
    // @ts-expect-error: JavaScript callers may forget the options
    expect(() => npu('Ascend910B1')).toThrow('unknown CANN version undefined');
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow(/unknown CANN version "8\.4"; known versions are 9\.1\.0, .*8\.2\.RC1/);
  });
});

// Parameters after manualSeed, bit for bit those of real PyTorch (test/fixtures/initial_values.*).

import { type DType, manualSeed } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { fixtureTensor, readJson, readSafetensors } from '../../core/test/fixtures.js';
import { build, type ModuleRow } from './build.js';

const fixture = readJson<{
  seeds: number[];
  dtypes: DType[];
  modules: (ModuleRow & { index: number; keys: string[] })[];
}>('initial_values');
const tensors = readSafetensors('initial_values');

describe.each(fixture.seeds)('seed %i', (seed) => {
  it.each(fixture.dtypes)('%s', (dtype) => {
    manualSeed(seed);
    // One after another from one stream, so that what each module draws matters to the next.
    for (const row of fixture.modules) {
      const state = build(row, { dtype }).stateDict();
      expect([...state.keys()]).toEqual(row.keys);
      for (const [key, value] of state) {
        const name = `seed${seed}/${dtype}/${row.index}.${key}`;
        const { data, shape, dtype: kind } = fixtureTensor(tensors, name);
        expect(value.shape, name).toEqual(shape);
        expect(value.dtype, name).toBe(kind);
        expect(value.dataSync(), name).toEqual(data);
      }
    }
  });
});

// nn.init after manualSeed against real PyTorch (test/fixtures/random_streams.*).

import { type DType, manualSeed, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { fixtureTensor, readJson, readSafetensors } from '../../core/test/fixtures.js';
import { numbersOf } from '../../core/test/support/numbers.js';
import { camelCase, emptyTarget } from '../../core/test/support/random-targets.js';
import { init } from '../src/index.js';

interface Row {
  readonly name: string;
  readonly function: string;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly args: readonly number[];
  readonly options: Readonly<Record<string, unknown>>;
}

const fixture = readJson<{ seeds: number[]; init: Row[] }>('random_streams');
const tensors = readSafetensors('random_streams');

function initialised(row: Row): Tensor {
  const fill: unknown = Reflect.get(init, camelCase(row.function));
  if (typeof fill !== 'function') throw new Error(`no init.${row.function}`);
  const made = emptyTarget(row).requiresGrad_();
  const options = Object.keys(row.options).length > 0 ? [row.options] : [];
  expect(Reflect.apply(fill, init, [made, ...row.args, ...options])).toBe(made);
  expect(made.isLeaf && made.requiresGrad).toBe(true);
  return made;
}

/** How far a function may be from PyTorch, in relation to the largest element; 0 is not at all. */
function tolerance({ function: name, dtype }: Row): number {
  if (name === 'orthogonal_') return dtype === 'float64' ? 1e-12 : 2e-6;
  return 0;
}

describe.each(fixture.seeds)('seed %i', (seed) => {
  it.each(fixture.init)('$name', (row) => {
    manualSeed(seed);
    const made = numbersOf(initialised(row));
    const expected = fixtureTensor(tensors, `seed${seed}/init/${row.name}`);
    expect(expected.shape).toEqual(row.shape);
    const numbers = Float64Array.from(expected.data, Number);
    const scale = Math.max(...numbers.map(Math.abs));
    made.forEach((value, i) => {
      const away = Math.abs(value - numbers[i]);
      expect(away, `[${i}]`).toBeLessThanOrEqual(tolerance(row) * scale);
    });
  });
});

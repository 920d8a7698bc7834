// Every random function after manualSeed against real PyTorch (test/fixtures/random_streams.*): equal
// in every bit.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { fixtureTensor, readJson, readSafetensors } from './fixtures.js';
import { numbersOf } from './support/numbers.js';
import { camelCase, emptyTarget, type Target } from './support/random-targets.js';

type Argument =
  | number
  | boolean
  | null
  | readonly number[]
  | { values: vg.NestedList; dtype: vg.DType; transposed?: boolean };

interface Call extends Partial<Target> {
  readonly function: string;
  readonly args?: readonly Argument[];
}

interface Streams {
  readonly seeds: readonly number[];
  readonly streams: readonly { readonly name: string; readonly calls: readonly Call[] }[];
  /** Draws of 50000 numbers; one hash for each seed. */
  readonly long: readonly {
    readonly name: string;
    readonly call: Call;
    readonly sha256: string[];
  }[];
}

type AnyFunction = (...args: unknown[]) => vg.Tensor;

const lookUp = (home: object, name: string): AnyFunction => {
  const found: unknown = Reflect.get(home, name);
  if (typeof found !== 'function') throw new Error(`no function ${name}`);
  return (...args) => Reflect.apply(found, home, args);
};

function argumentOf(value: Argument): unknown {
  if (typeof value !== 'object' || value === null || !('dtype' in value)) return value;
  const made = vg.tensor(value.values, { dtype: value.dtype });
  return value.transposed ? made.transpose(0, 1).contiguous().transpose(0, 1) : made;
}

function draw(call: Call): vg.Tensor {
  const { args = [], dtype, layout, shape } = call;
  const name = camelCase(call.function);
  const given = args.map(argumentOf);
  if (!shape || !dtype) return lookUp(vg, name)(...given, ...(dtype ? [{ dtype }] : []));
  const target = emptyTarget({ shape, dtype, layout });
  return name.endsWith('_') ? lookUp(target, name)(...given) : lookUp(vg, name)(target, ...given);
}

const fixture = readJson<Streams>('random_streams');
const tensors = readSafetensors('random_streams');
const cases = fixture.seeds.flatMap((seed) =>
  fixture.streams.map(({ name, calls }) => ({ name: `seed${seed}/${name}`, seed, calls })),
);

it.each(cases)('$name', ({ name, seed, calls }) => {
  vg.manualSeed(seed);
  calls.forEach((call, index) => {
    const expected = fixtureTensor(tensors, `${name}/${index}`);
    const actual = draw(call);
    expect(actual.shape).toEqual(expected.shape);
    expect(actual.dtype).toBe(expected.dtype);
    expect(actual.dataSync()).toEqual(expected.data);
  });
});

const sha256 = (drawn: vg.Tensor): string =>
  createHash('sha256').update(numbersOf(drawn)).digest('hex');

describe.each(fixture.long)('50000 draws: $name', ({ call, sha256: hashes }) => {
  it.each(fixture.seeds.map((seed, i) => [seed, hashes[i]] as const))('seed %i', (seed, hash) => {
    vg.manualSeed(seed);
    expect(sha256(draw(call))).toBe(hash);
  });
});

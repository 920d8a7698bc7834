// Every random function after manualSeed against real PyTorch (test/fixtures/random_streams.*).

import { expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { type FixtureTensor, fixtureTensor, readJson, readSafetensors } from './fixtures.js';
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

/** What goes through a logarithm, an exponential, a sine or a tangent in float64. */
const isTranscendental = ({ function: name }: Call, { dtype }: FixtureTensor) =>
  dtype === 'float64' && /normal|randn|cauchy|exponential/.test(name);

/** Steps of float64 between two numbers. */
function steps(a: number, b: number): number {
  const words = new BigInt64Array(Float64Array.of(Math.abs(a), Math.abs(b)).buffer);
  return Math.sign(a) === Math.sign(b) || a === b
    ? Math.abs(Number(words[0] - words[1]))
    : Infinity;
}

/** For each function, how many numbers were how many steps away. */
const tallies = new Map<string, number[]>();
function tally(name: string, away: number) {
  const counts = tallies.get(name) ?? [];
  counts[away] = (counts[away] ?? 0) + 1;
  tallies.set(name, counts);
}

it.each(cases)('$name', ({ name, seed, calls }) => {
  vg.manualSeed(seed);
  calls.forEach((call, index) => {
    const expected = fixtureTensor(tensors, `${name}/${index}`);
    const actual = draw(call);
    expect(actual.shape).toEqual(expected.shape);
    expect(actual.dtype).toBe(expected.dtype);
    if (!isTranscendental(call, expected)) {
      expect(actual.dataSync()).toEqual(expected.data);
      return;
    }
    actual.dataSync().forEach((value: number | bigint, i: number) => {
      const away = steps(Number(value), Number(expected.data[i]));
      tally(call.function, away);
      expect(away, `${name}/${index}[${i}]: ${value}`).toBeLessThanOrEqual(1);
    });
  });
});

it('float64: the C library under PyTorch rounds the last bit of few the other way', () => {
  expect([...tallies.keys()].sort()).toEqual(
    ['cauchy_', 'exponential_', 'log_normal_', 'normal', 'normal_', 'randn'].sort(),
  );
  for (const [name, [same, different = 0]] of tallies)
    expect(different / same, name).toBeLessThan(0.01);
});

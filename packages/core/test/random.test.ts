// Generators and fills on host arrays; the streams of tensors are in random-streams.test.ts.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { VoxgradError } from '../src/errors.js';
import {
  bernoulliFrom,
  type FloatDType,
  fillBernoulli,
  fillNormal,
  fillPermutation,
  fillRandint,
  fillUniform,
} from '../src/random/fill.js';
import { fma32, fma64 } from '../src/random/fma.js';
import { defaultGenerator, Generator, manualSeed } from '../src/random/generator.js';
import { Mt19937 } from '../src/random/mt19937.js';

type FloatHost = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

const floats = (dtype: FloatDType, size: number): FloatHost =>
  dtype === 'float32' ? new Float32Array(size) : new Float64Array(size);

const filled = <A>(out: A, fill: (out: A) => void): A => {
  fill(out);
  return out;
};

/** The next words of a generator, to see where it stands. */
const nextWords = (generator: Generator) => Array.from({ length: 5 }, () => generator.uint32());

const uniforms = (generator: Generator, size: number) =>
  filled(new Float64Array(size), (out) => fillUniform(out, 'float64', 0, 1, generator));

const normals = (generator: Generator, size: number) =>
  filled(new Float64Array(size), (out) => fillNormal(out, 'float64', 0, 1, generator));

const seeds = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });

describe('the streams of PyTorch that are not in the fixtures', () => {
  it('integers of 64 bits', () => {
    const randint = (low: bigint, high: bigint, size: number, seed = 0) =>
      filled(new BigInt64Array(size), (out) => fillRandint(out, low, high, new Generator(seed)));
    // torch.manual_seed(0); torch.randint(low, high, (size,))
    expect([...randint(-(2n ** 62n), 2n ** 62n, 3)]).toEqual([
      -3711235831533098449n,
      -642142871786238784n,
      -2716036421228801285n,
    ]);
    expect([...randint(-(2n ** 63n), 2n ** 63n - 1n, 2)]).toEqual([
      900450186894289455n,
      3969543146641149120n,
    ]);
    expect([...randint(2n ** 62n, 2n ** 62n + 1000n, 2)]).toEqual([
      4611686018427387948n,
      4611686018427388143n,
    ]);
    // Where the range needs a second word:
    expect([...randint(0n, 2n ** 32n, 2)]).toEqual([2546248239n, 3626093760n]);
    expect([...randint(0n, 2n ** 32n - 1n, 2)]).toEqual([2357136044n, 2546248239n]);
  });

  it('integers in other arrays', () => {
    const out = new Int8Array(6);
    fillRandint(out, -128, 128, new Generator(0));
    expect([...out]).toEqual([44, -81, -11, 64, -61, 123]);
    expect(filled([0, 0], (list) => fillRandint(list, 5, 6, new Generator(0)))).toEqual([5, 5]);
  });

  it('one probability for each element', () => {
    const linspace = Array.from({ length: 12 }, (_, i) => i / 11);
    const bernoulli = (dtype: FloatDType) => {
      const probabilities = filled(floats(dtype, 12), (to) => to.set(linspace));
      const out = new Uint8Array(12);
      bernoulliFrom(probabilities, dtype, out, new Generator(3));
      return out.join('');
    };
    expect(bernoulli('float64')).toBe('000100111111');
    expect(bernoulli('float32')).toBe('000101001011');
  });

  it('the cached sample crosses dtypes and survives blocks', () => {
    const generator = new Generator(3);
    fillNormal(new Float32Array(3), 'float32', 0, 1, generator);
    fillNormal(new Float32Array(20), 'float32', 0, 1, generator);
    expect(normals(generator, 1)[0]).toBe(-0.6137180077293578);
    expect(uniforms(generator, 1)[0]).toBe(0.04922403093343142);
  });
});

describe('Mt19937', () => {
  it('gives the 10000th number that the C++ standard asks for', () => {
    const engine = new Mt19937(5489);
    for (let i = 1; i < 10000; i++) engine.nextUint32();
    expect(engine.nextUint32()).toBe(4123659995);
  });

  it('refuses a state that is none', () => {
    const engine = new Mt19937(0);
    const words = new Uint32Array(624);
    const wrong = [
      { words: new Uint32Array(3), left: 1, next: 0 },
      { words, left: 0, next: 0 },
      { words, left: 625, next: 0 },
      { words, left: 1, next: 625 },
      { words, left: 600, next: 26 },
      { words, left: 1.5, next: 0 },
    ];
    for (const state of wrong)
      expect(() => engine.setState(state)).toThrow('Invalid mt19937 state');
  });
});

describe('Generator', () => {
  it('wraps negative seeds and keeps all 64 bits', () => {
    expect(new Generator(-1).initialSeed).toBe(0xffff_ffff_ffff_ffffn);
    expect(uniforms(new Generator(-1), 2)).toEqual(
      Float64Array.of(0.9503951604874923, 0.5600645841090078),
    );
    expect(new Generator(2 ** 40 + 1).initialSeed).toBe(2n ** 40n + 1n);
    expect(new Generator().initialSeed).toBe(67280421310721n);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 64n, -(2n ** 63n) - 1n])(
    'refuses %s as a seed',
    (seed) => {
      expect(() => new Generator(seed)).toThrow(VoxgradError);
    },
  );

  it('starts over at every seed, whatever was drawn before', () => {
    fc.assert(
      fc.property(seeds, seeds, fc.nat(40), fc.nat(1000), (before, seed, normal, words) => {
        const used = new Generator(before);
        normals(used, normal);
        for (let i = 0; i < words; i++) used.uint32();
        const fresh = new Generator(seed);
        expect(used.manualSeed(seed)).toBe(used);
        expect(normals(used, 3)).toEqual(normals(fresh, 3));
        expect(nextWords(used)).toEqual(nextWords(fresh));
        expect(used.initialSeed).toBe(fresh.initialSeed);
      }),
    );
  });

  it('takes the lower 32 bits of a seed into the stream', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const lower = new Generator(BigInt.asUintN(32, seed));
        expect(nextWords(new Generator(seed))).toEqual(nextWords(lower));
      }),
    );
  });

  it('continues from a saved state, with the cached sample', () => {
    fc.assert(
      fc.property(seeds, fc.nat(15), fc.nat(1300), (seed, normal, words) => {
        const original = new Generator(seed);
        normals(original, normal);
        for (let i = 0; i < words; i++) original.uint32();
        const state = original.getState();
        const expected = [...normals(original, 5), ...nextWords(original)];
        for (const generator of [original, new Generator(0)]) {
          generator.setState(state);
          expect([...normals(generator, 5), ...nextWords(generator)]).toEqual(expected);
          expect(generator.initialSeed).toBe(BigInt.asUintN(64, seed));
        }
      }),
    );
  });

  it('has one default for all copies of the package', async () => {
    vi.resetModules();
    const other = await import('../src/random/generator.js');
    expect(other.manualSeed).not.toBe(manualSeed);
    expect(manualSeed(7)).toBe(other.defaultGenerator());
    expect(nextWords(other.defaultGenerator())).toEqual(nextWords(new Generator(7)));
    other.manualSeed(8);
    expect(nextWords(defaultGenerator())).toEqual(nextWords(new Generator(8)));
  });
});

describe('filling', () => {
  const dtypes: FloatDType[] = ['float32', 'float64'];
  const fills: Record<string, (out: FloatHost, dtype: FloatDType, generator: Generator) => void> = {
    fillUniform: (out, dtype, generator) => fillUniform(out, dtype, -1, 2, generator),
    fillBernoulli: (out, _, generator) => fillBernoulli(out, 0.4, generator),
    fillRandint: (out, _, generator) => fillRandint(out, -9, 9, generator),
    bernoulliFrom: (out, dtype, generator) =>
      bernoulliFrom(new Array(out.length).fill(0.4), dtype, out, generator),
    'fillNormal in chunks below 16': (out, dtype, generator) => {
      for (let i = 0; i < out.length; i += 15)
        fillNormal(out.subarray(i, i + 15), dtype, 1, 3, generator);
    },
  };

  it.each(Object.entries(fills))('%s does not depend on the chunks', (_, fill) => {
    const chunks = fc.array(fc.nat(12), { maxLength: 12 });
    fc.assert(
      fc.property(seeds, fc.constantFrom(...dtypes), chunks, (seed, dtype, sizes) => {
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const whole = new Generator(seed);
        const parts = new Generator(seed);
        const expected = floats(dtype, total);
        fill(expected, dtype, whole);
        const actual = floats(dtype, total);
        let at = 0;
        for (const size of sizes) {
          fill(actual.subarray(at, at + size), dtype, parts);
          at += size;
        }
        expect(actual).toEqual(expected);
        expect(nextWords(parts)).toEqual(nextWords(whole));
      }),
    );
  });

  it.each(dtypes)('%s normal numbers: the last 16 are drawn again', (dtype) => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 17, max: 31 }), (seed, size) => {
        const generator = new Generator(seed);
        const out = floats(dtype, size);
        fillNormal(out, dtype, 0, 1, generator);
        // The same words: `size` uniforms first, of which 16 become a block, then 16 for the end.
        const again = new Generator(seed);
        const head = floats(dtype, 16);
        fillNormal(head, dtype, 0, 1, again);
        fillUniform(floats(dtype, size - 16), dtype, 0, 1, again);
        const tail = floats(dtype, 16);
        fillNormal(tail, dtype, 0, 1, again);
        expect(out).toEqual(
          filled(floats(dtype, size), (to) => {
            to.set(head);
            to.set(tail, size - 16);
          }),
        );
        expect(nextWords(generator)).toEqual(nextWords(again));
      }),
    );
  });

  it('permutes', () => {
    fc.assert(
      fc.property(seeds, fc.nat(60), (seed, size) => {
        const out = filled(new BigInt64Array(size), (to) =>
          fillPermutation(to, new Generator(seed)),
        );
        const ordered = Array.from({ length: size }, (_, i) => BigInt(i));
        expect([...out.slice().sort()]).toEqual(ordered);
        const narrow = filled(new Int32Array(size), (to) =>
          fillPermutation(to, new Generator(seed)),
        );
        expect([...narrow].map(BigInt)).toEqual([...out]);
      }),
    );
  });

  it('gives normal numbers with the moments asked for', () => {
    for (const dtype of dtypes) {
      const out = Array.from(floats(dtype, 40000));
      fillNormal(out, dtype, -2, 3, new Generator(11));
      const mean = out.reduce((sum, value) => sum + value, 0) / out.length;
      const square = out.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      expect(mean).toBeCloseTo(-2, 1);
      expect(Math.sqrt(square / out.length)).toBeCloseTo(3, 1);
    }
  });

  it('refuses what PyTorch refuses', () => {
    const generator = new Generator(0);
    const out = new Float64Array(3);
    expect(() => fillUniform(out, 'float64', 3, 2, generator)).toThrow(
      'uniform_ expects to return a [from, to) range, but found from=3 > to=2',
    );
    expect(() => fillNormal(out, 'float64', 0, -1, generator)).toThrow(
      'normal expects std >= 0.0, but found std -1',
    );
    expect(() => fillBernoulli(out, 1.5, generator)).toThrow(
      'bernoulli_ expects p to be in [0, 1], but got p=1.5',
    );
    expect(() => bernoulliFrom([0, Number.NaN, 0], 'float64', out, generator)).toThrow(/NaN/);
    expect(() => bernoulliFrom([0], 'float64', out, generator)).toThrow(/one probability for each/);
    expect(() => fillRandint(out, 3, 3, generator)).toThrow(
      "random_ expects 'from' to be less than 'to', but got from=3 >= to=3",
    );
    expect(() => fillRandint(out, 0, 1.5, generator)).toThrow(/'to' to be an integer/);
    expect(nextWords(generator)).toEqual(nextWords(new Generator(0)));
  });
});

describe('fused multiply-add', () => {
  /** An integer rounded to `bits` binary digits, ties to even. */
  function round(value: bigint, bits: number): bigint {
    const magnitude = value < 0n ? -value : value;
    const dropped = BigInt(Math.max(0, magnitude.toString(2).length - bits));
    const unit = 1n << dropped;
    const [quotient, twice] = [magnitude / unit, 2n * (magnitude % unit)];
    const up = twice > unit || (twice === unit && quotient % 2n === 1n);
    const rounded = (quotient + (up ? 1n : 0n)) * unit;
    return value < 0n ? -rounded : rounded;
  }

  /** Integers of `bits` digits, many of them next to powers of two, where ties come from. */
  const operand = (bits: number) => {
    const max = 2 ** bits - 1;
    const nearPower = fc
      .tuple(fc.nat(bits - 1), fc.integer({ min: -1, max: 1 }), fc.constantFrom(-1, 1))
      .map(([power, offset, sign]) => sign * (2 ** power + offset));
    return fc.oneof(fc.integer({ min: -max, max }), nearPower);
  };

  it.each([
    ['fma32', fma32, 24],
    ['fma64', fma64, 53],
  ] as const)('%s rounds once', (_, fma, bits) => {
    const term = fc.tuple(operand(bits), fc.nat(2 * bits + 2)).map(([m, power]) => m * 2 ** power);
    fc.assert(
      fc.property(operand(bits), operand(bits), term, (a, b, c) => {
        const exact = BigInt(a) * BigInt(b) + BigInt(c);
        expect(BigInt(fma(a, b, c))).toBe(round(exact, bits));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps a product that only just misses a tie', () => {
    const c = 2 ** 113 + 2 ** 61; // odd in units of 2^61
    expect((2 ** 30 + 1) * (2 ** 30 - 1) + c).toBe(c + 2 ** 61);
    expect(fma64(2 ** 30 + 1, 2 ** 30 - 1, c)).toBe(c);
    expect(fma32(2 ** 12 + 1, 2 ** 12 - 1, 2 ** 48 + 2 ** 25)).toBe(2 ** 48 + 2 ** 25);
  });

  it('stays finite where the splitting of a product would not', () => {
    expect(fma64(0.5, 2 ** 1023, 1)).toBe(2 ** 1022);
  });
});

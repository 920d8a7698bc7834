// Element types: promotion, conversion and arithmetic as in PyTorch. What is marked [R] was printed
// by PyTorch 1.13 on x86.

import { afterEach, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

afterEach(() => vg.setDefaultDtype('float32'));

// ---- promotion: torch.result_type [R] ----

/** One letter per dtype, in the order of rows and columns of the tables. */
const LETTERS: readonly (readonly [letter: string, dtype: vg.DType])[] = [
  ['d', 'float64'],
  ['f', 'float32'],
  ['h', 'float16'],
  ['b', 'bfloat16'],
  ['l', 'int64'],
  ['i', 'int32'],
  ['s', 'int16'],
  ['c', 'int8'],
  ['8', 'uint8'],
  ['?', 'bool'],
];

/** Two operands with dims, or two without: torch.result_type(ones([1]), ones([1])). */
const SAME_CLASS = [
  'dddddddddd',
  'dfffffffff',
  'dfhfhhhhhh',
  'dffbbbbbbb',
  'dfhbllllll',
  'dfhbliiiii',
  'dfhblissss',
  'dfhbliscsc',
  'dfhbliss88',
  'dfhblisc8?',
];

/** Rows have dims, columns have none: torch.result_type(ones([1]), ones([])). */
const WITH_ZERO_DIM = [
  'dddddddddd',
  'ffffffffff',
  'hhhhhhhhhh',
  'bbbbbbbbbb',
  'dfhbllllll',
  'dfhbiiiiii',
  'dfhbssssss',
  'dfhbcccccc',
  'dfhb888888',
  'dfhblisc8?',
];

/** Columns as rows above, rows: a Python bool, int and float. */
const WITH_NUMBER: readonly (readonly [number | boolean, string])[] = [
  [true, 'dfhblisc8?'],
  [1, 'dfhblisc8l'],
  [1.5, 'dfhbffffff'],
];

const dtypeOf = (letter: string) => LETTERS.find(([l]) => l === letter)?.[1];
const operand = (dtype: vg.DType, ...shape: number[]) => ({ dtype, shape });

describe('promotion', () => {
  const everyPair = LETTERS.flatMap(([, a], i) => LETTERS.map(([, b], j) => ({ a, b, i, j })));

  it.each(everyPair)('$a with $b', ({ a, b, i, j }) => {
    const same = dtypeOf(SAME_CLASS[i][j]);
    expect(vg.resultType(operand(a, 1), operand(b, 2, 2))).toBe(same);
    expect(vg.resultType(operand(a), operand(b))).toBe(same);
    expect(vg.promoteTypes(a, b)).toBe(same);
    expect(vg.resultType(operand(a, 1), operand(b))).toBe(dtypeOf(WITH_ZERO_DIM[i][j]));
    expect(vg.resultType(operand(b), operand(a, 1))).toBe(dtypeOf(WITH_ZERO_DIM[i][j]));
  });

  it.each(WITH_NUMBER)('with the number %s', (value, row) => {
    LETTERS.forEach(([, dtype], j) => {
      expect(vg.resultType(operand(dtype, 1), value)).toBe(dtypeOf(row[j]));
      expect(vg.resultType(operand(dtype), value)).toBe(dtypeOf(row[j]));
    });
  });

  it('takes fractions for the default dtype, and bigints for int64', () => {
    vg.setDefaultDtype('float64');
    expect(vg.resultType(operand('int8', 1), 0.5)).toBe('float64');
    expect(vg.resultType(operand('bool', 1), 1n)).toBe('int64');
    expect(() => vg.setDefaultDtype('int64')).toThrow('only floating-point types are supported');
  });

  it('of results [R]: + 1, × 1.5, ÷ 2, sum, exp, sqrt', () => {
    const computed = LETTERS.filter(([, dtype]) => vg.cpu.capabilities.computes.has(dtype));
    const table = computed.map(([letter, dtype]) => {
      const x = vg.ones([1], { dtype });
      const results = [x.add(1), x.mul(1.5), x.div(2), x.sum(), x.exp(), x.sqrt()];
      return letter + results.map((y) => LETTERS.find(([, d]) => d === y.dtype)?.[0]).join('');
    });
    expect(table).toEqual([
      'ddddddd',
      'fffffff',
      'llfflff',
      'iifflff',
      'ssfflff',
      'ccfflff',
      '88fflff',
      '?lfflff',
    ]);
  });
});

// ---- conversion ----

describe('conversion', () => {
  const convert = (values: vg.NestedList, from: vg.DType, to: vg.DType) =>
    vg.tensor(values, { dtype: from }).to(to).tolist();

  it('of floats to integers truncates, then wraps [R]', () => {
    expect(convert([1.7, -1.7, 300, -5], 'float32', 'int8')).toEqual([1, -1, 44, -5]);
    expect(convert([1.7, -1.7, 300, -5], 'float32', 'uint8')).toEqual([1, 255, 44, 251]);
  });

  it('of what int64 cannot hold gives its smallest value [R]', () => {
    const outside = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e30];
    const smallest = -(2n ** 63n);
    expect(convert(outside, 'float64', 'int64')).toEqual(outside.map(() => smallest));
  });

  it('of int64 wraps from the exact value [R]', () => {
    const wide = [2n ** 40n + 5n, -1n, 2n ** 63n - 1n];
    expect(convert(wide, 'int64', 'int32')).toEqual([5, -1, -1]);
    expect(convert(wide, 'int64', 'int16')).toEqual([5, -1, -1]);
    expect(convert([...wide.slice(0, 2), 300n], 'int64', 'uint8')).toEqual([5, 255, 44]);
  });

  it('of int64 to floats rounds to even [R]', () => {
    expect(convert([2n ** 53n + 1n], 'int64', 'float64')).toEqual([2 ** 53]);
    expect(convert([2n ** 53n + 1n], 'int64', 'float32')).toEqual([2 ** 53]);
  });

  it('to bool: everything but 0 is true, NaN too [R]', () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, 0, -0, 0.1];
    const truth = [true, true, false, false, true];
    for (const dtype of ['float64', 'float32', 'float16', 'bfloat16'] as const)
      expect(convert(values, dtype, 'bool')).toEqual(truth);
    expect(convert([0n, 2n ** 40n], 'int64', 'bool')).toEqual([false, true]);
  });

  it('between all pairs keeps small whole numbers', () => {
    for (const from of vg.DTYPES)
      for (const to of vg.DTYPES) {
        const back = vg.tensor([0, 1], { dtype: from }).to(to).to('float64');
        expect(back.tolist(), `${from} to ${to}`).toEqual([0, 1]);
      }
  });
});

// ---- 16-bit floats ----

describe('16-bit floats', () => {
  const words = Uint16Array.from({ length: 2 ** 16 }, (_, word) => word);

  /** IEEE 754: sign, exponent, fraction. */
  function valueOf(word: number, exponentBits: number): number {
    const fractionBits = 15 - exponentBits;
    const bias = 2 ** (exponentBits - 1) - 1;
    const sign = word >> 15 ? -1 : 1;
    const exponent = (word >> fractionBits) & (2 ** exponentBits - 1);
    const fraction = (word & (2 ** fractionBits - 1)) / 2 ** fractionBits;
    if (exponent === 2 ** exponentBits - 1)
      return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    if (exponent === 0) return sign * fraction * 2 ** (1 - bias);
    return sign * (1 + fraction) * 2 ** (exponent - bias);
  }

  const KINDS = [
    ['float16', 5],
    ['bfloat16', 8],
  ] as const;

  it.each(KINDS)('every word of %s is its value by IEEE 754, and back', (dtype, exponentBits) => {
    const raw = vg.tensor(words, { dtype });
    for (const wide of ['float32', 'float64'] as const) {
      const values = raw.to(wide);
      const expected = Float64Array.from(words, (word) => valueOf(word, exponentBits));
      expect(values.to('float64').dataSync()).toEqual(expected);
      const back = values.to(dtype).dataSync();
      const changed = words.filter((w, i) => !Number.isNaN(expected[i]) && back[i] !== w);
      expect([...changed]).toEqual([]);
      expect([...back].map((w) => Number.isNaN(valueOf(Number(w), exponentBits)))).toEqual(
        Array.from(expected, Number.isNaN),
      );
    }
  });

  it.each(KINDS)('%s rounds to the nearest, ties to even', (dtype, exponentBits) => {
    const finite = [...words.slice(0, 2 ** 15 - 1)].filter((word) =>
      Number.isFinite(valueOf(word + 1, exponentBits)),
    );
    const between = (word: number, share: number) => {
      const [low, high] = [valueOf(word, exponentBits), valueOf(word + 1, exponentBits)];
      return low + (high - low) * share;
    };
    const rounded = (share: number) => {
      const values = Float64Array.from(finite, (word) => between(word, share));
      return [...vg.tensor(values).to(dtype).dataSync()];
    };
    expect(rounded(0.25)).toEqual(finite);
    expect(rounded(0.5)).toEqual(finite.map((word) => word + (word % 2)));
    expect(rounded(0.75)).toEqual(finite.map((word) => word + 1));
  });

  it('float64 goes by way of float32 [R]', () => {
    const h = [1 + 2 ** -11 + 2 ** -40, 1 + 3 * 2 ** -11, 65519.99, 65520, 2 ** -25, -0];
    expect([...vg.tensor(h, { dtype: 'float64' }).to('float16').dataSync()]).toEqual([
      0x3c00, 0x3c02, 0x7bff, 0x7c00, 0, 0x8000,
    ]);
    const b = [1 + 2 ** -8 + 2 ** -40, 1 + 3 * 2 ** -8, 3.4e38, 3.39e38, Number.NaN, 1e-45];
    expect([...vg.tensor(b, { dtype: 'float64' }).to('bfloat16').dataSync()]).toEqual([
      0x3f80, 0x3f82, 0x7f80, 0x7f7f, 0x7fc0, 0,
    ]);
  });
});

// ---- arithmetic ----

describe('integer arithmetic wraps [R]', () => {
  const of = (value: number | bigint, dtype: vg.DType) => vg.tensor([value], { dtype });

  it.each([
    ['int32 + 1', of(2 ** 31 - 1, 'int32').add(1), [-(2 ** 31)]],
    ['int32 squared', of(2 ** 31 - 1, 'int32').square(), [1]],
    ['int64 + 1', of(2n ** 63n - 1n, 'int64').add(1), [-(2n ** 63n)]],
    ['int64 · 3', of(2n ** 63n - 1n, 'int64').mul(3), [2n ** 63n - 3n]],
    ['uint8 + 1', of(255, 'uint8').add(1), [0]],
    ['uint8 · 2', of(255, 'uint8').mul(2), [254]],
    ['−uint8', of(255, 'uint8').neg(), [1]],
    ['int64 power', vg.tensor([2n, 3n]).pow(vg.tensor([3n, 2n])), [8n, 9n]],
    ['int64 ÷ 2 is a float', vg.tensor([7n, -7n]).div(2), [3.5, -3.5]],
    ['bool + bool is or', vg.tensor([true, false]).add(vg.tensor([true, false])), [true, false]],
  ])('%s', (_, got, expected) => expect(got.tolist()).toEqual(expected));
});

describe('special values [R]', () => {
  const NaN_ = Number.NaN;
  it.each([
    ['round to even', vg.tensor([0.5, 1.5, 2.5, -0.5, -1.5]).round(), [0, 2, 2, -0, -2]],
    ['sign of NaN', vg.tensor([NaN_]).sign(), [0]],
    ['amax with NaN', vg.tensor([1, NaN_, 3]).amax(), NaN_],
    ['argmax with NaN', vg.tensor([1, NaN_, 3]).argmax(), 1n],
    ['argmax takes the first', vg.tensor([2, 5, 5]).argmax(), 1n],
    ['maximum with NaN', vg.tensor([1]).maximum(vg.tensor([NaN_])), [NaN_]],
    ['root of a negative', vg.tensor([-8]).pow(1 / 3), [NaN_]],
    ['relu keeps NaN', vg.tensor([NaN_]).relu(), [NaN_]],
    ['mean of nothing', vg.zeros([0]).mean(), NaN_],
    ['sum of nothing', vg.zeros([0]).sum(), 0],
    ['softmax of large scores', vg.tensor([1e30, 1e30]).softmax(0), [0.5, 0.5]],
    ['logsumexp of −∞', vg.tensor([-Infinity, -Infinity]).logsumexp(0), -Infinity],
  ])('%s', (_, got, expected) => expect(got.tolist()).toEqual(expected));
});

// Cases of the kernels that only save passes over memory. Their right answers are the formulas,
// written out in float64.

import { cpu } from '../../cpu/device.js';
import type { AxisWindows, Kernels, PoolGeometry } from '../../device/device.js';
import type { Triple } from '../../ops/conv/geometry.js';
import { volume } from '../../ops/conv/geometry.js';
import type { DType } from '../../tensor/dtype.js';
import { numelOf } from '../../tensor/shape.js';
import type { Case } from './cases.js';
import { Reference, type Values } from './reference.js';

type Row = Omit<Case, 'features'>;

/** Calls `visit(i, c)` for each element of `[N, C, …]` and its channel. */
function eachElement(shape: readonly number[], visit: (at: number, channel: number) => void): void {
  const inner = numelOf(shape.slice(2));
  for (let i = 0; i < numelOf(shape); i++) visit(i, Math.floor(i / inner) % shape[1]);
}

const NORM_SHAPES = [
  [2, 3, 3, 4, 5],
  [3, 2, 7],
];

/** Mean and biased variance of each channel. */
function statistics(x: Values): { mean: number[]; variance: number[] } {
  const channels = x.shape[1];
  const count = x.numbers.length / channels;
  const mean = new Array<number>(channels).fill(0);
  const variance = new Array<number>(channels).fill(0);
  eachElement(x.shape, (i, c) => {
    mean[c] += x.numbers[i] / count;
  });
  eachElement(x.shape, (i, c) => {
    variance[c] += (x.numbers[i] - mean[c]) ** 2 / count;
  });
  return { mean, variance };
}

const EPS = 1e-3;

function batchNorm(dtype: DType, kernel: 'batchNorm' | 'batchNormRelu' = 'batchNorm'): Row[] {
  return NORM_SHAPES.flatMap((shape) =>
    [true, false].map((affine): Row => {
      const at = new Reference(dtype);
      const [x, w, b] = [shape, [shape[1]], [shape[1]]].map((s) => at.draw(s));
      const { mean, variance } = statistics(x);
      const y = x.numbers.slice();
      eachElement(shape, (i, c) => {
        const normal = (x.numbers[i] - mean[c]) / Math.sqrt(variance[c] + EPS);
        y[i] = affine ? normal * w.numbers[c] + b.numbers[c] : normal;
        if (kernel === 'batchNormRelu') y[i] = Math.max(0, y[i]);
      });
      return {
        name: `[${shape}]${affine ? ' with weight and bias' : ''}`,
        expected: {
          y: at.values(shape, y),
          mean: at.values([shape[1]], mean),
          variance: at.values([shape[1]], variance),
        },
        run: ({ [kernel]: run }, device) => {
          const [weight, bias] = affine ? [w.on(device), b.on(device)] : [null, null];
          return run ? { ...run(x.on(device), weight, bias, EPS) } : {};
        },
      };
    }),
  );
}

/** arXiv:1502.03167, section 3. */
function batchNormBackward(
  dtype: DType,
  kernel: 'batchNormBackward' | 'batchNormReluBackward' = 'batchNormBackward',
): Row[] {
  const relu = kernel === 'batchNormReluBackward';
  return NORM_SHAPES.map((shape): Row => {
    const at = new Reference(dtype);
    const [x, g, w, b] = [shape, shape, [shape[1]], [shape[1]]].map((s) => at.draw(s));
    const { mean, variance } = statistics(x);
    const channels = shape[1];
    const [dw, db] = [new Array<number>(channels).fill(0), new Array<number>(channels).fill(0)];
    const inverse = variance.map((v) => 1 / Math.sqrt(v + EPS));
    const normal = (i: number, c: number) => (x.numbers[i] - mean[c]) * inverse[c];
    const passes = (i: number, c: number) =>
      !relu || normal(i, c) * w.numbers[c] + b.numbers[c] > 0;
    const passed = g.numbers.slice();
    eachElement(shape, (i, c) => {
      if (!passes(i, c)) passed[i] = 0;
      dw[c] += passed[i] * normal(i, c);
      db[c] += passed[i];
    });
    const count = x.numbers.length / channels;
    const dx = x.numbers.slice();
    eachElement(shape, (i, c) => {
      const centred = passed[i] - db[c] / count - (normal(i, c) * dw[c]) / count;
      dx[i] = w.numbers[c] * inverse[c] * centred;
    });
    return {
      name: `[${shape}]`,
      expected: {
        input: at.values(shape, dx),
        weight: at.values([channels], dw),
        bias: at.values([channels], db),
      },
      run({ [kernel]: run }, device) {
        const known = {
          mean: at.values([channels], mean).on(device),
          variance: at.values([channels], variance).on(device),
          eps: EPS,
          bias: relu ? b.on(device) : null,
        };
        const needs = [true, true, true] as const;
        const [input, weight, bias] =
          run?.(g.on(device), x.on(device), w.on(device), known, needs) ?? [];
        return { input, weight, bias };
      },
    };
  });
}

function channelAffine(dtype: DType): Row[] {
  return NORM_SHAPES.map((shape): Row => {
    const at = new Reference(dtype);
    const [x, scale, shift] = [shape, [shape[1]], [shape[1]]].map((s) => at.draw(s));
    const y = x.numbers.slice();
    eachElement(shape, (i, c) => {
      y[i] = x.numbers[i] * scale.numbers[c] + shift.numbers[c];
    });
    return {
      name: `[${shape}]`,
      expected: { output: at.values(shape, y) },
      run: ({ channelAffine: run }, device) => ({
        output: run?.(x.on(device), scale.on(device), shift.on(device)),
      }),
    };
  });
}

function reluBackward(dtype: DType): Row[] {
  const at = new Reference(dtype);
  const [g, y] = [at.draw([3, 5]), at.draw([3, 5])];
  y.numbers.set([0, Number.NaN], 3);
  const right = g.numbers.map((n, i) => (y.numbers[i] <= 0 ? 0 : n));
  return [
    {
      name: 'positive, negative, 0 and NaN',
      expected: { input: at.values([3, 5], right) },
      run: ({ reluBackward: run }, device) => ({ input: run?.(g.on(device), y.on(device)) }),
    },
  ];
}

function adamStep(dtype: DType): Row[] {
  return [false, true].map((amsgrad): Row => {
    const at = new Reference(dtype);
    const [p, g, m] = [at.draw([7]), at.draw([7]), at.draw([7])];
    const [v, most] = [at.draw([7], { positive: true }), at.draw([7], { positive: true })];
    const numbers = { beta1: 0.9, beta2: 0.99, eps: 1e-3, size: 0.05, root: 0.7 };
    const mean = m.numbers.map((n, i) => n * 0.9 + 0.1 * g.numbers[i]);
    const square = v.numbers.map((n, i) => n * 0.99 + 0.01 * g.numbers[i] ** 2);
    const largest = square.map((n, i) => Math.max(n, most.numbers[i]));
    const divisor = (amsgrad ? largest : square).map((n) => Math.sqrt(n) / 0.7 + 1e-3);
    const parameter = p.numbers.map((n, i) => n - (0.05 * mean[i]) / divisor[i]);
    const values = (list: ArrayLike<number>) => at.values([7], list);
    return {
      name: amsgrad ? 'amsgrad' : 'plain',
      expected: {
        parameter: values(parameter),
        mean: values(mean),
        square: values(square),
        ...(amsgrad ? { largest: values(largest) } : {}),
      },
      run({ adamStep: run }, device) {
        const [a, b, c, d] = [p, m, v, most].map((t) => t.on(device));
        run?.(
          { parameter: a, gradient: g.on(device), mean: b, square: c, largest: amsgrad ? d : null },
          numbers,
        );
        return { parameter: a.storage, mean: b.storage, square: c.storage, largest: d.storage };
      },
    };
  });
}

const windows = (...pairs: (readonly [start: number, end: number])[]): AxisWindows => ({
  starts: pairs.map(([start]) => start),
  ends: pairs.map(([, end]) => end),
  step: 1,
});

/** Windows that overlap, that touch, and that an edge cuts short. */
const POOLS: Readonly<Record<string, PoolGeometry>> = {
  'windows side by side': {
    input: [4, 4, 6],
    output: [2, 2, 3],
    windows: [windows([0, 2], [2, 4]), windows([0, 2], [2, 4]), windows([0, 2], [2, 4], [4, 6])],
  },
  'windows that overlap, cut at the edges': {
    input: [3, 4, 5],
    output: [2, 2, 3],
    windows: [windows([0, 2], [1, 3]), windows([0, 2], [1, 4]), windows([0, 2], [1, 4], [3, 5])],
  },
};

function pool(dtype: DType, kernel: 'sumPool' | 'spreadPool' | 'maxPoolIndices'): Row[] {
  return Object.entries(POOLS).map(([name, geometry]): Row => {
    const at = new Reference(dtype);
    const spatial = (sizes: Triple) => [2, ...sizes];
    const from = spatial(kernel === 'spreadPool' ? geometry.output : geometry.input);
    const to = spatial(kernel === 'spreadPool' ? geometry.input : geometry.output);
    const x = at.draw(from);
    // A tie, of which the first counts, and NaN, which wins.
    if (kernel === 'maxPoolIndices') {
      x.numbers.set([1, 1], 0);
      x.numbers[volume(geometry.input)] = Number.NaN;
    }
    const right = cpu.kernels[kernel](x.exact, geometry).array;
    const output = at.values(
      to,
      Array.from(right, Number),
      kernel === 'maxPoolIndices' ? 'int64' : dtype,
    );
    return {
      name,
      expected: { output },
      run: (kernels, device) => ({ output: kernels[kernel](x.on(device), geometry) }),
    };
  });
}

/** The kernels beside the convolutions that are compared. */
export const OTHER_KERNELS = {
  batchNorm: (dtype: DType) => batchNorm(dtype),
  batchNormBackward: (dtype: DType) => batchNormBackward(dtype),
  batchNormRelu: (dtype: DType) => batchNorm(dtype, 'batchNormRelu'),
  batchNormReluBackward: (dtype: DType) => batchNormBackward(dtype, 'batchNormReluBackward'),
  channelAffine,
  reluBackward,
  adamStep,
  maxPoolIndices: (dtype: DType) => pool(dtype, 'maxPoolIndices'),
  sumPool: (dtype: DType) => pool(dtype, 'sumPool'),
  spreadPool: (dtype: DType) => pool(dtype, 'spreadPool'),
} as const satisfies Partial<Record<keyof Kernels, (dtype: DType) => Row[]>>;

export type OtherKernel = keyof typeof OTHER_KERNELS;

export const otherCases = (kernel: OtherKernel, dtype: DType): Case[] =>
  OTHER_KERNELS[kernel](dtype).map((row) => ({ ...row, features: [] }));

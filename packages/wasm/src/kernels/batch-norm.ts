import {
  cpuKernels,
  type DType,
  type Kernels,
  type Needs,
  type NormStatistics,
  numelOf,
  Storage,
  type View,
} from '@voxgrad/core';
import { bits, type FloatDType } from '../emit/lanes.js';
import { type ChannelTerms, sumChannels } from './channel-sums.js';
import { rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import {
  add,
  compare,
  constant,
  type Expression,
  evaluate,
  input,
  mul,
  select,
  sub,
} from './expression.js';
import { isSmall, onHost } from './host.js';

/** Σ x */
const PLAIN: ChannelTerms = { name: 'sum', inputs: 1, numbers: 0, terms: (_, [x]) => [x] };

/** Σ (x − m)²: around the mean, so that nothing cancels. */
const SQUARES: ChannelTerms = {
  name: 'squares',
  inputs: 1,
  numbers: 1,
  terms: (v, [x], [mean]) => {
    const centred = v.sub(x, mean);
    return [v.mul(centred, centred)];
  },
};

/** Σ g and Σ g · (x − m) */
const PRODUCTS: ChannelTerms = {
  name: 'products',
  inputs: 2,
  numbers: 1,
  terms: (v, [x, g], [mean]) => [g, v.mul(g, v.sub(x, mean))],
};

/** The same where g passes a ReLU after the norm: where the output is above 0 or NaN. */
const PASSED_PRODUCTS: ChannelTerms = {
  name: 'passed products',
  inputs: 2,
  numbers: 3,
  terms: (v, [x, g], [mean, factor, offset]) => {
    const centred = v.sub(x, mean);
    const blocked = v.le(v.add(v.mul(centred, factor), offset), v.zero);
    const passed = bits.and(g, bits.not(blocked));
    return [passed, v.mul(passed, centred)];
  },
};

type NormKernels = Required<
  Pick<
    Kernels,
    | 'batchNorm'
    | 'batchNormBackward'
    | 'batchNormRelu'
    | 'batchNormReluBackward'
    | 'channelAffine'
    | 'reluBackward'
  >
>;

/** Batch norm in as few passes over memory as it takes, and what stands beside it in networks. */
export function normalisations(engine: Engine): NormKernels {
  return {
    batchNorm: (x, weight, bias, eps) => batchNorm(engine, x, { weight, bias, eps, relu: false }),
    batchNormRelu: (x, weight, bias, eps) =>
      batchNorm(engine, x, { weight, bias, eps, relu: true }),
    batchNormBackward: (g, x, weight, statistics, needs) =>
      backward(engine, g, x, { ...statistics, weight, relu: false }, needs),
    batchNormReluBackward: (g, x, weight, statistics, needs) =>
      backward(engine, g, x, { ...statistics, weight, relu: true }, needs),
    channelAffine: (x, scale, shift) =>
      calling(engine, 'channelAffine', (call) => {
        const inputs = [x, alongChannels(scale, x), alongChannels(shift, x)];
        const outputs = [add(mul(input(0), input(1)), input(2))];
        return evaluate(engine, call, { dtype: x.dtype as FloatDType, inputs, outputs })[0];
      }),
    reluBackward: (g, y) => {
      if (isSmall(engine, g)) return cpuKernels.reluBackward(onHost(engine, g), onHost(engine, y));
      return calling(engine, 'relu backward', (call) => {
        const outputs = [select(compare('le', input(1), constant(0)), constant(0), input(0))];
        return evaluate(engine, call, { dtype: g.dtype as FloatDType, inputs: [g, y], outputs })[0];
      });
    },
  };
}

interface Settings {
  readonly weight: View | null;
  readonly bias?: View | null;
  readonly eps: number;
  /** Whether a ReLU follows. */
  readonly relu: boolean;
}

/** What the output is made with, (x − mean) · factor + offset for each channel. */
interface Affine {
  /** As the dtype holds it. */
  readonly mean: Float64Array;
  readonly factor: Float64Array;
  readonly offset: Float64Array;
}

function affineOf(
  dtype: DType,
  mean: Float64Array,
  variance: Float64Array,
  { weight, bias, eps }: Settings,
): Affine {
  const rounded = rounding(dtype, mean);
  const scale = weight ? numbersOf(weight) : new Float64Array(mean.length).fill(1);
  const factor = variance.map((value, c) => scale[c] / Math.sqrt(value + eps));
  const shift = bias ? numbersOf(bias) : new Float64Array(mean.length);
  const offset = shift.map((value, c) => value - (mean[c] - rounded[c]) * factor[c]);
  return { mean: rounded, factor, offset };
}

const apply = (x: Expression, [mean, factor, offset]: readonly Expression[]): Expression =>
  add(mul(sub(x, mean), factor), offset);

/** `value` where `y` is above 0 or NaN, else 0. */
const where = (y: Expression, value: Expression): Expression =>
  select(compare('le', y, constant(0)), constant(0), value);

function batchNorm(engine: Engine, x: View, settings: Settings) {
  return calling(engine, 'batchNorm', (call) => {
    const dtype = x.dtype as FloatDType;
    const sizes = sizesOf(x);
    const count = sizes.batch * sizes.length;
    const pointers = [rowMajor(engine, call, x)];
    const sum = (numbers: Float64Array[], what: ChannelTerms) =>
      sumChannels(engine, call, dtype, sizes, pointers, numbers, what);
    const [sums] = sum([], PLAIN);
    const mean = sums.map((total) => total / count);
    // Differences are taken to the mean as it is kept, and their own mean is taken into account.
    const rounded = rounding(dtype, mean);
    const [squares] = sum([rounded], SQUARES);
    const variance = squares.map((total, c) =>
      Math.max(0, total / count - (mean[c] - rounded[c]) ** 2),
    );
    const affine = affineOf(dtype, mean, variance, settings);
    const numbers = [affine.mean, affine.factor, affine.offset].map((n) => spread(n, x));
    const normal = apply(input(0), [input(1), input(2), input(3)]);
    const outputs = [settings.relu ? where(normal, normal) : normal];
    const [y] = evaluate(engine, call, { dtype, inputs: [x, ...numbers], outputs });
    return { y, mean: storageOf(dtype, mean), variance: storageOf(dtype, variance) };
  });
}

function backward(
  engine: Engine,
  g: View,
  x: View,
  settings: Settings & NormStatistics,
  needs: Needs,
): [Storage | null, Storage | null, Storage | null] {
  return calling(engine, 'batchNorm backward', (call) => {
    const dtype = x.dtype as FloatDType;
    const sizes = sizesOf(x);
    const count = sizes.batch * sizes.length;
    const variance = numbersOf(settings.variance);
    // The mean in the dtype is all that is left of it, so that nothing is to be made good for.
    const affine = affineOf(dtype, numbersOf(settings.mean), variance, settings);
    const pointers = [rowMajor(engine, call, x), rowMajor(engine, call, g)];
    const [sums, products] = settings.relu
      ? sumChannels(
          engine,
          call,
          dtype,
          sizes,
          pointers,
          [affine.mean, affine.factor, affine.offset],
          PASSED_PRODUCTS,
        )
      : sumChannels(engine, call, dtype, sizes, pointers, [affine.mean], PRODUCTS);
    const inverse = variance.map((value) => 1 / Math.sqrt(value + settings.eps));
    let dx: Storage | null = null;
    if (needs[0]) {
      // w/σ · (g − Σg/M) − w/σ³ · Σ(g·(x − m))/M · (x − m)
      const { factor } = affine;
      const slope = products.map((sum, c) => (-factor[c] * inverse[c] ** 2 * sum) / count);
      const centre = sums.map((sum) => sum / count);
      const numbers = [affine.mean, factor, affine.offset, centre, slope].map((n) => spread(n, x));
      const [G, X, M, F, O, C, S] = Array.from({ length: 7 }, (_, i) => input(i));
      const passed = settings.relu ? where(apply(X, [M, F, O]), G) : G;
      const output = add(mul(F, sub(passed, C)), mul(S, sub(X, M)));
      [dx] = evaluate(engine, call, { dtype, inputs: [g, x, ...numbers], outputs: [output] });
    }
    const ofWeight = () => products.map((sum, c) => sum * inverse[c]);
    return [
      dx,
      needs[1] ? storageOf(dtype, ofWeight()) : null,
      needs[2] ? storageOf(dtype, sums) : null,
    ];
  });
}

const sizesOf = (x: View) => ({
  batch: x.shape[0],
  channels: x.shape[1],
  length: numelOf(x.shape.slice(2)),
});

/** The numbers as the dtype holds them. */
const rounding = (dtype: DType, numbers: Float64Array): Float64Array =>
  dtype === 'float32' ? numbers.map(Math.fround) : numbers;

/** The elements of a small view. */
function numbersOf(view: View): Float64Array {
  const { array } = view.storage;
  const [step] = view.strides;
  return Float64Array.from({ length: view.shape[0] }, (_, i) =>
    Number(array[view.offset + i * step]),
  );
}

const storageOf = (dtype: FloatDType, numbers: Float64Array): Storage =>
  new Storage(dtype, dtype === 'float32' ? Float32Array.from(numbers) : Float64Array.from(numbers));

/** One number for each channel, as a view of the shape of `x`. */
const spread = (numbers: Float64Array, x: View): View => {
  const storage = storageOf(x.dtype as FloatDType, numbers);
  const strides = x.shape.map((_, axis) => (axis === 1 ? 1 : 0));
  return { storage, dtype: x.dtype, shape: x.shape, strides, offset: 0 };
};

/** A `[C]` view, seen with the shape of `x`. */
const alongChannels = (view: View, x: View): View => ({
  ...{ storage: view.storage, dtype: view.dtype, offset: view.offset },
  shape: x.shape,
  strides: x.shape.map((_, axis) => (axis === 1 ? view.strides[0] : 0)),
});

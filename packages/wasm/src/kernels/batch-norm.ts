import { cpuKernels, type DType, type Kernels, numelOf, Storage, type View } from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
import { type ChannelTerms, sumChannels } from './channel-sums.js';
import { rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import { add, compare, constant, evaluate, input, mul, select, sub } from './expression.js';
import { isSmall, onHost } from './host.js';

/** Σ x */
const PLAIN: ChannelTerms = { name: 'sum', inputs: 1, terms: (_, [x]) => [x] };

/** Σ (x − m)²: around the mean, so that nothing cancels. */
const SQUARES: ChannelTerms = {
  name: 'squares',
  inputs: 1,
  terms: (v, [x], mean) => {
    const centred = v.sub(x, mean);
    return [v.mul(centred, centred)];
  },
};

/** Σ g and Σ g · (x − m) */
const PRODUCTS: ChannelTerms = {
  name: 'products',
  inputs: 2,
  terms: (v, [x, g], mean) => [g, v.mul(g, v.sub(x, mean))],
};

type NormKernels = Required<
  Pick<Kernels, 'batchNorm' | 'batchNormBackward' | 'channelAffine' | 'reluBackward'>
>;

/** Batch norm in as few passes over memory as it takes, and what stands beside it in networks. */
export function normalisations(engine: Engine): NormKernels {
  return {
    batchNorm: (x, weight, bias, eps) => batchNorm(engine, x, weight, bias, eps),
    batchNormBackward: (g, x, weight, statistics, needs) =>
      calling(engine, 'batchNorm backward', (call) => {
        const dtype = x.dtype as FloatDType;
        const sizes = sizesOf(x);
        const { channels } = sizes;
        const count = sizes.batch * sizes.length;
        const mean = numbersOf(statistics.mean);
        const variance = numbersOf(statistics.variance);
        const pointers = [rowMajor(engine, call, x), rowMajor(engine, call, g)];
        const rounded = rounding(dtype, mean);
        const [sums, products] = sumChannels(
          engine,
          call,
          dtype,
          sizes,
          pointers,
          rounded,
          PRODUCTS,
        );
        const scale = weight ? numbersOf(weight) : new Float64Array(channels).fill(1);
        const inverse = variance.map((value) => 1 / Math.sqrt(value + statistics.eps));
        let dx: Storage | null = null;
        if (needs[0]) {
          // w/σ · (g − Σg/M) − w/σ³ · Σ(g·(x − m))/M · (x − m)
          const factor = inverse.map((value, c) => value * scale[c]);
          const slope = products.map((sum, c) => (-factor[c] * inverse[c] ** 2 * sum) / count);
          const centre = sums.map((sum) => sum / count);
          const inputs = [g, x, ...[factor, centre, slope, rounded].map((n) => spread(n, x))];
          const [G, X, F, C, S, M] = inputs.map((_, i) => input(i));
          const output = add(mul(F, sub(G, C)), mul(S, sub(X, M)));
          [dx] = evaluate(engine, call, { dtype, inputs, outputs: [output] });
        }
        return [
          dx,
          needs[1]
            ? storageOf(
                dtype,
                products.map((sum, c) => sum * inverse[c]),
              )
            : null,
          needs[2] ? storageOf(dtype, sums) : null,
        ];
      }),
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

function batchNorm(engine: Engine, x: View, weight: View | null, bias: View | null, eps: number) {
  return calling(engine, 'batchNorm', (call) => {
    const dtype = x.dtype as FloatDType;
    const sizes = sizesOf(x);
    const { channels } = sizes;
    const count = sizes.batch * sizes.length;
    const pointers = [rowMajor(engine, call, x)];
    const [sums] = sumChannels(
      engine,
      call,
      dtype,
      sizes,
      pointers,
      new Float64Array(channels),
      PLAIN,
    );
    const mean = sums.map((sum) => sum / count);
    // Differences are taken to the mean as it is kept, and their own mean is taken into account.
    const rounded = rounding(dtype, mean);
    const [squares] = sumChannels(engine, call, dtype, sizes, pointers, rounded, SQUARES);
    const variance = squares.map((sum, c) =>
      Math.max(0, sum / count - (mean[c] - rounded[c]) ** 2),
    );
    const scale = weight ? numbersOf(weight) : new Float64Array(channels).fill(1);
    const factor = variance.map((value, c) => scale[c] / Math.sqrt(value + eps));
    const shift = bias ? numbersOf(bias) : new Float64Array(channels);
    const offset = shift.map((value, c) => value - (mean[c] - rounded[c]) * factor[c]);
    const inputs = [x, ...[rounded, factor, offset].map((numbers) => spread(numbers, x))];
    const outputs = [add(mul(sub(input(0), input(1)), input(2)), input(3))];
    const [y] = evaluate(engine, call, { dtype, inputs, outputs });
    return { y, mean: storageOf(dtype, mean), variance: storageOf(dtype, variance) };
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

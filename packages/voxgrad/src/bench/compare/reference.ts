// What a comparison holds every result against: the same work in float64. It runs on the wasm device,
// whose float64 kernels only sum (the cpu device would take minutes); of a convolution, elements all over
// the results are computed once more, by plain loops over its definition.

import type { Device } from '@voxgrad/core';
import { deviation } from '../error.js';
import { type ConvWork, type Pass, resultsOf, type Work } from '../peers/work.js';
import type { Data } from './data.js';
import { ourWork, type Values } from './ours.js';

/** Elements of each result that plain loops check. */
const SAMPLES = 24;
/** Rounding of a float64 sum over millions of terms, relative to the largest element. */
const ROUNDING = 1e-11;

export async function reference(
  work: Work,
  data: Data,
  pass: Pass,
  device: Device,
): Promise<Values> {
  const values = await ourWork(work, data, { device, dtype: 'float64' }).values(pass);
  if (work.kind === 'conv') checkSamples(work, data, values);
  return values;
}

/** max|a − b| / max|b| over one result or several together. */
function errorOf(got: Values, right: Values, names: readonly string[]): number {
  const { off, largest } = deviation(names.map((name) => [got[name], right[name]]));
  return off / largest;
}

/** The error of a pass: the worst of a convolution's results, all gradients of a network together. */
export function passError(work: Work, pass: Pass, got: Values, right: Values): number {
  const names = resultsOf(work, pass);
  if (work.kind === 'net') return errorOf(got, right, names);
  const errors = names.map((name) => errorOf(got, right, [name]));
  return errors.some(Number.isNaN) ? Number.NaN : Math.max(...errors);
}

type Element = (index: number) => number;

function checkSamples(work: ConvWork, data: Data, values: Values): void {
  const elements: Record<string, Element> = definition(work, data);
  for (const [name, got] of Object.entries(values)) {
    let largest = 0;
    for (const v of got) largest = Math.max(largest, Math.abs(v));
    for (let s = 0; s < SAMPLES; s++) {
      // Both ends, and places that no tile size divides.
      const i = Math.round((s * (got.length - 1)) / (SAMPLES - 1));
      const right = elements[name](i);
      if (!(Math.abs(got[i] - right) <= ROUNDING * largest))
        throw new Error(
          `bench: the reference of ${name} is wrong at ${i}: ${got[i]}, not ${right}`,
        );
    }
  }
}

/** The elements of a convolution's results, by the sums that define them. */
function definition(work: ConvWork, { x, weights: [w], g }: Data): Record<string, Element> {
  const { stride, padding, dilation, groups } = work;
  const [, inC, D, H, W] = work.input;
  const [, outC, oD, oH, oW] = work.output;
  const [, perGroup, kD, kH, kW] = work.weight;
  const outPerGroup = outC / groups;
  const xAt = (n: number, c: number, d: number, h: number, v: number) =>
    d < 0 || h < 0 || v < 0 || d >= D || h >= H || v >= W
      ? 0
      : x[(((n * inC + c) * D + d) * H + h) * W + v];
  const gAt = (n: number, c: number, d: number, h: number, v: number) =>
    d < 0 || h < 0 || v < 0 || d >= oD || h >= oH || v >= oW
      ? 0
      : g[(((n * outC + c) * oD + d) * oH + h) * oW + v];
  const wAt = (o: number, i: number, a: number, b: number, c: number) =>
    w[(((o * perGroup + i) * kD + a) * kH + b) * kW + c];
  /** Where the output lies that reads a position through a tap; not a whole number where none does. */
  const outputAt = (position: number, tap: number) =>
    (position + padding - tap * dilation) / stride;
  const inputAt = (output: number, tap: number) => output * stride - padding + tap * dilation;
  const place = (index: number, sizes: readonly number[]): number[] =>
    sizes.reduceRight<number[]>((rest, size) => {
      const [head, ...tail] = rest.length ? rest : [index];
      return [Math.floor(head / size), head % size, ...tail];
    }, []);
  const taps = (visit: (a: number, b: number, c: number) => number): number => {
    let sum = 0;
    for (let a = 0; a < kD; a++)
      for (let b = 0; b < kH; b++) for (let c = 0; c < kW; c++) sum += visit(a, b, c);
    return sum;
  };
  return {
    y: (index) => {
      const [n, o, d, h, v] = place(index, [outC, oD, oH, oW]);
      const first = Math.floor(o / outPerGroup) * perGroup;
      return taps((a, b, c) => {
        let sum = 0;
        for (let i = 0; i < perGroup; i++)
          sum +=
            xAt(n, first + i, inputAt(d, a), inputAt(h, b), inputAt(v, c)) * wAt(o, i, a, b, c);
        return sum;
      });
    },
    dx: (index) => {
      const [n, c0, d, h, v] = place(index, [inC, D, H, W]);
      const group = Math.floor(c0 / perGroup);
      return taps((a, b, c) => {
        const [od, oh, ov] = [outputAt(d, a), outputAt(h, b), outputAt(v, c)];
        if (!(Number.isInteger(od) && Number.isInteger(oh) && Number.isInteger(ov))) return 0;
        let sum = 0;
        for (let o = group * outPerGroup; o < (group + 1) * outPerGroup; o++)
          sum += gAt(n, o, od, oh, ov) * wAt(o, c0 % perGroup, a, b, c);
        return sum;
      });
    },
    dw0: (index) => {
      const [o, i, a, b, c] = place(index, [perGroup, kD, kH, kW]);
      const channel = Math.floor(o / outPerGroup) * perGroup + i;
      let sum = 0;
      for (let n = 0; n < work.input[0]; n++)
        for (let d = 0; d < oD; d++)
          for (let h = 0; h < oH; h++)
            for (let v = 0; v < oW; v++)
              sum +=
                gAt(n, o, d, h, v) * xAt(n, channel, inputAt(d, a), inputAt(h, b), inputAt(v, c));
      return sum;
    },
  };
}

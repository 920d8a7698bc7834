// The reference convolution and its two adjoints as plain loops. Planes (H × W) are accumulated in
// float64 whatever the dtype, one kernel tap at a time along rows, so the inner loops are runs.

import type { Needs } from '../ops/conv/geometry.js';
import {
  type ConvGeometry,
  inputShape,
  outputShape,
  volume,
  weightShape,
} from '../ops/conv/geometry.js';
import { allocateHost, type DType, type HostArray } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

type Numbers = Float64Array<ArrayBuffer>;

/** Output positions `[from, to)` along `axis` whose input position for tap `k` lies inside. */
function validRange(g: ConvGeometry, axis: 0 | 1 | 2, k: number): [from: number, to: number] {
  const shift = k * g.dilation[axis] - g.padding[axis][0]; // input = output · stride + shift
  const from = Math.max(0, Math.ceil(-shift / g.stride[axis]));
  const to = Math.min(g.output[axis], Math.ceil((g.input[axis] - shift) / g.stride[axis]));
  return [from, to];
}

/** One kernel tap, with the rows and columns of a plane on which it meets the input. */
interface Tap {
  /** Index within the kernel of one (out, in) channel pair. */
  readonly k: number;
  readonly kd: number;
  readonly rows: number;
  readonly columns: number;
  /** First position in the output plane, and the input position that it meets. */
  readonly outputAt: number;
  readonly inputAt: number;
}

function tapsOf(g: ConvGeometry): Tap[] {
  const taps: Tap[] = [];
  for (let kd = 0; kd < g.kernel[0]; kd++)
    for (let kh = 0; kh < g.kernel[1]; kh++)
      for (let kw = 0; kw < g.kernel[2]; kw++) {
        const [h, w] = [validRange(g, 1, kh), validRange(g, 2, kw)];
        if (h[0] >= h[1] || w[0] >= w[1]) continue;
        const row = h[0] * g.stride[1] + kh * g.dilation[1] - g.padding[1][0];
        const column = w[0] * g.stride[2] + kw * g.dilation[2] - g.padding[2][0];
        taps.push({
          k: (kd * g.kernel[1] + kh) * g.kernel[2] + kw,
          kd,
          rows: h[1] - h[0],
          columns: w[1] - w[0],
          outputAt: h[0] * g.output[2] + w[0],
          inputAt: row * g.input[2] + column,
        });
      }
  return taps;
}

/** The input plane that a tap reads for output plane `od`, or -1 where that is padding. */
function inputDepth(g: ConvGeometry, tap: Tap, od: number): number {
  const depth = od * g.stride[0] - g.padding[0][0] + tap.kd * g.dilation[0];
  return depth < g.input[0] ? depth : -1;
}

/** Where a run of rows starts in an array, and the distances between rows and columns. */
interface Rows {
  readonly array: Numbers;
  readonly row: number;
  readonly column: number;
}

// The two inner loops stand alone, so that every value in them is a local variable.

/** to += factor · from, over `rows` rows of `columns` elements. */
function addScaled(to: Rows, toAt: number, from: Rows, fromAt: number, tap: Tap, factor: number) {
  const [out, x] = [to.array, from.array];
  const { rows, columns } = tap;
  const [outStep, xStep] = [to.column, from.column];
  for (let r = 0; r < rows; r++) {
    let o = toAt + r * to.row;
    let i = fromAt + r * from.row;
    for (let c = 0; c < columns; c++, o += outStep, i += xStep) out[o] += factor * x[i];
  }
}

/** Σ a · b over the same rows. */
function dot(a: Rows, aAt: number, b: Rows, bAt: number, tap: Tap): number {
  const [x, y] = [a.array, b.array];
  const { rows, columns } = tap;
  const [xStep, yStep] = [a.column, b.column];
  let sum = 0;
  for (let r = 0; r < rows; r++) {
    let i = aAt + r * a.row;
    let j = bAt + r * b.row;
    for (let c = 0; c < columns; c++, i += xStep, j += yStep) sum += x[i] * y[j];
  }
  return sum;
}

export function convForward(xView: View, weightView: View, g: ConvGeometry): Storage {
  const { inputRows, outputRows, inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const x = inputRows(rowMajor<Numbers>(xView));
  const weight = rowMajor<Numbers>(weightView);
  const out = allocate(xView.dtype, outputShape(g));
  const plane = outputRows(new Float64Array(outPlane));
  for (let n = 0; n < g.batch; n++)
    for (let co = 0; co < g.outChannels; co++) {
      const firstIn = n * g.inChannels + Math.floor(co / perGroupOut) * perGroupIn;
      for (let od = 0; od < g.output[0]; od++) {
        plane.array.fill(0);
        for (let ci = 0; ci < perGroupIn; ci++)
          for (const tap of taps) {
            const depth = inputDepth(g, tap, od);
            if (depth < 0) continue;
            const base = ((firstIn + ci) * g.input[0] + depth) * inPlane;
            const factor = weight[(co * perGroupIn + ci) * K + tap.k];
            addScaled(plane, tap.outputAt, x, base + tap.inputAt, tap, factor);
          }
        out.set(plane.array, ((n * g.outChannels + co) * g.output[0] + od) * outPlane);
      }
    }
  return new Storage(xView.dtype, out as HostArray);
}

/** Adjoint in x: every output gradient is spread over the inputs that its taps read. */
function convInput(gradView: View, weightView: View, g: ConvGeometry): Storage {
  const { inputRows, outputRows, inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const grad = outputRows(rowMajor<Numbers>(gradView));
  const weight = rowMajor<Numbers>(weightView);
  const out = allocate(gradView.dtype, inputShape(g));
  const channel = inputRows(new Float64Array(g.input[0] * inPlane));
  for (let n = 0; n < g.batch; n++)
    for (let ci = 0; ci < g.inChannels; ci++) {
      const firstOut = Math.floor(ci / perGroupIn) * perGroupOut;
      channel.array.fill(0);
      for (let co = firstOut; co < firstOut + perGroupOut; co++)
        for (let od = 0; od < g.output[0]; od++)
          for (const tap of taps) {
            const depth = inputDepth(g, tap, od);
            if (depth < 0) continue;
            const base = ((n * g.outChannels + co) * g.output[0] + od) * outPlane;
            const factor = weight[(co * perGroupIn + (ci % perGroupIn)) * K + tap.k];
            const to = depth * inPlane + tap.inputAt;
            addScaled(channel, to, grad, base + tap.outputAt, tap, factor);
          }
      out.set(channel.array, (n * g.inChannels + ci) * channel.array.length);
    }
  return new Storage(gradView.dtype, out as HostArray);
}

/** Adjoint in w: each tap is a dot product of the gradient with the inputs that the tap read. */
function convWeight(xView: View, gradView: View, g: ConvGeometry): Storage {
  const { inputRows, outputRows, inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const x = inputRows(rowMajor<Numbers>(xView));
  const grad = outputRows(rowMajor<Numbers>(gradView));
  const out = allocate(xView.dtype, weightShape(g));
  const sums = new Float64Array(K);
  for (let co = 0; co < g.outChannels; co++)
    for (let ci = 0; ci < perGroupIn; ci++) {
      const channel = Math.floor(co / perGroupOut) * perGroupIn + ci;
      sums.fill(0);
      for (let n = 0; n < g.batch; n++)
        for (let od = 0; od < g.output[0]; od++)
          for (const tap of taps) {
            const depth = inputDepth(g, tap, od);
            if (depth < 0) continue;
            const xBase = ((n * g.inChannels + channel) * g.input[0] + depth) * inPlane;
            const gBase = ((n * g.outChannels + co) * g.output[0] + od) * outPlane;
            sums[tap.k] += dot(x, xBase + tap.inputAt, grad, gBase + tap.outputAt, tap);
          }
      out.set(sums, (co * perGroupIn + ci) * K);
    }
  return new Storage(xView.dtype, out as HostArray);
}

function convBias(gradView: View, g: ConvGeometry): Storage {
  const grad = rowMajor<Numbers>(gradView);
  const out = allocate(gradView.dtype, [g.outChannels]);
  const size = volume(g.output);
  for (let co = 0; co < g.outChannels; co++) {
    let sum = 0;
    for (let n = 0; n < g.batch; n++) {
      let channel = 0;
      const start = (n * g.outChannels + co) * size;
      for (let i = start; i < start + size; i++) channel += grad[i];
      sum += channel;
    }
    out[co] = sum;
  }
  return new Storage(gradView.dtype, out as HostArray);
}

export function convBackward(
  gradOutput: View,
  x: View | null,
  weight: View | null,
  g: ConvGeometry,
  needs: Needs,
): [Storage | null, Storage | null, Storage | null] {
  return [
    needs[0] && weight ? convInput(gradOutput, weight, g) : null,
    needs[1] && x ? convWeight(x, gradOutput, g) : null,
    needs[2] ? convBias(gradOutput, g) : null,
  ];
}

const allocate = (dtype: DType, shape: readonly number[]) =>
  allocateHost(dtype, numelOf(shape)) as Numbers;

/** What all three passes derive from the geometry. */
const plan = (g: ConvGeometry) => ({
  /** Input elements that one output row or column apart meet. */
  inputRows: (array: Numbers): Rows => ({
    array,
    row: g.stride[1] * g.input[2],
    column: g.stride[2],
  }),
  outputRows: (array: Numbers): Rows => ({ array, row: g.output[2], column: 1 }),
  inPlane: g.input[1] * g.input[2],
  outPlane: g.output[1] * g.output[2],
  perGroupIn: g.inChannels / g.groups,
  perGroupOut: g.outChannels / g.groups,
  taps: tapsOf(g),
  K: volume(g.kernel),
});

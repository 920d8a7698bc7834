// The reference convolution and its two adjoints as plain loops. Planes (H × W) are accumulated in
// float64 whatever the dtype, one kernel tap at a time along rows, so the inner loops are runs.

import type { Needs } from '../device/device.js';
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

interface Tap {
  /** Index within the kernel of one (out, in) channel pair. */
  readonly k: number;
  readonly kd: number;
  readonly h: [number, number];
  readonly w: [number, number];
  /** Input row and column of output row and column 0. */
  readonly h0: number;
  readonly w0: number;
}

function tapsOf(g: ConvGeometry): Tap[] {
  const taps: Tap[] = [];
  for (let kd = 0; kd < g.kernel[0]; kd++)
    for (let kh = 0; kh < g.kernel[1]; kh++)
      for (let kw = 0; kw < g.kernel[2]; kw++) {
        const [h, w] = [validRange(g, 1, kh), validRange(g, 2, kw)];
        if (h[0] >= h[1] || w[0] >= w[1]) continue;
        taps.push({
          k: (kd * g.kernel[1] + kh) * g.kernel[2] + kw,
          kd,
          h,
          w,
          h0: kh * g.dilation[1] - g.padding[1][0],
          w0: kw * g.dilation[2] - g.padding[2][0],
        });
      }
  return taps;
}

/** Calls `visit(tap, depth)` for each tap whose input plane `depth` of output plane `od` exists. */
function forEachTap(
  g: ConvGeometry,
  taps: readonly Tap[],
  od: number,
  visit: (tap: Tap, depth: number) => void,
): void {
  for (const tap of taps) {
    const depth = od * g.stride[0] - g.padding[0][0] + tap.kd * g.dilation[0];
    if (depth >= 0 && depth < g.input[0]) visit(tap, depth);
  }
}

export function convForward(xView: View, weightView: View, g: ConvGeometry): Storage {
  const [x, weight] = [rowMajor<Numbers>(xView), rowMajor<Numbers>(weightView)];
  const out = allocate(xView.dtype, outputShape(g));
  const { inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const W = g.input[2];
  const oW = g.output[2];
  const [, sH, sW] = g.stride;
  const plane = new Float64Array(outPlane);
  for (let n = 0; n < g.batch; n++)
    for (let co = 0; co < g.outChannels; co++) {
      const firstIn = Math.floor(co / perGroupOut) * perGroupIn;
      for (let od = 0; od < g.output[0]; od++) {
        plane.fill(0);
        for (let ci = 0; ci < perGroupIn; ci++)
          forEachTap(g, taps, od, (tap, depth) => {
            const factor = weight[(co * perGroupIn + ci) * K + tap.k];
            const base = ((n * g.inChannels + firstIn + ci) * g.input[0] + depth) * inPlane;
            const [from, to] = tap.w;
            for (let oh = tap.h[0]; oh < tap.h[1]; oh++) {
              let at = base + (oh * sH + tap.h0) * W + from * sW + tap.w0;
              const end = oh * oW + to;
              for (let o = oh * oW + from; o < end; o++, at += sW) plane[o] += factor * x[at];
            }
          });
        out.set(plane, ((n * g.outChannels + co) * g.output[0] + od) * outPlane);
      }
    }
  return new Storage(xView.dtype, out as HostArray);
}

/** Adjoint in x: every output gradient is spread over the inputs that its taps read. */
function convInput(gradView: View, weightView: View, g: ConvGeometry): Storage {
  const [grad, weight] = [rowMajor<Numbers>(gradView), rowMajor<Numbers>(weightView)];
  const { inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const out = allocate(gradView.dtype, inputShape(g));
  const W = g.input[2];
  const oW = g.output[2];
  const [, sH, sW] = g.stride;
  const channel = new Float64Array(g.input[0] * inPlane);
  for (let n = 0; n < g.batch; n++)
    for (let ci = 0; ci < g.inChannels; ci++) {
      const group = Math.floor(ci / perGroupIn);
      channel.fill(0);
      for (let j = 0; j < perGroupOut; j++) {
        const co = group * perGroupOut + j;
        for (let od = 0; od < g.output[0]; od++)
          forEachTap(g, taps, od, (tap, depth) => {
            const factor = weight[(co * perGroupIn + (ci % perGroupIn)) * K + tap.k];
            const base = ((n * g.outChannels + co) * g.output[0] + od) * outPlane;
            const [from, to] = tap.w;
            for (let oh = tap.h[0]; oh < tap.h[1]; oh++) {
              let at = depth * inPlane + (oh * sH + tap.h0) * W + from * sW + tap.w0;
              const end = base + oh * oW + to;
              for (let o = base + oh * oW + from; o < end; o++, at += sW)
                channel[at] += factor * grad[o];
            }
          });
      }
      out.set(channel, (n * g.inChannels + ci) * channel.length);
    }
  return new Storage(gradView.dtype, out as HostArray);
}

/** Adjoint in w: each tap is a dot product of the gradient with the inputs that the tap read. */
function convWeight(xView: View, gradView: View, g: ConvGeometry): Storage {
  const [x, grad] = [rowMajor<Numbers>(xView), rowMajor<Numbers>(gradView)];
  const { inPlane, outPlane, perGroupIn, perGroupOut, taps, K } = plan(g);
  const out = allocate(xView.dtype, weightShape(g));
  const W = g.input[2];
  const oW = g.output[2];
  const [, sH, sW] = g.stride;
  const sums = new Float64Array(K);
  for (let co = 0; co < g.outChannels; co++)
    for (let ci = 0; ci < perGroupIn; ci++) {
      const channel = Math.floor(co / perGroupOut) * perGroupIn + ci;
      sums.fill(0);
      for (let n = 0; n < g.batch; n++)
        for (let od = 0; od < g.output[0]; od++)
          forEachTap(g, taps, od, (tap, depth) => {
            const xBase = ((n * g.inChannels + channel) * g.input[0] + depth) * inPlane;
            const gBase = ((n * g.outChannels + co) * g.output[0] + od) * outPlane;
            const [from, to] = tap.w;
            let sum = 0;
            for (let oh = tap.h[0]; oh < tap.h[1]; oh++) {
              let at = xBase + (oh * sH + tap.h0) * W + from * sW + tap.w0;
              const end = gBase + oh * oW + to;
              for (let o = gBase + oh * oW + from; o < end; o++, at += sW) sum += x[at] * grad[o];
            }
            sums[tap.k] += sum;
          });
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

const plan = (g: ConvGeometry) => ({
  inPlane: g.input[1] * g.input[2],
  outPlane: g.output[1] * g.output[2],
  perGroupIn: g.inChannels / g.groups,
  perGroupOut: g.outChannels / g.groups,
  taps: tapsOf(g),
  K: volume(g.kernel),
});

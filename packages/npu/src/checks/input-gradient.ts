// The native input gradient: operator Conv3DBackpropInput, or its V2.

import {
  bytesPerElement,
  type ConvGeometry,
  type DType,
  dilatedKernel,
  type Refusal,
} from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES } from '../profile/sources.js';
import { innerError } from '../profile/versions.js';
import { inputOperator } from '../routing/route.js';
import { AXIS_NAMES, BLOCK, CHANNEL_BYTES, channelBlock, DHW, HW } from './units.js';

/** The operator cannot split a row, so its width is limited too. Source: dx_check. */
const WIDTH_LIMIT = 4096;
/** Source: dx_check. */
const STRIDE_D_LIMIT = 255;
/** Of `dilation·(kernel − 1) − padding`, along H and W. Source: dx_check. */
const PAD_LIMIT = 255;
/** Positions of one plane of the input. Source: dx_check. */
const PLANE_LIMIT = 2 ** 32 - 1;

export interface InputGradientL1 {
  /** Rows, columns and planes of the expanded output gradient that one step loads. */
  readonly h: number;
  readonly w: number;
  readonly dFactor: number;
  readonly aL1: number;
  readonly bL1: number;
  readonly fillZero: number;
  readonly total: number;
  /** The wider of the input and the expanded output gradient. */
  readonly width: number;
}

/**
 * Smallest load of the input gradient, in bytes of L1:
 *
 *   h       = min(Wi > 16 ? khDil + 1 : khDil - 1 + ⌊16 / Wi⌋ + (16 % Wi ? 2 : 0), Ho·sH)
 *   w       = Wo·sW
 *   dFactor = kdDil = sD ? 1 : min(⌈(kd' - 1) / sD⌉ + 1, Do),  kd' = ⌈Co / c0⌉ = 1 ? kd : 1
 *   aL1     = h·w·dFactor·32
 *   bL1     = kh·kw·512, one block 16 × c0 of the weight in FRACTAL_Z_3D per tap of a plane
 *
 * Co counts the channels of all groups, and a group has whole blocks of the weight: groups enter
 * neither size. Source: dx_check.
 */
export function inputGradientL1(g: ConvGeometry, dtype: DType): InputGradientL1 {
  const [kernelD, kernelH, kernelW] = g.kernel;
  const [strideD, strideH, strideW] = g.stride;
  const [outD, outH, outW] = g.output;
  const inW = g.input[2];
  const dilatedH = dilatedKernel(kernelH, g.dilation[1]);
  const dilatedD = dilatedKernel(kernelD, g.dilation[0]);

  const narrow = dilatedH - 1 + Math.floor(BLOCK / inW) + (BLOCK % inW === 0 ? 0 : 2);
  const h = Math.min(inW > BLOCK ? dilatedH + 1 : narrow, outH * strideH);
  const w = outW * strideW;
  const taps = g.outChannels <= channelBlock(dtype) ? kernelD : 1;
  const dFactor = dilatedD === strideD ? 1 : Math.min(Math.ceil((taps - 1) / strideD) + 1, outD);

  const aL1 = h * w * dFactor * CHANNEL_BYTES;
  const bL1 = kernelH * kernelW * BLOCK * CHANNEL_BYTES;
  const fillZero = dtype === 'float32' ? 0 : BLOCK * BLOCK * bytesPerElement(dtype);
  const width = Math.max(inW, w);
  return { h, w, dFactor, aL1, bL1, fillZero, total: aL1 + bL1 + fillZero, width };
}

/** Why the native input gradient of `g` does not run; the kernels of Ascend950 skip all of this. */
export function checkInputGradient(g: ConvGeometry, dtype: DType, profile: NpuProfile): Refusal[] {
  if (profile.soc.backward === 'arch35') return [];
  return [...checkRules(g, dtype, profile), ...checkL1(g, dtype, profile)];
}

function checkL1(g: ConvGeometry, dtype: DType, { soc, cann }: NpuProfile): Refusal[] {
  const { aL1, bL1, fillZero, total, width } = inputGradientL1(g, dtype);
  if (total <= soc.l1 && width <= WIDTH_LIMIT) return [];
  const text =
    `Minimum load size may exceed L1 buffer, a_l1_size is ${aL1}B, b_l1_size is ${bL1}B, ` +
    `fill_zero_size is ${fillZero}B, L1size is ${soc.l1}B, width may exceed limits, ` +
    `actual width: ${width}, width limit: ${WIDTH_LIMIT}`;
  const refusal = {
    ...innerError(cann, inputOperator(g, dtype), text, 'Error msg: '),
    source: SOURCES.dx_check,
  };
  return total > soc.l1
    ? [{ check: 'L1', ...refusal, needBytes: total, limitBytes: soc.l1 }]
    : [{ check: 'width', ...refusal }];
}

/** What the tiling on Atlas A2 and A3 rejects before it looks at L1. Source: dx_check. */
function checkRules(g: ConvGeometry, dtype: DType, { cann }: NpuProfile): Refusal[] {
  const refusals: Refusal[] = [];
  const refuseIf = (broken: boolean, check: string, text: string) => {
    if (!broken) return;
    const error = innerError(cann, inputOperator(g, dtype), text);
    refusals.push({ check, ...error, source: SOURCES.dx_check });
  };
  for (const axis of DHW) {
    const [name, kernel, dilation] = [AXIS_NAMES[axis], g.kernel[axis], g.dilation[axis]];
    refuseIf(
      dilation !== 1 && kernel === 1,
      'dilation',
      `cannot support dilation_${name}: [${dilation}] != 1 while kernel_${name}: [${kernel}] = 1`,
    );
  }
  const [strideD, kernelD] = [g.stride[0], g.kernel[0]];
  refuseIf(
    strideD > kernelD,
    'stride',
    `cannot support stride_d: ${strideD} > kernel_d: ${kernelD}`,
  );
  refuseIf(
    strideD > STRIDE_D_LIMIT,
    'stride',
    `stride_d: ${strideD} is invalid, support range [1, ${STRIDE_D_LIMIT}]`,
  );
  const plane = g.input[1] * g.input[2];
  refuseIf(plane > PLANE_LIMIT, 'size', `cannot support hi * wi=${plane} over ${PLANE_LIMIT}`);
  for (const axis of HW) {
    const name = AXIS_NAMES[axis];
    const pad = dilatedKernel(g.kernel[axis], g.dilation[axis]) - 1 - g.padding[axis][0];
    refuseIf(
      pad > PAD_LIMIT,
      'padding',
      `backprop pad value invalid: (k${name} - 1) * dilation_${name} - pad_${name} is ${pad}, ` +
        `support range [0, ${PAD_LIMIT}]`,
    );
  }
  return refusals;
}

// The native weight gradient: operator Conv3DBackpropFilter, or its V2.

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
import { weightOperator } from '../routing/route.js';
import { BLOCK, CHANNEL_BYTES } from './units.js';

export interface WeightGradientL1 {
  readonly aL1: number;
  readonly bL1: number;
  readonly total: number;
}

/**
 * Smallest load of the weight gradient, in bytes of L1. k0·bytes = 32; m = 2 for float32, whose
 * blocks of 8 pair up, else 1:
 *
 *   aL1 = 16·32·m
 *   bL1 = rows·Wi·32·m            Wo ≥ 16, rows = Wo % 16 ? khDil + sH : khDil
 *   bL1 = align16((khDil + (f - 1)·sH)·Wi)·32·m    Wo < 16, f = ⌈16 / Wo⌉ + (16 % Wo ? 1 : 0)
 *
 * Source: dw_check.
 */
export function weightGradientL1(g: ConvGeometry, dtype: DType): WeightGradientL1 {
  const column = CHANNEL_BYTES * pairs(dtype);
  const [inW, outW, strideH] = [g.input[2], g.output[2], g.stride[1]];
  const dilatedH = dilatedKernel(g.kernel[1], g.dilation[1]);
  const unaligned = outW % BLOCK === 0 ? 0 : 1;

  let positions = (dilatedH + unaligned * strideH) * inW;
  if (outW < BLOCK) {
    const outRows = Math.ceil(BLOCK / outW) + (BLOCK % outW === 0 ? 0 : 1);
    positions = alignToBlock((dilatedH + (outRows - 1) * strideH) * inW);
  }
  return sizes(column, positions);
}

/**
 * The load if a row could be split into the columns that 16 outputs read (how many is inferred).
 * The 3D operator does not split rows, but where this fits it asks for narrower ones. Source:
 * dw_check.
 */
function splitRowsL1(g: ConvGeometry, dtype: DType): WeightGradientL1 {
  const dilatedW = dilatedKernel(g.kernel[2], g.dilation[2]);
  const columns = Math.min((BLOCK - 1) * g.stride[2] + dilatedW, g.input[2]);
  const positions = dilatedKernel(g.kernel[1], g.dilation[1]) * columns;
  return sizes(CHANNEL_BYTES * pairs(dtype), positions);
}

/** Why the native weight gradient of `g` does not run. */
export function checkWeightGradient(
  g: ConvGeometry,
  dtype: DType,
  { soc, cann }: NpuProfile,
): Refusal[] {
  const { total } = weightGradientL1(g, dtype);
  if (total <= soc.l1) return [];
  const text =
    splitRowsL1(g, dtype).total <= soc.l1
      ? `L1 min tiling exceed L1 size, current out_backprop width is ${g.output[2]}, ` +
        'please change the width to a smaller value.'
      : 'kernel/stride/dilation/pad H/W dimension exceed load3d instruction support range, ' +
        `or minimum load size may exceed L1 buffer size ${soc.l1}B`;
  return [
    {
      check: 'L1',
      ...innerError(cann, weightOperator(g, dtype), text),
      needBytes: total,
      limitBytes: soc.l1,
      source: SOURCES.dw_check,
    },
  ];
}

const pairs = (dtype: DType) => (bytesPerElement(dtype) === 4 ? 2 : 1);
const alignToBlock = (n: number) => Math.ceil(n / BLOCK) * BLOCK;

function sizes(column: number, positions: number): WeightGradientL1 {
  const [aL1, bL1] = [BLOCK * column, positions * column];
  return { aL1, bL1, total: aL1 + bL1 };
}

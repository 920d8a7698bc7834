// The call that a script repeats, with every parameter spelled out.

import { type ConvFormats, type DType, inputShape, VoxgradError, weightShape } from '@voxgrad/core';
import { formatConv } from '../plan/conv-text.js';
import { type ConvDescription, checkLayer } from '../plan/layer.js';

export interface ReproCall {
  /** The call on one line. */
  readonly text: string;
  readonly rank: 1 | 2 | 3;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly dtype: 'float32' | 'float16' | 'bfloat16' | 'float64';
  readonly needs: readonly [input: boolean, weight: boolean, bias: boolean];
  /** Storage formats that are not the usual ones. */
  readonly formats: ConvFormats;
}

const DTYPES: readonly DType[] = ['float32', 'float16', 'bfloat16', 'float64'];

/** @throws VoxgradError for what PyTorch's functions do not take in one call */
export function reproCall(conv: ConvDescription): ReproCall {
  const refuse = (what: string) =>
    new VoxgradError('UNSUPPORTED', `repro(): ${what}; write the script for a call without that`);
  const { call } = checkLayer(conv, 'float32');
  if (conv.transposed) throw refuse('transposed convolutions have no script');
  const { geometry: g, dtype, needs } = call;
  if (!DTYPES.includes(dtype)) throw refuse(`${dtype} has no gradients`);
  if (g.padding.some(([lo, hi]) => lo !== hi))
    throw refuse('padding differs on both sides of an axis, and PyTorch takes one number');
  const own = <T>(triple: readonly T[]): T[] => triple.slice(3 - g.spatialRank);
  const shape = (full: readonly number[]) => [...full.slice(0, 2), ...own(full.slice(2))];
  return {
    text: formatConv(conv),
    rank: g.spatialRank,
    input: shape(inputShape(g)),
    weight: shape(weightShape(g)),
    stride: own(g.stride),
    padding: own(g.padding.map(([lo]) => lo)),
    dilation: own(g.dilation),
    groups: g.groups,
    dtype: dtype as ReproCall['dtype'],
    needs,
    formats: call.formats ?? {},
  };
}

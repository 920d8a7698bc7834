// What the convolution kernels of tfjs assert, asked beforehand (tfjs-core 4.22, ops/conv3d.ts).

import { AXES, type ConvCall, type ConvKernelName, type Refusal } from '@voxgrad/core';

const source = 'tfjs-core 4.22.0, src/ops/conv3d.ts';

const list = (values: readonly number[]) => values.join(', ');

export function checkConv(kernel: ConvKernelName, { geometry, dtype }: ConvCall): Refusal[] {
  const { groups, batch, stride, dilation } = geometry;
  const refusals: Refusal[] = [];
  const refuse = (check: string, message: string) => refusals.push({ check, message, source });
  if (dtype !== 'float32') refuse('dtype', `tfjs convolves float32 only, not ${dtype}`);
  if (groups > 1) refuse('groups', `tfjs has no grouped 3D convolution (groups=${groups})`);
  if (batch === 0) refuse('batch', 'tfjs does not convolve an empty batch');
  const isDilated = dilation.some((d) => d > 1);
  if (kernel === 'convForward' && stride.some((s) => s > 1) && isDilated)
    refuse(
      'stride',
      `tfjs takes either strides or dilations, not both (strides [${list(stride)}], dilations [${list(dilation)}])`,
    );
  if (kernel !== 'convForward' && isDilated)
    refuse('dilation', `the gradients of tfjs take no dilation (dilations [${list(dilation)}])`);
  if (AXES.some((a) => geometry.output[a] === 0)) refuse('output', 'there is nothing to compute');
  return refusals;
}

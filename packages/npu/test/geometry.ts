import {
  type ConvCall,
  type ConvOptions,
  convGeometry,
  type DType,
  type Needs,
} from '@voxgrad/core';

/** A conv3d call without bias. */
export function conv3dCall(
  input: readonly number[],
  weight: readonly number[],
  options: ConvOptions = {},
  { dtype = 'float32', needs = [true, true, false] }: { dtype?: DType; needs?: Needs } = {},
): ConvCall {
  return {
    geometry: convGeometry('conv3d', 3, input, weight, null, options),
    dtype,
    bias: false,
    needs,
  };
}

/** 'same' convolution of `channels` channels with a cubic kernel in `groups` groups. */
export const sameCall = (
  kernel: number,
  size: readonly number[],
  channels: number,
  groups: number,
  dtype: DType,
): ConvCall =>
  conv3dCall(
    [1, channels, ...size],
    [channels, channels / groups, kernel, kernel, kernel],
    { padding: (kernel - 1) / 2, groups },
    { dtype },
  );

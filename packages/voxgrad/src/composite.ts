// One-line replacement for the convolutions of `voxgrad`:
//
//   import { Conv3d, conv3d } from 'voxgrad/composite';
//
// The function always takes the composite backward. The module takes it on devices that enforce
// the limits of another machine (`npu`), where the native backward may refuse; elsewhere it leaves
// the choice to the registry.

import { type ConvCallOptions, conv3d as coreConv3d, type Tensor } from '@voxgrad/core';
import { Conv3d as NativeConv3d } from '@voxgrad/nn';

/** {@link coreConv3d} with the composite backward. */
export const conv3d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: Omit<ConvCallOptions, 'backward'> = {},
): Tensor => coreConv3d(x, weight, bias, { ...options, backward: 'composite' });

/** `nn.Conv3d` with the composite backward on profile devices. */
export class Conv3d extends NativeConv3d {
  override forward(x: Tensor): Tensor {
    const own = this.backward;
    if (own === undefined && x.device.capabilities.profile !== null) this.backward = 'composite';
    try {
      return super.forward(x);
    } finally {
      this.backward = own;
    }
  }
}

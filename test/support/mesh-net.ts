// The network whose weights lie beside the MRI.

import type { DType, Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';

/** MeshNet: dilated convolutions of five channels, and a classifier of three classes. */
export class MeshNet extends nn.Module {
  readonly model: nn.Sequential;

  constructor(dilations: readonly number[], { dtype }: { readonly dtype?: DType } = {}) {
    super();
    const kept = dtype === undefined ? {} : { dtype };
    const layers = dilations.flatMap((dilation, i) => [
      new nn.Conv3d(i === 0 ? 1 : 5, 5, 3, { padding: dilation, dilation, ...kept }),
      new nn.ReLU(),
    ]);
    this.model = new nn.Sequential(...layers, new nn.Conv3d(5, 3, 1, kept));
  }

  forward(x: Tensor): Tensor {
    return this.model.call(x);
  }
}

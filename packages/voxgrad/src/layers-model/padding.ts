// What Keras does and no layer of PyTorch: padding that depends on the size of the input, and the
// order of elements in Flatten.

import { pad, type Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';

/** Per spatial axis, in order. */
export interface Window {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
}

/**
 * TensorFlow's "SAME" padding of `[N, C, …]` before a window: ⌈size / stride⌉ outputs, and of an odd
 * number of elements the larger half behind. PyTorch has it for a stride of one alone.
 */
export class SamePad extends nn.Module {
  constructor(
    readonly window: Window,
    /** What is padded with. */
    readonly value: number,
  ) {
    super();
  }

  forward(x: Tensor): Tensor {
    const { kernelSize, stride, dilation } = this.window;
    const pairs = kernelSize.map((kernel, axis) => {
      const size = x.shape[x.ndim - kernelSize.length + axis];
      const reach = dilation[axis] * (kernel - 1) + 1;
      const outputs = Math.ceil(size / stride[axis]);
      const total = Math.max((outputs - 1) * stride[axis] + reach - size, 0);
      return [Math.floor(total / 2), Math.ceil(total / 2)];
    });
    return pad(x, pairs.reverse().flat(), { value: this.value });
  }

  override extraRepr(): string {
    return `kernelSize=(${this.window.kernelSize.join(', ')}), stride=(${this.window.stride.join(', ')})`;
  }
}

/** Flattens `[N, C, …]` as Keras flattens `[N, …, C]`: the channel varies fastest. */
export class FlattenChannelsLast extends nn.Module {
  forward(x: Tensor): Tensor {
    return x.movedim(1, -1).flatten(1);
  }
}

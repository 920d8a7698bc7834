// Networks of the comparison as modules.

import { cat, type Device, type DType, fromHost, noGrad, type Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import type { Layer, Work } from '../peers/work.js';
import type { Data } from './data.js';

type Step = (h: Tensor, kept: Map<string, Tensor>) => Tensor;

export class Net extends nn.Module {
  readonly layers = new nn.ModuleList();
  readonly #steps: readonly Step[];

  constructor(layers: readonly Layer[]) {
    super();
    this.#steps = layers.map((layer) => this.#step(layer));
  }

  #step(layer: Layer): Step {
    if (layer.op === 'keep')
      return (h, kept) => {
        kept.set(layer.as, h);
        return h;
      };
    if (layer.op === 'join') return (h, kept) => cat([h, kept.get(layer.with) as Tensor], 1);
    const module = moduleOf(layer);
    this.layers.append(module);
    return (h) => module.call(h);
  }

  forward(x: Tensor): Tensor {
    const kept = new Map<string, Tensor>();
    return this.#steps.reduce((h, step) => step(h, kept), x);
  }
}

function moduleOf(layer: Exclude<Layer, { op: 'keep' | 'join' }>) {
  switch (layer.op) {
    case 'conv': {
      const { op: _, in: from, out, kernel, ...options } = layer;
      return new nn.Conv3d(from, out, kernel, options);
    }
    case 'upConv':
      return new nn.ConvTranspose3d(layer.in, layer.out, layer.kernel, { stride: layer.kernel });
    case 'batchNorm':
      return new nn.BatchNorm3d(layer.channels);
    case 'relu':
      return new nn.ReLU();
    case 'maxPool':
      return new nn.MaxPool3d(layer.size);
  }
}

/** The network, or the convolution as one, with the numbers of the comparison, on a device. */
export function modelOf(
  work: Work,
  data: Data,
  at: { device: Device; dtype: DType },
): Net | nn.Conv3d {
  const model: Net | nn.Conv3d =
    work.kind === 'net' ? new Net(work.layers) : convolutionLayer(work);
  noGrad(() => {
    [...model.parameters()].forEach((p, i) => {
      p.copy_(fromHost(data.weights[i], 'float32', [...p.shape], { device: 'cpu' }));
    });
  });
  return model.to(at.dtype).to(at.device);
}

function convolutionLayer({ weight, stride, padding, dilation, groups }: Work & { kind: 'conv' }) {
  const [out, perGroup, kernel] = weight;
  const options = { stride, padding, dilation, groups, bias: false };
  return new nn.Conv3d(perGroup * groups, out, kernel, options);
}

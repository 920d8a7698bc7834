// A chain of layers whose names in state dicts are those of the checkpoint.

import { noGrad, type Tensor, usedUp } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import type { LayerInfo, NetworkDescription } from '../shared/protocol.js';
import type { FoundLayer } from './description.js';

type Layer = nn.Module & { forward(x: Tensor): Tensor };

export class Chain extends nn.Module {
  /** In the order in which they run. */
  readonly #steps: { readonly name: string; readonly layer: Layer }[] = [];
  readonly #sequence: nn.Sequential;

  constructor(found: readonly FoundLayer[], { dilations, activation }: NetworkDescription) {
    super();
    const lastConv = found.findLastIndex(({ kind }) => kind === 'conv');
    let conv = 0;
    for (const [i, layer] of found.entries()) {
      if (layer.kind === 'norm') this.#add(layer.name, new nn.BatchNorm3d(layer.channels));
      else {
        const { name, inChannels, outChannels, kernel, groups, bias } = layer;
        const dilation = dilations[conv++];
        const padding = kernel.map((k) => (dilation * (k - 1)) / 2);
        this.#add(
          name,
          new nn.Conv3d(inChannels, outChannels, [...kernel] as [number, number, number], {
            padding: padding as [number, number, number],
            dilation,
            groups,
            bias,
          }),
        );
      }
      const beforeNorm = found[i + 1]?.kind === 'norm';
      if (i < lastConv && !beforeNorm && activation !== 'none')
        this.#steps.push({ name: activation, layer: ACTIVATION[activation]() });
    }
    this.#sequence = new nn.Sequential(...this.#steps.map(({ layer }) => layer));
  }

  /** Puts `layer` under `path`, in containers made on the way. */
  #add(path: string, layer: Layer): void {
    const names = path.split('.');
    let home: nn.Module = this;
    for (const name of names.slice(0, -1)) {
      let inner = home.namedChildren().find(([known]) => known === name)?.[1];
      if (!inner) {
        inner = new nn.ModuleDict();
        home.addModule(name, inner);
      }
      home = inner;
    }
    home.addModule(names[names.length - 1], layer);
    this.#steps.push({ name: path, layer });
  }

  forward(x: Tensor): Tensor {
    return this.#sequence.forward(x);
  }

  /**
   * Runs the chain off the tape, layer by layer, giving every activation back once it is used.
   * `between` is called after each layer and may throw to stop.
   */
  infer(x: Tensor, between: (done: number, total: number) => void): Tensor {
    let value = x;
    for (const [i, { layer }] of this.#steps.entries()) {
      const next = noGrad(() => layer.call(value));
      if (value !== x && next.storage !== value.storage) usedUp(value);
      value = next;
      between(i + 1, this.#steps.length);
    }
    return value;
  }

  get steps(): readonly { readonly name: string; readonly layer: Layer }[] {
    return this.#steps;
  }

  get layerInfo(): LayerInfo[] {
    return this.#steps.map(({ name, layer }) => ({ name, text: layer.toString() }));
  }

  /** Voxels along an axis that one output depends on: 1 + Σ dilation · (kernel − 1). */
  get receptiveField(): number {
    return this.#steps.reduce((sum, { layer }) => {
      if (!(layer instanceof nn.Conv3d)) return sum;
      return sum + Math.max(...layer.kernelSize.map((k, i) => layer.dilation[i] * (k - 1)));
    }, 1);
  }

  /** Channels of the widest activation. */
  get widest(): number {
    return Math.max(
      ...this.#steps.map(({ layer }) => (layer instanceof nn.Conv3d ? layer.outChannels : 1)),
    );
  }
}

const ACTIVATION = {
  relu: () => new nn.ReLU(),
  leaky_relu: () => new nn.LeakyReLU(),
  elu: () => new nn.ELU(),
  gelu: () => new nn.GELU(),
} as const;

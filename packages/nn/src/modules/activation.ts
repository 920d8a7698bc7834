import { relu, sigmoid, softmax, type Tensor, tanh } from '@voxgrad/core';
import { Module } from '../module.js';

/** max(x, 0) */
export class ReLU extends Module {
  forward(x: Tensor): Tensor {
    return relu(x);
  }
}

/** 1 / (1 + e⁻ˣ) */
export class Sigmoid extends Module {
  forward(x: Tensor): Tensor {
    return sigmoid(x);
  }
}

export class Tanh extends Module {
  forward(x: Tensor): Tensor {
    return tanh(x);
  }
}

/** exp(x) / Σ exp(x) along `dim`. */
export class Softmax extends Module {
  constructor(readonly dim: number) {
    super();
  }

  forward(x: Tensor): Tensor {
    return softmax(x, this.dim);
  }

  override extraRepr(): string {
    return `dim=${this.dim}`;
  }
}

/** Returns its input. */
export class Identity extends Module {
  forward(x: Tensor): Tensor {
    return x;
  }
}

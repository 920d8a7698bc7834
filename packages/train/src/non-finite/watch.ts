// A step under observation: which operation made which tensor, and what was in it.

import { type Recorder, recordedBy, type Tensor } from '@voxgrad/core';
import { type Counted, count } from './elements.js';

/** A tensor with where it came from. */
export interface Value {
  readonly tensor: Tensor;
  readonly elements: Counted | undefined;
  /** The operation that made it; undefined for what was there before. */
  readonly made?: {
    readonly operation: string;
    readonly site: object | undefined;
    readonly inputs: readonly Value[];
  };
}

/** The gradients that one derivative rule returned. */
export interface RuleRun {
  readonly operation: string;
  readonly site: object | undefined;
  readonly gradients: readonly (Counted | undefined)[];
}

export class Watch implements Recorder {
  readonly rules: RuleRun[] = [];
  readonly #values = new Map<Tensor, Value>();
  /** The newest value over a storage, for tensors that are views which nobody recorded. */
  readonly #byStorage = new Map<object, Value>();
  #busy = false;
  #forward = true;

  /** Runs `forward` and the backward of what it returns. */
  run(forward: () => Tensor): Tensor {
    return recordedBy(this, () => {
      const loss = forward();
      this.#forward = false;
      loss.backward();
      return loss;
    });
  }

  valueOf(tensor: Tensor): Value {
    const known = this.#values.get(tensor) ?? this.#byStorage.get(tensor.storage);
    if (known) return known;
    const leaf = { tensor, elements: this.#count(tensor) };
    this.#values.set(tensor, leaf);
    return leaf;
  }

  operation(
    operation: string,
    inputs: readonly Tensor[],
    _options: unknown,
    outputs: readonly Tensor[],
    site: object | undefined,
  ): void {
    if (this.#busy || !this.#forward) return;
    const made = { operation, site, inputs: inputs.map((input) => this.valueOf(input)) };
    for (const tensor of outputs) {
      const value = { tensor, elements: this.#count(tensor), made };
      this.#values.set(tensor, value);
      this.#byStorage.set(tensor.storage, value);
    }
  }

  written(target: Tensor, source: Tensor): void {
    if (this.#busy || !this.#forward) return;
    const value = this.valueOf(source);
    this.#values.set(target, value);
    this.#byStorage.set(target.storage, value);
  }

  rule(operation: string, site: object | undefined, gradients: readonly (Tensor | null)[]): void {
    if (this.#busy) return;
    const counted = gradients.map((gradient) => (gradient ? this.#count(gradient) : undefined));
    this.rules.push({ operation, site, gradients: counted });
  }

  call(_name: string, _args: readonly unknown[], run: () => unknown): unknown {
    return run();
  }

  /** Counting is itself made of operations, which nobody asked about. */
  #count(tensor: Tensor): Counted | undefined {
    const before = this.#busy;
    this.#busy = true;
    try {
      return count(tensor);
    } finally {
      this.#busy = before;
    }
  }
}

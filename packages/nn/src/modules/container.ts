import { argumentError, describe } from '@voxgrad/core';
import { Module } from '../module.js';

/** Modules run one after another; their names are '0', '1', … as in PyTorch. */
export class Sequential extends Module {
  readonly #names: string[] = [];

  constructor(...modules: Module[]) {
    super();
    for (const module of modules) this.append(module);
  }

  /** Adds a module at the end. */
  append(module: Module): this {
    if (!(module instanceof Module))
      throw argumentError(`Sequential: expected a Module, but got ${describe(module)}`);
    const name = String(this.#names.length);
    this.#names.push(name);
    Object.assign(this, { [name]: module });
    return this;
  }

  get length(): number {
    return this.#names.length;
  }

  /** The module at `index`; negative counts from the end. */
  at(index: number): Module {
    const module = this.namedChildren()
      .map(([, m]) => m)
      .at(index);
    if (!module) throw argumentError(`index ${index} is out of range for ${this.length} modules`);
    return module;
  }

  forward<X, Y>(x: X): Y {
    const output = this.children().reduce<unknown>(
      (value, module) => (module as unknown as { call(v: unknown): unknown }).call(value),
      x,
    );
    return output as Y;
  }
}

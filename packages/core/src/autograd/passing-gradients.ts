import type { Storage } from '../tensor/storage.js';
import { collecting } from '../tensor/temporaries.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Gradients } from './node.js';

/**
 * The gradients on their way through one backward walk. Those that a rule made and that nobody else
 * has seen are dead once the next rule has used them, and their memory goes back at once.
 */
export class PassingGradients {
  /** How many places hold a storage that belongs to the walk. */
  readonly #holders = new Map<Storage, number>();
  readonly #active: boolean;

  /** `active` is false where a graph of the walk is recorded, which keeps everything. */
  constructor(active: boolean) {
    this.#active = active;
  }

  /** Runs a rule; what it made and returns belongs to the walk, held once. */
  from(rule: () => Gradients): Gradients {
    if (!this.#active) return rule();
    const { result, made } = collecting(rule);
    const own = new Set(made);
    for (const gradient of result) {
      if (!gradient) continue;
      if (own.has(gradient.storage)) this.#holders.set(gradient.storage, 0);
    }
    for (const gradient of result) if (gradient) this.hold(gradient);
    return result;
  }

  /** `a + b` in place of a held `a`; held once. */
  sum(a: Tensor, b: Tensor): Tensor {
    const [total] = this.from(() => [a.add(b)]);
    this.drop(a);
    return total as Tensor;
  }

  /** One more place holds the gradient. */
  hold({ storage }: Tensor): void {
    const count = this.#holders.get(storage);
    if (count !== undefined) this.#holders.set(storage, count + 1);
  }

  /** One place less holds the gradient; the last one gives its memory back. */
  drop({ storage }: Tensor): void {
    const count = this.#holders.get(storage);
    if (count === undefined) return;
    if (count > 1) this.#holders.set(storage, count - 1);
    else {
      this.#holders.delete(storage);
      if (!storage.kept) storage.release();
    }
  }

  /** Lets go of a gradient if nothing else holds it, and says whether that was so. */
  takeOver({ storage }: Tensor): boolean {
    return this.#holders.get(storage) === 1 && this.#holders.delete(storage);
  }

  /** A user has seen the gradient and may keep it. */
  escape({ storage }: Tensor): void {
    this.#holders.delete(storage);
  }
}

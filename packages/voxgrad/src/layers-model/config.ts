// What Keras says of a layer, checked: a file may say anything.

import { CheckpointError, type LayerConfig } from '@voxgrad/checkpoint';

const INSTEAD = 'Read the weights with readLayersModel() and write the module by hand';

/** That a layer has no counterpart here, or says what makes no sense. */
export const refused = ({ name, className }: LayerConfig, why: string): CheckpointError =>
  new CheckpointError('UNSUPPORTED', `the layer of class ${className} ${why}. ${INSTEAD}`, {
    entry: name,
  });

export class Settings {
  readonly #layer: LayerConfig;

  constructor(layer: LayerConfig) {
    this.#layer = layer;
  }

  number(key: string, fallback: number): number {
    const value = this.#layer.config[key] ?? fallback;
    if (typeof value === 'number') return value;
    throw this.#wrong(key, 'a number');
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.#layer.config[key] ?? fallback;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(key, 'true or false');
  }

  text(key: string, fallback: string): string {
    const value = this.#layer.config[key] ?? fallback;
    if (typeof value === 'string') return value.toLowerCase();
    throw this.#wrong(key, 'a text');
  }

  /** Positive integers, one for each of `rank` axes; a single one stands for all. */
  sizes(key: string, rank: number, fallback?: readonly number[]): number[] {
    const value = this.#layer.config[key] ?? fallback;
    const sizes = Array.isArray(value) ? (value as unknown[]) : new Array(rank).fill(value);
    if (sizes.length === rank && sizes.every((n) => Number.isSafeInteger(n) && Number(n) > 0))
      return sizes as number[];
    throw this.#wrong(key, `${rank} positive integers`);
  }

  /** Elements before and behind each of `rank` axes: `[[1, 1], [0, 2]]`, `[1, 2]` or `1`. */
  margins(key: string, rank: number): [number, number][] {
    const value = this.#layer.config[key] ?? 1;
    const axes = Array.isArray(value) ? (value as unknown[]) : new Array(rank).fill(value);
    // Of one axis, a pair stands for itself.
    const all = rank === 1 && axes.length === 2 ? [axes] : axes;
    const pairs = all.map((axis) => (Array.isArray(axis) ? (axis as unknown[]) : [axis, axis]));
    const isPair = (pair: unknown[]): pair is [number, number] =>
      pair.length === 2 && pair.every((n) => Number.isSafeInteger(n) && Number(n) >= 0);
    if (pairs.length === rank && pairs.every(isPair)) return pairs;
    throw this.#wrong(key, `${rank} pairs of elements`);
  }

  #wrong(key: string, wanted: string): CheckpointError {
    const got = JSON.stringify(this.#layer.config[key]);
    return refused(this.#layer, `has ${got ?? 'nothing'} as ${key}, where ${wanted} is expected`);
  }
}

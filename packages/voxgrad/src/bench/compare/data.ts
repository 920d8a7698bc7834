// The numbers of a comparison: the same in every run and for everybody, of mean 0.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Work, weightsOf } from '../peers/work.js';

export type Numbers = Float32Array<ArrayBuffer>;

export interface Data {
  readonly x: Numbers;
  readonly weights: readonly Numbers[];
  /** The gradient of a convolution's output; of a network, what its classes are drawn from. */
  readonly g: Numbers;
}

const volume = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Numbers in [mean − spread, mean + spread) of a linear congruential generator. */
function noise(length: number, seed: number, { spread = 1, mean = 0 } = {}): Numbers {
  const values = new Float32Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = mean + spread * (state / 2 ** 31 - 1);
  }
  return values;
}

export function dataOf(work: Work): Data {
  return {
    x: noise(volume(work.input), 1),
    weights: weightsOf(work).map((w, i) => noise(volume(w.shape), 100 + i, w)),
    g: noise(volume(work.output), 2),
  };
}

/** Where peers in other processes read them. */
export function writeData(folder: string, { x, weights, g }: Data): void {
  writeFileSync(join(folder, 'x'), x);
  weights.forEach((w, i) => {
    writeFileSync(join(folder, `w${i}`), w);
  });
  writeFileSync(join(folder, 'g'), g);
}

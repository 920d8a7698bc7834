// The rows themselves, and what the files of this folder write them with.

import { type NestedList, type Tensor, tensor } from '../../../src/index.js';
import { filled } from '../numbers.js';

export interface Input {
  readonly shape: readonly number[];
  /** Values are spread over (from, to). */
  readonly from: number;
  readonly to: number;
}

export interface Row {
  /** The exported function or method. */
  readonly op: string;
  readonly title: string;
  readonly inputs: readonly Input[];
  readonly run: (...xs: Tensor[]) => Tensor | Tensor[];
}

type Shape = readonly number[];

/** All rows so far. */
export const rows: Row[] = [];

/** Inputs of these shapes with values spread over (from, to). */
export const range = (from: number, to: number, ...shapes: Shape[]): Input[] =>
  shapes.map((shape) => ({ shape, from, to }));

/** Values of both signs. */
export const wide = (...shapes: Shape[]): Input[] => range(-2, 2, ...shapes);
export const positive = (...shapes: Shape[]): Input[] => range(0.3, 2.5, ...shapes);

export function row(op: string, run: Row['run'], ...inputs: Input[]): void {
  const shapes = inputs.map(({ shape }) => `[${shape.join(', ')}]`).join(' × ');
  const source = run
    .toString()
    .replace(/\s+/g, ' ')
    .replaceAll(/__vite_ssr_import_\d+__\./g, '');
  rows.push({ op, title: `${op} ${shapes}: ${source}`, run, inputs });
}

const ODD: readonly Shape[] = [[3, 1, 5], [], [0, 3]];

/** A function of one tensor, on odd shapes with values of (from, to). */
export function unary(op: string, run: (x: Tensor) => Tensor, from = -2, to = 2): void {
  for (const input of range(from, to, ...ODD)) row(op, run as Row['run'], input);
}

const BROADCASTS: readonly (readonly [Shape, Shape])[] = [
  [
    [3, 1, 5],
    [2, 5],
  ],
  [[], [3, 2]],
  [
    [2, 1, 3],
    [2, 4, 1],
  ],
  [[1], [0, 3]],
];

/** A function of two tensors; the values of the second lie between those of the first. */
export function binary(op: string, run: (a: Tensor, b: Tensor) => Tensor, from = -2, to = 2): void {
  for (const [a, b] of BROADCASTS)
    row(op, run as Row['run'], ...range(from, to, a), ...range(from + 0.03, to + 0.03, b));
}

/** Whole numbers on the device of `x`. */
export const at = (x: Tensor, list: NestedList): Tensor =>
  tensor(list, { dtype: 'int64', device: x.device });

/** The inputs of a row: float64 on the cpu. */
export const inputsOf = (r: Row): Tensor[] =>
  r.inputs.map(({ shape, from, to }) => filled(shape, from, to));

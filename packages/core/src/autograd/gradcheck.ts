// Derivatives against finite differences, with PyTorch's defaults, order of checks and messages.
//
// Jacobians here are `[input numel, output numel]`, as PyTorch prints them, in float64.

import { requireFunction } from '../arguments.js';
import { argumentError, autogradError, VoxgradError } from '../errors.js';
import { checkOptions } from '../options.js';
import { fillUniform } from '../random/fill.js';
import { Generator } from '../random/generator.js';
import { fromHost } from '../tensor/create.js';
import { isFloat } from '../tensor/dtype.js';
import { describe, formatShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { grad } from './engine.js';
import { noGrad } from './mode.js';

/** A derivative that disagrees with its numerical estimate, or a backward that misbehaves. */
export class GradcheckError extends VoxgradError {
  constructor(message: string) {
    super('GRADCHECK', message);
  }
}

/** Options of {@link gradcheck}. */
export interface GradcheckOptions {
  /** Step of the central differences. */
  eps?: number;
  atol?: number;
  rtol?: number;
  /** Compare one random projection of each Jacobian instead of all of it. */
  fastMode?: boolean;
  /** Throw a {@link GradcheckError} (the default) or return false. */
  raiseException?: boolean;
  /** How far two runs of the same backward may differ. */
  nondetTol?: number;
}

const OPTIONS = ['eps', 'atol', 'rtol', 'nondetTol', 'fastMode', 'raiseException', 'gradOutputs'];

function requireInputs(operation: string, fn: unknown, inputs: unknown): void {
  requireFunction(operation, 'fn', fn);
  if (!(inputs instanceof Tensor || Array.isArray(inputs)))
    throw argumentError(
      `${operation}(): expected a Tensor or a list of inputs, but got ${describe(inputs)}`,
    );
}

/** What may be checked: tensors and any constants in between. */
export type Checked = (...inputs: never[]) => Tensor | readonly Tensor[];

type Matrix = { readonly rows: number; readonly columns: number; readonly data: Float64Array };

interface Settings {
  readonly eps: number;
  readonly atol: number;
  readonly rtol: number;
  readonly nondetTol: number;
}

/**
 * Whether the first derivatives of `fn` at `inputs` agree with central differences: for every
 * entry |analytical − numerical| ≤ atol + rtol·|numerical|.
 * @throws GradcheckError unless `raiseException` is false
 */
export function gradcheck(
  fn: Checked,
  inputs: Tensor | readonly unknown[],
  options: GradcheckOptions = {},
): boolean {
  checkOptions('gradcheck', options, OPTIONS);
  requireInputs('gradcheck', fn, inputs);
  const { eps = 1e-6, atol = 1e-5, rtol = 1e-3, nondetTol = 0 } = options;
  const settings = { eps, atol, rtol, nondetTol };
  for (const [name, value] of Object.entries(settings))
    if (typeof value !== 'number' || !(value >= 0) || (name === 'eps' && value === 0))
      throw argumentError(
        `gradcheck(): ${name} must be a positive number, but got ${String(value)}`,
      );
  const all = inputs instanceof Tensor ? [inputs] : [...inputs];
  const run = fn as (...args: unknown[]) => Tensor | readonly Tensor[];
  const problem = new Problem(run, all, settings);
  try {
    if (problem.outputs.length === 0) problem.checkZeroJacobian();
    else {
      if (options.fastMode) problem.checkProjections();
      else problem.checkJacobians();
      problem.checkZeroGradOutput();
      problem.checkUndefinedGradOutputs();
    }
    return true;
  } catch (error) {
    if (error instanceof GradcheckError && options.raiseException === false) return false;
    throw error;
  }
}

/** Options of {@link gradgradcheck}. */
export interface GradgradcheckOptions extends GradcheckOptions {
  /** Drawn from U(−1, 1) when omitted. */
  gradOutputs?: Tensor | readonly Tensor[];
}

/** Whether the second derivatives agree, with respect to the inputs and the output gradients. */
export function gradgradcheck(
  fn: Checked,
  inputs: Tensor | readonly unknown[],
  options: GradgradcheckOptions = {},
): boolean {
  requireInputs('gradgradcheck', fn, inputs);
  checkOptions('gradgradcheck', options, OPTIONS);
  const all = inputs instanceof Tensor ? [inputs] : [...inputs];
  const run = fn as (...args: unknown[]) => Tensor | readonly Tensor[];
  const seeds = options.gradOutputs
    ? [options.gradOutputs].flat()
    : differentiable(run(...all)).map((y) => uniform(y, -1, 1));
  for (const seed of seeds) seed.requiresGrad = true;
  const first = (...args: unknown[]): Tensor[] => {
    const xs = args.slice(0, all.length);
    const gradOutputs = args.slice(all.length) as Tensor[];
    const wanted = xs.filter((x): x is Tensor => x instanceof Tensor && x.requiresGrad);
    const outputs = differentiable(run(...xs));
    const gradients = grad(outputs, wanted, { gradOutputs, createGraph: true, allowUnused: true });
    return gradients.filter((g): g is Tensor => g !== null);
  };
  return gradcheck(first as Checked, [...all, ...seeds], options);
}

const listOf = (value: Tensor | readonly Tensor[]): readonly Tensor[] =>
  value instanceof Tensor ? [value] : value;

const differentiable = (outputs: Tensor | readonly Tensor[]): Tensor[] =>
  listOf(outputs).filter((y) => isFloat(y.dtype) && y.requiresGrad);

// Projections must not disturb the default generator, whose state belongs to the user.
const generator = new Generator();

function uniform(like: Tensor, from: number, to: number): Tensor {
  const out = new Float64Array(like.numel);
  fillUniform(out, 'float64', from, to, generator);
  return fromHost(out, 'float64', like.shape, { device: like.device }).to(like.dtype);
}

/** A random direction of length 1 with positive entries. */
function direction(length: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(length);
  fillUniform(out, 'float64', 0, 1, generator);
  const norm = Math.hypot(...out) || 1;
  return out.map((x) => x / norm);
}

const numbers = (x: Tensor): Float64Array<ArrayBuffer> =>
  x.detach().to('float64').dataSync() as Float64Array<ArrayBuffer>;

/** Writes without a new version: the old values come back before the tape is used again. */
const overwrite = (x: Tensor, values: Tensor): void => x.device.kernels.assign(x, values);

class Problem {
  readonly outputs: readonly Tensor[];
  /** Inputs whose derivative is checked, with their positions among the arguments. */
  readonly #checked: readonly { readonly tensor: Tensor; readonly index: number }[];

  constructor(
    readonly fn: (...args: unknown[]) => Tensor | readonly Tensor[],
    readonly inputs: readonly unknown[],
    readonly settings: Settings,
  ) {
    this.#checked = checkInputs(inputs);
    this.outputs = differentiable(fn(...inputs));
  }

  checkZeroJacobian(): void {
    for (const { tensor } of this.#checked)
      for (const jacobian of this.#numerical(tensor, (ys) => ys.filter((y) => isFloat(y.dtype))))
        if (jacobian.data.some((x) => x !== 0))
          throw new GradcheckError('Numerical gradient for function expected to be zero');
  }

  checkJacobians(): void {
    const numerical = this.#checked.map(({ tensor }) => this.#numerical(tensor, differentiable));
    this.outputs.forEach((_, o) => {
      const analytical = this.#analytical(o);
      this.#checked.forEach(({ index }, i) => {
        const [n, a] = [numerical[i][o], analytical[i]];
        if (!this.#close(n.data, a.data)) throw new GradcheckError(mismatch(o, index, n, a));
      });
      this.#checkReentrant(o, analytical);
    });
  }

  #checkReentrant(output: number, first: readonly Matrix[]): void {
    const again = this.#analytical(output);
    const tolerance = this.settings.nondetTol;
    const same = first.every((m, i) =>
      m.data.every((x, k) => Math.abs(x - again[i].data[k]) <= tolerance || Number.isNaN(x)),
    );
    if (!same)
      throw new GradcheckError(
        'Backward is not reentrant, i.e., running backward with same input and grad_output multiple ' +
          `times gives different values. The tolerance for nondeterminism was ${tolerance}.`,
      );
  }

  checkProjections(): void {
    for (const { tensor, index } of this.#checked) {
      const u = direction(tensor.numel);
      const slopes = this.#slopes(tensor, u, differentiable);
      this.outputs.forEach((output, o) => {
        const v = direction(output.numel);
        const [gradient] = this.#vjp(o, v, [tensor]);
        const analytical = dot(gradient, u);
        const numerical = dot(slopes[o], v);
        const atol = this.settings.atol * total(u) * total(v);
        if (!this.#close([numerical], [analytical], atol))
          this.#explainProjection(o, index, tensor, numerical, analytical);
      });
    }
  }

  /** A failed projection says little, so the full Jacobians are computed to name the entry. */
  #explainProjection(
    o: number,
    index: number,
    tensor: Tensor,
    numerical: number,
    analytical: number,
  ): never {
    const n = this.#numerical(tensor, differentiable)[o];
    const a = this.#analytical(o)[this.#checked.findIndex((c) => c.tensor === tensor)];
    let worst = 0;
    n.data.forEach((x, k) => {
      const difference = Math.abs(x - a.data[k]);
      if (!(difference <= Math.abs(n.data[worst] - a.data[worst]))) worst = k;
    });
    const [row, column] = [Math.floor(worst / n.columns), worst % n.columns];
    const slow = this.#close(n.data, a.data)
      ? 'Fast gradcheck failed but element-wise differences are small: the check might pass in slow mode.'
      : `Entry (input element ${row}, output element ${column}) differs most.`;
    throw new GradcheckError(
      `${mismatch(o, index, n, a)}\nThe check failed in fast mode on random projections: numerical ` +
        `${numerical}, analytical ${analytical}. ${slow} The max per-element difference (slow mode) is: ` +
        `${Math.abs(n.data[worst] - a.data[worst])}.`,
    );
  }

  checkZeroGradOutput(): void {
    this.outputs.forEach((output, o) => {
      const tensors = this.#checked.map((c) => c.tensor);
      const gradients = this.#vjp(o, new Float64Array(output.numel), tensors);
      if (gradients.some((g) => g.some((x) => x !== 0)))
        throw new GradcheckError('backward not multiplied by grad_output');
    });
  }

  checkUndefinedGradOutputs(): void {
    for (const { gradFn } of this.outputs) {
      if (!gradFn || gradFn.next.length === 0) continue;
      const undefinedGradients = gradFn.outputs.map(() => null);
      const results = noGrad(() => gradFn.apply(undefinedGradients));
      if (results.some((g) => g !== null && numbers(g).some((x) => x !== 0)))
        throw new GradcheckError(
          'Expected backward function to handle undefined output grads: with no gradient coming in, ' +
            `${gradFn.name} must return none or zeros`,
        );
    }
  }

  #close(
    numerical: ArrayLike<number>,
    analytical: ArrayLike<number>,
    atol = this.settings.atol,
  ): boolean {
    return Array.from(numerical).every(
      (n, k) => Math.abs(analytical[k] - n) <= atol + this.settings.rtol * Math.abs(n),
    );
  }

  /** (f(x + eps·u) − f(x − eps·u)) / 2·eps for every output, leaving x as it was. */
  #slopes(
    x: Tensor,
    u: Float64Array,
    pick: (ys: readonly Tensor[]) => readonly Tensor[],
  ): Float64Array[] {
    const { eps } = this.settings;
    const base = x.detach().clone();
    const at = numbers(x);
    const evaluate = (sign: number) => {
      const moved = fromHost(
        at.map((value, k) => value + sign * eps * u[k]),
        'float64',
        x.shape,
        {
          device: x.device,
        },
      );
      overwrite(x, moved);
      return pick(listOf(this.fn(...this.inputs))).map(numbers);
    };
    try {
      const [above, below] = [evaluate(1), evaluate(-1)];
      return above.map((y, o) => y.map((value, k) => (value - below[o][k]) / (2 * eps)));
    } finally {
      overwrite(x, base);
    }
  }

  #numerical(x: Tensor, pick: (ys: readonly Tensor[]) => readonly Tensor[]): Matrix[] {
    const rows = x.numel;
    const slopes = Array.from({ length: rows }, (_, k) => {
      const unit = new Float64Array(rows);
      unit[k] = 1;
      return this.#slopes(x, unit, pick);
    });
    const outputs = pick(listOf(this.fn(...this.inputs)));
    return outputs.map((y, o) => {
      const data = new Float64Array(rows * y.numel);
      slopes.forEach((slope, k) => {
        data.set(slope[o], k * y.numel);
      });
      return { rows, columns: y.numel, data };
    });
  }

  #vjp(output: number, v: Float64Array<ArrayBuffer>, tensors: readonly Tensor[]): Float64Array[] {
    const y = this.outputs[output];
    const gradOutputs = fromHost(v, 'float64', y.shape, { device: y.device }).to(y.dtype);
    const gradients = grad(y, tensors, { gradOutputs, retainGraph: true, allowUnused: true });
    return gradients.map((g, i) => (g ? numbers(g) : new Float64Array(tensors[i].numel)));
  }

  #analytical(output: number): Matrix[] {
    const columns = this.outputs[output].numel;
    const tensors = this.#checked.map((c) => c.tensor);
    const matrices = tensors.map((x) => ({
      rows: x.numel,
      columns,
      data: new Float64Array(x.numel * columns),
    }));
    for (let column = 0; column < columns; column++) {
      const unit = new Float64Array(columns);
      unit[column] = 1;
      this.#vjp(output, unit, tensors).forEach((gradient, i) => {
        gradient.forEach((value, row) => {
          matrices[i].data[row * columns + column] = value;
        });
      });
    }
    return matrices;
  }
}

function checkInputs(inputs: readonly unknown[]) {
  const checked = inputs.flatMap((tensor, index) =>
    tensor instanceof Tensor && tensor.requiresGrad ? [{ tensor, index }] : [],
  );
  if (checked.length === 0)
    throw argumentError(
      'gradcheck expects at least one input tensor to require gradient, but none of them have requiresGrad',
    );
  for (const { tensor, index } of checked) {
    if (tensor.strides.some((stride, axis) => stride === 0 && tensor.shape[axis] > 1))
      throw autogradError(
        `The ${index}th input has a dimension with stride 0. gradcheck only supports inputs that are ` +
          'non-overlapping to be able to compute the numerical gradients correctly. You should call ' +
          '.contiguous() on the input before passing it to gradcheck.',
      );
    if (!tensor.isLeaf)
      throw argumentError(
        `gradcheck: input ${index} was made by ${tensor.gradFn?.name}; pass leaf tensors (detach() first)`,
      );
    if (tensor.dtype !== 'float64')
      console.warn(
        `gradcheck: input ${index} requires gradient and is ${tensor.dtype}; the check will likely fail ` +
          'unless all inputs are float64',
      );
  }
  return checked;
}

const mismatch = (output: number, input: number, numerical: Matrix, analytical: Matrix) =>
  `Jacobian mismatch for output ${output} with respect to input ${input},\n` +
  `numerical:${formatMatrix(numerical)}\nanalytical:${formatMatrix(analytical)}\n`;

/** Rows of a Jacobian, the middle of a large one left out. */
function formatMatrix({ rows, columns, data }: Matrix): string {
  const shown = 8;
  const pick = (length: number) =>
    Array.from({ length }, (_, i) => i).filter((i) => i < shown / 2 || i >= length - shown / 2);
  const lines = pick(rows).map(
    (r) =>
      `[${pick(columns)
        .map((c) => data[r * columns + c].toPrecision(6))
        .join(', ')}]`,
  );
  return `tensor([${lines.join(',\n        ')}], shape=${formatShape([rows, columns])})`;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

const total = (a: Float64Array): number => a.reduce((sum, x) => sum + x, 0);

// Whole derivatives of functions, as torch.autograd.functional: the function is run on fresh
// copies of its inputs, so the caller's tape is left alone.

import { requireFunction, requireTensorList } from '../arguments.js';
import { argumentError, autogradError, shapeError } from '../errors.js';
import { stack } from '../ops/join.js';
import { checkOptions, type OptionTable } from '../options.js';
import { zerosLike } from '../tensor/create.js';
import { formatShape, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { grad } from './engine.js';
import { enableGrad } from './mode.js';

/** One tensor, or several by position. */
export type Tensors = Tensor | readonly Tensor[];
type Fn = (...inputs: Tensor[]) => Tensors;

/** Options of {@link jacobian}, {@link hessian}, {@link hvp}, {@link vjp} and {@link jvp}. */
export interface FunctionalOptions {
  /** Make the result differentiable with respect to the inputs. */
  createGraph?: boolean;
}

const OPTIONS: OptionTable<FunctionalOptions> = { createGraph: true };

/** Checks what all of these functions take, and says whether a graph is wanted. */
function checked(operation: string, fn: Fn, inputs: Tensors, options: FunctionalOptions): boolean {
  requireFunction(operation, 'fn', fn);
  requireTensorList(operation, 'inputs', inputs instanceof Tensor ? [inputs] : inputs);
  checkOptions(operation, options, OPTIONS);
  return options.createGraph ?? false;
}

const listOf = (value: Tensors): readonly Tensor[] => (value instanceof Tensor ? [value] : value);

/** The shape of a result follows that of what was given: one tensor, or a list. */
const like = <T>(model: unknown, list: readonly T[]): T | readonly T[] =>
  model instanceof Tensor ? list[0] : list;

/** Inputs that record from here on; with `createGraph` they stay connected to the caller's tape. */
function prepared(inputs: Tensors, createGraph: boolean): Tensor[] {
  return listOf(inputs).map((x) => {
    if (createGraph && x.requiresGrad) return x.reshape(x.shape).add(0);
    return x.detach().clone().requiresGrad_();
  });
}

/** Gradients of `y`, zeros where it does not depend on an input. */
function gradients(
  y: Tensor,
  xs: readonly Tensor[],
  gradOutputs: Tensor | undefined,
  createGraph: boolean,
): Tensor[] {
  if (!y.requiresGrad) return xs.map((x) => zerosLike(x));
  const found = grad(y, xs, { gradOutputs, createGraph, retainGraph: true, allowUnused: true });
  return found.map((g, i) => g ?? zerosLike(xs[i]));
}

/** Rows d(y[i])/dx for every element of `y`, stacked to `[...y.shape, ...x.shape]`. */
function rows(y: Tensor, xs: readonly Tensor[], createGraph: boolean): Tensor[] {
  const flat = y.reshape(-1);
  const each = Array.from({ length: y.numel }, (_, i) =>
    gradients(flat.select(0, i), xs, undefined, createGraph),
  );
  return xs.map((x, j) => {
    const shape = [...y.shape, ...x.shape];
    if (each.length === 0) return Tensor.filled(shape, 0, x.dtype, x.device);
    return stack(each.map((gs) => gs[j])).reshape(shape);
  });
}

/** The parts of a jacobian: one tensor for one input and output, lists where there are several. */
export type JacobianResult = Tensor | readonly Tensor[] | readonly (readonly Tensor[])[];

/**
 * d(fn)/d(inputs): `[...output.shape, ...input.shape]` for each pair; a list where `inputs` or the
 * outputs are lists (outputs outside).
 */
export function jacobian(fn: Fn, inputs: Tensor, options?: FunctionalOptions): Tensor;
export function jacobian(fn: Fn, inputs: Tensors, options?: FunctionalOptions): JacobianResult;
export function jacobian(fn: Fn, inputs: Tensors, options: FunctionalOptions = {}): JacobianResult {
  const createGraph = checked('jacobian', fn, inputs, options);
  return enableGrad(() => {
    const xs = prepared(inputs, createGraph);
    const outputs = fn(...xs);
    const blocks = listOf(outputs).map((y) => like(inputs, rows(y, xs, createGraph)));
    return like(outputs, blocks) as JacobianResult;
  });
}

/**
 * Second derivatives of a scalar function: `[...xᵢ.shape, ...xⱼ.shape]` for each pair of inputs.
 */
export function hessian(fn: Fn, inputs: Tensor, options?: FunctionalOptions): Tensor;
export function hessian(fn: Fn, inputs: Tensors, options?: FunctionalOptions): JacobianResult;
export function hessian(fn: Fn, inputs: Tensors, options: FunctionalOptions = {}): JacobianResult {
  const createGraph = checked('hessian', fn, inputs, options);
  return enableGrad(() => {
    const xs = prepared(inputs, createGraph);
    const first = gradients(scalar('hessian', fn(...xs)), xs, undefined, true);
    const blocks = first.map((g) => like(inputs, rows(g, xs, createGraph)));
    return like(inputs, blocks) as JacobianResult;
  });
}

function scalar(operation: string, outputs: Tensors): Tensor {
  const [y, ...more] = listOf(outputs);
  if (more.length > 0 || !(y instanceof Tensor) || y.numel !== 1)
    throw shapeError(
      `The function given to ${operation} should return a single Tensor with a single element`,
    );
  return y;
}

function checkVectors(operation: string, given: Tensors, expected: readonly Tensor[]): Tensor[] {
  const vectors = listOf(given);
  requireTensorList(operation, 'v', vectors);
  if (vectors.length !== expected.length)
    throw argumentError(
      `${operation}(): v has ${vectors.length} tensors, but ${expected.length} were expected`,
    );
  vectors.forEach((v, i) => {
    if (!sameShape(v.shape, expected[i].shape))
      throw shapeError(
        `${operation}(): v has invalid size: should be ${formatShape(expected[i].shape)} but got ${formatShape(v.shape)}`,
      );
  });
  return [...vectors];
}

/** ⟨v, output⟩ summed over all outputs. */
const weighted = (ys: readonly Tensor[], vs: readonly Tensor[]): Tensor =>
  ys.map((y, i) => y.mul(vs[i]).sum()).reduce((total, term) => total.add(term));

/** `[output, vᵀ·J]`: what a backward pass computes; `v` has the shapes of the outputs. */
export function vjp<O extends Tensors>(
  fn: (...inputs: Tensor[]) => O,
  inputs: Tensors,
  v: Tensors,
  options: FunctionalOptions = {},
): [O, Tensors] {
  const createGraph = checked('vjp', fn, inputs, options);
  return enableGrad(() => {
    const xs = prepared(inputs, createGraph);
    const outputs = fn(...xs);
    const vs = checkVectors('vjp', v, listOf(outputs));
    const products = gradients(weighted(listOf(outputs), vs), xs, undefined, createGraph);
    return [detached(outputs, createGraph), like(inputs, products)];
  });
}

/**
 * `[output, J·v]`: the derivative of the outputs along `v`, which has the shapes of the inputs. It
 * is the gradient of ⟨u, vᵀJ⟩ with respect to a dummy u, since that expression is linear in u.
 */
export function jvp<O extends Tensors>(
  fn: (...inputs: Tensor[]) => O,
  inputs: Tensors,
  v: Tensors,
  options: FunctionalOptions = {},
): [O, Tensors] {
  const createGraph = checked('jvp', fn, inputs, options);
  return enableGrad(() => {
    const xs = prepared(inputs, createGraph);
    const vs = checkVectors('jvp', v, xs);
    const outputs = fn(...xs);
    const ys = listOf(outputs);
    const us = ys.map((y) => zerosLike(y).requiresGrad_());
    const pulled = gradients(weighted(ys, us), xs, undefined, true);
    const products = gradients(weighted(pulled, vs), us, undefined, createGraph);
    return [detached(outputs, createGraph), like(outputs, products)];
  });
}

/** `[output, H·v]` of a scalar function, by a backward pass through a backward pass. */
export function hvp(
  fn: Fn,
  inputs: Tensors,
  v: Tensors,
  options: FunctionalOptions = {},
): [Tensor, Tensors] {
  const createGraph = checked('hvp', fn, inputs, options);
  return enableGrad(() => {
    const xs = prepared(inputs, createGraph);
    const vs = checkVectors('hvp', v, xs);
    const y = scalar('hvp', fn(...xs));
    if (!y.requiresGrad)
      throw autogradError('hvp(): the output of the function does not depend on its inputs');
    const first = gradients(y, xs, undefined, true);
    const products = gradients(weighted(first, vs), xs, undefined, createGraph);
    return [detached(y, createGraph), like(inputs, products)];
  });
}

function detached<O extends Tensors>(outputs: O, keep: boolean): O {
  if (keep) return outputs;
  return like(
    outputs,
    listOf(outputs).map((y) => y.detach()),
  ) as O;
}

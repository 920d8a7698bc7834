// The backward walk: nodes from the newest to the oldest, each fed with the sum of what arrived.

import { argumentError, autogradError, shapeError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { isFloat } from '../tensor/dtype.js';
import { describe, formatShape, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { checkAnomaly } from './anomaly.js';
import { backwardMode } from './mode.js';
import { AccumulateGrad, type Edge, type Gradients, type Node } from './node.js';
import { PassingGradients } from './passing-gradients.js';
import { currentRecorder } from './recorder.js';

interface WalkOptions {
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
  /** With `capture`, only the paths to these edges are walked, and leaves are left alone. */
  readonly capture?: readonly Edge[];
  /** Nodes older than this sequence number are ends, not passed through. */
  readonly since?: number;
}

/** Sends `gradients` into `roots` and returns what arrived at the captured edges. */
function walk(
  roots: readonly Edge[],
  gradients: readonly Tensor[],
  options: WalkOptions,
): Gradients {
  const { capture, since = 0 } = options;
  const order = reachable(
    roots,
    capture?.map((edge) => edge.node),
    since,
  );
  const arrived = new Map<Node, Gradients>();
  const passing = new PassingGradients(!options.createGraph);
  const send = ({ node, index }: Edge, gradient: Tensor) => {
    if (!order.has(node)) return;
    const slots = arrived.get(node) ?? new Array<Tensor | null>(node.outputs.length).fill(null);
    arrived.set(node, slots);
    const known = slots[index];
    if (known === null) passing.hold(gradient);
    slots[index] = known === null ? gradient : passing.sum(known, gradient);
  };
  return backwardMode(options.createGraph, () => {
    roots.forEach((edge, i) => {
      send(edge, gradients[i]);
    });
    const captured: Gradients = (capture ?? []).map(() => null);
    for (const node of [...order].sort((a, b) => b.sequence - a.sequence)) {
      const slots = arrived.get(node);
      if (!slots) continue;
      arrived.delete(node);
      const end = node.sequence < since; // whoever goes on from there runs the hooks
      const inputs = end
        ? slots
        : slots.map((g, index) => {
            if (g === null) return null;
            if (node.hasHooks(index)) passing.escape(g);
            return node.runHooks(index, g);
          });
      capture?.forEach((edge, i) => {
        if (edge.node !== node) return;
        const gradient = inputs[edge.index];
        if (gradient) passing.escape(gradient);
        captured[i] = gradient;
      });
      if (end) continue;
      if (capture && node.next.length === 0) continue; // a leaf: captured, not accumulated
      if (capture && !node.next.some((edge) => edge !== null && order.has(edge.node))) continue;
      const [arriving] = inputs;
      if (node instanceof AccumulateGrad && arriving && node.takes(arriving))
        if (passing.takeOver(arriving)) {
          node.take(arriving);
          continue;
        }
      const results = passing.from(() => node.apply(inputs));
      currentRecorder()?.rule?.(node.name, node.site, results);
      checkAnomaly(node, results);
      node.next.forEach((edge, i) => {
        const gradient = results[i];
        if (edge && gradient) send(edge, gradient);
      });
      for (const gradient of [...results, ...slots]) if (gradient) passing.drop(gradient);
      if (options.retainGraph) continue;
      // A rule may hand on what it saved.
      for (const gradient of results) if (gradient) gradient.storage.hidden = false;
      node.release();
    }
    if (!captured.includes(null)) return captured;
    const behind = [...order].filter((node) => node.flat).flatMap((node) => node.next);
    const reached = reachable(
      behind.filter((edge) => edge !== null),
      undefined,
      since,
    );
    return captured.map((gradient, i) => gradient ?? zeroAt(capture?.[i], reached));
  });
}

function zeroAt(edge: Edge | undefined, reached: ReadonlySet<Node>): Tensor | null {
  if (!edge || !reached.has(edge.node)) return null;
  const { shape, dtype, device } = edge.node.outputs[edge.index];
  return Tensor.filled(shape, 0, dtype, device);
}

/** Nodes on a path from `roots`; with `targets`, only those from which a target can be reached. */
function reachable(
  roots: readonly Edge[],
  targets: readonly Node[] | undefined,
  since: number,
): Set<Node> {
  const seen = new Set<Node>();
  const stack = roots.map((edge) => edge.node);
  while (stack.length > 0) {
    const node = stack.pop() as Node;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.sequence < since) continue;
    for (const edge of node.next) if (edge) stack.push(edge.node);
  }
  if (!targets) return seen;
  const useful = new Set(targets);
  // Oldest first, so that every successor has been decided before the nodes that lead to it.
  for (const node of [...seen].sort((a, b) => a.sequence - b.sequence))
    if (node.sequence >= since && node.next.some((edge) => edge && useful.has(edge.node)))
      useful.add(node);
  return new Set([...useful].filter((node) => seen.has(node)));
}

/**
 * Gradients that arrive at `ends` when `roots` are walked back through nodes recorded from `since`
 * on; nothing is accumulated. For recomputation.
 */
export const backwardThrough = (
  roots: readonly { readonly edge: Edge; readonly gradient: Tensor }[],
  ends: readonly Edge[],
  since: number,
  createGraph: boolean,
): Gradients =>
  walk(
    roots.map((root) => root.edge),
    roots.map((root) => root.gradient),
    { retainGraph: createGraph, createGraph, capture: ends, since },
  );

/** The gradient that starts a walk at `output`, checked; ones for a scalar when omitted. */
function rootGradient(output: Tensor, given: Tensor | null | undefined, index: number): Tensor {
  if (given === null || given === undefined) {
    if (output.numel !== 1)
      throw autogradError('grad can be implicitly created only for scalar outputs');
    return Tensor.filled(output.shape, 1, output.dtype, output.device);
  }
  if (!(given instanceof Tensor))
    throw argumentError(`grad_output[${index}] is not a Tensor, but ${describe(given)}`);
  if (!sameShape(given.shape, output.shape))
    throw shapeError(
      `Mismatch in shape: grad_output[${index}] has a shape of ${formatShape(given.shape)} and ` +
        `output[${index}] has a shape of ${formatShape(output.shape)}.`,
    );
  if (given.dtype !== output.dtype)
    throw autogradError(
      `grad_output[${index}] has dtype ${given.dtype}, but output[${index}] has ${output.dtype}`,
    );
  return given;
}

function edgeOf(tensor: Tensor, what: string): Edge {
  if (!(tensor instanceof Tensor))
    throw argumentError(`${what} is not a Tensor, but ${describe(tensor)}`);
  const edge = tensor.gradEdge();
  if (edge) return edge;
  throw autogradError(
    `${what} does not require grad and does not have a grad_fn` +
      (isFloat(tensor.dtype) ? '' : ` (only floating dtypes can; this is ${tensor.dtype})`),
  );
}

/** Options of {@link backward}. */
export interface BackwardOptions {
  retainGraph?: boolean;
  createGraph?: boolean;
}

const BACKWARD_OPTIONS: OptionTable<BackwardOptions> = { retainGraph: true, createGraph: true };

/** Adds d(output)/d(leaf) to the `grad` of every leaf that `output` depends on. */
export function backward(
  output: Tensor,
  gradient?: Tensor | null,
  options: BackwardOptions = {},
): void {
  checkOptions('backward', options, BACKWARD_OPTIONS);
  const createGraph = options.createGraph ?? false;
  const edge = edgeOf(output, 'element 0 of tensors');
  walk([edge], [rootGradient(output, gradient, 0)], {
    createGraph,
    retainGraph: options.retainGraph ?? createGraph,
  });
}

/** Options of {@link grad}. */
export interface GradOptions extends BackwardOptions {
  gradOutputs?: Tensor | readonly (Tensor | null)[];
  allowUnused?: boolean;
}

const GRAD_OPTIONS: OptionTable<GradOptions> = {
  ...BACKWARD_OPTIONS,
  gradOutputs: true,
  allowUnused: true,
};

const listOf = <T>(value: T | readonly T[]): readonly T[] =>
  Array.isArray(value) ? value : [value as T];

/**
 * Gradients of `outputs` (weighted by `gradOutputs`) with respect to `inputs`, leaving `grad`
 * fields alone. With `createGraph` the result can be differentiated again.
 */
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: GradOptions = {},
): (Tensor | null)[] {
  checkOptions('grad', options, GRAD_OPTIONS);
  const ys = listOf(outputs);
  const xs = listOf(inputs);
  if (xs.length === 0) throw argumentError('grad requires non-empty inputs.');
  const given = options.gradOutputs === undefined ? [] : listOf(options.gradOutputs);
  if (given.length > 0 && given.length !== ys.length)
    throw argumentError(`got ${ys.length} tensors and ${given.length} gradients`);
  const roots = ys.map((y, i) => edgeOf(y, `element ${i} of tensors`));
  const seeds = ys.map((y, i) => rootGradient(y, given[i], i));
  const capture = xs.map((x) => edgeOf(x, 'One of the differentiated Tensors'));
  const createGraph = options.createGraph ?? false;
  const results = walk(roots, seeds, {
    createGraph,
    retainGraph: options.retainGraph ?? createGraph,
    capture,
  });
  if (!options.allowUnused && results.some((g) => g === null))
    throw autogradError(
      'One of the differentiated Tensors appears to not have been used in the graph. ' +
        'Set { allowUnused: true } if this is the desired behavior.',
    );
  return results;
}

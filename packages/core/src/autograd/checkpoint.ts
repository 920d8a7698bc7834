// Trading time for memory: what a part of a model saves for backward is dropped, and computed
// again when backward gets there.

import { requireFunction } from '../arguments.js';
import { autogradError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { defaultGenerator } from '../random/generator.js';
import { shared } from '../shared.js';
import { Tensor } from '../tensor/tensor.js';
import { backwardThrough } from './engine.js';
import { enableGrad, isGradEnabled } from './mode.js';
import {
  type Edge,
  type Gradients,
  metaOf,
  Node,
  nextSequence,
  SavedTensor,
  type TensorMeta,
} from './node.js';

type Outputs = Tensor | readonly Tensor[];

/** Options of {@link checkpointWith}. */
export interface CheckpointOptions {
  /** Rewind the default generator for the second run, so that dropout draws the same mask. */
  preserveRngState?: boolean;
}

const CHECKPOINT_OPTIONS: OptionTable<CheckpointOptions> = { preserveRngState: true };

const state = shared('autograd.checkpoint', () => ({ rerunning: false }));

/** Whether a part of a model runs for the second time: what it counts, it has counted already. */
export const isRecomputing = (): boolean => state.rerunning;

const isOutputs = (results: unknown): results is Outputs =>
  results instanceof Tensor ||
  (Array.isArray(results) && results.every((y) => y instanceof Tensor));

const listOf = (outputs: Outputs): readonly Tensor[] =>
  outputs instanceof Tensor ? [outputs] : outputs;

/**
 * `fn(...inputs)` without keeping its intermediate tensors; backward runs `fn` again. Gradients
 * reach the inputs and every tensor that `fn` uses (parameters, outer results), to every order. `fn`
 * must compute the same each time.
 */
export function checkpoint<A extends unknown[], O extends Outputs>(
  fn: (...inputs: A) => O,
  ...inputs: A
): O {
  return checkpointWith({}, fn, ...inputs);
}

/** {@link checkpoint} with options. */
export function checkpointWith<A extends unknown[], O extends Outputs>(
  options: CheckpointOptions,
  fn: (...inputs: A) => O,
  ...inputs: A
): O {
  checkOptions('checkpointWith', options, CHECKPOINT_OPTIONS);
  requireFunction('checkpoint', 'fn', fn);
  return recomputedLater(
    { preserve: options.preserveRngState ?? true, release: false },
    fn,
    inputs,
  );
}

/**
 * {@link checkpoint}. With `release`, what the first run has saved is given back at once and does not
 * wait for a collector; a tensor that `fn` leaves somewhere else has no backward of its own then.
 */
export function recomputedLater<A extends unknown[], O>(
  { preserve, release }: { readonly preserve: boolean; readonly release: boolean },
  fn: (...inputs: A) => O,
  inputs: A,
): O {
  if (!isGradEnabled()) return fn(...inputs);
  const rng = preserve ? defaultGenerator().getState() : undefined;
  const since = nextSequence();
  const results = fn(...inputs);
  if (!isOutputs(results)) return results;
  const outputs = listOf(results);
  const { edges: next, inner } = edgesOlderThan(since, outputs);
  if (next.length === 0) return results;
  const rerun = () => {
    if (!rng) return outputsOf(fn, inputs);
    const generator = defaultGenerator();
    const now = generator.getState();
    generator.setState(rng);
    try {
      return outputsOf(fn, inputs);
    } finally {
      generator.setState(now);
    }
  };
  const tensors = inputs.filter((x): x is A[number] & Tensor => x instanceof Tensor);
  const node = new CheckpointNode(rerun, tensors, outputs, next);
  if (release) for (const used of inner) used.release();
  const attached = outputs.map((y, index) => {
    const output = y.alias();
    if (y.requiresGrad) output.attach({ node, index });
    return output;
  });
  return (results instanceof Tensor ? attached[0] : attached) as O;
}

/** Runs `fn` again, and says so to whoever asks. */
function outputsOf<A extends unknown[]>(fn: (...inputs: A) => unknown, inputs: A) {
  const before = state.rerunning;
  state.rerunning = true;
  try {
    const results = fn(...inputs);
    return isOutputs(results) ? listOf(results) : [];
  } finally {
    state.rerunning = before;
  }
}

/**
 * The part of the tape that was recorded from `since` on, and where gradients leave it.
 */
function edgesOlderThan(
  since: number,
  outputs: readonly Tensor[],
): { edges: Edge[]; inner: ReadonlySet<Node> } {
  const found = new Map<Node, Map<number, Edge>>();
  const seen = new Set<Node>();
  const stack = outputs.map((y) => y.gradEdge());
  while (stack.length > 0) {
    const edge = stack.pop();
    if (!edge) continue;
    if (edge.node.sequence < since) {
      const known = found.get(edge.node) ?? new Map<number, Edge>();
      found.set(edge.node, known.set(edge.index, edge));
    } else if (!seen.has(edge.node)) {
      seen.add(edge.node);
      stack.push(...edge.node.next);
    }
  }
  const edges = [...found.values()].flatMap((byIndex) => [...byIndex.values()]);
  return { edges, inner: seen };
}

class CheckpointNode extends Node {
  readonly name = 'checkpoint';
  readonly outputs: readonly TensorMeta[];
  #inputs: readonly SavedTensor[] | null;

  constructor(
    readonly rerun: () => readonly Tensor[],
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    readonly next: readonly Edge[],
  ) {
    super();
    this.outputs = outputs.map(metaOf);
    this.#inputs = inputs.map((x) => new SavedTensor(x));
  }

  override release(): void {
    for (const input of this.#inputs ?? []) input.letGo();
    this.#inputs = null;
  }

  apply(gradients: Gradients): Gradients {
    if (this.#inputs === null)
      throw autogradError(
        `Trying to backward through the graph a second time (at ${this.name}), but the saved tensors ` +
          'have already been freed. Specify { retainGraph: true } when calling backward or grad the first time',
      );
    for (const input of this.#inputs) input.unpack(this.name);
    const createGraph = isGradEnabled();
    const since = nextSequence();
    const outputs = enableGrad(this.rerun);
    const roots: { edge: Edge; gradient: Tensor }[] = [];
    outputs.forEach((y, i) => {
      const [edge, gradient] = [y.gradEdge(), gradients[i]];
      if (edge && gradient) roots.push({ edge, gradient });
    });
    if (outputs.length !== this.outputs.length)
      throw autogradError(
        `checkpoint: the function returned ${outputs.length} tensors when it ran again, and ${this.outputs.length} before`,
      );
    return backwardThrough(roots, this.next, since, createGraph);
  }
}

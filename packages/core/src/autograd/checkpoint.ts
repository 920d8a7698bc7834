// Trading time for memory: what a part of a model saves for backward is dropped, and computed
// again when backward gets there.

import { requireFunction } from '../arguments.js';
import { autogradError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { defaultGenerator } from '../random/generator.js';
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

export interface CheckpointOptions {
  /** Rewind the default generator for the second run, so that dropout draws the same mask. */
  preserveRngState?: boolean;
}

const CHECKPOINT_OPTIONS: OptionTable<CheckpointOptions> = { preserveRngState: true };

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
  if (!isGradEnabled()) return fn(...inputs);
  const preserve = options.preserveRngState ?? true;
  const rng = preserve ? defaultGenerator().getState() : undefined;
  const since = nextSequence();
  const results = fn(...inputs);
  const outputs = listOf(results);
  const next = edgesOlderThan(since, outputs);
  if (next.length === 0) return results;
  const rerun = () => {
    if (!rng) return listOf(fn(...inputs));
    const generator = defaultGenerator();
    const now = generator.getState();
    generator.setState(rng);
    try {
      return listOf(fn(...inputs));
    } finally {
      generator.setState(now);
    }
  };
  const tensors = inputs.filter((x): x is A[number] & Tensor => x instanceof Tensor);
  const node = new CheckpointNode(rerun, tensors, outputs, next);
  const attached = outputs.map((y, index) => {
    const output = y.alias();
    if (y.requiresGrad) output.attach({ node, index });
    return output;
  });
  return (results instanceof Tensor ? attached[0] : attached) as O;
}

/** Where gradients leave the part of the tape that was recorded from `since` on. */
function edgesOlderThan(since: number, outputs: readonly Tensor[]): Edge[] {
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
  return [...found.values()].flatMap((edges) => [...edges.values()]);
}

class CheckpointNode extends Node {
  readonly name = 'checkpoint';
  readonly outputs: readonly TensorMeta[];
  readonly #inputs: readonly SavedTensor[];

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

  apply(gradients: Gradients): Gradients {
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

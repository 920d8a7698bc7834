import { argumentError, autogradError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { SavedTensor } from './node.js';
import { defineMultiOp } from './op.js';

/** What a custom function's forward and backward share, as PyTorch's `ctx`. */
export class FunctionContext {
  #saved: readonly (SavedTensor | null)[] = [];
  readonly #name: string;
  readonly #nonDifferentiable = new Set<Tensor>();
  /** Which of the forward's arguments want a gradient. */
  needsInputGrad: readonly boolean[] = [];
  /** Anything else that backward needs and that is not a tensor of the tape. */
  [key: string]: unknown;

  constructor(name: string) {
    this.#name = name;
  }

  /** Keeps inputs or outputs for backward; changing them in place meanwhile is an error there. */
  saveForBackward(...tensors: (Tensor | null)[]): void {
    this.#saved = tensors.map((t) => t && new SavedTensor(t));
  }

  get savedTensors(): (Tensor | null)[] {
    return this.#saved.map((t) => t?.unpack(this.#name) ?? null);
  }

  /** These outputs never carry gradients. */
  markNonDifferentiable(...tensors: Tensor[]): void {
    for (const t of tensors) this.#nonDifferentiable.add(t);
  }

  /** Internal. */
  isDifferentiable(output: Tensor): boolean {
    return !this.#nonDifferentiable.has(output);
  }
}

type Gradient = Tensor | null | undefined;

/** What {@link defineFunction} takes: a forward, and the rule of its backward. */
export interface FunctionDefinition<A extends readonly unknown[], R extends Tensor | Tensor[]> {
  /** For error messages. */
  readonly name?: string;
  /** Computes the result, untaped. Tensors and other values may be mixed among the arguments. */
  forward(context: FunctionContext, ...args: A): R;
  /**
   * One gradient per argument of forward (null or undefined for none) from those of the outputs.
   * Written with differentiable operations it has a derivative itself.
   */
  backward(
    context: FunctionContext,
    ...gradOutputs: (Tensor | null)[]
  ): Gradient | readonly Gradient[];
}

/** A differentiable function with a derivative rule of its own, as torch.autograd.Function. */
export function defineFunction<A extends readonly unknown[], R extends Tensor | Tensor[]>(
  definition: FunctionDefinition<A, R>,
): (...args: A) => R {
  if (typeof definition !== 'object' || definition === null)
    throw argumentError(
      `defineFunction(): expected { forward, backward }, but got ${describe(definition)}`,
    );
  const name = definition.name ?? (definition.forward?.name || 'customFunction');
  for (const part of ['forward', 'backward'] as const)
    if (typeof definition[part] !== 'function')
      throw argumentError(
        `defineFunction(): expected a function '${part}', but got ${describe(definition[part])}`,
      );
  return (...args) => {
    const context = new FunctionContext(name);
    const positions = args.flatMap((arg, i) => (arg instanceof Tensor ? [i] : []));
    const tensors = positions.map((i) => args[i] as Tensor);
    context.needsInputGrad = args.map((arg) => arg instanceof Tensor && arg.requiresGrad);
    let single = false;
    const op = defineMultiOp<undefined>({
      name,
      foreign: true,
      forward: () => {
        const result = definition.forward(context, ...args);
        single = result instanceof Tensor;
        return checkOutputs(name, result);
      },
      differentiable: (output) => context.isDifferentiable(output),
      backward: (gradients) => {
        const result = definition.backward(context, ...gradients);
        const list = Array.isArray(result) ? (result as readonly Gradient[]) : [result as Gradient];
        return gradientsFor(name, list, args, positions);
      },
    });
    const outputs = op(tensors, undefined);
    return (single ? outputs[0] : outputs) as R;
  };
}

function checkOutputs(name: string, result: unknown): Tensor[] {
  const list = Array.isArray(result) ? result : [result];
  for (const output of list)
    if (!(output instanceof Tensor))
      throw argumentError(
        `${name}: forward must return a Tensor or a list of them, but returned ${describe(output)}`,
      );
  return list;
}

function gradientsFor(
  name: string,
  gradients: readonly Gradient[],
  args: readonly unknown[],
  positions: readonly number[],
): (Tensor | null)[] {
  // Gradients may be given for the tensors alone, or for every argument.
  const perArgument = gradients.length === args.length;
  if (!perArgument && gradients.length !== positions.length)
    throw autogradError(
      `${name}: backward returned an incorrect number of gradients (expected ${args.length}, got ${gradients.length})`,
    );
  return positions.map((position, i) => gradients[perArgument ? position : i] ?? null);
}

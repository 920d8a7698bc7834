// Every differentiable operation is one `defineOp`: its untaped forward, what it saves, and its
// derivative rule written with other operations, so that derivatives of every order exist.

import { notTensor } from '../arguments.js';
import { autogradError, whoAsked } from '../errors.js';
import { nameRecorded, replacements } from '../strategies/recorded.js';
import { isFloat } from '../tensor/dtype.js';
import { formatShape, sameShape } from '../tensor/shape.js';
import {
  type Collection,
  close,
  collect,
  giveBack,
  outsideCollections,
} from '../tensor/temporaries.js';
import { Tensor } from '../tensor/tensor.js';
import { rememberCall } from './anomaly.js';
import {
  atSite,
  currentSite,
  enterOperation,
  insideRule,
  isGradEnabled,
  leaveOperation,
} from './mode.js';
import { type Edge, type Gradients, metaOf, Node, SavedTensor, type TensorMeta } from './node.js';
import { currentRecorder } from './recorder.js';

/** What a derivative rule may look at. */
export interface RuleContext<O> {
  readonly options: O;
  /** Which inputs want a gradient; rules skip the work for the others. */
  readonly needs: readonly boolean[];
  readonly inputs: readonly TensorMeta[];
  readonly outputs: readonly TensorMeta[];
  /** A saved input or output; asking for one that `saves` does not name is an error. */
  input(index: number): Tensor;
  output(index?: number): Tensor;
}

/** What {@link defineOp} takes: a forward, what it saves, and a rule of differentiable operations. */
export interface OpDefinition<O> {
  readonly name: string;
  /** Forward and rule are a user's, who may keep tensors that are made in them. */
  readonly foreign?: boolean;
  /** Runs untaped; may return views of its inputs. */
  forward(inputs: readonly Tensor[], options: O): Tensor | Tensor[];
  /** What the rule needs again. Nothing is kept alive that is not named here. */
  readonly saves?: {
    /** Positions, or a function of which inputs want a gradient. */
    readonly inputs?: readonly number[] | ((needs: readonly boolean[]) => readonly number[]);
    readonly outputs?: readonly number[];
  };
  /** The gradients are 0 and not "none", although the rule has nothing to pass back. */
  readonly flat?: boolean;
  /** Whether an output carries gradients; floating ones do unless this says otherwise. */
  readonly differentiable?: (output: Tensor) => boolean;
  /**
   * One entry per input: its gradient, or null for "none". `'none'` in place of a rule says that
   * the outputs never carry gradients (comparisons, argmax); a rule that is still to be written
   * is `undefined`, and throws by name when it is needed.
   */
  readonly backward:
    | ((gradients: Gradients, context: RuleContext<O>) => Gradients)
    | 'none'
    | undefined;
}

export type Op<O> = (inputs: readonly Tensor[], options: O) => Tensor;
export type MultiOp<O> = (inputs: readonly Tensor[], options: O) => Tensor[];

/** An operation with one output. */
export function defineOp<O = undefined>(definition: OpDefinition<O>): Op<O> {
  note(definition);
  return (inputs, options) => run(definition, inputs, options)[0];
}

/** An operation with several outputs. */
export function defineMultiOp<O>(definition: OpDefinition<O>): MultiOp<O> {
  note(definition);
  return (inputs, options) => run(definition, inputs, options);
}

/** Lets the strategies know that there is such an operation. */
function note<O>(definition: OpDefinition<O>): void {
  if (typeof definition?.name !== 'string')
    throw autogradError('defineOp(): expected { name, forward, backward }');
  nameRecorded(definition.name);
}

function run<O>(op: OpDefinition<O>, inputs: readonly Tensor[], options: O): Tensor[] {
  for (const input of inputs)
    if (!(input instanceof Tensor)) throw notTensor(op.name, 'input', input);
  const recording = isGradEnabled();
  if (recording && !insideRule()) for (const input of inputs) input.checkCurrent(op.name);
  const result = compute(op, inputs, options);
  const outputs = Array.isArray(result) ? result : [result];
  // An input that comes back must stay what it is, so its output is another window on it.
  for (let i = 0; i < outputs.length; i++)
    if (inputs.includes(outputs[i])) outputs[i] = outputs[i].alias();
  if (!insideRule()) currentRecorder()?.operation(op.name, inputs, options, outputs, currentSite());
  if (recording && op.backward !== 'none' && inputs.some(requiresGrad)) {
    const node = new OpNode(op, inputs, outputs, options);
    for (let index = 0; index < outputs.length; index++) {
      const output = outputs[index];
      if (isFloat(output.dtype) && (op.differentiable?.(output) ?? true))
        output.attach({ node, index });
    }
  }
  return outputs;
}

const requiresGrad = (input: Tensor): boolean => input.requiresGrad;

/** The untaped forward; what is made in it and does not come out goes back. */
function compute<O>(op: OpDefinition<O>, inputs: readonly Tensor[], options: O): Tensor | Tensor[] {
  const mode = enterOperation();
  try {
    if (op.foreign) return outsideCollections(() => op.forward(inputs, options));
    const collection = collect();
    let result: Tensor | Tensor[];
    try {
      const replaced = replacements.size > 0 ? replacements.get(op.name) : undefined;
      result = replaced ? replaced(op, inputs, options) : op.forward(inputs, options);
    } finally {
      close(collection);
    }
    giveBackAllBut(result, collection);
    return result;
  } catch (error) {
    throw whoAsked(op.name, error);
  } finally {
    leaveOperation(mode);
  }
}

/** Gives back what was made in `collection` and is not part of `result`. */
function giveBackAllBut(result: Tensor | readonly (Tensor | null)[], collection: Collection): void {
  giveBack(collection, (storage) =>
    result instanceof Tensor
      ? result.storage === storage
      : result.some((output) => output?.storage === storage),
  );
}

/** Runs a rule; what it makes on the way goes back, unless it is saved for the next derivative. */
function withoutTemporaries(rule: () => Gradients): Gradients {
  if (isGradEnabled()) return rule();
  const collection = collect();
  let results: Gradients;
  try {
    results = rule();
  } finally {
    close(collection);
  }
  giveBackAllBut(results, collection);
  return results;
}

class OpNode<O> extends Node implements RuleContext<O> {
  readonly name: string;
  readonly next: readonly (Edge | null)[];
  readonly inputs: readonly TensorMeta[];
  readonly outputs: readonly TensorMeta[];
  readonly needs: readonly boolean[];
  readonly #rule: OpDefinition<O>;
  override readonly site = currentSite();
  readonly #savedInputs = new Map<number, SavedTensor>();
  readonly #savedOutputs = new Map<number, SavedTensor>();
  #released = false;

  constructor(
    rule: OpDefinition<O>,
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    readonly options: O,
  ) {
    super();
    this.#rule = rule;
    this.name = rule.name;
    this.flat = rule.flat ?? false;
    this.next = inputs.map((input) => input.gradEdge());
    this.needs = this.next.map((edge) => edge !== null);
    this.inputs = inputs.map(metaOf);
    this.outputs = outputs.map(metaOf);
    rememberCall(this);
    const kept = rule.saves?.inputs ?? [];
    for (const index of typeof kept === 'function' ? kept(this.needs) : kept)
      if (index < inputs.length) this.#savedInputs.set(index, new SavedTensor(inputs[index]));
    // A saved output is kept with its place on the tape, so that its own derivative is known.
    for (const index of rule.saves?.outputs ?? []) {
      const output = outputs[index].alias();
      if (isFloat(output.dtype)) output.attach({ node: this, index });
      this.#savedOutputs.set(index, new SavedTensor(output));
    }
  }

  input(index: number): Tensor {
    return this.#unpack(this.#savedInputs, index, 'input');
  }

  output(index = 0): Tensor {
    return this.#unpack(this.#savedOutputs, index, 'output');
  }

  #unpack(saved: Map<number, SavedTensor>, index: number, kind: string): Tensor {
    if (this.#released)
      throw autogradError(
        `Trying to backward through the graph a second time (at ${this.name}), but the saved tensors ` +
          'have already been freed. Specify { retainGraph: true } when calling backward or grad the first time',
      );
    const found = saved.get(index);
    if (!found)
      throw autogradError(
        `the rule of ${this.name} reads ${kind} ${index}, which it does not save`,
      );
    return found.unpack(this.name);
  }

  apply(gradients: Gradients): Gradients {
    const { backward, name } = this.#rule;
    if (typeof backward !== 'function')
      throw autogradError(`the derivative of ${name} is not implemented`);
    const apply = () => atSite(this.site, () => backward(gradients, this));
    const results = this.#rule.foreign ? outsideCollections(apply) : withoutTemporaries(apply);
    if (results.length !== this.inputs.length)
      throw autogradError(
        `the rule of ${name} returned ${results.length} gradients for ${this.inputs.length} inputs`,
      );
    results.forEach((gradient, i) => {
      if (gradient === null || !this.needs[i]) return;
      const { shape, dtype } = this.inputs[i];
      if (!sameShape(gradient.shape, shape) || gradient.dtype !== dtype)
        throw autogradError(
          `the rule of ${name} returned a gradient of ${gradient.dtype} ${formatShape(gradient.shape)} for ` +
            `input ${i}, which is ${dtype} ${formatShape(shape)}`,
        );
    });
    return results;
  }

  override release(): void {
    for (const saved of [this.#savedInputs, this.#savedOutputs])
      for (const tensor of saved.values()) tensor.letGo();
    this.#savedInputs.clear();
    this.#savedOutputs.clear();
    this.#released = true;
  }
}

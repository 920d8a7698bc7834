import {
  argumentError,
  checkArguments,
  describe,
  formatShape,
  Tensor,
  torchName,
} from '@voxgrad/core';
import { type Member, Module } from '../module.js';
import { Parameter } from '../parameter.js';
import { notCallable, requireEntries, requireIterable } from './container.js';

/** Parameters in a map. Plain tensors become parameters. */
abstract class ParameterContainer extends Module {
  readonly #parameters = new Map<string, Parameter>();

  protected put(name: string, value: Tensor): void {
    if (!(value instanceof Tensor))
      throw argumentError(
        `${this.constructor.name}: expected a Tensor, but got ${describe(value)}`,
      );
    this.#parameters.set(name, value instanceof Parameter ? value : new Parameter(value));
  }

  protected take(name: string): void {
    this.#parameters.delete(name);
  }

  protected find(name: string): Parameter | undefined {
    return this.#parameters.get(name);
  }

  override ownParameters(): Member<Parameter>[] {
    const held = [...this.#parameters].map(([name, value]) => ({ property: name, name, value }));
    return [...held, ...super.ownParameters()];
  }

  override replaceMember(property: string, tensor: Tensor): void {
    if (this.#parameters.has(property)) this.put(property, tensor);
    else super.replaceMember(property, tensor);
  }

  /** Number of parameters. */
  get length(): number {
    return this.#parameters.size;
  }

  protected get names(): string[] {
    return [...this.#parameters.keys()];
  }

  forward(): never {
    throw notCallable(this);
  }

  override extraRepr(): string {
    return [...this.#parameters]
      .map(
        ([name, { dtype, shape }]) =>
          `(${name}): Parameter containing: [torch.${torchName(dtype)}Tensor of size ${formatShape(shape)}]`,
      )
      .join('\n');
  }
}

/** Parameters in a list. */
export class ParameterList extends ParameterContainer {
  constructor(parameters: Iterable<Tensor> = [], ...surplus: never[]) {
    checkArguments(new.target.name, 'parameters', [parameters, ...surplus]);
    super();
    this.extend(parameters);
  }

  append(parameter: Tensor): this {
    this.put(String(this.length), parameter);
    return this;
  }

  extend(parameters: Iterable<Tensor>): this {
    requireIterable(this, 'parameters', parameters);
    for (const parameter of parameters) this.append(parameter);
    return this;
  }

  #nameAt(index: number): string {
    const name = this.names.at(index);
    if (name === undefined)
      throw argumentError(`index ${index} is out of range for ${this.length} parameters`);
    return name;
  }

  /** The parameter at `index`; negative counts from the end. */
  at(index: number): Parameter {
    return this.getParameter(this.#nameAt(index));
  }

  set(index: number, parameter: Tensor): this {
    this.put(this.#nameAt(index), parameter);
    return this;
  }

  [Symbol.iterator](): Iterator<Parameter> {
    return this.parameters({ recurse: false })[Symbol.iterator]();
  }
}

type ParameterEntries = Readonly<Record<string, Tensor>> | Iterable<readonly [string, Tensor]>;

/** Parameters by name. */
export class ParameterDict extends ParameterContainer {
  constructor(parameters: ParameterEntries = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'parameters', [parameters, ...surplus]);
    super();
    this.update(parameters);
  }

  /** Adds or replaces parameters; those of a plain object in the order of their names, as PyTorch. */
  update(parameters: ParameterEntries): this {
    requireEntries(this, 'parameters', parameters);
    const entries =
      Symbol.iterator in parameters
        ? (parameters as Iterable<readonly [string, Tensor]>)
        : Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, parameter] of entries) this.put(name, parameter);
    return this;
  }

  get(name: string): Parameter {
    const parameter = this.find(name);
    if (!parameter) throw argumentError(`ParameterDict has no parameter '${name}'`);
    return parameter;
  }

  set(name: string, parameter: Tensor): this {
    this.put(name, parameter);
    return this;
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Takes a parameter out and returns it. */
  pop(name: string): Parameter {
    const parameter = this.get(name);
    this.take(name);
    return parameter;
  }

  keys(): string[] {
    return this.names;
  }

  values(): Parameter[] {
    return this.names.map((name) => this.get(name));
  }

  entries(): [string, Parameter][] {
    return this.names.map((name) => [name, this.get(name)]);
  }
}

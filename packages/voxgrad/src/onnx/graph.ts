// The ONNX graph under construction: nodes and initializers with unique names.

import {
  broadcastShapes,
  type DType,
  type HostArray,
  sameShape,
  VoxgradError,
} from '@voxgrad/core';
import { type Attribute, int, type OnnxNode, type OnnxTensor } from './proto.js';
import { describeSite, type TracedNode, type Value } from './trace.js';

/** Which dims of a value differ from call to call. */
export type Varies = (value: Value) => readonly boolean[];

export class GraphBuilder {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly opset: number;
  readonly varies: Varies;
  readonly #names = new Map<Value, string>();
  readonly #taken: Set<string>;
  readonly #lists = new Map<string, string>();
  readonly #expansions = new Map<Value, () => string>();
  #node: TracedNode | undefined;

  /** @param reserved names that nothing else may have */
  constructor(opset: number, varies: Varies, reserved: readonly string[]) {
    this.opset = opset;
    this.varies = varies;
    this.#taken = new Set(reserved);
  }

  /** From here on, what is added belongs to `node`. */
  enter(node: TracedNode): void {
    this.#node = node;
  }

  bind(value: Value, name: string): void {
    this.#names.set(value, name);
  }

  /** `write` is called if `value` is ever used as it is; operators that broadcast do without it. */
  expanded(value: Value, write: () => string): void {
    this.#expansions.set(value, write);
  }

  /** The name of a value. */
  of(value: Value): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const write = this.#expansions.get(value);
    if (write !== undefined) {
      this.bind(value, write());
      return this.of(value);
    }
    const { origin } = value;
    if (origin.kind === 'result')
      throw this.refuse(`uses output ${origin.index} of ${origin.node.name}, which ONNX has not`);
    if (origin.kind === 'input') throw this.refuse('uses an input of another export');
    const { name = this.#local('constant'), read } = origin;
    const given = this.tensor(read(), value.dtype, value.shape, name);
    this.bind(value, given);
    return given;
  }

  /** An initializer. */
  tensor(
    elements: HostArray,
    dtype: DType,
    shape: readonly number[],
    name = this.#local('constant'),
  ): string {
    const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
    const unique = this.#unique(name);
    this.initializers.push({ name: unique, dtype, shape, bytes });
    return unique;
  }

  /** A list of int64, as operators take axes and shapes. */
  list(values: readonly (number | bigint)[]): string {
    const key = values.join(',');
    const name =
      this.#lists.get(key) ??
      this.tensor(BigInt64Array.from(values, BigInt), 'int64', [values.length], `ints_${key}`);
    this.#lists.set(key, name);
    return name;
  }

  /** A number without dims. */
  scalar(value: number, dtype: DType): string {
    return this.numbers([value], dtype, []);
  }

  numbers(values: readonly number[], dtype: DType, shape: readonly number[]): string {
    if (dtype === 'float32') return this.tensor(Float32Array.from(values), dtype, shape);
    if (dtype === 'float64') return this.tensor(Float64Array.from(values), dtype, shape);
    if (dtype === 'int64') return this.tensor(BigInt64Array.from(values, BigInt), dtype, shape);
    throw this.refuse(`has constants of ${dtype}`);
  }

  /** Adds a node and returns the name of its (first) output. */
  add(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    const name = this.#unique(this.#local(type));
    const output = this.#unique(`${name}_output`);
    this.nodes.push({ name, type, inputs: [...inputs], outputs: [output], attributes });
    return output;
  }

  /** Another shape; 0 keeps the size at that place, -1 is what is left. */
  reshape(x: string, shape: readonly number[]): string {
    return this.add('Reshape', [x, this.list(shape)]);
  }

  /** A reduction over `axes`, which keep size 1. */
  reduce(type: string, x: string, axes: readonly number[]): string {
    return this.add(type, [x, this.list(axes)], { keepdims: int(1) });
  }

  /** `value` without what expansion repeated, as operators that broadcast take it. */
  operands(values: readonly Value[], shape: readonly number[]): string[] {
    const bases = values.map(unexpanded);
    const fits = sameShape(broadcastShapes(...bases.map((base) => base.shape)), shape);
    return (fits ? bases : values).map((value) => this.of(value));
  }

  /** The error of what the current node does and ONNX, or this export, has not. */
  refuse(why: string): VoxgradError {
    const { name = 'the graph', site = '' } = this.#node ?? {};
    return new VoxgradError('UNSUPPORTED', `exportOnnx(): ${name} in ${describeSite(site)} ${why}`);
  }

  #local(type: string): string {
    const site = this.#node?.site ?? '';
    return site === '' ? type : `${site}/${type}`;
  }

  #unique(name: string): string {
    let unique = name;
    for (let i = 1; this.#taken.has(unique); i++) unique = `${name}_${i}`;
    this.#taken.add(unique);
    return unique;
  }
}

/** What an expansion, if `value` is one, was made of. */
export function unexpanded(value: Value): Value {
  const { origin } = value;
  return origin.kind === 'result' && isExpansion(origin.node)
    ? unexpanded(origin.node.inputs[0])
    : value;
}

export const isExpansion = ({ kind, name }: TracedNode): boolean =>
  kind === 'operation' && name === 'expand';

/** Writes one traced node as ONNX; returns the names of its outputs. */
export type Emit = (graph: GraphBuilder, node: TracedNode) => string | string[];

/** How a call becomes ONNX, and which arguments that holds for (all, if not said). */
export interface CallRow {
  readonly accepts?: (args: readonly unknown[]) => boolean;
  readonly emit: Emit;
}

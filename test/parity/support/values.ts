// From names and JSON to functions, modules and tensors.

import * as vg from 'voxgrad';
import { type Case, type Json, type JsonObject, type Precision, stored } from './cases.js';

/** A name that voxgrad does not have. */
export class MissingPath extends Error {}

type Callable = (...args: unknown[]) => unknown;

function lookup(path: string): Callable {
  const found = path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], vg);
  if (typeof found !== 'function') throw new MissingPath(path);
  return found as Callable;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const float = (x: vg.Tensor, precision: Precision) => (vg.isFloat(x.dtype) ? x.to(precision) : x);

/** A tensor that wants a gradient, and how a gradient of it looks to the argument made from it. */
export interface Leaf {
  readonly tensor: vg.Tensor;
  seen(gradient: vg.Tensor): vg.Tensor;
}

/** `strided` arguments are transposed views that start inside a larger storage. */
export type Layout = 'contiguous' | 'strided';

const contiguous = (tensor: vg.Tensor): Leaf => ({ tensor, seen: (gradient) => gradient });

function strided(x: vg.Tensor): Leaf {
  const [size] = x.transpose(0, -1).shape;
  const seen = (whole: vg.Tensor) => whole.narrow(0, 1, size).transpose(0, -1);
  const first = vg.zeros([1, ...x.transpose(0, -1).shape.slice(1)], { dtype: x.dtype });
  return { tensor: vg.cat([first, x.transpose(0, -1)], 0), seen };
}

/** Reads the arguments of one case; `leaves` are the tensors that want a gradient, in order. */
export class Arguments {
  readonly leaves: Leaf[] = [];

  constructor(
    readonly precision: Precision,
    readonly layout: Layout = 'contiguous',
  ) {}

  value(json: Json): unknown {
    if (Array.isArray(json)) return json.map((item) => this.value(item));
    if (!isObject(json)) return json;
    if (typeof json.tensor === 'string') return this.#tensor(json);
    if (typeof json.number === 'string') return Number(json.number);
    if (json.undefined === true) return undefined;
    if (typeof json.module === 'string')
      return this.module(json.module, json.args as Json[], json.options as JsonObject);
    return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, this.value(item)]));
  }

  #tensor(json: JsonObject): vg.Tensor {
    const stays = typeof json.dtype === 'string';
    const x = stored(json.tensor as string);
    const own = stays ? x.to(json.dtype as vg.DType) : float(x, this.precision);
    const leaf = this.layout === 'strided' && x.ndim > 0 ? strided(own) : contiguous(own);
    if (json.grad === true) {
      leaf.tensor.requiresGrad_();
      this.leaves.push(leaf);
    }
    return leaf.seen(leaf.tensor);
  }

  /** Positional arguments, and the options after them when there are any. */
  list(args: readonly Json[], options: JsonObject = {}): unknown[] {
    const positional = args.map((item) => this.value(item));
    return Object.keys(options).length > 0 ? [...positional, this.value(options)] : positional;
  }

  module(path: string, args: readonly Json[], options: JsonObject = {}): vg.nn.Module {
    const kind = lookup(path) as unknown as new (...args: unknown[]) => vg.nn.Module;
    return new kind(...this.list(args, options)).to(this.precision);
  }
}

/** The function or method of a case, ready to be called with all its arguments. */
export function callable(c: Pick<Case, 'kind' | 'path'>): Callable {
  if (c.kind === 'function') return lookup(c.path);
  const method = (vg.Tensor.prototype as unknown as Record<string, Callable>)[c.path];
  if (typeof method !== 'function') throw new MissingPath(c.path);
  // In-place forms write into a copy: a leaf that wants a gradient may not be written.
  const target = (self: unknown) => (c.path.endsWith('_') ? (self as vg.Tensor).clone() : self);
  return (self, ...args) => method.apply(target(self), args);
}

/** The module of a case with the state that PyTorch's had. */
export function moduleOf(c: Case, args: Arguments): vg.nn.Module {
  let module = args.module(c.path, c.args, c.options);
  if (c.wrap) {
    const [path, options] = c.wrap;
    module = lookup(path)(module, args.value(options)) as vg.nn.Module;
  }
  const state = Object.entries(c.state ?? {}).map(([key, name]) => [key, stored(name)] as const);
  module.loadStateDict(new vg.StateDict(state));
  return module.train(c.train);
}

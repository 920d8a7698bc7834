import { bytesPerElement } from '@voxgrad/core';
import { type Code, i32, type Local, load, type Value, value } from '../emit/code.js';
import { demoteLow, i32x4, i64x2, packMasks, unpackMask } from '../emit/integers.js';
import { lanes, shuffle32, type Vector } from '../emit/lanes.js';
import type { Kernel, KernelBuilder } from '../threads/kernel-cache.js';
import { forItems, number, unravel, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';
import { type ComputeDType, isCondition, type Node } from './expression.js';
import { binaryOf, compareOf, type Emission, isLong, unaryOf } from './operations.js';

/** Elements of an item, about; a multiple of every number of elements that are computed together. */
export const PART = 16_384;

export interface PassShape {
  readonly dtype: ComputeDType;
  readonly inputs: readonly {
    readonly bytes: number;
    /** Stands still in the innermost loop. */
    readonly repeats: boolean;
  }[];
  readonly outputs: readonly Node[];
  /** Loops around the innermost one. */
  readonly outer: number;
}

/**
 * Goes over the elements of the inputs in row-major order and computes the outputs. Whole vectors are
 * loaded at the end of a row too (memory goes on there); of the results only those that exist are
 * stored.
 */
export function elementwiseKernel(engine: Engine, shape: PassShape): Kernel {
  const { dtype, inputs, outputs, outer } = shape;
  const code = textOf(outputs);
  const kinds = inputs.map(({ bytes, repeats }) => `${bytes}${repeats ? 'r' : ''}`).join(' ');
  return kernelOf(engine, `each ${dtype} [${kinds}] ${outer} ${code.text}`, (builder) => {
    const { f } = builder;
    const axes = Array.from({ length: outer }, (_, axis) => `size${axis}`);
    const a = words(builder, [
      ...['rows', 'rowsPerItem', 'length', 'parts'],
      ...outputs.map((_, i) => `out${i}`),
      ...inputs.map((_, i) => `in${i}`),
      ...axes,
      ...inputs.flatMap((_, i) => axes.map((_, axis) => `step${i}.${axis}`)),
    ]);
    const width = 16 / bytesPerElement(dtype);
    const outBytes = outputs.map((node) => (isCondition(node) ? 1 : bytesPerElement(dtype)));
    const emitter = new Emitter(builder, shape);
    const together = code.long ? 1 : inputs.length > 2 || outputs.length > 1 ? 2 : 4;
    forItems(builder, (item) => {
      const [block, part] = unravel(f, item, [0, a.parts]);
      const row = f.int(i32.mul(block, a.rowsPerItem));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerItem)));
      const first = f.int(i32.mul(part, PART));
      const count = f.int(i32.min(PART, i32.sub(a.length, first)));
      f.for(row, last, 1, () => {
        const at = f.int(i32.add(i32.mul(row, a.length), first));
        const to = outputs.map((_, i) => f.int(i32.add(a[`out${i}`], i32.mul(at, outBytes[i]))));
        const from = inputs.map(({ bytes, repeats }, i) =>
          f.int(repeats ? a[`in${i}`] : i32.add(a[`in${i}`], i32.mul(first, bytes))),
        );
        if (outer > 0) {
          const positions = unravel(f, row, [0, ...axes.slice(1).map((axis) => a[axis])]);
          from.forEach((pointer, i) => {
            positions.forEach((position, axis) => {
              f.advance(pointer, i32.mul(position, a[`step${i}.${axis}`]));
            });
          });
        }
        emitter.startRow(from);
        const end = f.int();
        const step = (vectors: number) => {
          const results = emitter.vectors(from, vectors);
          storeAll(f, dtype, outputs, to, results);
          from.forEach((pointer, i) => {
            if (!inputs[i].repeats) f.advance(pointer, vectors * width * inputs[i].bytes);
          });
          to.forEach((pointer, i) => {
            f.advance(pointer, vectors * width * outBytes[i]);
          });
        };
        for (const vectors of together > 1 ? [together, 1] : [1]) {
          const left = i32.sub(count, elementsDone(f, to[0], a.out0, at, outBytes[0]));
          const whole = i32.and(left, -vectors * width);
          f.setInt(end, i32.add(to[0], i32.mul(whole, outBytes[0])));
          f.while(
            () => i32.ltU(to[0], end),
            () => {
              f.keepLoopSmall(end);
              step(vectors);
            },
          );
        }
        const rest = f.int(i32.and(count, width - 1));
        f.if(rest, () => {
          const [results] = emitter.vectors(from, 1);
          outputs.forEach((node, i) => {
            const packed = isCondition(node)
              ? f.local('v128', packMasks(bytesPerElement(dtype) as 4 | 8, [results[i]]))
              : results[i];
            for (let lane = 0; lane < width - 1; lane++)
              f.if(i32.gtU(rest, lane), () =>
                f.storeLane(outBytes[i] as 1 | 4 | 8, to[i], packed, lane, lane * outBytes[i]),
              );
          });
        });
      });
    });
  });
}

/** Elements of a row part that have been computed, from where the first output stands. */
const elementsDone = (
  f: Code,
  pointer: Local<'i32'>,
  base: Local<'i32'>,
  at: Local<'i32'>,
  bytes: number,
): Local<'i32'> => f.int(i32.sub(i32.shrU(i32.sub(pointer, base), Math.log2(bytes)), at));

/** Stores the results of some vectors that follow each other: `results[vector][output]`. */
function storeAll(
  f: Code,
  dtype: ComputeDType,
  outputs: readonly Node[],
  to: readonly Local<'i32'>[],
  results: readonly (readonly Local<'v128'>[])[],
): void {
  const bytes = bytesPerElement(dtype) as 4 | 8;
  outputs.forEach((node, i) => {
    const vectors = results.map((result) => result[i]);
    if (!isCondition(node)) {
      vectors.forEach((vector, v) => {
        f.store('v128', to[i], vector, 16 * v);
      });
      return;
    }
    const packed = packMasks(bytes, vectors);
    const size = (vectors.length * 16) / bytes;
    if (size === 16) f.store('v128', to[i], packed);
    else f.storeLane(size as 2 | 4 | 8, to[i], packed, 0);
  });
}

/** Writes the code of expressions. */
class Emitter {
  readonly #f: Code;
  readonly #constants = new Map<string, Local<'v128'>>();
  readonly #numbers = new Map<number, Local<'v128'>>();
  readonly #emission: Emission;
  /** What inputs that stand still are in the row at hand. */
  #repeated: (Local<'v128'> | null)[] = [];

  constructor(
    readonly builder: KernelBuilder,
    readonly shape: PassShape,
  ) {
    const { f } = builder;
    const { dtype } = shape;
    this.#f = f;
    const hold = (x: Vector) => f.local('v128', x);
    const wide = lanes('float64');
    this.#emission = {
      dtype,
      hold,
      constant: (x) => this.#constant(dtype, x),
      maths: {
        short: dtype === 'float32',
        hold,
        constant: (x) => this.#hoisted(`wide ${keyOf(x)}`, () => wide.constant(x)),
        whole: (x) => this.#hoisted(`whole ${x}`, () => i64x2.constant(x)),
      },
    };
  }

  #hoisted(key: string, make: () => Vector): Vector {
    const known = this.#constants.get(key);
    if (known) return known;
    const local = this.#f.hoist('v128', make());
    this.#constants.set(key, local);
    return local;
  }

  #constant(dtype: ComputeDType, x: number | bigint): Vector {
    return this.#hoisted(`${dtype} ${keyOf(x)}`, () => {
      if (dtype === 'int32') return i32x4.constant(x);
      if (dtype === 'int64') return i64x2.constant(x);
      return lanes(dtype).constant(Number(x));
    });
  }

  #number(index: number): Vector {
    const known = this.#numbers.get(index);
    if (known) return known;
    const x = value('v128', number(this.builder, index).code, [0xfd, 0x14]); // f64x2.splat
    const all = this.shape.dtype === 'float32' ? shuffle32(demoteLow(x), [0, 0, 0, 0]) : x;
    const local = this.#f.hoist('v128', all);
    this.#numbers.set(index, local);
    return local;
  }

  /** Loads what stands still in a row. */
  startRow(from: readonly Local<'i32'>[]): void {
    this.#repeated = this.shape.inputs.map(({ bytes, repeats }, i) => {
      if (!repeats) return null;
      const x = bytes === 1 ? spreadMask(load.u8(from[i])) : splatOf(bytes)(from[i]);
      return this.#f.local('v128', x);
    });
  }

  /** The outputs of `count` vectors that follow each other, from where the inputs stand. */
  vectors(from: readonly Local<'i32'>[], count: number): Local<'v128'>[][] {
    return Array.from({ length: count }, (_, vector) => {
      const known = new Map<Node, Local<'v128'>>();
      const inputs = new Map<number, Local<'v128'>>();
      return this.shape.outputs.map((node) => this.#node(node, from, vector, known, inputs));
    });
  }

  #node(
    node: Node,
    from: readonly Local<'i32'>[],
    vector: number,
    known: Map<Node, Local<'v128'>>,
    inputs: Map<number, Local<'v128'>>,
  ): Local<'v128'> {
    const found = known.get(node);
    if (found) return found;
    const of = (child: Node) => this.#node(child, from, vector, known, inputs);
    const result = this.#f.local('v128', this.#value(node, from, vector, of, inputs));
    known.set(node, result);
    return result;
  }

  #value(
    node: Node,
    from: readonly Local<'i32'>[],
    vector: number,
    of: (child: Node) => Local<'v128'>,
    inputs: Map<number, Local<'v128'>>,
  ): Vector {
    const e = this.#emission;
    const { dtype } = this.shape;
    switch (node.kind) {
      case 'input':
      case 'test': {
        const found = this.#repeated[node.index] ?? inputs.get(node.index);
        if (found) return found;
        const local = this.#f.local('v128', this.#load(node.index, from[node.index], vector));
        inputs.set(node.index, local);
        return local;
      }
      case 'number':
        return this.#number(node.index);
      case 'constant':
        return e.constant(node.value);
      case 'unary':
        return required(unaryOf(dtype, node.op), node.op, dtype)(e, of(node.x));
      case 'binary':
        return required(binaryOf(dtype, node.op), node.op, dtype)(e, of(node.a), of(node.b));
      case 'compare':
        return compareOf(e, node.op, of(node.a), of(node.b));
      case 'select': {
        const [mask, a, b] = [of(node.condition), of(node.a), of(node.b)];
        return value('v128', a.code, b.code, mask.code, [0xfd, 0x52]); // v128.bitselect
      }
    }
  }

  #load(index: number, pointer: Local<'i32'>, vector: number): Vector {
    const lane = bytesPerElement(this.shape.dtype) as 4 | 8;
    if (this.shape.inputs[index].bytes !== 1) return load.v128(pointer, 16 * vector);
    const bytes = lane === 4 ? load.zero32(pointer, 4 * vector) : load.splat16(pointer, 2 * vector);
    return unpackMask(lane, bytes);
  }
}

const splatOf = (bytes: number) => (bytes === 4 ? load.splat32 : load.splat64);

/** All ones where `x` is not 0, in every lane. */
const spreadMask = (x: Value<'i32'>): Vector => i32x4.splat(i32.sub(0, i32.ne(x, 0)));

const keyOf = (x: number | bigint): string => (Object.is(x, -0) ? '-0' : String(x));

function required<T>(operation: T | undefined, name: string, dtype: ComputeDType): T {
  if (operation === undefined) throw new Error(`no vector code for ${name} in ${dtype}`);
  return operation;
}

/** The outputs as text, with shared nodes written once, and whether anything in them is long. */
function textOf(outputs: readonly Node[]): { text: string; long: boolean } {
  const known = new Map<Node, number>();
  const lines: string[] = [];
  let long = false;
  const visit = (node: Node): number => {
    const found = known.get(node);
    if (found !== undefined) return found;
    let line: string;
    switch (node.kind) {
      case 'input':
      case 'number':
      case 'test':
        line = `${node.kind}${node.index}`;
        break;
      case 'constant':
        line = keyOf(node.value);
        break;
      case 'unary':
        long ||= isLong(node.op);
        line = `${node.op} ${visit(node.x)}`;
        break;
      case 'binary':
        long ||= isLong(node.op);
        line = `${node.op} ${visit(node.a)} ${visit(node.b)}`;
        break;
      case 'compare':
        line = `${node.op} ${visit(node.a)} ${visit(node.b)}`;
        break;
      case 'select':
        line = `select ${visit(node.condition)} ${visit(node.a)} ${visit(node.b)}`;
        break;
    }
    known.set(node, lines.length);
    lines.push(line);
    return lines.length - 1;
  };
  const roots = outputs.map(visit);
  return { text: `${lines.join(';')} => ${roots.join(',')}`, long };
}

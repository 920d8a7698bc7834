// Writing the code of one kernel: values are expressions, statements are appended as they are
// called, and loops and branches take functions. A kernel reads like the loops that it runs:
//
//   const i = f.local('i32');
//   f.for(i, from, to, () => f.storeF32(out.plus(i), loadF32(x.plus(i))))

import { float32Bytes, float64Bytes, signed, signed64, unsigned } from './bytes.js';

export type Type = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';

const TYPE_CODE: Record<Type, number> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** An expression: the code that leaves one value of `type` on the stack. */
export interface Value<T extends Type = Type> {
  readonly type: T;
  readonly code: readonly number[];
}

/** Something that can be assigned to. */
export interface Local<T extends Type = Type> extends Value<T> {
  readonly index: number;
}

type Int = Value<'i32'>;

/** An integer operand: a value, or a constant of TypeScript. */
export type IntLike = Int | number;

export const value = <T extends Type>(type: T, ...code: (readonly number[])[]): Value<T> => ({
  type,
  code: code.flat(),
});

export const int = (x: IntLike): Int =>
  typeof x === 'number' ? value('i32', [0x41, ...signed(x)]) : x;

const constantOf = (x: IntLike): number | undefined => (typeof x === 'number' ? x : undefined);

const intOp = (opcode: number) => (a: IntLike, b: IntLike) =>
  value('i32', int(a).code, int(b).code, [opcode]);

const plainAdd = intOp(0x6a);
const plainMul = intOp(0x6c);

/** Arithmetic and comparison of 32-bit integers; pointers are unsigned. */
export const i32 = {
  add: (a: IntLike, b: IntLike): Int =>
    constantOf(b) === 0 ? int(a) : constantOf(a) === 0 ? int(b) : plainAdd(a, b),
  sub: intOp(0x6b),
  mul: (a: IntLike, b: IntLike): Int =>
    constantOf(b) === 1 ? int(a) : constantOf(a) === 1 ? int(b) : plainMul(a, b),
  divU: intOp(0x6e),
  remU: intOp(0x70),
  and: intOp(0x71),
  or: intOp(0x72),
  xor: intOp(0x73),
  shl: intOp(0x74),
  shrS: intOp(0x75),
  shrU: intOp(0x76),
  eq: intOp(0x46),
  ne: intOp(0x47),
  ltS: intOp(0x48),
  ltU: intOp(0x49),
  gtS: intOp(0x4a),
  gtU: intOp(0x4b),
  leS: intOp(0x4c),
  leU: intOp(0x4d),
  geS: intOp(0x4e),
  geU: intOp(0x4f),
  eqz: (a: IntLike): Int => value('i32', int(a).code, [0x45]),
  min: (a: IntLike, b: IntLike): Int => select(i32.ltU(a, b), int(a), int(b)),
} as const;

export const f32Const = (x: number): Value<'f32'> => value('f32', [0x43, ...float32Bytes(x)]);
export const f64Const = (x: number): Value<'f64'> => value('f64', [0x44, ...float64Bytes(x)]);
export const i64Const = (x: bigint): Value<'i64'> => value('i64', [0x42, ...signed64(x)]);

/** `condition ? a : b`, both computed. */
export const select = <T extends Type>(condition: Int, a: Value<T>, b: Value<T>): Value<T> =>
  a.type === 'v128'
    ? value(a.type, a.code, b.code, condition.code, [0x1c, 1, TYPE_CODE.v128])
    : value(a.type, a.code, b.code, condition.code, [0x1b]);

/** Any instruction of the SIMD proposals, by its number after the prefix. */
export const simd = (opcode: number): number[] => [0xfd, ...unsigned(opcode)];

/** An address with a constant number of bytes added; alignment is never promised. */
const memarg = (offset: number, lane?: number): number[] => [
  0,
  ...unsigned(offset),
  ...(lane === undefined ? [] : [lane]),
];

const loadOp =
  <T extends Type>(type: T, opcode: readonly number[]) =>
  (address: IntLike, offset = 0): Value<T> =>
    value(type, int(address).code, opcode, memarg(offset));

export const load = {
  i32: loadOp('i32', [0x28]),
  i64: loadOp('i64', [0x29]),
  s8: loadOp('i32', [0x2c]),
  u8: loadOp('i32', [0x2d]),
  s16: loadOp('i32', [0x2e]),
  u16: loadOp('i32', [0x2f]),
  f32: loadOp('f32', [0x2a]),
  f64: loadOp('f64', [0x2b]),
  v128: loadOp('v128', simd(0x00)),
  /** One number in every lane. */
  splat16: loadOp('v128', simd(0x08)),
  splat32: loadOp('v128', simd(0x09)),
  splat64: loadOp('v128', simd(0x0a)),
  /** One number in the lowest lane, zeros above. */
  zero32: loadOp('v128', simd(0x5c)),
  zero64: loadOp('v128', simd(0x5d)),
} as const;

const STORE = {
  i32: [0x36],
  u8: [0x3a],
  u16: [0x3b],
  i64: [0x37],
  f32: [0x38],
  f64: [0x39],
  v128: simd(0x0b),
} as const;

const STORE_LANE = { 1: 0x58, 2: 0x59, 4: 0x5a, 8: 0x5b } as const;

/** The code of one kernel as it is being written. */
export class Code {
  readonly #params: Type[] = [];
  readonly #locals: Type[] = [];
  readonly #prologue: number[] = [];
  readonly #body: number[] = [];

  param<T extends Type>(type: T): Local<T> {
    if (this.#locals.length > 0) throw new Error('parameters come before locals');
    this.#params.push(type);
    return this.#slot(type, this.#params.length - 1);
  }

  /** A variable, with its first value if one is given (else 0, but only before any loop). */
  local<T extends Type>(type: T, initial?: Value<T>): Local<T> {
    this.#locals.push(type);
    const slot = this.#slot(type, this.#params.length + this.#locals.length - 1);
    if (initial) this.set(slot, initial);
    return slot;
  }

  /**
   * A variable that is set once, before everything else: constants of a loop, written down where they
   * are used. `initial` may read parameters only.
   */
  hoist<T extends Type>(type: T, initial: Value<T>): Local<T> {
    const slot = this.local(type);
    for (const byte of initial.code) this.#prologue.push(byte);
    this.#prologue.push(0x21, ...unsigned(slot.index));
    return slot;
  }

  /** An integer variable. */
  int(initial?: IntLike): Local<'i32'> {
    return this.local('i32', initial === undefined ? undefined : int(initial));
  }

  #slot<T extends Type>(type: T, index: number): Local<T> {
    return { type, index, code: [0x20, ...unsigned(index)] };
  }

  #append(...codes: (readonly number[])[]): void {
    for (const code of codes) for (const byte of code) this.#body.push(byte);
  }

  set<T extends Type>(target: Local<T>, source: Value<T>): void {
    this.#append(source.code, [0x21, ...unsigned(target.index)]);
  }

  setInt(target: Local<'i32'>, source: IntLike): void {
    this.set(target, int(source));
  }

  /** target += by. */
  advance(target: Local<'i32'>, by: IntLike): void {
    this.set(target, i32.add(target, by));
  }

  store(kind: keyof typeof STORE, address: IntLike, source: Value, offset = 0): void {
    this.#append(int(address).code, source.code, STORE[kind], memarg(offset));
  }

  /** Stores one lane of a vector. */
  storeLane(
    bytes: keyof typeof STORE_LANE,
    address: IntLike,
    source: Value<'v128'>,
    lane: number,
    offset = 0,
  ): void {
    const opcode = simd(STORE_LANE[bytes]);
    this.#append(int(address).code, source.code, opcode, memarg(offset, lane));
  }

  /** Runs `body` at least once, again while `condition` holds. */
  doWhile(body: () => void, condition: () => Int): void {
    this.#append([0x03, 0x40]); // loop
    body();
    this.#append(condition().code, [0x0d, 0], [0x0b]); // br_if 0, end
  }

  /** Runs `body` while `condition` holds. */
  while(condition: () => Int, body: () => void): void {
    this.if(condition(), () => this.doWhile(body, condition));
  }

  /** `for (; i < to; i += step)` on unsigned integers, from what `i` is. */
  for(i: Local<'i32'>, to: IntLike, step: IntLike, body: () => void): void {
    this.while(
      () => i32.ltU(i, to),
      () => {
        body();
        this.advance(i, step);
      },
    );
  }

  /**
   * Keeps V8 from unrolling and peeling the innermost loop that this stands in: it does so only with
   * loops that have no loop inside, and the long straight code that comes of it spills registers.
   * `nonzero` is never 0, so the loop in the branch never runs.
   */
  keepLoopSmall(nonzero: IntLike): void {
    this.if(i32.eqz(nonzero), () => {
      this.doWhile(
        () => {},
        () => i32.eqz(nonzero),
      );
    });
  }

  /** `count` times, counted in a variable of its own that `body` gets: 0, 1, … */
  times(count: IntLike, body: (i: Local<'i32'>) => void): void {
    const i = this.int();
    this.setInt(i, 0);
    this.for(i, count, 1, () => body(i));
  }

  if(condition: Int, then: () => void, otherwise?: () => void): void {
    this.#append(condition.code, [0x04, 0x40]);
    then();
    if (otherwise) {
      this.#append([0x05]);
      otherwise();
    }
    this.#append([0x0b]);
  }

  /** The parts of the finished function. */
  parts() {
    return {
      params: this.#params.map((type) => TYPE_CODE[type]),
      locals: this.#locals.map((type) => ({ count: 1, type: TYPE_CODE[type] })),
      body: this.#prologue.concat(this.#body),
    };
  }
}

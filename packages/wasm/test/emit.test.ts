// The encoder: numbers in LEB128, modules that the platform accepts, loops and branches that compute.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import { encodeModule, signed, signed64, unsigned } from '../src/emit/bytes.js';
import { Code, f64Const, i32, int, type Local, load, value } from '../src/emit/code.js';
import { lanes } from '../src/emit/lanes.js';

/** LEB128 as the specification has it, over BigInt. */
function decode(bytes: readonly number[], isSigned: boolean): bigint {
  let [result, shift] = [0n, 0n];
  bytes.forEach((byte, i) => {
    expect(byte >= 0x80).toBe(i < bytes.length - 1);
    result |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
  });
  return isSigned ? BigInt.asIntN(Number(shift), result) : result;
}

const EDGES = [0, 1, 63, 64, 127, 128, 8191, 8192, 16383, 16384, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

describe('LEB128', () => {
  it.each(EDGES)('unsigned %d', (n) => {
    expect(decode(unsigned(n), false)).toBe(BigInt(n));
  });

  it.each(EDGES.flatMap((n) => [n | 0, -n | 0]))('signed %d', (n) => {
    expect(decode(signed(n), true)).toBe(BigInt(n));
  });

  it.each([0n, -1n, 63n, 64n, -64n, -65n, 2n ** 63n - 1n, -(2n ** 63n)])('signed64 %d', (n) => {
    expect(decode(signed64(n), true)).toBe(n);
  });

  it('any number comes back, in as few bytes as it needs', () => {
    forAll(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => {
      const bytes = unsigned(n);
      expect(decode(bytes, false)).toBe(BigInt(n));
      expect(bytes.length).toBe(Math.max(1, Math.ceil(n.toString(2).length / 7)));
    });
    forAll(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (n) => {
      expect(decode(signed(n), true)).toBe(BigInt(n));
      expect(signed(n).length).toBeLessThanOrEqual(5);
    });
    forAll(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
      expect(decode(signed64(n), true)).toBe(n);
      expect(signed64(n).length).toBeLessThanOrEqual(10);
    });
  });
});

interface Program {
  readonly f: Code;
  readonly a: Local<'i32'>;
  readonly b: Local<'i32'>;
}

/** Compiles a function of two integers and runs it over a page of memory. */
function compile(write: (program: Program) => void, shared = false) {
  const f = new Code();
  const [a, b] = [f.param('i32'), f.param('i32')];
  write({ f, a, b });
  const bytes = encodeModule({ name: 'ein Kernel – ∑', ...f.parts(), sharedMemory: shared });
  expect(WebAssembly.validate(bytes as BufferSource)).toBe(true);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared });
  const module = new WebAssembly.Module(bytes as BufferSource);
  const { k } = new WebAssembly.Instance(module, { m: { m: memory } }).exports;
  return { run: k as (a: number, b: number) => void, view: new DataView(memory.buffer) };
}

/** What the program stores at 0 for `a` and `b`. */
function result(write: (program: Program) => void, a: number, b: number): number {
  const { run, view } = compile(write);
  run(a, b);
  return view.getInt32(0, true);
}

describe('modules', () => {
  it.each([false, true])('import a memory, shared: %s', (shared) => {
    const { run, view } = compile(({ f, a, b }) => f.store('i32', 0, i32.add(a, b)), shared);
    run(3, 4);
    expect(view.getInt32(0, true)).toBe(7);
  });

  it('hold bodies of any length', () => {
    const { run, view } = compile(({ f, a }) => {
      for (let i = 0; i < 5000; i++) f.advance(a, 1);
      f.store('i32', 0, a);
    });
    run(0, 0);
    expect(view.getInt32(0, true)).toBe(5000);
  });
});

describe('loops and branches', () => {
  const sumTo = ({ f, a, b }: Program) => {
    const sum = f.int();
    f.for(a, b, 3, () => f.set(sum, i32.add(sum, a)));
    f.store('i32', 0, sum);
  };

  it.each([
    [0, 10],
    [5, 5],
    [6, 5],
    [0, 1],
    [1, 10_000],
  ])('for (i = %d; i < %d; i += 3)', (from, to) => {
    let right = 0;
    for (let i = from; i < to; i += 3) right += i;
    expect(result(sumTo, from, to)).toBe(right);
  });

  it('times starts at 0 in every turn of a loop around it', () => {
    const nested = ({ f, a, b }: Program) => {
      const sum = f.int();
      f.times(a, (i) => {
        f.times(b, (j) => {
          f.set(sum, i32.add(sum, i32.add(i32.mul(i, 100), j)));
        });
      });
      f.store('i32', 0, sum);
    };
    // Σᵢ Σⱼ (100 i + j) for i < 4, j < 5
    expect(result(nested, 4, 5)).toBe(100 * 6 * 5 + 10 * 4);
    expect(result(nested, 0, 5)).toBe(0);
    expect(result(nested, 4, 0)).toBe(0);
  });

  it('doWhile runs once at least, while not at all', () => {
    const count = ({ f, a, b }: Program) => {
      const n = f.int();
      f.doWhile(
        () => f.advance(n, 1),
        () => i32.ltU(n, a),
      );
      f.while(
        () => i32.ltU(n, b),
        () => f.advance(n, 10),
      );
      f.store('i32', 0, n);
    };
    expect(result(count, 0, 0)).toBe(1);
    expect(result(count, 5, 20)).toBe(25);
  });

  it('if takes one branch', () => {
    const sign = ({ f, a, b }: Program) => {
      f.if(
        i32.ltS(a, b),
        () => f.store('i32', 0, int(-1)),
        () => f.store('i32', 0, int(1)),
      );
    };
    expect([result(sign, -3, 2), result(sign, 3, 2)]).toEqual([-1, 1]);
  });

  it('keepLoopSmall does nothing that can be seen', () => {
    const counted = ({ f, a, b }: Program) => {
      const n = f.int();
      f.for(a, b, 1, () => {
        f.keepLoopSmall(b);
        f.advance(n, 2);
      });
      f.store('i32', 0, n);
    };
    expect(result(counted, 0, 50)).toBe(100);
  });
});

describe('numbers', () => {
  it('integer arithmetic is that of 32 bits, unsigned where it says so', () => {
    const operands = fc.tuple(fc.integer(), fc.integer());
    const binary = {
      add: (a: number, b: number) => (a + b) | 0,
      sub: (a: number, b: number) => (a - b) | 0,
      mul: (a: number, b: number) => Math.imul(a, b),
      and: (a: number, b: number) => a & b,
      ltU: (a: number, b: number) => Number(a >>> 0 < b >>> 0),
      ltS: (a: number, b: number) => Number(a < b),
      geU: (a: number, b: number) => Number(a >>> 0 >= b >>> 0),
      shrU: (a: number, b: number) => (a >>> (b & 31)) | 0,
      min: (a: number, b: number) => (a >>> 0 < b >>> 0 ? a : b) | 0,
    };
    for (const [name, right] of Object.entries(binary)) {
      const operation = i32[name as keyof typeof binary];
      const { run, view } = compile(({ f, a, b }) => f.store('i32', 0, operation(a, b)));
      forAll(operands, ([a, b]) => {
        run(a, b);
        expect(view.getInt32(0, true), `${name} ${a} ${b}`).toBe(right(a, b));
      });
    }
  });

  it('constants keep their bits', () => {
    forAll(
      fc.double({ noNaN: true }),
      (x) => {
        const { run, view } = compile(({ f }) => f.store('f64', 0, f64Const(x)));
        run(0, 0);
        expect(view.getFloat64(0, true)).toBe(x);
      },
      20,
    );
  });

  it.each(['float32', 'float64'] as const)(
    '%s vectors add, multiply and sum their lanes',
    (dtype) => {
      const v = lanes(dtype);
      const { run, view } = compile(({ f }) => {
        const x = f.local('v128', load.v128(64));
        f.store('v128', 0, v.multiplyAdd(x, v.constant(2), v.constant(0.5)));
        f.store('v128', 16, v.horizontal(v.add, x));
        f.store('v128', 32, v.max(x, v.zero));
      });
      const array = dtype === 'float32' ? Float32Array : Float64Array;
      const numbers = new array(view.buffer);
      const input = Array.from({ length: v.count }, (_, i) => (i % 2 ? -1 : 1) * (i + 1.25));
      numbers.set(input, 64 / v.bytes);
      run(0, 0);
      const at = (byte: number) => [...numbers.slice(byte / v.bytes, byte / v.bytes + v.count)];
      expect(at(0)).toEqual(input.map((x) => 2 * x + 0.5));
      expect(at(16)[0]).toBe(input.reduce((a, b) => a + b));
      expect(at(32)).toEqual(input.map((x) => Math.max(x, 0)));
    },
  );

  it('a module of a wrong type does not validate', () => {
    const f = new Code();
    f.int(value('i32', [0x44, 0, 0, 0, 0, 0, 0, 0, 0])); // an f64 where an i32 belongs
    const bytes = encodeModule({ name: 'wrong', ...f.parts(), sharedMemory: false });
    expect(WebAssembly.validate(bytes as BufferSource)).toBe(false);
  });
});

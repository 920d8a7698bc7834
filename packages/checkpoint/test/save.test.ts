import {
  arange,
  cpu,
  Device,
  type DType,
  StateDict,
  type Tensor,
  tensor,
  zeros,
} from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load, save } from '../src/index.js';
import { entriesOf, expectFailure, fixture, mapIn, tensorIn } from './support.js';

describe('what is saved comes back', () => {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
  );
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.double().map((x) => (Object.is(x, -0) ? 0 : x)),
    fc.maxSafeInteger(),
    fc.bigInt().filter((n) => !Number.isSafeInteger(Number(n))),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 5 }),
    // In Python 0 and False, 1 and True are one key each.
    map: fc
      .uniqueArray(fc.tuple(key, tie('any')), {
        maxLength: 5,
        selector: ([k]) => (typeof k === 'boolean' ? Number(k) : k),
      })
      .map((pairs) => new Map(pairs)),
  })).any;

  test('plain values, nested', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (before) => {
        expect(await load(await save(before))).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test('minus zero, which is a float', async () => {
    expect(await load(await save(-0))).toBe(-0);
  });

  test('views, with their layout and what they share', async () => {
    const dtype = fc.constantFrom<DType>('float32', 'float64', 'int32', 'int8', 'uint8');
    const shape = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(dtype, shape, fc.nat(3), async (type, sizes, seed) => {
        const numel = sizes.reduce((product, n) => product * n, 1);
        const base = tensor(
          Array.from({ length: numel }, (_, i) => i + seed),
          { dtype: type },
        );
        const whole = base.reshape(sizes);
        const part = whole.narrow(0, 0, Math.max(1, sizes[0] - 1));
        const turned = whole.transpose(0, -1);
        const [a, b, c] = (await load(await save([whole, part, turned]))) as Tensor[];
        for (const [after, before] of [
          [a, whole],
          [b, part],
          [c, turned],
        ]) {
          expect([after.dtype, after.shape, after.strides, after.offset]).toEqual([
            before.dtype,
            before.shape,
            before.strides,
            before.offset,
          ]);
          expect(after.dataSync()).toEqual(before.dataSync());
        }
        expect(b.storage).toBe(a.storage);
        expect(c.storage).toBe(a.storage);
      }),
      { numRuns: 50 },
    );
  });

  test('a StateDict with its metadata', async () => {
    const dict = new StateDict([['w', tensor([1, 2])]]);
    dict.metadata = new Map([['', { version: 2, note: 'x' }]]);
    const back = await load(await save({ dict, again: dict }));
    const found = mapIn(back).get('dict');
    expect(found).toBeInstanceOf(StateDict);
    expect((found as StateDict).metadata).toEqual(dict.metadata);
    expect(mapIn(back).get('again')).toBe(found);
  });

  test('everything in a training checkpoint, twice', async () => {
    const once = await save(await load(fixture('training_checkpoint.pt')));
    expect(await save(await load(once))).toEqual(once);
  });

  test('one storage once, however many tensors look into it', async () => {
    const base = tensor(Array.from({ length: 1000 }, (_, i) => i));
    const file = await save([base, base.narrow(0, 5, 7), base.reshape([10, 100]), base]);
    const entries = Object.keys(await entriesOf(file));
    expect(entries.filter((name) => name.includes('/data/'))).toEqual(['archive/data/0']);
    const [first, , , last] = (await load(file)) as Tensor[];
    expect(last).toBe(first);
  });

  test('requiresGrad', async () => {
    const leaf = tensor([1], { requiresGrad: true });
    const [a, b, c] = (await load(await save([leaf, leaf.detach(), leaf.mul(2)]))) as Tensor[];
    expect([a.requiresGrad, b.requiresGrad, c.requiresGrad]).toEqual([true, false, true]);
  });

  test('tensors of a device that is read asynchronously', async () => {
    const slow = new Device(
      'slow',
      'slow',
      { ...cpu.capabilities, synchronous: false },
      cpu.kernels,
    );
    const base = tensor([1, 2, 3, 4], { device: slow }).reshape([2, 2]);
    const [a, b] = (await load(await save([base, base.transpose(0, 1)]))) as Tensor[];
    expect(a.tolist()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(b.tolist()).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test('values of another realm, as a frame or a test runner makes them', async () => {
    const { runInNewContext } = await import('node:vm');
    const foreign: unknown = runInNewContext(
      'new Map([["a", [1, new Set([2]), { b: new Uint8Array([3]) }]]])',
    );
    expect(await load(await save(foreign))).toEqual(
      new Map([['a', [1, new Set([2]), new Map([['b', Uint8Array.of(3)]])]]]),
    );
  });

  test('many bytes, as they are', async () => {
    const all = Uint8Array.from({ length: 70_000 }, (_, i) => i);
    expect(await load(await save([all, Buffer.from([1, 200])]))).toEqual([
      all,
      Uint8Array.of(1, 200),
    ]);
  });

  test('keys that a prototype has are just keys', async () => {
    const value = JSON.parse('{"__proto__": {"constructor": 1}, "toString": 2}');
    expect(await load(await save(value))).toEqual(
      new Map<string, unknown>([
        ['__proto__', new Map([['constructor', 1]])],
        ['toString', 2],
      ]),
    );
  });

  test('large tensors of any layout, in pieces', async () => {
    const big = arange(3 * 2 ** 20, { dtype: 'float32' }).reshape([3, 1024, 1024]);
    const layouts = [big, big.permute([2, 0, 1]), big.narrow(1, 3, 1000).transpose(1, 2)];
    for (const format of ['safetensors', 'npz'] as const) {
      const file = await save({ 0: layouts[0], 1: layouts[1], 2: layouts[2] }, undefined, {
        format,
      });
      const dict = mapIn(await load(file));
      for (const [i, before] of layouts.entries()) {
        const after = tensorIn(dict.get(String(i)));
        expect(after.shape).toEqual(before.shape);
        expect(
          Buffer.from(after.dataSync().buffer).equals(Buffer.from(before.dataSync().buffer)),
        ).toBe(true);
      }
    }
  });

  test('progress is told to the last byte', async () => {
    const steps: [number, number][] = [];
    const onProgress = (...step: [number, number]) => void steps.push(step);
    const file = await save(zeros([2 ** 22]), undefined, { onProgress });
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.map(([n]) => n)).toEqual(steps.map(([n]) => n).toSorted((a, b) => a - b));
    expect(steps.at(-1)).toEqual([file.length, file.length]);
  });

  test('equal values are equal bytes', async () => {
    const make = () => save(new Map([['w', tensor([1, 2])]]));
    expect(await make()).toEqual(await make());
  });
});

describe('what cannot be saved is named', () => {
  class Network {}
  class Module {
    stateDict() {}
  }
  let deep: unknown = 0;
  for (let i = 0; i < 2000; i++) deep = [deep];
  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /^undefined cannot be saved/],
    ['undefined inside', { a: [1, undefined] }, /\["a"\]\[1\]: undefined cannot/],
    ['a hole', new Array(1), /\[0\]: undefined cannot/],
    ['a function', { model: () => 1 }, /\["model"\]: a function/],
    ['a symbol', { a: Symbol('x') }, /\["a"\]: a symbol/],
    ['an instance', { model: new Network() }, /\["model"\]: a Network cannot be saved/],
    ['a module', { model: new Module() }, /a Module cannot be saved; save its stateDict\(\)/],
    ['a Date', new Map([['when', new Date()]]), /\["when"\]: a Date.*toISOString/],
    ['a promise', [Promise.resolve(1)], /\[0\]: a Promise.*await it/],
    ['a typed array', { w: new Float32Array(2) }, /\["w"\]: a Float32Array.*tensor\(array\)/],
    ['an object as a key', new Map([[{}, 1]]), /an object as the key/],
    ['a key that is undefined', new Map([[undefined, 1]]), /undefined as the key/],
    ['a key that is NaN', { a: new Map([[Number.NaN, 1]]) }, /\["a"\]: NaN as the key/],
    ['a symbol as a key', new Map([[Symbol('x'), 1]]), /a symbol as the key/],
    ['half a character in a key', { a: { '\udc00': 1 } }, /\["a"\]: a text with half/],
    [
      'keys that Python takes for one',
      {
        a: new Map<unknown, unknown>([
          [1, 'x'],
          [true, 'y'],
        ]),
      },
      /\["a"\]: a number 1 and a boolean true are one in a dict of Python/,
    ],
    [
      'bigint and number as keys',
      new Map<unknown, unknown>([
        [2n, 1],
        [2, 1],
      ]),
      /2 .* are one/,
    ],
    ['set elements that Python takes for one', [new Set([0, false])], /are one in a set/],
    ['a set of lists', [new Set([[1]])], /\[0\]: a set that holds an array \(number 0\)/],
    ['a set of dicts', new Set(['a', new Map()]), /a set that holds an object \(number 1\)/],
    ['an integer beyond reason', { n: 1n << 3000n }, /\["n"\]: an integer of more than 255 bytes/],
    ['an ArrayBuffer', [new ArrayBuffer(2)], /an ArrayBuffer.*new Uint8Array\(buffer\)/],
    ['a DataView', [new DataView(new ArrayBuffer(2))], /\[0\]: a DataView cannot/],
    ['a boxed number', [Object(1)], /\[0\]: a Number cannot/],
    ['an error', [new Error('x')], /\[0\]: an Error cannot/],
    ['a pattern', [/x/], /\[0\]: a RegExp cannot/],
    ['a WeakMap', [new WeakMap()], /\[0\]: a WeakMap cannot/],
    ['half a character', ['\ud800'], /surrogate/],
    ['too much nesting', deep, /512 deep/],
  ])('%s', async (_, value, message) => {
    await expectFailure(save(value), 'VALUE', message);
  });

  test('options of another format, and unknown ones', async () => {
    const wrong = save({}, undefined, { format: 'npz', compact: true });
    await expectFailure(wrong, 'VALUE', /'compact' is for torch, not for npz/);
    await expectFailure(save({}, undefined, { metadata: {} }), 'VALUE', /'metadata' is for safet/);
    await expect(save({}, undefined, { formt: 'npz' } as object)).rejects.toThrow(/format/);
  });

  test('an unknown format', async () => {
    const format = 'pickle' as 'torch';
    await expectFailure(
      save(1, undefined, { format }),
      'VALUE',
      /torch, safetensors and npz, not pickle/,
    );
    await expectFailure(
      save(1, undefined, { format: 'toString' as 'torch' }),
      'VALUE',
      /not toStr/,
    );
  });
});

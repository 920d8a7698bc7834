import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpu, Device, type DType, StateDict, type Tensor, tensor } from '@voxgrad/core';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { load, save } from '../src/index.js';
import { entriesOf, expectFailure, fixture, mapIn, tensorIn } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
    map: fc.array(fc.tuple(key, tie('any')), { maxLength: 5 }).map((pairs) => new Map(pairs)),
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
    ['a Date', new Map([['when', new Date()]]), /\["when"\]: a Date/],
    ['a promise', [Promise.resolve(1)], /\[0\]: a Promise/],
    ['a typed array', { w: new Float32Array(2) }, /\["w"\]: a Float32Array.*tensor\(array\)/],
    ['an object as a key', new Map([[{}, 1]]), /an object as the key/],
    ['a key that is undefined', new Map([[undefined, 1]]), /undefined as the key/],
    ['half a character', ['\ud800'], /surrogate/],
    ['too much nesting', deep, /512 deep/],
  ])('%s', async (_, value, message) => {
    await expectFailure(save(value), 'VALUE', message);
  });

  test('an unknown format', async () => {
    const format = 'pickle' as 'torch';
    await expectFailure(
      save(1, undefined, { format }),
      'VALUE',
      /torch and safetensors, not pickle/,
    );
    await expectFailure(
      save(1, undefined, { format: 'toString' as 'torch' }),
      'VALUE',
      /not toStr/,
    );
  });
});

describe('files', () => {
  const temporaries = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

  test('are written whole, replacing what was there', async () => {
    const path = join(folder, 'a.pt');
    writeFileSync(path, 'old');
    expect(await save([1], path)).toBeUndefined();
    expect(await load(path)).toEqual([1]);
    await save([2], pathToFileURL(path));
    expect(await load(path)).toEqual([2]);
    expect(temporaries()).toEqual([]);
  });

  test('are left alone when the value cannot be saved', async () => {
    const path = join(folder, 'b.pt');
    writeFileSync(path, 'old');
    await expectFailure(save([() => 1], path), 'VALUE', /function/);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(temporaries()).toEqual([]);
  });

  test('leave nothing behind when they cannot be written', async () => {
    const missing = join(folder, 'no', 'such', 'folder.pt');
    await expectFailure(save([1], missing), 'IO', /folder\.pt: cannot be written \(ENOENT/);
    // A folder stands where the file should: the temporary file is written, the rename fails.
    await expectFailure(save([1], folder), 'IO', /cannot be written/);
    const beside = readdirSync(tmpdir()).filter((name) => name.startsWith(`${basename(folder)}.`));
    expect(beside).toEqual([]);
    expect(temporaries()).toEqual([]);
  });

  test('behind a link replace what it points to', async () => {
    const path = join(folder, 'd.pt');
    writeFileSync(path, 'old');
    symlinkSync(path, join(folder, 'link.pt'));
    await save([1], join(folder, 'link.pt'));
    expect(lstatSync(join(folder, 'link.pt')).isSymbolicLink()).toBe(true);
    expect(await load(path)).toEqual([1]);
  });

  test('cannot be below a file, or at an address', async () => {
    const file = join(folder, 'e.pt');
    writeFileSync(file, '');
    await expectFailure(save([1], join(file, 'x.pt')), 'IO', /cannot be written \(ENOTDIR/);
    await expectFailure(
      save([1], new URL('http://a/x.pt')),
      'IO',
      /http:\/\/a\/x.pt: is not a path/,
    );
    await save([1], pathToFileURL(file).href);
    expect(await load(file)).toEqual([1]);
  });

  test('are safetensors by their name', async () => {
    const path = join(folder, 'c.safetensors');
    await save({ w: tensor([1]) }, path);
    expect(tensorIn(mapIn(await load(path)).get('w')).tolist()).toEqual([1]);
    expect(readFileSync(path)[8]).toBe('{'.charCodeAt(0));
    await save({ w: tensor([1]) }, path, { format: 'torch' });
    expect(readFileSync(path, 'latin1').slice(0, 2)).toBe('PK');
  });
});

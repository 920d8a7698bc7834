import { StateDict, type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, test } from 'vitest';
import { load, loadStateDict, save } from '../src/index.js';
import { expectFailure, fixture, mapIn } from './support.js';

const weights = (...keys: string[]): Map<string, Tensor> =>
  new Map(keys.map((key, i) => [key, tensor([i])]));

const withMetadata = (dict: Map<string, Tensor>, ...modules: string[]): StateDict => {
  const made = new StateDict(dict);
  made.metadata = new Map(modules.map((name, version) => [name, { version }]));
  return made;
};

describe('loadStateDict', () => {
  test.each(['state_dict', 'model_state_dict', 'model', 'net', 'module', 'network_weights'])(
    'finds it under %s',
    async (key) => {
      const file = await save({ epoch: 1, optimizer: { state: {} }, [key]: weights('a', 'b') });
      const dict = await loadStateDict(file);
      expect(dict).toBeInstanceOf(StateDict);
      expect([...dict.keys()]).toEqual(['a', 'b']);
    },
  );

  test('finds it alone, and in wrappings within wrappings', async () => {
    expect((await loadStateDict(await save(weights('a')))).size).toBe(1);
    const file = await save({ model: { module: { state_dict: weights('a') } } });
    expect((await loadStateDict(file)).size).toBe(1);
  });

  test('a state dict whose own keys look like wrappings is itself', async () => {
    const dict = await loadStateDict(await save(weights('model', 'net')));
    expect([...dict.keys()]).toEqual(['model', 'net']);
  });

  test('lists the keys where there is none', async () => {
    const file = await save({ epoch: 3, encoder: weights('a'), losses: [1, 2], best: null });
    await expectFailure(
      loadStateDict(file),
      'STATE_DICT',
      /a dict with the keys "epoch": a number, "encoder": a dict of 1, "losses": a list of 2, "best": None/,
    );
  });

  test('lists no more keys than one can read', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]));
    await expectFailure(loadStateDict(await save(many)), 'STATE_DICT', /and 480 more/);
  });

  test.each<[string, unknown, RegExp]>([
    ['a list', [1], /a list of 1/],
    ['a tensor', tensor([1]), /is a tensor/],
    ['an empty dict', {}, /an empty dict/],
    ['a number', 1, /a number/],
  ])('says that it found %s', async (_, value, message) => {
    await expectFailure(loadStateDict(await save(value)), 'STATE_DICT', message);
  });
});

describe('stripPrefixes', () => {
  const strip = async (value: unknown) => [
    ...mapIn(await load(await save(value), { stripPrefixes: true })).keys(),
  ];

  test.each([
    ['module.a.weight', 'a.weight'],
    ['_orig_mod.a.weight', 'a.weight'],
    ['module._orig_mod.a', 'a'],
    ['_orig_mod.module.a', 'a'],
    ['module.module._orig_mod.module.a', 'a'],
    ['encoder._orig_mod.a', 'encoder.a'],
    ['module.encoder._orig_mod.a', 'encoder.a'],
    ['encoder.module.a', 'encoder.module.a'],
    ['submodule.a', 'submodule.a'],
    ['module', 'module'],
    ['module.module', 'module'],
    ['a._orig_mod', 'a._orig_mod'],
    ['a', 'a'],
  ])('%s becomes %s', async (key, stripped) => {
    expect(await strip(weights(key))).toEqual([stripped]);
    expect(await strip(withMetadata(weights(key), ''))).toEqual([stripped]);
    const safetensors = await save(weights(key), undefined, { format: 'safetensors' });
    const dict = await loadStateDict(safetensors, { stripPrefixes: true });
    expect([...dict.keys()]).toEqual([stripped]);
  });

  test('keeps the order, and renames the metadata', async () => {
    const saved = withMetadata(weights('module.b', 'module.a'), '', 'module', 'module.b');
    const dict = await loadStateDict(await save(saved), { stripPrefixes: true });
    expect([...dict.keys()]).toEqual(['b', 'a']);
    expect(dict.metadata).toEqual(
      new Map([
        ['', { version: 1 }],
        ['b', { version: 2 }],
      ]),
    );
  });

  test('leaves keys alone that are not of a state dict', async () => {
    expect(await strip({ 'module.a': 1 })).toEqual(['module.a']);
  });

  test('reaches state dicts inside', async () => {
    const file = await save({ model: weights('module.a') });
    const all = mapIn(await load(file, { stripPrefixes: true }));
    expect([...mapIn(all.get('model')).keys()]).toEqual(['a']);
  });

  test('refuses to make one key of two', async () => {
    const file = await save(weights('module.a', 'a'));
    await expectFailure(load(file, { stripPrefixes: true }), 'STATE_DICT', /\["a"\]/);
  });

  test('off, nothing is renamed', async () => {
    const dict = await loadStateDict(await save(weights('module.a')));
    expect([...dict.keys()]).toEqual(['module.a']);
    expect((await loadStateDict(fixture('checkpoint.pt'))).has('conv.weight')).toBe(true);
  });
});

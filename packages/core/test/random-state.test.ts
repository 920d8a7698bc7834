// States of the generator: byte for byte those of PyTorch (test/fixtures/random_streams.*).

import { afterAll, describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { fixtureTensor, readJson, readSafetensors } from './fixtures.js';

const { states } = readJson<{ states: string[] }>('random_streams');
const tensors = readSafetensors('random_streams');

function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  const { data } = fixtureTensor(tensors, name);
  if (data instanceof Uint8Array) return data;
  throw new Error(`${name} holds no bytes`);
}

/** A cached state with some bytes changed. */
function changed(offset: number, ...bytes: number[]): Uint8Array {
  const state = bytesOf('state/cached').slice();
  state.set(bytes, offset);
  return state;
}

afterAll(() => {
  vg.manualSeed(0);
});

describe('states of PyTorch', () => {
  it('are the states here', () => {
    vg.manualSeed(2 ** 32 + 5);
    expect(vg.getRngState().dtype).toBe('uint8');
    expect(vg.getRngState().shape).toEqual([5056]);
    expect(vg.getRngState().dataSync()).toEqual(bytesOf('state/fresh'));
    vg.randn([3]);
    expect(vg.getRngState().dataSync()).toEqual(bytesOf('state/cached'));
    vg.rand([619]);
    expect(vg.getRngState().dataSync()).toEqual(bytesOf('state/used-up'));
  });

  it.each(states)('%s: the stream continues', (name) => {
    const state = bytesOf(`state/${name}`);
    vg.setRngState(vg.fromHost(state, 'uint8', [state.length]));
    expect(vg.initialSeed()).toBe(2n ** 32n + 5n);
    expect(vg.randn([3], { dtype: 'float64' }).dataSync()).toEqual(
      fixtureTensor(tensors, `state/${name}/normal`).data,
    );
    expect(vg.rand([700]).slice(0, 695).dataSync()).toEqual(
      fixtureTensor(tensors, `state/${name}/uniform`).data,
    );
  });

  it('come back after all that', () => {
    expect(states.at(-1)).toBe('legacy');
    expect(vg.getRngState().dataSync()).toEqual(bytesOf('state/after'));
  });

  it('carry the float32 sample that PyTorch keeps too', () => {
    const state = changed(5048, 0, 0, 0xa0, 0x3f, 1); // 1.25
    const generator = new vg.Generator(0).setStateBytes(state);
    expect(generator.getState().cachedNormal32).toBe(1.25);
    expect(generator.stateBytes()).toEqual(state);
    expect(generator.manualSeed(0).getState().cachedNormal32).toBeUndefined();
  });
});

describe('what is no state', () => {
  it.each<[string, Uint8Array | vg.Tensor, string]>([
    ['too short', new Uint8Array(50), 'the input RNG state size to be 50'],
    ['zeros', new Uint8Array(5056), 'Invalid mt19937 state: it was never seeded'],
    ['no words left', changed(8, 0, 0), 'Invalid mt19937 state'],
    ['more words left than there are', changed(8, 0x71, 2), 'Invalid mt19937 state'],
    ['a next word outside', changed(16, 0x71, 2), 'Invalid mt19937 state'],
    ['a next word far outside', changed(16, 1, 0, 0, 0, 1), 'Invalid mt19937 state'],
    ['a word of more than 32 bits', changed(28, 1), 'word 0 is'],
    ['an infinite sample', changed(5030, 0xf0, 0x7f), 'not a finite number'],
    ['floats', vg.zeros([5056]), 'RNG state must be a torch.ByteTensor'],
    ['booleans', vg.zeros([5056], { dtype: 'bool' }), 'RNG state must be a torch.ByteTensor'],
  ])('%s: refused, and nothing changes', (_, state, message) => {
    vg.manualSeed(8);
    vg.randn([1]);
    const before = vg.getRngState().dataSync();
    expect(() => vg.setRngState(state)).toThrow(message);
    expect(vg.getRngState().dataSync()).toEqual(before);
  });
});

describe('seeds', () => {
  it('nobody can foresee', () => {
    const seeds = [vg.seed(), vg.seed()];
    expect(seeds[0]).not.toBe(seeds[1]);
    expect(vg.initialSeed()).toBe(seeds[1]);
    const drawn = vg.rand([4]).tolist();
    vg.manualSeed(seeds[1]);
    expect(vg.rand([4]).tolist()).toEqual(drawn);
    expect(new vg.Generator().seed()).not.toBe(new vg.Generator().seed());
  });
});

describe('forkRng', () => {
  it('hides what is drawn inside', () => {
    vg.manualSeed(3);
    vg.randn([1]);
    const inside = vg.forkRng(() => vg.randn([3]).tolist());
    expect(vg.randn([3]).tolist()).toEqual(inside);
  });

  it('after an error and after a promise too', async () => {
    vg.manualSeed(3);
    const before = vg.getRngState().dataSync();
    const fail = () => {
      vg.rand([2]);
      throw new Error('inside');
    };
    expect(() => vg.forkRng(fail)).toThrow('inside');
    expect(vg.getRngState().dataSync()).toEqual(before);
    const value = await vg.forkRng(async () => {
      await Promise.resolve();
      return vg.manualSeed(9).initialSeed;
    });
    expect(value).toBe(9n);
    expect(vg.getRngState().dataSync()).toEqual(before);
    await expect(vg.forkRng(async () => fail())).rejects.toThrow('inside');
    expect(vg.getRngState().dataSync()).toEqual(before);
  });
});

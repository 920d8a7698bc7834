// Files of PyTorch with OneCycleLR and SWALR, whose curve they name by a method: read, and gone on with.

import { load } from '@voxgrad/checkpoint';
import { zeros } from '@voxgrad/core';
import { lrScheduler, SGD } from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { readBytes, readJson } from '../../packages/core/test/fixtures.js';

const rates = readJson<Record<string, number[]>>('annealing');
const saved = await load(readBytes('annealing.pt'), { device: 'cpu' });

const inMap = (map: unknown, key: string): Map<unknown, unknown> => {
  const value: unknown = map instanceof Map ? map.get(key) : undefined;
  if (value instanceof Map) return value;
  throw new Error(`no map under ${key}`);
};

/** Made otherwise than the saved ones: curve, phases and numbers come from the file. */
const makers: Record<string, (optimizer: SGD) => lrScheduler.LRScheduler> = {
  'one cycle': (o) => new lrScheduler.OneCycleLR(o, 5, { totalSteps: 100 }),
  'one cycle of three': (o) =>
    new lrScheduler.OneCycleLR(o, 5, { totalSteps: 9, annealStrategy: 'linear' }),
  swa: (o) => new lrScheduler.SWALR(o, 1, { annealStrategy: 'linear' }),
  'swa linear': (o) => new lrScheduler.SWALR(o, 1),
};

describe('annealing that goes on', () => {
  it.each(Object.keys(rates))('%s', (name) => {
    const optimizer = new SGD([zeros([2]).requiresGrad_()], { lr: 0.5, momentum: 0.5 });
    const scheduler = makers[name](optimizer);
    const state = inMap(saved, name);
    optimizer.loadStateDict(inMap(state, 'optimizer'));
    scheduler.loadStateDict(inMap(state, 'scheduler'));
    for (const rate of rates[name]) {
      optimizer.step();
      scheduler.step();
      expect(scheduler.getLastLr()[0]).toBeCloseTo(rate, 14);
    }
  });

  it('the curve is a name in what is loaded', () => {
    const state = inMap(inMap(saved, 'one cycle'), 'scheduler');
    expect(state.get('anneal_func')).toBe('torch.optim.lr_scheduler.OneCycleLR._annealing_linear');
  });
});

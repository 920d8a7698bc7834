import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SGD } from '../src/index.js';
import { camelCase, snakeCase } from '../src/names.js';
import { leaves } from './support/problem.js';

describe('names', () => {
  it.each([
    ['lr', 'lr'],
    ['weight_decay', 'weightDecay'],
    ['initial_accumulator_value', 'initialAccumulatorValue'],
    ['_step_count', '_stepCount'],
    ['_last_lr', '_lastLr'],
    ['T_max', 'TMax'],
    ['T_0', 'T0'],
    ['T_i', 'TI'],
  ])('%s is %s here', (theirs, ours) => {
    expect([camelCase(theirs), snakeCase(ours)]).toEqual([ours, theirs]);
  });

  it('of any group come back from a state dict', () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,12}$/);
    fc.assert(
      fc.property(name, (key) => {
        fc.pre(!['params', '__proto__'].includes(key));
        fc.pre(!Object.hasOwn(new SGD(leaves([1]), { lr: 1 }).defaults, camelCase(key)));
        const optimizer = new SGD(leaves([1]), { lr: 1 });
        optimizer.loadStateDict({ state: {}, param_groups: [{ [key]: 'kept', params: [0] }] });
        expect(optimizer.stateDict().param_groups[0][key]).toBe('kept');
      }),
    );
  });
});

// State dicts. Keys, metadata and texts were printed by PyTorch 1.13 for the same network.

import { StateDict, type Tensor, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

class Net extends nn.Module {
  conv = new nn.Conv3d(1, 2, 3);
  bn = new nn.BatchNorm3d(2);
  head = new nn.Sequential(new nn.Linear(2, 1), new nn.ReLU());
  scale = new nn.Parameter(zeros([]));
  alias = this.head;

  constructor() {
    super();
    this.registerBuffer('grid', zeros([2]));
    this.registerBuffer('scratch', zeros([1]), { persistent: false });
  }

  forward(x: Tensor): Tensor {
    return x;
  }
}

const KEYS = [
  'scale',
  'grid',
  'conv.weight',
  'conv.bias',
  'bn.weight',
  'bn.bias',
  'bn.running_mean',
  'bn.running_var',
  'bn.num_batches_tracked',
  'head.0.weight',
  'head.0.bias',
  'alias.0.weight',
  'alias.0.bias',
];

/** The state of a network, with changes; its own copies of all tensors. */
function state(edit: (state: StateDict) => void): StateDict {
  const dict = new Net().stateDict();
  for (const [key, value] of dict) dict.set(key, value.clone());
  edit(dict);
  return dict;
}

const load = (edit: (state: StateDict) => void, options?: { strict?: boolean }) =>
  new Net().loadStateDict(state(edit), options);

const refusal = (edit: (state: StateDict) => void, options?: { strict?: boolean }) => {
  const error = thrownBy(() => load(edit, options));
  expect(error).toMatchObject({ code: 'STATE_DICT' });
  return error.message;
};

const remove =
  (...keys: string[]) =>
  (dict: StateDict) => {
    for (const key of keys) dict.delete(key);
  };

describe('stateDict', () => {
  it("has PyTorch's keys in PyTorch's order, shared modules under each name", () => {
    expect([...new Net().stateDict().keys()]).toEqual(KEYS);
  });

  it('has the metadata of PyTorch: version 2 for batch norm', () => {
    const versions = [...(new Net().stateDict().metadata ?? [])].map(([k, m]) => [k, m.version]);
    expect(Object.fromEntries(versions)).toEqual({
      '': 1,
      conv: 1,
      bn: 2,
      head: 1,
      'head.0': 1,
      'head.1': 1,
      alias: 1,
      'alias.0': 1,
      'alias.1': 1,
    });
  });

  it('leaves out what is not there', () => {
    const keys = (module: nn.Module) => [...module.stateDict().keys()];
    expect(keys(new nn.Conv3d(1, 1, 1, { bias: false }))).toEqual(['weight']);
    expect(keys(new nn.BatchNorm3d(2, { trackRunningStats: false }))).toEqual(['weight', 'bias']);
    expect(keys(new nn.BatchNorm3d(2, { affine: false }))).toEqual([
      'running_mean',
      'running_var',
      'num_batches_tracked',
    ]);
    expect(keys(new nn.CrossEntropyLoss({ weight: zeros([2]) }))).toEqual(['weight']);
  });

  it('shares elements with the module, off the tape', () => {
    const net = new Net();
    const weight = net.stateDict().get('conv.weight');
    expect(weight?.storage).toBe(net.conv.weight.storage);
    expect(weight?.requiresGrad).toBe(false);
  });
});

describe('loadStateDict', () => {
  it('copies everything, and says that nothing was amiss', () => {
    const [from, to] = [new Net(), new Net()];
    from.bn.numBatchesTracked?.fill_(7);
    expect(to.loadStateDict(from.stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
    const target = to.stateDict();
    for (const [key, value] of from.stateDict()) {
      expect(target.get(key)?.tolist(), key).toEqual(value.tolist());
      expect(target.get(key)?.storage, key).not.toBe(value.storage);
    }
  });

  it('keeps parameters on the tape as leaves, in their dtype', () => {
    const net = new Net();
    const exact = tensor([1e-10, 0.1], { dtype: 'float64' });
    net.loadStateDict(
      state((dict) => {
        dict.set('conv.bias', exact);
      }),
    );
    expect(net.conv.bias?.dtype).toBe('float32');
    expect(net.conv.bias?.tolist()).toEqual(exact.to('float32').tolist());
    expect(net.conv.bias?.isLeaf && net.conv.bias.requiresGrad).toBe(true);
  });

  it('missing keys', () => {
    expect(refusal(remove('conv.bias'))).toBe(
      'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "conv.bias". ',
    );
  });

  it('unexpected keys, in the order of the modules', () => {
    const add = (dict: StateDict) => {
      for (const key of ['a', 'head.5.b', 'conv.c']) dict.set(key, zeros([1]));
    };
    expect(refusal(add)).toBe(
      'Error(s) in loading state_dict for Net:\n\tUnexpected key(s) in state_dict: "a", "conv.c", "head.5.b". ',
    );
  });

  const everything = (dict: StateDict) => {
    remove('conv.bias', 'grid')(dict);
    dict.set('extra', zeros([1]));
    dict.set('conv.weight', zeros([2, 1, 3, 3]));
  };
  const mismatch =
    '\n\tsize mismatch for conv.weight: copying a param with shape torch.Size([2, 1, 3, 3]) from ' +
    'checkpoint, the shape in current model is torch.Size([2, 1, 3, 3, 3]).';

  it('all at once', () => {
    expect(refusal(everything)).toBe(
      'Error(s) in loading state_dict for Net:' +
        '\n\tMissing key(s) in state_dict: "grid", "conv.bias". ' +
        `\n\tUnexpected key(s) in state_dict: "extra". ${mismatch}`,
    );
  });

  it('a size mismatch is an error also without strict', () => {
    expect(refusal(everything, { strict: false })).toBe(
      `Error(s) in loading state_dict for Net:${mismatch}`,
    );
  });

  it('without strict, keys are reported', () => {
    const edit = (dict: StateDict) => {
      dict.delete('conv.bias');
      dict.set('extra', zeros([1]));
    };
    expect(load(edit, { strict: false })).toEqual({
      missingKeys: ['conv.bias'],
      unexpectedKeys: ['extra'],
    });
  });

  it('loads nothing where anything is wrong', () => {
    const net = new Net();
    const before = [...net.stateDict()].map(([, value]) => value.tolist());
    const edit = (dict: StateDict) => {
      for (const [key, value] of dict) dict.set(key, value.add(1));
      dict.delete('head.0.bias');
    };
    thrownBy(() => net.loadStateDict(state(edit)));
    expect([...net.stateDict()].map(([, value]) => value.tolist())).toEqual(before);
  });

  it('a 0-d parameter takes a tensor of one element, the reverse is an error', () => {
    const net = new Net();
    net.loadStateDict(
      state((dict) => {
        dict.set('scale', tensor([3]));
      }),
    );
    expect(net.scale.tolist()).toBe(3);
    const reverse = (dict: StateDict) => {
      dict.set('conv.bias', zeros([]));
    };
    expect(refusal(reverse)).toContain(
      'size mismatch for conv.bias: copying a param with shape torch.Size([]) from checkpoint, ' +
        'the shape in current model is torch.Size([2]).',
    );
  });

  it('num_batches_tracked may be missing from files of before version 2 only (pytorch#8481)', () => {
    const absent = remove('bn.num_batches_tracked');
    expect(refusal(absent)).toContain('Missing key(s) in state_dict: "bn.num_batches_tracked". ');
    const old = (metadata: StateDict['metadata']) => (dict: StateDict) => {
      absent(dict);
      dict.metadata = metadata;
    };
    expect(load(old(undefined)).missingKeys).toEqual([]);
    expect(load(old(new Map([['bn', { version: 1 }]]))).missingKeys).toEqual([]);
  });

  it('what is no tensor or no dict is named', () => {
    const number = (dict: StateDict) => {
      (dict as Map<string, unknown>).set('conv.bias', 3);
    };
    expect(refusal(number)).toContain(
      'While copying the parameter named "conv.bias", expected a Tensor from checkpoint but received 3',
    );
    const error = thrownBy(() => new Net().loadStateDict([1] as never));
    expect(error.message).toContain('Expected a state dict (a Map), got [1].');
  });

  it.each(['module.', '_orig_mod.', 'module._orig_mod.'])('proposes to strip %s', (prefix) => {
    const wrapped = new StateDict();
    for (const [key, value] of new Net().stateDict()) wrapped.set(prefix + key, value);
    const error = thrownBy(() => new Net().loadStateDict(wrapped));
    expect(error.message).toContain('load with { stripPrefixes: true }');
  });

  it('proposes it too where torch.compile wrapped a module inside', () => {
    const wrapped = new StateDict();
    for (const [key, value] of new Net().stateDict())
      wrapped.set(key.replace(/^(\w+)\./, 'module.$1._orig_mod.'), value);
    const error = thrownBy(() => new Net().loadStateDict(wrapped));
    expect(error.message).toContain('load with { stripPrefixes: true }');
  });
});

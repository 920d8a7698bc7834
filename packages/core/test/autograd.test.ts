// The tape. Numbers and texts marked [R] were seen in runs of PyTorch 1.13 on the same programs.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { collect, nextTask } from './support/garbage.js';
import { defined, numbersOf, thrownBy } from './support/numbers.js';

const leaf = (values: vg.NestedList = [1, 2, 3]) =>
  vg.tensor(values, { dtype: 'float64', requiresGrad: true });
const constant = (values: vg.NestedList) => vg.tensor(values, { dtype: 'float64' });
const clear = (x: vg.Tensor) => {
  x.grad = null;
};
const gradOf = (y: vg.Tensor, x: vg.Tensor) => defined(vg.grad(y, x)[0]).tolist();
const refusal = (fn: () => unknown) => {
  const error = thrownBy(fn);
  expect(error).toMatchObject({ code: 'AUTOGRAD' });
  return error.message;
};

describe('backward', () => {
  it('adds to the grad of leaves, call after call', () => {
    const x = leaf();
    x.mul(x).sum().backward();
    expect(defined(x.grad).tolist()).toEqual([2, 4, 6]);
    x.sum().backward();
    expect(defined(x.grad).tolist()).toEqual([3, 5, 7]);
    clear(x);
    x.sum().backward();
    expect(defined(x.grad).tolist()).toEqual([1, 1, 1]);
  });

  it('sums over all uses of a tensor', () => {
    const x = leaf();
    const y = x.mul(2);
    expect(gradOf(y.mul(y).add(y).add(x).sum(), x)).toEqual([11, 19, 27]);
  });

  it('weights the outputs by the gradient given', () => {
    const x = leaf();
    x.mul(2).backward(constant([1, 10, 100]));
    expect(defined(x.grad).tolist()).toEqual([2, 20, 200]);
  });

  it('gives two leaves that share a gradient their own copies', () => {
    const [a, b] = [leaf(), leaf()];
    a.add(b).sum().backward();
    defined(a.grad).mul_(7);
    expect(defined(b.grad).tolist()).toEqual([1, 1, 1]);
  });

  it('does not compute what nobody wants', () => {
    const x = leaf();
    const never = vg.defineOp({
      name: 'never',
      forward: ([a]) => a.mul(1),
      backward: () => {
        throw new Error('computed for nothing');
      },
    });
    const [g] = vg.grad(never([leaf()], undefined).add(x).sum(), [x]);
    expect(defined(g).tolist()).toEqual([1, 1, 1]);
  });

  it('works on a leaf itself [R]', () => {
    const x = leaf(3);
    expect(gradOf(x, x)).toBe(1);
    x.backward();
    expect(defined(x.grad).tolist()).toBe(1);
  });

  it('refuses a non-scalar output without a gradient [R]', () => {
    expect(refusal(() => leaf().mul(2).backward())).toContain(
      'grad can be implicitly created only for scalar outputs',
    );
  });

  it('refuses outputs off the tape [R]', () => {
    expect(refusal(() => constant([1]).backward())).toContain(
      'element 0 of tensors does not require grad and does not have a grad_fn',
    );
  });

  it('refuses a gradient of another shape [R] or dtype', () => {
    const y = leaf().mul(2);
    expect(thrownBy(() => y.backward(constant([1, 1]))).message).toContain(
      'Mismatch in shape: grad_output[0] has a shape of [2] and output[0] has a shape of [3].',
    );
    expect(refusal(() => y.backward(vg.ones([3])))).toContain('has dtype float32');
  });

  it('runs long chains without recursion', () => {
    const x = leaf([1]);
    let y: vg.Tensor = x;
    for (let i = 0; i < 20_000; i++) y = y.add(1);
    expect(gradOf(y.sum(), x)).toEqual([1]);
  });
});

describe('grad', () => {
  it('leaves grad fields alone and takes non-leaves [R]', () => {
    const x = leaf();
    const m = x.mul(2);
    const [gm, gx] = vg.grad(m.mul(m).sum(), [m, x]);
    expect(defined(gm).tolist()).toEqual([4, 8, 12]);
    expect(defined(gx).tolist()).toEqual([8, 16, 24]);
    expect(x.grad).toBeNull();
  });

  it('takes several outputs, and one input twice [R]', () => {
    const x = leaf();
    const options = { gradOutputs: [constant(10), null] };
    const results = vg.grad([x.sum(), x.mul(x).sum()], [x, x], options);
    for (const g of results) expect(defined(g).tolist()).toEqual([12, 14, 16]);
  });

  it('refuses unused inputs [R] unless they are allowed', () => {
    const y = leaf().mul(2).sum();
    expect(refusal(() => vg.grad(y, leaf(), { retainGraph: true }))).toContain(
      'One of the differentiated Tensors appears to not have been used in the graph.',
    );
    expect(vg.grad(y, [leaf()], { allowUnused: true })).toEqual([null]);
  });

  it('refuses inputs that need no gradient, no inputs, and a wrong count [R]', () => {
    const x = leaf();
    expect(refusal(() => vg.grad(x.sum(), constant([1])))).toContain(
      'One of the differentiated Tensors does not require grad',
    );
    expect(thrownBy(() => vg.grad(x.sum(), [])).message).toBe('grad requires non-empty inputs.');
    expect(
      thrownBy(() => vg.grad([x.sum(), x.sum()], x, { gradOutputs: [constant(1)] })).message,
    ).toBe('got 2 tensors and 1 gradients');
  });
});

describe('retainGraph and createGraph', () => {
  it('a second backward through freed tensors says so [R]', () => {
    const x = leaf();
    const y = x.mul(x).sum();
    y.backward();
    expect(refusal(() => y.backward())).toContain(
      'Trying to backward through the graph a second time',
    );
  });

  it('with retainGraph it runs, and the next one without frees', () => {
    const x = leaf();
    const y = x.mul(x).sum();
    y.backward(null, { retainGraph: true });
    y.backward();
    expect(defined(x.grad).tolist()).toEqual([4, 8, 12]);
    refusal(() => y.backward());
  });

  it('grad frees only what it walked', () => {
    const x = leaf();
    const [a, b] = [x.exp().sum(), x.mul(x).sum()];
    vg.grad(a, x);
    expect(gradOf(b, x)).toEqual([2, 4, 6]);
  });

  it('createGraph gives derivatives of the derivative', () => {
    const x = leaf();
    const [first] = vg.grad(x.pow(4).sum(), x, { createGraph: true });
    const [second] = vg.grad(defined(first).sum(), x, { createGraph: true });
    const [third] = vg.grad(defined(second).sum(), x, { createGraph: true });
    expect(defined(second).tolist()).toEqual([12, 48, 108]);
    expect(defined(third).tolist()).toEqual([24, 48, 72]);
    expect(gradOf(defined(third).sum(), x)).toEqual([24, 24, 24]);
  });

  it('backward with createGraph leaves a grad that is on the tape', () => {
    const x = leaf();
    x.pow(3).sum().backward(null, { createGraph: true });
    const penalty = defined(x.grad).square().sum();
    expect(gradOf(penalty, x)).toEqual([36, 288, 972]); // (9x⁴)' = 36x³
  });

  it('without it results are off the tape', () => {
    const x = leaf();
    expect(defined(vg.grad(x.mul(x).sum(), x)[0]).requiresGrad).toBe(false);
  });

  it('a gradient penalty through pooling reaches the weights (pytorch#4497)', () => {
    const w = vg.tensor(
      [
        [
          [
            [
              [1, -2],
              [0.5, 3],
            ],
          ],
        ],
      ],
      { dtype: 'float64', requiresGrad: true },
    );
    const x = vg.rand([1, 1, 1, 5, 5], { dtype: 'float64', requiresGrad: true });
    const penalty = () => {
      const y = vg.maxPool3d(vg.conv3d(x, w).tanh(), [1, 2, 2]);
      const [g] = vg.grad(y.sum(), x, { createGraph: true });
      return defined(g).square().sum();
    };
    expect(vg.gradcheck(penalty, [w])).toBe(true);
  });
});

describe('noGrad, enableGrad, detach', () => {
  it('noGrad records nothing, and gives the mode back after an error', () => {
    const x = leaf();
    expect(vg.noGrad(() => x.mul(2)).requiresGrad).toBe(false);
    expect(() =>
      vg.noGrad(() => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(vg.isGradEnabled()).toBe(true);
  });

  it('enableGrad records inside noGrad', () => {
    const x = leaf();
    vg.noGrad(() => {
      expect(vg.isGradEnabled()).toBe(false);
      expect(vg.enableGrad(() => x.mul(2)).requiresGrad).toBe(true);
      expect(vg.isGradEnabled()).toBe(false);
    });
  });

  it('both refuse asynchronous functions', () => {
    for (const mode of [vg.noGrad, vg.enableGrad])
      expect(thrownBy(() => mode(async () => 1)).message).toContain('returned a promise');
  });

  it('detach shares elements and cuts the tape', () => {
    const x = leaf();
    const y = x.mul(2);
    expect(y.detach().storage).toBe(y.storage);
    expect(y.detach().requiresGrad).toBe(false);
    expect(gradOf(y.mul(y.detach()).sum(), x)).toEqual([4, 8, 12]);
  });

  it('constants make no tape at all', () => {
    expect(constant([1]).mul(2).gradFn).toBeNull();
    expect(constant([1]).isLeaf).toBe(true);
    expect(leaf().mul(2).gradFn?.name).toBe('mul');
  });

  it('requiresGrad is fixed on what was computed [R]', () => {
    const y = leaf().mul(2);
    const off = () => {
      y.requiresGrad = false;
    };
    expect(refusal(off)).toContain('you can only change requires_grad flags of leaf variables.');
  });
});

describe('hooks', () => {
  it('see and may replace the gradient, in the order of registration [R]', () => {
    const x = leaf();
    const seen: vg.NestedList[] = [];
    const y = x.mul(2);
    y.registerHook((g) => g.mul(2));
    y.registerHook((g) => {
      seen.push(g.tolist());
    });
    expect(gradOf(y.sum(), x)).toEqual([4, 4, 4]);
    expect(seen).toEqual([[2, 2, 2]]);
  });

  it('of a leaf see the sum over all its uses [R]', () => {
    const x = leaf();
    x.registerHook((g) => g.mul(10));
    x.mul(2).add(x).sum().backward();
    expect(defined(x.grad).tolist()).toEqual([30, 30, 30]);
  });

  it('can be removed', () => {
    const x = leaf();
    const handle = x.registerHook((g) => g.mul(10));
    handle.remove();
    x.sum().backward();
    expect(defined(x.grad).tolist()).toEqual([1, 1, 1]);
  });

  it('retainGrad keeps what arrives at a non-leaf, after the hooks before it [R]', () => {
    const x = leaf();
    const [a, b] = [x.mul(2), x.mul(2)];
    a.retainGrad();
    a.registerHook((g) => g.mul(5));
    b.registerHook((g) => g.mul(5));
    b.retainGrad();
    a.add(b).mul(3).sum().backward();
    expect(defined(a.grad).tolist()).toEqual([3, 3, 3]);
    expect(defined(b.grad).tolist()).toEqual([15, 15, 15]);
  });

  it('need a tensor that requires a gradient [R]', () => {
    expect(refusal(() => constant([1]).registerHook(() => {}))).toContain(
      "cannot register a hook on a tensor that doesn't require gradient",
    );
    expect(refusal(() => constant([1]).retainGrad())).toContain(
      "can't retain_grad on Tensor that has requires_grad=False",
    );
  });
});

describe('in-place operations', () => {
  it('refuse leaves that require gradients [R], except under noGrad', () => {
    const x = leaf();
    expect(refusal(() => x.add_(1))).toContain(
      'a leaf Variable that requires grad is being used in an in-place operation',
    );
    vg.noGrad(() => x.add_(1));
    expect(x.tolist()).toEqual([2, 3, 4]);
    expect(x.requiresGrad).toBe(true);
  });

  it('are noticed where a rule needs the old value of an input or output [R]', () => {
    const x = leaf();
    const a = x.mul(1);
    const square = a.mul(a);
    a.add_(1);
    expect(refusal(() => square.sum().backward())).toMatch(
      /modified by an inplace operation: \[DoubleTensor \[3\]\], saved by mul, is at version 1; expected version 0/,
    );
    const b = x.exp();
    b.add_(1);
    expect(refusal(() => b.sum().backward())).toContain('saved by exp');
  });

  it('are harmless where no rule needs the old value', () => {
    const x = leaf();
    const a = x.mul(2).add_(1);
    const y = a.add(5);
    a.mul_(100);
    expect(gradOf(y.sum(), x)).toEqual([2, 2, 2]);
  });

  it('of a view through detach count as writes of the whole storage', () => {
    const x = leaf();
    const a = x.mul(1);
    const y = a.mul(a);
    a.detach().narrow(0, 0, 1).zero_();
    expect(a.tolist()).toEqual([0, 2, 3]);
    expect(refusal(() => y.sum().backward())).toContain('modified by an inplace operation');
  });

  it('on one of several views are right for it, and refused for the others, not wrong', () => {
    const x = leaf();
    const v = x.mul(1);
    const half = v.narrow(0, 0, 2);
    half.mul_(5);
    expect(gradOf(half.sum(), x)).toEqual([5, 5, 0]);
    for (const use of [() => v.sum(), () => v.mul_(2), () => v.narrow(0, 2, 1)])
      expect(thrownBy(use)).toMatchObject({ code: 'UNSUPPORTED' });
    expect(v.detach().tolist()).toEqual([5, 10, 3]);
    expect(vg.noGrad(() => v.sum().item())).toBe(18);
  });

  it('on constants that a recorded write reaches through a view are refused afterwards', () => {
    const buffer = vg.zeros([2], { dtype: 'float64' });
    buffer.narrow(0, 0, 1).add_(leaf().sum());
    expect(thrownBy(() => buffer.mul(2))).toMatchObject({ code: 'UNSUPPORTED' });
  });

  it('on a view of a leaf that requires grad are refused in the words of PyTorch', () => {
    const x = leaf();
    expect(refusal(() => x.narrow(0, 0, 1).mul_(2))).toContain(
      'a view of a leaf Variable that requires grad is being used in an in-place operation',
    );
  });

  it('on expanded tensors are refused in the words of PyTorch', () => {
    const x = vg.zeros([1]).expand([3]);
    expect(refusal(() => x.copy_(vg.ones([3])))).toContain(
      'more than one element of the written-to tensor refers to a single memory location',
    );
  });

  it('move retainGrad to the new value, once', () => {
    const x = leaf();
    const y = x.mul(2);
    y.retainGrad();
    y.retainGrad();
    y.mul_(5);
    y.mul(y).sum().backward();
    expect(y.grad?.tolist()).toEqual([20, 40, 60]);
    expect(x.grad?.tolist()).toEqual([200, 400, 600]);
  });

  it('leave hooks of a same-shaped view to that view', () => {
    for (const view of [(t: vg.Tensor) => t.reshape([3]), (t: vg.Tensor) => t.expand([3])]) {
      const x = leaf();
      const y = view(x);
      y.registerHook((g) => g.mul(2));
      y.sum().add(x.sum()).backward();
      expect(x.grad?.tolist()).toEqual([3, 3, 3]);
    }
  });

  it('take over the place on the tape', () => {
    const x = leaf();
    const y = x.clone();
    y.mul_(x).add_(x, { alpha: 3 });
    expect(gradOf(y.sum(), x)).toEqual([5, 7, 9]);
    const target = constant([0, 0, 0]);
    target.add_(x);
    expect(target.requiresGrad).toBe(true);
    expect(gradOf(target.mul(target).sum(), x)).toEqual([2, 4, 6]);
  });

  it('that forget the old value give it the gradient 0 [R]', () => {
    for (const overwrite of [
      (t: vg.Tensor) => t.fill_(3),
      (t: vg.Tensor) => t.zero_(),
      (t: vg.Tensor) => t.copy_(constant([4, 5, 6])),
      (t: vg.Tensor) => t.uniform_(),
      (t: vg.Tensor) => t.normal_(),
      (t: vg.Tensor) => t.bernoulli_(),
      (t: vg.Tensor) => t.exponential_(),
      (t: vg.Tensor) => t.geometric_(0.5),
      (t: vg.Tensor) => t.cauchy_(),
      (t: vg.Tensor) => t.logNormal_(),
      (t: vg.Tensor) => t.random_(),
    ]) {
      const x = leaf();
      expect(gradOf(overwrite(x.clone()).sum(), x)).toEqual([0, 0, 0]);
    }
  });
});

describe('conversions', () => {
  it('gradients come back in the dtype of the input', () => {
    const x = leaf();
    const y = x
      .to('float32')
      .mul(vg.tensor([1.5, 2, 3]))
      .to('float16')
      .float()
      .double();
    const [g] = vg.grad(y.sum(), x);
    expect(defined(g).dtype).toBe('float64');
    expect(defined(g).tolist()).toEqual([1.5, 2, 3]);
  });

  it('gradients come back to the device of the input', () => {
    const other = new vg.Device('elsewhere', 'cpu', vg.cpu.capabilities, vg.cpuKernels);
    const x = leaf();
    const y = x.to(other).mul(2);
    expect(y.device).toBe(other);
    y.sum().backward();
    expect(defined(x.grad).device).toBe(vg.cpu);
    expect(defined(x.grad).tolist()).toEqual([2, 2, 2]);
  });

  it('promotion of operands is undone', () => {
    const [a, b] = [leaf(), vg.tensor([1, 2, 3], { dtype: 'float32', requiresGrad: true })];
    const [ga, gb] = vg.grad(a.mul(b).sum(), [a, b]);
    expect([defined(ga).dtype, defined(gb).dtype]).toEqual(['float64', 'float32']);
  });

  it('an integer in between ends the tape', () => {
    const y = leaf().to('int64').to('float64');
    expect(y.requiresGrad).toBe(false);
  });
});

describe('operations of users', () => {
  const split = vg.defineMultiOp<undefined>({
    name: 'split',
    forward: ([x]) => [x.narrow(0, 0, 1).clone(), x.narrow(0, 1, 2).clone()],
    backward: ([a, b]) => [vg.cat([a ?? constant([0]), b ?? constant([0, 0])])],
  });

  it('with several outputs get null for those without a gradient', () => {
    const x = leaf();
    const [, tail] = split([x], undefined);
    expect(gradOf(tail.mul(tail).sum(), x)).toEqual([0, 4, 6]);
    const [head, rest] = split([x], undefined);
    expect(gradOf(head.mul(10).sum().add(rest.sum()), x)).toEqual([10, 1, 1]);
  });

  it('without a rule throw by name, and only when it is needed', () => {
    const op = vg.defineOp({ name: 'median', forward: ([x]) => x.amax(), backward: undefined });
    const x = leaf();
    const y = op([x], undefined);
    expect(y.item()).toBe(3);
    expect(refusal(() => y.backward())).toBe('the derivative of median is not implemented');
    expect(op([constant([1])], undefined).requiresGrad).toBe(false);
  });

  const badly = (backward: (g: vg.Tensor) => (vg.Tensor | null)[]) => {
    const op = vg.defineOp({
      name: 'badly',
      forward: ([x]) => x.mul(1),
      backward: ([g]) => (g ? backward(g) : [null]),
    });
    return () => op([leaf()], undefined).sum().backward();
  };

  it.each([
    ['returned 2 gradients for 1 inputs', (g: vg.Tensor) => [g, g]],
    ['returned a gradient of float64 [1, 3]', (g: vg.Tensor) => [g.unsqueeze(0)]],
    ['returned a gradient of float32 [3]', (g: vg.Tensor) => [g.float()]],
  ])('whose rule %s are told', (text, rule) => {
    expect(refusal(badly(rule))).toContain(`the rule of badly ${text}`);
  });

  it('may return none', () => {
    const op = vg.defineOp({ name: 'stop', forward: ([x]) => x.mul(1), backward: () => [null] });
    const x = leaf();
    expect(vg.grad(op([x], undefined).sum(), x, { allowUnused: true })).toEqual([null]);
  });

  it('cannot read what they did not save', () => {
    const op = vg.defineOp({
      name: 'forgetful',
      forward: ([x]) => x.mul(x),
      backward: ([g], context) => [g?.mul(context.input(0)) ?? null],
    });
    expect(refusal(() => op([leaf()], undefined).sum().backward())).toContain(
      'the rule of forgetful reads input 0, which it does not save',
    );
  });
});

describe('memory', () => {
  it('backward frees what the tape saved, although its end is still held', async () => {
    const x = leaf();
    const run = () => {
      const hidden = x.exp();
      const loss = hidden.mul(hidden).sum();
      loss.backward();
      return { loss, hidden: new WeakRef(hidden.storage) };
    };
    const { loss, hidden } = run();
    await nextTask();
    collect();
    expect(hidden.deref()).toBeUndefined();
    expect(loss.gradFn).not.toBeNull();
  });

  it('a tape that is dropped goes, and what is held keeps what it needs', async () => {
    const x = leaf();
    const run = () => {
      const hidden = x.exp();
      return { loss: hidden.mul(hidden).sum(), hidden: new WeakRef(hidden.storage) };
    };
    const [kept, dropped] = [run(), run().hidden];
    // A collector may need more than one turn while a stack frame still shows the object.
    for (let turn = 0; turn < 10; turn++) {
      await nextTask();
      collect();
      if (dropped.deref() === undefined) break;
    }
    expect(dropped.deref()).toBeUndefined();
    expect(kept.hidden.deref()).toBeDefined();
    kept.loss.backward();
    expect(numbersOf(defined(x.grad)).every(Number.isFinite)).toBe(true);
  });
});

describe('in-place operations on results that operations reshape inside', () => {
  const d64 = { dtype: 'float64' } as const;
  const x2 = vg.randn([1, 2, 4, 4], d64).requiresGrad_();
  const x1 = vg.randn([2, 5], d64).requiresGrad_();
  const rows: [string, () => vg.Tensor][] = [
    ['conv1d', () => vg.conv1d(x1, vg.ones([2, 2, 3], d64))],
    ['conv2d', () => vg.conv2d(x2, vg.ones([2, 2, 3, 3], d64))],
    ['convTranspose2d', () => vg.convTranspose2d(x2, vg.ones([2, 2, 3, 3], d64))],
    ['linear', () => vg.linear(x1, vg.ones([3, 5], d64))],
    ['matmul', () => vg.matmul(x2, vg.ones([4, 3], d64))],
    ['maxPool2d', () => vg.maxPool2d(x2, 2)],
    ['avgPool2d', () => vg.avgPool2d(x2, 2)],
    ['adaptiveAvgPool2d', () => vg.adaptiveAvgPool2d(x2, 2)],
    ['interpolate', () => vg.interpolate(x2, { scaleFactor: 2 })],
  ];
  it.each(rows)('%s takes relu_ with the gradient of relu', (_, run) => {
    const inputs = [x1, x2];
    const options = { allowUnused: true };
    const expected = vg.grad(run().relu().sum(), inputs, options);
    const got = vg.grad(run().relu_().sum(), inputs, options);
    expect(got.map((g) => g?.tolist())).toEqual(expected.map((g) => g?.tolist()));
  });
});

describe('products save only what their rules read', () => {
  const constant = vg.tensor([1, 0, 2], { dtype: 'float64' });
  it('a factor whose other side wants no gradient may change', () => {
    const x = vg.tensor([1, 2, 3], { dtype: 'float64', requiresGrad: true });
    const h = x.add(0);
    const y = h.mul(constant);
    vg.noGrad(() => h.zero_());
    expect(vg.grad(y.sum(), x)[0]?.tolist()).toEqual([1, 0, 2]);
  });
  it('and so may the input of a convolution with a constant kernel', () => {
    const x = vg.randn([1, 1, 3, 3, 3], { dtype: 'float64' }).requiresGrad_();
    const h = x.add(0);
    const y = vg.conv3d(h, vg.ones([1, 1, 3, 3, 3], { dtype: 'float64' }));
    vg.noGrad(() => h.zero_());
    expect(vg.grad(y.sum(), x)[0]?.sum().item()).toBe(27);
  });
});

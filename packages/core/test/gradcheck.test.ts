// gradcheck itself: it must pass what is right and convict what is wrong, in PyTorch's words.

import { afterEach, describe, expect, it, vi } from 'vitest';
import * as vg from '../src/index.js';
import { filled, numbersOf, thrownBy } from './support/numbers.js';

type Rule = (g: vg.Tensor, x: vg.Tensor) => vg.Tensor;

/** x² with a given derivative. */
function square(rule: Rule): (x: vg.Tensor) => vg.Tensor {
  const op = vg.defineOp({
    name: 'square',
    forward: ([x]) => x.mul(x),
    saves: { inputs: [0] },
    backward: ([g], context) => [g && rule(g, context.input(0))],
  });
  return (x) => op([x], undefined);
}

const right = square((g, x) => g.mul(x).mul(2));
const leaf = (shape: readonly number[] = [3], from = 0.5, to = 2) =>
  filled(shape, from, to).requiresGrad_();
const convicted = (fn: vg.Checked, inputs: unknown[], options?: vg.GradcheckOptions) => {
  const error = thrownBy(() => vg.gradcheck(fn, inputs, options));
  expect(error).toBeInstanceOf(vg.GradcheckError);
  expect(error).toMatchObject({ code: 'GRADCHECK' });
  return error.message;
};

describe('gradcheck passes', () => {
  it.each([false, true])('a right rule (fastMode %s)', (fastMode) => {
    expect(vg.gradcheck(right, leaf(), { fastMode })).toBe(true);
    expect(vg.gradgradcheck(right, leaf(), { fastMode })).toBe(true);
  });

  it('several outputs, constants in between, inputs that get no gradient', () => {
    const fn = (a: vg.Tensor, factor: number, b: vg.Tensor, c: vg.Tensor) => [
      a.mul(factor).add(b),
      a.gt(1),
      b.mul(c.detach()),
    ];
    const inputs = [leaf(), 3, leaf([]), filled([3])];
    expect(vg.gradcheck(fn, inputs)).toBe(true);
    expect(vg.gradgradcheck(fn, inputs)).toBe(true);
  });

  it('a function that reads its inputs from outside', () => {
    const [x, w] = [leaf(), leaf()];
    expect(vg.gradcheck(() => x.mul(w).exp(), [x, w])).toBe(true);
  });

  it('no differentiable output, where nothing changes', () => {
    expect(vg.gradcheck((x: vg.Tensor) => x.gt(1), [leaf()])).toBe(true);
    expect(vg.gradcheck((x: vg.Tensor) => x.detach().mul(0), [leaf()])).toBe(true);
  });

  it('an error within rtol, and not one beyond', () => {
    const slightly = square((g, x) => g.mul(x).mul(2 * (1 + 1e-4)));
    expect(vg.gradcheck(slightly, leaf())).toBe(true);
    expect(convicted(slightly, [leaf()], { rtol: 1e-6 })).toContain('Jacobian mismatch');
    expect(vg.gradcheck(slightly, leaf(), { rtol: 1e-6, atol: 1e-2 })).toBe(true);
  });
});

describe('gradcheck convicts', () => {
  it('a wrong factor, with both Jacobians', () => {
    const message = convicted(
      square((g, x) => g.mul(x).mul(3)),
      [leaf([2])],
    );
    expect(message).toContain(
      'Jacobian mismatch for output 0 with respect to input 0,\nnumerical:',
    );
    expect(message).toContain('analytical:tensor([[');
    expect(message).toContain('shape=[2, 2]');
  });

  it('the output and the input that are wrong', () => {
    const wrong = square((g, x) => g.mul(x));
    const fn = (a: vg.Tensor, _: string, b: vg.Tensor) => [a.add(b), a.mul(wrong(b))];
    expect(convicted(fn, [leaf(), 'constant', leaf()])).toContain(
      'Jacobian mismatch for output 1 with respect to input 2,',
    );
  });

  it('a Jacobian is [elements of the input, elements of the output]', () => {
    const wrong = square((g, x) => g.mul(x));
    expect(convicted((x: vg.Tensor) => wrong(x).sum(), [leaf([5])])).toContain('shape=[5, 1]');
  });

  it('a backward that ignores its gradient, which only the zero gradient shows', () => {
    // With one output element the only unit vector is 1, and the Jacobian comes out right.
    expect(
      convicted(
        square((_, x) => x.mul(2)),
        [leaf([1])],
      ),
    ).toContain('backward not multiplied by grad_output');
  });

  it('a backward that differs from run to run', () => {
    let run = 0;
    const drifting = square((g, x) => g.mul(x).mul(2 + ++run * 1e-9));
    const message = convicted(drifting, [leaf()]);
    expect(message).toContain(
      'Backward is not reentrant, i.e., running backward with same input and grad_output multiple ' +
        'times gives different values',
    );
    expect(message).toContain('The tolerance for nondeterminism was 0');
    expect(vg.gradcheck(drifting, leaf(), { nondetTol: 1e-6 })).toBe(true);
  });

  it.each([false, true])('NaN (fastMode %s)', (fastMode) => {
    const poisoned = square((g) => g.mul(Number.NaN));
    expect(convicted(poisoned, [leaf()], { fastMode })).toContain('Jacobian mismatch');
  });

  it('a derivative where there is none', () => {
    const step = square((g) => g.mul(0));
    expect(convicted(step, [leaf()])).toContain('Jacobian mismatch');
  });

  it('outputs that are not on the tape but depend on the input', () => {
    expect(convicted((x: vg.Tensor) => x.detach().mul(2), [leaf()])).toContain(
      'Numerical gradient for function expected to be zero',
    );
  });

  it('a rule that makes a gradient out of none', () => {
    const op = vg.defineOp({
      name: 'inventive',
      forward: ([x]) => x.mul(2),
      saves: { inputs: [0] },
      backward: ([g], context) => [g ? g.mul(2) : context.input(0)],
    });
    const message = convicted((x: vg.Tensor) => op([x], undefined), [leaf()]);
    expect(message).toContain('Expected backward function to handle undefined output grads');
    expect(message).toContain('inventive');
  });

  it('in fast mode, with the entry that differs most', () => {
    const bump = vg.tensor([0, 0, 0.25, 0], { dtype: 'float64' });
    const wrong = square((g, x) => g.mul(x).mul(bump.add(2)));
    const message = convicted(wrong, [leaf([4])], { fastMode: true });
    expect(message).toContain('Jacobian mismatch for output 0 with respect to input 0,');
    expect(message).toContain('fast mode');
    expect(message).toContain('Entry (input element 2, output element 2) differs most');
  });

  it('a second derivative that is wrong although the first is right', () => {
    const cutOff = square((g, x) => g.mul(x.detach()).mul(2));
    expect(vg.gradcheck(cutOff, leaf())).toBe(true);
    for (const fastMode of [false, true])
      expect(thrownBy(() => vg.gradgradcheck(cutOff, leaf(), { fastMode }))).toBeInstanceOf(
        vg.GradcheckError,
      );
  });

  it('and returns false instead when raiseException is false', () => {
    const wrong = square((g, x) => g.mul(x));
    const cutOff = square((g, x) => g.mul(x.detach()).mul(2));
    for (const fastMode of [false, true]) {
      const options = { raiseException: false, fastMode };
      expect(vg.gradcheck(wrong, leaf(), options)).toBe(false);
      expect(vg.gradgradcheck(cutOff, leaf(), options)).toBe(false);
      expect(vg.gradcheck(right, leaf(), options)).toBe(true);
    }
  });
});

describe('gradcheck refuses', () => {
  it('inputs none of which requires a gradient', () => {
    const error = thrownBy(() => vg.gradcheck(right, filled([3])));
    expect(error).toMatchObject({ code: 'ARGUMENT' });
    expect(error.message).toContain(
      'gradcheck expects at least one input tensor to require gradient, but none of them have',
    );
  });

  it('an input with stride 0, even with raiseException false', () => {
    const repeated = filled([1]).expand(3).requiresGrad_();
    const error = thrownBy(() => vg.gradcheck(right, repeated, { raiseException: false }));
    expect(error.message).toContain('The 0th input has a dimension with stride 0.');
  });

  it('an input that another operation made', () => {
    const made = leaf().exp();
    expect(thrownBy(() => vg.gradcheck(right, made)).message).toContain('was made by exp');
  });
});

describe('gradcheck leaves everything as it was', () => {
  afterEach(() => vi.restoreAllMocks());

  it('values, versions, gradients and the default generator', () => {
    const x = leaf();
    const before = numbersOf(x);
    vg.manualSeed(3);
    const draw = vg.rand([4]).tolist();
    vg.manualSeed(3);
    for (const fastMode of [false, true]) {
      vg.gradcheck(right, x, { fastMode });
      vg.gradgradcheck(right, x, { fastMode });
    }
    expect(vg.rand([4]).tolist()).toEqual(draw);
    expect(numbersOf(x)).toEqual(before);
    expect(x.storage.version).toBe(0);
    expect(x.grad).toBeNull();
  });

  it('values also when the function throws halfway', () => {
    const x = leaf();
    const before = numbersOf(x);
    let calls = 0;
    const failing = (y: vg.Tensor) => {
      if (++calls === 3) throw new Error('halfway');
      return y.exp();
    };
    expect(() => vg.gradcheck(failing, x)).toThrow('halfway');
    expect(numbersOf(x)).toEqual(before);
  });

  it('but warns of an input that is not float64', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const x = vg.tensor([1, 2], { dtype: 'float32', requiresGrad: true });
    vg.gradcheck(right, x, { eps: 1e-2, atol: 1e-2, rtol: 1e-2 });
    expect(warn.mock.calls.flat().join()).toContain('unless all inputs are float64');
  });
});

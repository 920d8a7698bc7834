// Numbers that PyTorch keeps in the default dtype, next to the parameters: with float64 they are not
// rounded to float32. The values are those of PyTorch 1.13, five steps on x².

import { setDefaultDtype, Tensor, tensor } from '@voxgrad/core';
import { afterEach, describe, expect, it } from 'vitest';
import { ASGD, NAdam, type Optimizer } from '../src/index.js';

afterEach(() => setDefaultDtype('float32'));

function afterFiveSteps(make: (p: Tensor) => Optimizer, key: string): [number, unknown] {
  setDefaultDtype('float64');
  const p = tensor([1.5], { requiresGrad: true });
  const optimizer = make(p);
  for (let i = 0; i < 5; i++) {
    optimizer.zeroGrad();
    p.mul(p).sum().backward();
    optimizer.step();
  }
  const kept = optimizer.stateDict().state.get(0)?.[key];
  return [Number(p.item()), kept instanceof Tensor ? [kept.dtype, kept.item()] : kept];
}

describe('with float64 as the default dtype', () => {
  it('NAdam', () => {
    const [value, product] = afterFiveSteps((p) => new NAdam([p], { lr: 0.1 }), 'mu_product');
    expect(value).toBeCloseTo(1.1149309846867315, 14);
    expect(product).toEqual(['float64', expect.closeTo(0.018498037624013104, 16)]);
  });

  it('ASGD', () => {
    const [value, eta] = afterFiveSteps((p) => new ASGD([p], { lr: 0.1, t0: 1 }), 'eta');
    expect(value).toBeCloseTo(0.4914984965865443, 14);
    expect(eta).toEqual(['float64', expect.closeTo(0.09999625016405497, 16)]);
  });
});

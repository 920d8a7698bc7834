// Loss scaling. Expected numbers: the update rule of torch.cuda.amp.GradScaler.

import { type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { clipGradNorm, GradScaler, SGD } from '../src/index.js';

function problem(options: ConstructorParameters<typeof GradScaler>[0] = {}) {
  const p = tensor([1, 2], { requiresGrad: true });
  const optimizer = new SGD([p], { lr: 1 });
  const scaler = new GradScaler({ initScale: 1024, growthInterval: 2, ...options });
  const step = (factor: number) => {
    optimizer.zeroGrad();
    scaler.scale(p.sum().mul(factor)).backward();
    const ran = scaler.step(optimizer);
    scaler.update();
    return ran;
  };
  return { p, optimizer, scaler, step };
}

describe('GradScaler', () => {
  it('steps with unscaled gradients, and grows after an interval without overflow', () => {
    const { p, scaler, step } = problem();
    expect(step(0.25)).toBe(true);
    expect(p.tolist()).toEqual([0.75, 1.75]);
    expect(scaler.getScale()).toBe(1024);
    step(0.25);
    expect(scaler.getScale()).toBe(2048);
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, 3e38])(
    'leaves a step out where a gradient is not finite (factor %s), and backs off',
    (factor) => {
      const { p, scaler, step } = problem();
      step(0);
      expect(step(factor)).toBe(false);
      expect(p.tolist()).toEqual([1, 2]);
      expect(scaler.getScale()).toBe(512);
      expect(scaler.stateDict()._growth_tracker).toBe(0);
    },
  );

  it('keeps gradients that float16 would lose', () => {
    const loss = (p: Tensor, factor: number) => p.to('float16').to('float32').sum().mul(factor);
    const { p, optimizer, scaler } = problem();
    loss(p, 1e-9).backward();
    expect(p.grad?.tolist()).toEqual([0, 0]);
    optimizer.zeroGrad();
    scaler.update(2 ** 20);
    scaler.scale(loss(p, 1e-9)).backward();
    scaler.unscale_(optimizer);
    expect(p.grad?.amax().item()).toBeCloseTo(1e-9, 11);
  });

  it('unscales before clipping, and once only', () => {
    const { p, optimizer, scaler } = problem();
    scaler.scale(p.sum()).backward();
    scaler.unscale_(optimizer);
    expect(clipGradNorm(p, 1).item()).toBeCloseTo(Math.SQRT2, 6);
    expect(thrownBy(() => scaler.unscale_(optimizer)).message).toContain('already been called');
    scaler.step(optimizer);
    expect(thrownBy(() => scaler.unscale_(optimizer)).message).toContain('called after step()');
    expect(thrownBy(() => scaler.step(optimizer)).message).toContain(
      'step() has already been called since the last update().',
    );
    scaler.update();
    expect(thrownBy(() => scaler.update()).message).toContain('No inf checks were recorded');
  });

  it('steps where values are read asynchronously', async () => {
    const { p, optimizer, scaler } = problem();
    scaler.scale(p.sum()).backward();
    expect(await scaler.stepAsync(optimizer)).toBe(true);
    expect(p.tolist()).toEqual([0, 1]);
  });

  it('scales lists, and refuses what is no tensor', () => {
    const [a, [b]] = new GradScaler({ initScale: 4 }).scale([tensor(1), [tensor(2)]] as const);
    expect([a.item(), b.item()]).toEqual([4, 8]);
    expect(thrownBy(() => new GradScaler().scale(3 as never)).message).toContain('but got 3');
  });

  it('passes through when not enabled', () => {
    const { p, scaler, step } = problem({ enabled: false });
    step(0.5);
    expect(p.tolist()).toEqual([0.5, 1.5]);
    expect(scaler.getScale()).toBe(1);
    expect(scaler.stateDict()).toEqual({});
  });

  it("saves and loads under PyTorch's names", () => {
    const { scaler, step } = problem();
    step(1);
    const state = scaler.stateDict();
    expect(state).toEqual({
      scale: 1024,
      growth_factor: 2,
      backoff_factor: 0.5,
      growth_interval: 2,
      _growth_tracker: 1,
    });
    const other = new GradScaler();
    other.loadStateDict(new Map(Object.entries(state)));
    expect(other.stateDict()).toEqual(state);
    expect(thrownBy(() => other.loadStateDict({})).message).toContain('state dict is empty');
    expect(thrownBy(() => other.loadStateDict({ scale: 1 })).message).toContain("'growth_factor'");
    expect(other.stateDict()).toEqual(state);
  });

  it.each<[string, () => unknown, string]>([
    ['growth', () => new GradScaler({ growthFactor: 1 }), 'The growth factor must be > 1.0.'],
    ['backoff', () => new GradScaler({ backoffFactor: 1 }), 'The backoff factor must be < 1.0.'],
    [
      'float16 gradients',
      () => {
        const { scaler } = problem();
        const p = tensor([1, 2], { dtype: 'float16', requiresGrad: true });
        p.grad = tensor([1, 2], { dtype: 'float16' });
        scaler.unscale_(new SGD([p], { lr: 0.1 }));
      },
      'Attempting to unscale FP16 gradients.',
    ],
    [
      'no gradients',
      () => {
        const { optimizer, scaler } = problem();
        scaler.step(optimizer);
      },
      'No inf checks were recorded for this optimizer.',
    ],
  ])('refuses %s', (_, make, text) => expect(thrownBy(make).message).toContain(text));
});

import {
  conv3d,
  cpu,
  type DType,
  ones,
  randn,
  type Tensor,
  tensor,
  VoxgradError,
} from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import {
  defined,
  filled,
  numbersOf,
  relativeError,
  thrownBy,
} from '../../core/test/support/numbers.js';
import { roundToHf32 } from '../src/arithmetic/round.js';
import { type Arithmetic, npu } from '../src/index.js';

const chip = (arithmetic?: Arithmetic, soc = 'Ascend910B1') =>
  npu(soc, { cann: '8.2.RC1', arithmetic });

const hf32 = (value: number): number => {
  const values = Float32Array.of(value);
  roundToHf32(values);
  return values[0];
};

describe('rounding to HF32', () => {
  // 11 bits of mantissa: the next number after 1 is 1 + 2⁻¹¹.
  const step = 2 ** -11;

  it.each([
    [1, 1],
    [1 + step, 1 + step],
    [1 + step / 4, 1],
    [1 + step / 2, 1], // a tie, to even
    [1 + 1.5 * step, 1 + 2 * step], // a tie, to even
    [1 + 0.5 * step + 2 ** -23, 1 + step],
    [-(1 + 1.5 * step), -(1 + 2 * step)],
    [2 - step / 4, 2],
    [2 ** 127 * (2 - 2 ** -23), Number.POSITIVE_INFINITY],
    [0, 0],
    [-0, -0],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.NaN, Number.NaN],
  ])('%d becomes %d', (value, rounded) => {
    expect(hf32(value)).toBe(rounded);
  });

  it('is at most half a step away, and rounds once', () => {
    forAll(
      fc.float({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 100), max: 2 ** 100 }),
      (value) => {
        const rounded = hf32(value);
        const unit = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(value), 2 ** -126))) - 11);
        expect(Math.abs(rounded - value)).toBeLessThanOrEqual(unit / 2);
        expect(hf32(rounded)).toBe(rounded);
      },
    );
  });
});

/** A convolution and its gradients, as float64 tensors on the cpu. */
function run(device: ReturnType<typeof chip> | typeof cpu, dtype: DType): Tensor[] {
  const x = filled([2, 4, 5, 5, 5]).to(dtype).to(device).requiresGrad_();
  const w = filled([6, 4, 3, 3, 3], -0.3, 0.3).to(dtype).to(device).requiresGrad_();
  const y = conv3d(x, w);
  const g = filled(y.shape, -1, 1).to(dtype).to(device);
  y.mul(g).sum().backward();
  return [y, defined(x.grad), defined(w.grad)].map((t) => t.detach().to(cpu).to('float64'));
}

const worst = (a: Tensor[], b: Tensor[]) => Math.max(...a.map((t, i) => relativeError(t, b[i])));

describe('float32 convolutions', () => {
  const exact = run(chip(), 'float32');

  it('exact is the default, bit for bit the host', () => {
    run(cpu, 'float32').forEach((t, i) => {
      expect(numbersOf(exact[i])).toEqual(numbersOf(t));
    });
    expect(chip().arithmetic).toMatchObject({ name: 'exact', cube: null });
  });

  // The unit of a rounded operand is 2⁻¹² (HF32), 2⁻¹¹ (float16) or 2⁻⁸ (bfloat16) of its size.
  it.each([
    ['hf32', 2 ** -12],
    ['float16', 2 ** -11],
    ['bfloat16', 2 ** -8],
  ] as const)('%s is off by about the unit of its operands', (arithmetic, unit) => {
    const error = worst(run(chip(arithmetic), 'float32'), exact);
    expect(error).toBeGreaterThan(unit / 50);
    expect(error).toBeLessThan(2 * unit);
  });

  it('device is HF32 on A2, A3 and Ascend950', () => {
    for (const soc of ['Ascend910B1', 'Ascend910_9392', 'Ascend950DT_9581']) {
      const cann = soc.startsWith('Ascend950') ? '9.1.0' : '8.2.RC1';
      const device = npu(soc, { cann, arithmetic: 'device' });
      expect(device.arithmetic.cube).toBe('hf32');
      expect(worst(run(device, 'float32'), run(chip('hf32'), 'float32'))).toBe(0);
    }
  });

  it('device is float16 on chips before', () => {
    for (const soc of ['Ascend910A', 'Ascend310P3']) {
      const { arithmetic, capabilities } = chip('device', soc);
      expect(arithmetic.cube).toBe('float16');
      expect(capabilities.computes.has('bfloat16')).toBe(false);
      for (const other of ['hf32', 'bfloat16'] as const)
        expect(() => chip(other, soc)).toThrow(`${soc} has no ${other}`);
    }
    expect(chip('device', 'Ascend310').arithmetic.cube).toBeNull();
  });

  it('inputs that HF32 holds give the host its bits', () => {
    const device = chip('hf32');
    const x = ones([1, 1, 3, 3, 3], { device: cpu }).mul(1.5);
    const w = ones([1, 1, 2, 2, 2], { device: cpu }).mul(0.75);
    expect(conv3d(x.to(device), w.to(device)).tolist()).toEqual(conv3d(x, w).tolist());
  });

  it('matrix products stay in float32: HF32 is off for them by default', () => {
    const [a, b] = [filled([3, 4]), filled([4, 5])].map((t) => t.to('float32'));
    const device = chip('device');
    expect(a.to(device).matmul(b.to(device)).tolist()).toEqual(a.matmul(b).tolist());
  });
});

describe.each(['float16', 'bfloat16'] as const)('tensors of %s', (dtype) => {
  const unit = dtype === 'float16' ? 2 ** -11 : 2 ** -8;

  it('compute only where the arithmetic is emulated', () => {
    const x = ones([2], { dtype, device: chip() });
    expect(thrownBy(() => x.add(x))).toMatchObject({ code: 'DTYPE' });
    const y = ones([2], { dtype, device: chip('device') });
    expect(y.add(y).dtype).toBe(dtype);
    expect(chip('device').capabilities.computes.has('float64')).toBe(false);
  });

  it('every operation rounds its result once', () => {
    const device = chip('device');
    const [a, b] = [1.0, unit / 2].map((v) => tensor([v], { dtype, device }));
    expect(a.add(b).item()).toBe(1); // half a step, to even
    expect(a.add(b.mul(3)).item()).toBeGreaterThan(1);
    // A sum is in float32 until its end: single steps of half a unit would all be lost.
    const many = ones([4097], { dtype, device }).mul(unit);
    expect(many.sum().item()).toBeCloseTo(4097 * unit, dtype === 'float16' ? 2 : 0);
  });

  it('convolutions and their gradients are within a few units of float64', () => {
    const x = filled([2, 4, 5, 5, 5]).to(dtype);
    expect(x.dtype).toBe(dtype);
    const reference = run(cpu, 'float64');
    const error = worst(run(chip('device'), dtype), reference);
    expect(error).toBeGreaterThan(0);
    expect(error).toBeLessThan(4 * unit);
  });

  it('trains', () => {
    const device = chip('device');
    const w = randn([2, 1, 3, 3, 3], { device: cpu }).to(dtype).to(device).requiresGrad_();
    const x = randn([1, 1, 5, 5, 5], { device: cpu }).to(dtype).to(device);
    conv3d(x, w, null, { padding: 1 }).relu().square().mean().backward();
    expect(w.grad?.dtype).toBe(dtype);
    expect(numbersOf(defined(w.grad)).every(Number.isFinite)).toBe(true);
  });
});

it('float16 overflows as the chip does', () => {
  const device = chip('float16');
  const x = ones([1, 1, 1, 1, 1], { device }).mul(70000);
  expect(conv3d(x, ones([1, 1, 1, 1, 1], { device })).item()).toBe(Number.POSITIVE_INFINITY);
});

it('an unknown arithmetic is refused by name', () => {
  // @ts-expect-error: JavaScript callers may pass anything
  const wrong = () => npu('Ascend910B1', { cann: '8.2.RC1', arithmetic: 'fp8' });
  expect(wrong).toThrow(VoxgradError);
  expect(wrong).toThrow('arithmetic must be one of exact, hf32, float16, bfloat16, device');
});

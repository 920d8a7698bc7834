// Whatever strategy runs a call, each convolution that reaches the host has passed the checks of the NPU:
// a host that writes down what it is asked to compute, and the checks asked again afterwards.

import {
  type ConvCall,
  type ConvKernelName,
  type ConvOptions,
  conv3d,
  convTranspose3d,
  cpu,
  cpuKernels,
  Device,
  type Kernels,
  type Needs,
  strategies,
  type Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, filled } from '../../core/test/support/numbers.js';
import { type NpuDevice, type NpuOptions, npu } from '../src/index.js';

interface Step {
  readonly kernel: ConvKernelName;
  readonly call: ConvCall;
}

/** A host that computes as the cpu does and keeps `steps`. */
function spyingHost(steps: Step[]): Device {
  const { convForward, convBackward } = cpuKernels;
  const forward = defined(convForward);
  const backward = defined(convBackward);
  const step = (kernel: ConvKernelName, dtype: ConvCall['dtype'], needs: Needs, geometry: object) =>
    steps.push({
      kernel,
      call: { geometry: geometry as ConvCall['geometry'], dtype, bias: needs[2], needs },
    });
  const kernels: Kernels = {
    ...cpuKernels,
    convForward: (x, w, geometry, bias) => {
      step('convForward', x.dtype, [true, true, false], geometry);
      return forward(x, w, geometry, bias);
    },
    convWeight: (x, g, geometry) => {
      step('convWeight', x.dtype, [false, true, false], geometry);
      return defined(backward(g, x, null, geometry, [false, true, false])[1]);
    },
    convBackward: (g, x, w, geometry, needs) => {
      step('convBackward', g.dtype, needs, geometry);
      return backward(g, x, w, geometry, needs);
    },
  };
  const capabilities = { ...cpu.capabilities, checkConv: () => [] };
  return new Device('spying', 'spying', capabilities, kernels);
}

interface Case {
  readonly name: string;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly options?: ConvOptions;
  readonly npu?: Partial<NpuOptions>;
}

const CASES: readonly Case[] = [
  {
    name: 'kernel 7 over wide rows, as in train04',
    ...{ input: [1, 2, 7, 8, 279], weight: [2, 1, 7, 7, 7], options: { padding: 3, groups: 2 } },
  },
  {
    name: 'kernel 9 over wide rows, as in train05',
    ...{ input: [1, 1, 9, 10, 168], weight: [1, 1, 9, 9, 9], options: { padding: 4 } },
  },
  {
    name: 'a row of more than 4096',
    ...{ input: [1, 1, 1, 1, 4112], weight: [2, 1, 1, 1, 1] },
  },
  {
    name: 'a forward that does not fit',
    ...{ input: [1, 1, 2, 110, 200], weight: [1, 1, 1, 100, 1] },
  },
  {
    name: 'padding on one side',
    ...{ input: [1, 2, 5, 5, 5], weight: [3, 2, 2, 2, 2], options: { padding: 'same' } },
  },
  {
    name: 'a stride beyond the kernel',
    ...{ input: [2, 2, 9, 6, 6], weight: [2, 2, 2, 3, 3], options: { stride: [3, 2, 1] } },
  },
  {
    name: 'a dilated axis of one tap',
    ...{ input: [1, 2, 4, 7, 7], weight: [2, 2, 1, 3, 3], options: { dilation: 2 } },
  },
  {
    name: 'groups of an old CANN',
    ...{ input: [1, 4, 4, 5, 6], weight: [4, 2, 3, 3, 3], options: { padding: 1, groups: 2 } },
    npu: { cann: '8.0.RC3' },
  },
  {
    name: 'a kernel that covers its input, with null gradients',
    ...{ input: [3, 2, 2, 4, 4], weight: [5, 2, 2, 4, 4] },
    npu: { cann: '8.5.0', torchNpu: '2.7.1.post2' },
  },
  {
    name: 'a chip without a backward',
    ...{ input: [1, 2, 4, 5, 6], weight: [4, 2, 3, 3, 3], options: { padding: 1, stride: 2 } },
  },
];

/** Runs the call forward and backward, and returns its results and gradients. */
function run(
  device: Device,
  { input, weight, options }: Case,
  backward: string | undefined,
  transposed = false,
): Tensor[] {
  const x = filled(input).to('float32').to(device).requiresGrad_();
  const w = filled(weight, -0.1, 0.1).to('float32').to(device).requiresGrad_();
  const { padding: _, ...rest } = options ?? {};
  const y = transposed
    ? convTranspose3d(x, w, null, { ...rest, backward })
    : conv3d(x, w, null, { ...options, backward });
  y.square().mean().backward();
  return [y, defined(x.grad), defined(w.grad)].map((t) => t.detach().to(cpu));
}

const others = strategies
  .list('conv3d')
  .map((s) => s.name)
  .filter((name) => name !== 'fused');

describe.each(CASES)('$name', (given) => {
  const soc = given.name.includes('without a backward') ? 'Ascend310P3' : 'Ascend910B1';
  const make = (steps: Step[]): NpuDevice =>
    npu(soc, { cann: '8.2.RC1', ...given.npu, host: spyingHost(steps) });
  const right = run(cpu, given, 'fused');

  it.each([undefined, ...others])('strategy %s', (name) => {
    const steps: Step[] = [];
    const device = make(steps);
    let results: Tensor[] = [];
    try {
      results = run(device, given, name);
    } catch (error) {
      // A forced strategy may have nothing to say here; then it must say so, not compute.
      expect(error).toBeInstanceOf(VoxgradError);
      expect(String(error)).toContain(`'${name}' cannot run on ${device.name}`);
    }
    for (const { kernel, call } of steps)
      expect(device.capabilities.checkConv(kernel, call), kernel).toEqual([]);
    results.forEach((t, i) => {
      expectClose(t, right[i], 2e-5);
    });
    if (name === undefined) expect(results).toHaveLength(3);
  });

  it('transposed convolutions pass them too', () => {
    const steps: Step[] = [];
    const device = make(steps);
    const { input, weight } = given;
    const [ci, perGroup] = [weight[0], weight[1]];
    const turned = { ...given, input: [input[0], ci, 2, 3, 4], weight: [ci, perGroup, 2, 3, 2] };
    run(device, turned, undefined, true);
    expect(
      steps.every(({ kernel, call }) => device.capabilities.checkConv(kernel, call).length === 0),
    ).toBe(true);
  });
});

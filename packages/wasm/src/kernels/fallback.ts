import { cpuKernels, type Kernels, type View } from '@voxgrad/core';
import type { Engine } from './engine.js';
import { onHost } from './host.js';

const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'storage' in value && 'strides' in value;

/**
 * The kernels of the host for what has none here. Operands that only the device has are copied out
 * for them; results live on the host until a kernel of the device reads them.
 */
export function hostKernels(engine: Engine): Kernels {
  const entries = Object.entries(cpuKernels).map(([name, kernel]) => {
    const run = kernel as (...args: unknown[]) => unknown;
    return [
      name,
      (...args: unknown[]) => run(...args.map((arg) => (isView(arg) ? onHost(engine, arg) : arg))),
    ];
  });
  return { ...cpuKernels, ...Object.fromEntries(entries) };
}

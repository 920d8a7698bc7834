import type { Device, Kernels } from '@voxgrad/core';

/**
 * Where the time of a device goes: from now on every kernel of `device` adds what it takes, without
 * what the kernels inside it take.
 */
export function timeKernels({ kernels }: Device): Map<string, number> {
  const times = new Map<string, number>();
  let inside = 0;
  const table = kernels as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of Object.keys(kernels) as (keyof Kernels)[]) {
    const run = table[name];
    if (typeof run !== 'function') continue;
    table[name] = (...args) => {
      const before = inside;
      inside = 0;
      const begin = performance.now();
      try {
        return run(...args);
      } finally {
        const taken = performance.now() - begin;
        const operation = typeof args[0] === 'string' ? `${name} ${args[0]}` : name;
        times.set(operation, (times.get(operation) ?? 0) + taken - inside);
        inside = before + taken;
      }
    };
  }
  return times;
}

export const isConvolution = (kernel: string): boolean => kernel.startsWith('conv');

import type { ConvAlgorithm } from '@voxgrad/core';
import { type Call, withCall } from '../memory/call.js';
import type { DeviceMemory } from '../memory/device-memory.js';
import type { Precision } from '../options.js';
import type { Kernel, KernelBuilder, KernelCache } from '../threads/kernel-cache.js';
import type { Team } from '../threads/team.js';

/** What kernels of a device run with. */
export interface Engine {
  readonly memory: DeviceMemory;
  readonly kernels: KernelCache;
  readonly team: Team;
  /** Whether multiply-adds may round once (relaxed SIMD). */
  readonly fma: boolean;
  /** Which algorithms may run. */
  readonly precision: Precision;
  /** The one that convolutions take; null, or none given, where they choose. */
  algorithm?: ConvAlgorithm | null;
}

/** One kernel call of `engine`. */
export const calling = <T>(engine: Engine, operation: string, body: (call: Call) => T): T =>
  withCall(engine.memory, operation, body);

/** The kernel `key` of `engine`; `write` is called when it is not there yet. */
export const kernelOf = (
  engine: Engine,
  key: string,
  write: (builder: KernelBuilder) => void,
): Kernel => engine.kernels.get(engine.fma ? `${key} fma` : key, write);

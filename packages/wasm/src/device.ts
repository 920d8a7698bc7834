import {
  type Capabilities,
  type ConvCall,
  type ConvKernelName,
  Device,
  type DType,
  type Kernels,
  missingKernel,
  type Refusal,
  registerDevice,
} from '@voxgrad/core';
import { normalisations } from './kernels/batch-norm.js';
import { algorithms } from './kernels/conv/algorithms.js';
import { convolutions } from './kernels/convolutions.js';
import { elementwise } from './kernels/elementwise.js';
import type { Engine } from './kernels/engine.js';
import { hostKernels } from './kernels/fallback.js';
import { indexing } from './kernels/indexing.js';
import { movements } from './kernels/movements.js';
import { optimizerSteps } from './kernels/optimizer-steps.js';
import { pooling } from './kernels/pooling.js';
import { products } from './kernels/products.js';
import { reductions } from './kernels/reductions.js';
import { scans } from './kernels/scans.js';
import { DeviceMemory, type MemoryStatistics } from './memory/device-memory.js';
import { checkWasmOptions, defaultThreads, type WasmOptions } from './options.js';
import { hasRelaxedSimd, sharedMemoryWorks } from './platform.js';
import { KernelCache } from './threads/kernel-cache.js';
import { Team } from './threads/team.js';

const COMPUTES = new Set<DType>([
  'float64',
  'float32',
  'int64',
  'int32',
  'int16',
  'int8',
  'uint8',
  'bool',
]);

/** SIMD kernels that TypeScript emits, on threads, over a memory that caches host storage. */
export class WasmDevice extends Device {
  /** Internal: users call {@link createWasmDevice}. */
  constructor(
    name: string,
    /** Internal: what kernels run with. */
    readonly engine: Engine,
    kernels: Kernels,
  ) {
    const capabilities: Capabilities = {
      computes: COMPUTES,
      synchronous: true,
      profile: null,
      convAddsBias: true,
      convAlgorithms: algorithms(engine),
      // Two threads of AVX2, float32; `npm run bench selection` shows how well they choose.
      rates: { perCall: 4e5, perElement: 4, perRemainder: 3e5 },
      checkConv: (kernel, call) => checkConv(kernels, kernel, call),
    };
    super(name, 'wasm', capabilities, kernels);
  }

  /** What the device's memory holds, and what went through it. */
  memory(): MemoryStatistics {
    return this.engine.memory.statistics();
  }

  /** Threads that compute now: 1 until the workers have started. */
  get threads(): number {
    return this.engine.team.size;
  }

  /**
   * Resolves when all workers have started; computing does not have to wait for it.
   *
   * @throws VoxgradError DEVICE where one could not be started or has died; the device computes on
   *   with one thread
   */
  async ready(): Promise<void> {
    await this.engine.team.ready();
  }

  /** Stops the workers. The device computes on with one thread. */
  stop(): void {
    this.engine.team.stop();
  }
}

/**
 * A device over WebAssembly. It computes at once with one thread; workers join when they are up.
 *
 * @throws VoxgradError ARGUMENT for options out of range
 */
export function createWasmDevice(options: WasmOptions = {}): WasmDevice {
  checkWasmOptions(options);
  const memory = new DeviceMemory({
    shared: sharedMemoryWorks(),
    budgetBytes: options.budgetBytes ?? 2 * 2 ** 30,
    smallBytes: options.smallBytes ?? 4096,
  });
  const threads = options.threads ?? defaultThreads();
  const engine: Engine = {
    memory,
    kernels: new KernelCache(memory),
    team: new Team(memory, { threads, workerUrl: options.workerUrl }),
    precision: options.precision ?? 'balanced',
    fma: (options.fma ?? options.precision === 'fast') && hasRelaxedSimd(),
  };
  const kernels: Kernels = {
    ...hostKernels(engine),
    ...movements(engine),
    ...elementwise(engine),
    ...reductions(engine),
    ...scans(engine),
    ...products(engine),
    ...pooling(engine),
    ...indexing(engine),
    ...convolutions(engine),
    ...normalisations(engine),
    ...optimizerSteps(engine),
  };
  const device = new WasmDevice('wasm', engine, kernels);
  registerDevice(device);
  return device;
}

/** The kernels take every geometry, in the two dtypes that have vectors. */
function checkConv(kernels: Kernels, kernel: ConvKernelName, { dtype }: ConvCall): Refusal[] {
  if (!kernels[kernel]) return [missingKernel(kernel)];
  if (dtype === 'float32' || dtype === 'float64') return [];
  return [{ check: 'dtype', message: `wasm convolves float32 and float64, not ${dtype}` }];
}

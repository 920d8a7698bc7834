import { checkOptions, VoxgradError } from '@voxgrad/core';

/** How far results may be from those of a plain loop. */
export type Precision = 'exact' | 'balanced' | 'fast';

/** Options of {@link createWasmDevice}. */
export interface WasmOptions {
  /** Threads, the caller included; by default as many as the machine has, at most 8. */
  threads?: number;
  /**
   * 'exact': only kernels that round as a plain loop does. 'balanced', the default: what stays within
   * 1e-5 of the output's largest magnitude. 'fast': everything, fused multiply-adds included.
   */
  precision?: Precision;
  /** Fused multiply-adds, where the platform has relaxed SIMD; they change the last bits. */
  fma?: boolean;
  /** Bytes of device memory, at most 4 GiB; by default 2 GiB. */
  budgetBytes?: number;
  /** Tensors of fewer bytes are computed by plain loops on the host; by default 4096. */
  smallBytes?: number;
  /** Where to load the worker from, for pages whose policy forbids Blob URLs. */
  workerUrl?: string | URL;
}

const NAMES = ['threads', 'precision', 'fma', 'budgetBytes', 'smallBytes', 'workerUrl'] as const;
const PRECISIONS = ['exact', 'balanced', 'fast'];

export function checkWasmOptions(options: WasmOptions): void {
  checkOptions('createWasmDevice', options, NAMES);
  const { threads, budgetBytes, smallBytes, precision } = options;
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 64))
    throw wrong(`threads must be a whole number from 1 to 64, but got ${String(threads)}`);
  if (budgetBytes !== undefined && !(budgetBytes >= 2 ** 20))
    throw wrong(`budgetBytes must be at least 1 MiB, but got ${String(budgetBytes)}`);
  if (smallBytes !== undefined && !(smallBytes >= 0))
    throw wrong(`smallBytes must not be negative, but got ${String(smallBytes)}`);
  if (precision !== undefined && !PRECISIONS.includes(precision))
    throw wrong(`precision must be one of ${PRECISIONS.join(', ')}, but got ${String(precision)}`);
}

const wrong = (message: string) => new VoxgradError('ARGUMENT', `createWasmDevice(): ${message}`);

/** As many threads as the machine can run at once, within reason. */
export function defaultThreads(): number {
  const available = globalThis.navigator?.hardwareConcurrency ?? nodeParallelism();
  return Math.max(1, Math.min(8, available));
}

function nodeParallelism(): number {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return 2;
  return process.getBuiltinModule('node:os').availableParallelism();
}

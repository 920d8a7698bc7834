import { encodeModule } from './emit/bytes.js';
import { Code, simd, value } from './emit/code.js';
import { lanes } from './emit/lanes.js';

/** Whether threads can share a memory: always in Node, in browsers on isolated pages. */
export function sharedMemoryWorks(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return globalThis.crossOriginIsolated !== false;
}

let relaxed: boolean | undefined;

/** Whether the platform has relaxed SIMD, of which kernels use the fused multiply-add. */
export function hasRelaxedSimd(): boolean {
  relaxed ??= validates();
  return relaxed;
}

function validates(): boolean {
  const f = new Code();
  const { zero } = lanes('float32');
  f.local('v128', value('v128', zero.code, zero.code, zero.code, simd(0x105)));
  const module = encodeModule({ name: 'probe', ...f.parts(), sharedMemory: false });
  return WebAssembly.validate(module as BufferSource);
}

import type { Soc } from './socs.js';
import type { Cann } from './versions.js';

/** The machine whose limits a device enforces. */
export interface NpuProfile {
  readonly soc: Soc;
  readonly cann: Cann;
  /** Version of torch_npu, or null where the caller left it open. */
  readonly torchNpu: string | null;
}

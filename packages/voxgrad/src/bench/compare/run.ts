// A suite of contests on one and more threads.

import { createWasmDevice, type Precision, type WasmDevice } from '@voxgrad/wasm';
import { type Contest, type ContestOptions, type ContestRow, runContest } from './contest.js';

export interface CompareOptions
  extends Omit<ContestOptions, 'threads' | 'device' | 'referenceDevice'> {
  readonly threads: readonly number[];
  /** After each contest, all rows so far: a long run can be looked at, and interrupted. */
  onRows?(rows: readonly ContestRow[]): void;
}

export async function compare(
  contests: readonly Contest[],
  options: CompareOptions,
): Promise<ContestRow[]> {
  const rows: ContestRow[] = [];
  const referenceDevice = await started({ precision: 'exact' });
  for (const threads of options.threads)
    for (const contest of contests) {
      const devices = new Map<Precision, WasmDevice>();
      // Devices of a contest's own: none works with the memory that another one left.
      const device = async (precision: Precision) => {
        const known = devices.get(precision) ?? (await started({ threads, precision }));
        devices.set(precision, known);
        return known;
      };
      rows.push(...(await runContest(contest, { ...options, threads, device, referenceDevice })));
      for (const device of devices.values()) device.stop();
      options.onRows?.(rows);
      // Between two turns of the event loop collectors give large arrays back.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  referenceDevice.stop();
  return rows;
}

async function started(options: { threads?: number; precision: Precision }): Promise<WasmDevice> {
  const device = createWasmDevice(options);
  await device.ready();
  return device;
}

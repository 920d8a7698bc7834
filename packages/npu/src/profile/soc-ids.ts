// The numbers by which torch_npu orders chips: its defaults compare them.

import type { SourceKey } from './sources.js';

export const SOC_IDS_SOURCE: SourceKey = 'soc_ids';

/** SocVersion of torch_npu. Ascend950 has one number for all its chips. */
export const SOC_IDS: Readonly<Record<string, number>> = {
  Ascend910PremiumA: 100,
  Ascend910ProA: 101,
  Ascend910A: 102,
  Ascend910ProB: 103,
  Ascend910B: 104,
  Ascend310P1: 200,
  Ascend310P2: 201,
  Ascend310P3: 202,
  Ascend310P4: 203,
  Ascend310P5: 204,
  Ascend310P7: 205,
  Ascend910B1: 220,
  Ascend910B2: 221,
  Ascend910B2C: 222,
  Ascend910B3: 223,
  Ascend910B4: 224,
  Ascend910B4_1: 225,
  Ascend310B1: 240,
  Ascend310B2: 241,
  Ascend310B3: 242,
  Ascend310B4: 243,
  Ascend910_9391: 250,
  Ascend910_9392: 251,
  Ascend910_9381: 252,
  Ascend910_9382: 253,
  Ascend910_9372: 254,
  Ascend910_9362: 255,
  Ascend910_9363: 256,
  Ascend950: 260,
};

/** The number of the chip called `name` in the platform files; null where torch_npu has none. */
export function socId({ name, family }: { name: string; family: string }): number | null {
  if (family === 'Ascend950') return SOC_IDS.Ascend950;
  return SOC_IDS[name.replace('-', '_')] ?? null;
}

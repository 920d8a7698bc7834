export { checkConv } from './checks/conv.js';
export { forwardL1 } from './checks/forward.js';
export { type InputGradientL1, inputGradientL1 } from './checks/input-gradient.js';
export { type WeightGradientL1, weightGradientL1 } from './checks/weight-gradient.js';
export { type NpuDevice, type NpuOptions, npu } from './device.js';
export type { NpuProfile } from './profile/profile.js';
export { type Backward, SOC_NAMES, type Soc } from './profile/socs.js';
export { SOURCES, type SourceKey } from './profile/sources.js';
export { CANN_ERAS, type Cann } from './profile/versions.js';

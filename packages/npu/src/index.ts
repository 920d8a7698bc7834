export { ARITHMETICS, type Arithmetic, type ArithmeticMode } from './arithmetic/modes.js';
export type { Precision } from './arithmetic/round.js';
export { checkConv } from './checks/conv.js';
export { convDTypes } from './checks/dtypes.js';
export { forwardL1 } from './checks/forward.js';
export { type InputGradientL1, inputGradientL1 } from './checks/input-gradient.js';
export { OPERATOR_TABLES, type OperatorTable } from './checks/operator-table.js';
export { type WeightGradientL1, weightGradientL1 } from './checks/weight-gradient.js';
export { DEFECTS, type Defect } from './defects/index.js';
export { type NpuDevice, type NpuOptions, npu } from './device.js';
export * from './doctor/index.js';
export { formatCast } from './formats/cast.js';
export { ACL_FORMATS, type FormatName, formatId, type StorageFormat } from './formats/formats.js';
export { getFormat, storageShape } from './formats/storage.js';
export { ERROR_CODES, INNER_CODES } from './messages/codes.js';
export { cannText, type Stamp, torchNpuText } from './messages/layouts.js';
export type { Logged } from './messages/log.js';
export * from './plan/index.js';
export { givenIn, type NpuProfile, type ProfileOptions, profileOf } from './profile/profile.js';
export { GENERATIONS, TORCH_NPU_NAMES, type TorchNpu } from './profile/releases.js';
export { type Backward, SOC_NAMES, type Soc } from './profile/socs.js';
export { SOURCES, type SourceKey } from './profile/sources.js';
export { CANN_ERAS, type Cann } from './profile/versions.js';
export {
  REPRO_TARGETS,
  type ReproDevice,
  type ReproOptions,
  type ReproTarget,
  repro,
} from './repro/index.js';
export { backwardRoute, type Route } from './routing/route.js';
export {
  RUNTIME_ERAS,
  STREAM_ATTRIBUTES,
  type StreamAttribute,
} from './streams/attributes.js';
export type { Runtime } from './streams/library-path.js';
export type { StreamSetting } from './streams/set.js';

export type { ByteOrder, FileDType } from '@voxgrad/checkpoint/arrays';
export { type Collated, defaultCollate } from './collate.js';
export {
  ConcatDataset,
  type Dataset,
  type DatasetLike,
  mapDataset,
  randomSplit,
  Subset,
  TensorDataset,
} from './dataset.js';
export * from './io/nifti.js';
export { readNpy } from './io/npy.js';
export { type RawOptions, readRaw } from './io/raw.js';
export type { DataSource } from './io/source.js';
export * from './loader.js';
export {
  BatchSampler,
  RandomSampler,
  type RandomSamplerOptions,
  type Sampler,
  SequentialSampler,
  SubsetRandomSampler,
  WeightedRandomSampler,
} from './sampler.js';
export { type SlidingWindowOptions, slidingWindowInference } from './sliding-window.js';
export * from './transforms/index.js';

// `@voxgrad/checkpoint/arrays`: elements and arrays from bytes, for readers of other files. An entry
// of its own, so that those load no archive library.

export {
  type ByteOrder,
  bytesPer,
  dtypeFor,
  elementsFrom,
  FILE_DTYPES,
  type FileDType,
  isFileDType,
} from './elements.js';
export { CheckpointError } from './error.js';
export { npyTensor } from './numpy/tensor.js';

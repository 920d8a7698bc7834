// `import { exportOnnx } from 'voxgrad/onnx'`: an entry of its own, so that only those who export a
// network load what it takes.

export { exportOnnx, type OnnxOptions } from './onnx/export.js';

// What changes hands with programs, by its structure: types of TensorFlow.js itself would make everyone
// install it who compiles against `voxgrad`.

/** The namespace of TensorFlow.js: `import * as tf from '@tensorflow/tfjs-core'` or `'@tensorflow/tfjs'`. */
export interface Tfjs {
  getBackend(): string;
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  memory(): { numTensors: number };
}

/** A tensor of TensorFlow.js. */
export interface TfjsTensor {
  readonly dataId: object;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly size: number;
  data(): Promise<Float32Array | Int32Array | Uint8Array>;
  dataSync(): Float32Array | Int32Array | Uint8Array;
  dispose(): void;
}

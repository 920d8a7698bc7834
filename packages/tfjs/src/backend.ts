// One backend of TensorFlow.js: calls run on it whatever the current one is, and leave no tensor behind.

import type * as tfjs from '@tensorflow/tfjs-core';
import { VoxgradError } from '@voxgrad/core';

export type TfjsModule = typeof tfjs;
export type TfTensor = tfjs.Tensor;
export type TfDType = 'float32' | 'int32' | 'bool';

/** Backends whose results can be read synchronously. */
const SYNCHRONOUS = new Set(['cpu', 'wasm', 'tensorflow', 'node']);

/**
 * Most axes of which every kernel's shaders compile: WebGL's of padding, and WebGPU's of broadcasting and of
 * slices with steps, do not compile for five (4.22).
 */
export const SHADER_RANK = 4;

/** Integers that float32 holds exactly: WebGL keeps them so, and WebGPU reads them so. */
const FLOAT_INTEGER = 2 ** 24;

export class Backend {
  readonly synchronous: boolean;
  /**
   * Whether matrix products remember their second factor by its data alone, as those of the wasm backend
   * do (4.22): the same data in another shape then gives wrong numbers, and writes beyond its memory.
   */
  readonly remembersFactors: boolean;
  /**
   * Whether matrix products of an odd inner size add what lies beyond it, as those of WebGL do (4.22):
   * its texels hold 2 × 2 elements, and broadcasting leaves numbers in those past the end.
   */
  readonly sumsBeyondOdd: boolean;
  /** Whether tensors are textures, folded by the shape in which they are made. */
  readonly foldsTensors: boolean;
  /**
   * Whether a cast of integers to float32 leaves their bits, which many shaders then misread, and those of
   * transposition compile for float32 alone, as on WebGPU (4.22).
   */
  readonly misreadsIntegers: boolean;
  /** The largest integer that a tensor holds exactly. */
  readonly maxInteger: number;

  constructor(
    readonly tf: TfjsModule,
    readonly name: string,
  ) {
    this.synchronous = SYNCHRONOUS.has(name);
    this.remembersFactors = name === 'wasm';
    this.sumsBeyondOdd = name === 'webgl';
    this.foldsTensors = name === 'webgl';
    this.misreadsIntegers = name === 'webgpu';
    this.maxInteger = name === 'webgl' || name === 'webgpu' ? FLOAT_INTEGER : 2 ** 31 - 1;
  }

  /** Makes this backend the current one of tfjs, which switches at once between those it has made. */
  select(): void {
    const { tf, name } = this;
    if (tf.getBackend() === name) return;
    void tf.setBackend(name);
    if (tf.getBackend() !== name)
      throw new VoxgradError(
        'DEVICE',
        `tfjs has lost its backend '${name}': await tf.setBackend('${name}')`,
      );
  }

  /** Runs `fn` and keeps what it returns; all other tensors made in it are disposed of. */
  run<T extends TfTensor>(fn: () => T): T {
    this.select();
    const { tf } = this;
    return tf.keep(tf.tidy(fn));
  }

  /** One kernel with one result. */
  kernel(name: string, inputs: Record<string, TfTensor>, attributes?: object): TfTensor {
    return this.tf.engine().runKernel(name, inputs, attributes as tfjs.NamedAttrMap) as TfTensor;
  }

  reshape(x: TfTensor, shape: readonly number[]): TfTensor {
    const same = x.shape.length === shape.length && shape.every((n, i) => n === x.shape[i]);
    return same ? x : this.kernel('Reshape', { x }, { shape: [...shape] });
  }

  /**
   * Axes that stay neighbours are turned as one: fewer axes, of which every backend has a kernel. Where tensors
   * are folded, as many as can be are kept: shaders find elements faster where the shape in which a tensor
   * is made resembles the one in which it is read.
   */
  transpose(x: TfTensor, perm: readonly number[]): TfTensor {
    const shape = perm.map((axis) => x.shape[axis]);
    const real = perm.filter((axis) => x.shape[axis] !== 1);
    const follows = (axis: number, before: number) =>
      axis > before && x.shape.slice(before + 1, axis).every((n) => n === 1);
    const joinable = real.filter((axis, i) => i > 0 && follows(axis, real[i - 1]));
    if (real.length - joinable.length <= 1) return this.reshape(x, shape);
    const kept = this.foldsTensors ? SHADER_RANK : 1;
    const joined = new Set(joinable.slice(0, Math.max(real.length - kept, 0)));
    const runs: number[][] = [];
    for (const axis of real) {
      if (joined.has(axis)) runs[runs.length - 1].push(axis);
      else runs.push([axis]);
    }
    const inMemory = [...runs].sort((p, q) => p[0] - q[0]);
    const sizes = inMemory.map((run) => run.reduce((n, axis) => n * x.shape[axis], 1));
    const order = runs.map((run) => inMemory.indexOf(run));
    const asFloat = this.misreadsIntegers && x.dtype !== 'float32';
    const merged = this.reshape(asFloat ? this.toFloat(x) : x, sizes);
    const turned = this.kernel('Transpose', { x: merged }, { perm: order });
    return this.reshape(asFloat ? this.tf.cast(turned, x.dtype) : turned, shape);
  }

  /** `x` in float32, in its bits too. */
  toFloat(x: TfTensor): TfTensor {
    if (x.dtype === 'float32') return x;
    const y = this.tf.cast(x, 'float32');
    return this.misreadsIntegers ? this.tf.mul(y, this.scalar(1)) : y;
  }

  /** Another tensor over the same data; the wasm backend's identity would copy them. */
  clone(x: TfTensor): TfTensor {
    return this.kernel('Reshape', { x }, { shape: x.shape });
  }

  scalar(value: number, dtype: TfDType = 'float32'): TfTensor {
    return this.tf.scalar(dtype === 'bool' ? value !== 0 : value, dtype);
  }

  integers(values: Int32Array, shape?: readonly number[]): TfTensor {
    return this.tf.tensor(values, shape ? [...shape] : [values.length], 'int32');
  }
}

// Right answers: the reference kernels in float64, on numbers that the dtype holds exactly.

import { cpu } from '../../cpu/device.js';
import type { Device } from '../../device/device.js';
import type { ConvGeometry, Needs } from '../../ops/conv/geometry.js';
import { inputShape, outputShape, weightShape } from '../../ops/conv/geometry.js';
import type { DType } from '../../tensor/dtype.js';
import { numelOf } from '../../tensor/shape.js';
import { Storage } from '../../tensor/storage.js';
import { Tensor } from '../../tensor/tensor.js';

/** Numbers of a shape, wherever they are needed. */
export class Values {
  constructor(
    readonly shape: readonly number[],
    readonly numbers: Float64Array<ArrayBuffer>,
    readonly dtype: DType,
  ) {}

  /** As a fresh tensor of a device, in its dtype. */
  on(device: Device): Tensor {
    const { numbers, shape, dtype } = this;
    const view = new Tensor({
      device: cpu,
      shape,
      storage: new Storage('float64', numbers.slice()),
    });
    const host = cpu.kernels.copy(view, dtype);
    // A host array is a storage that every device reads.
    return new Tensor({ device, shape, storage: host });
  }

  get exact(): Tensor {
    const { numbers, shape } = this;
    return new Tensor({ device: cpu, shape, storage: new Storage('float64', numbers.slice()) });
  }
}

/** Numbers drawn for one case, without chance, and results in float64. */
export class Reference {
  private at = 1;

  constructor(readonly dtype: DType) {}

  /** Distinct multiples of 1/64 in [-1, 1): exact in every float dtype. */
  draw(shape: readonly number[], options: { readonly positive?: boolean } = {}): Values {
    const numbers = Float64Array.from({ length: numelOf(shape) }, () => {
      this.at = (this.at * 75 + 74) % 65537; // Lehmer's generator modulo a Fermat prime
      const n = (this.at % 127) - 63;
      return (options.positive ? Math.abs(n) + 1 : n) / 64;
    });
    return new Values(shape, numbers, this.dtype);
  }

  values(shape: readonly number[], numbers: ArrayLike<number>, dtype = this.dtype): Values {
    return new Values(shape, Float64Array.from(numbers), dtype);
  }

  private read(shape: readonly number[], storage: Storage | null | undefined): Values {
    if (!storage) throw new Error('certify: the reference has no such kernel');
    return this.values(shape, storage.array as Float64Array);
  }

  conv(x: Values, w: Values, g: ConvGeometry): Values {
    return this.read(outputShape(g), cpu.kernels.convForward?.(x.exact, w.exact, g));
  }

  /** Gradients that are not wanted are empty. */
  gradients(
    g: Values,
    x: Values,
    w: Values | null,
    geometry: ConvGeometry,
    needs: Needs,
  ): Values[] {
    const shapes = [inputShape(geometry), weightShape(geometry), [geometry.outChannels]];
    const results = cpu.kernels.convBackward?.(g.exact, x.exact, w?.exact ?? null, geometry, needs);
    return shapes.map((shape, i) =>
      needs[i] ? this.read(shape, results?.[i]) : this.values([0], []),
    );
  }
}

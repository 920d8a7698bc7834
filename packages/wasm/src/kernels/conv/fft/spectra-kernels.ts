// Along D and H, and products of spectra.

import { i32, load } from '../../../emit/code.js';
import { lanes } from '../../../emit/lanes.js';
import type { Kernel } from '../../../threads/kernel-cache.js';
import { forItems, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { transformAlong } from './along.js';
import type { Sign } from './dft.js';
import type { Size } from './sizes.js';
import type { Tile } from './tile.js';

export const COLUMNS_ARGUMENTS = ['tile', 'twiddles', 'itemStride', 'vectors'] as const;
export type ColumnsArguments = Record<(typeof COLUMNS_ARGUMENTS)[number], number>;

/** Transforms columns that are `step` bytes from point to point; an item is a row or a depth of them. */
export function columnsKernel(
  engine: Engine,
  size: Size,
  step: number,
  imaginary: number,
  sign: Sign,
): Kernel {
  const key = `fft columns ${size.points} ${step} ${imaginary} ${sign}`;
  return kernelOf(engine, key, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, COLUMNS_ARGUMENTS);
    forItems(builder, (item) => {
      const base = f.int(i32.add(a.tile, i32.mul(item, a.itemStride)));
      f.times(a.vectors, () => {
        transformAlong({ f, v, size, step, imaginary, twiddles: a.twiddles }, sign, base);
        f.advance(base, 16);
      });
    });
  });
}

/** `x · y`, or `x` times the conjugate of `y`. */
export type Product = 'plain' | 'conjugate';

export const MULTIPLY_ARGUMENTS = ['x', 'y', 'result'] as const;
export type MultiplyArguments = Record<(typeof MULTIPLY_ARGUMENTS)[number], number>;

/** The product of two spectra, written to or added to a third; an item is a depth. */
export function multiplyKernel(engine: Engine, tile: Tile, product: Product, add: boolean): Kernel {
  const { plane, imaginary, row, height } = tile;
  const key = `fft ${product} ${plane} ${imaginary} ${row * height.points} ${add}`;
  return kernelOf(engine, key, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, MULTIPLY_ARGUMENTS);
    forItems(builder, (item) => {
      const start = f.int(i32.mul(item, plane));
      const [x, y, to] = [a.x, a.y, a.result].map((pointer) => f.int(i32.add(pointer, start)));
      const end = f.int(i32.add(to, row * height.points));
      f.for(to, end, 16, () => {
        const [xr, xi] = [0, imaginary].map((at) => f.local('v128', load.v128(x, at)));
        const [yr, yi] = [0, imaginary].map((at) => f.local('v128', load.v128(y, at)));
        const [a0, a1, b0, b1] = [v.mul(xr, yr), v.mul(xi, yi), v.mul(xi, yr), v.mul(xr, yi)];
        const re = product === 'plain' ? v.sub(a0, a1) : v.add(a0, a1);
        const im = product === 'plain' ? v.add(b0, b1) : v.sub(b0, b1);
        f.store('v128', to, add ? v.add(load.v128(to), re) : re);
        f.store('v128', to, add ? v.add(load.v128(to, imaginary), im) : im, imaginary);
        f.advance(x, 16);
        f.advance(y, 16);
      });
    });
  });
}

// The products: for each point a matrix product over input channels, or, for the gradient of the
// weight, over tiles.

import { i32, load } from '../../../emit/code.js';
import { lanes } from '../../../emit/lanes.js';
import type { Kernel } from '../../../threads/kernel-cache.js';
import { forItems, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { transpose } from './lanes.js';

/** Output channels that are computed together, and numbers of a vector of weights. */
export const TOGETHER = 4;

export const PRODUCT_ARGUMENTS = [
  'tiles', // Bᵀx
  'tilesPoint', // bytes from point to point
  'tilesPair',
  'weights', // G·w: [point][block of output channels][input channel][4]
  'weightsPoint',
  'products',
  'productsPoint',
  'productsPair',
  'pairs',
  'blocks',
  'channels', // of the input, even
] as const;

export type ProductArguments = Record<(typeof PRODUCT_ARGUMENTS)[number], number>;

/** Sums over input channels; an item is a point. */
export function productKernel(engine: Engine): Kernel {
  return kernelOf(engine, 'winograd products', (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, PRODUCT_ARGUMENTS);
    forItems(builder, (item) => {
      const tiles = f.int(i32.add(a.tiles, i32.mul(item, a.tilesPoint)));
      const weights = f.int(i32.add(a.weights, i32.mul(item, a.weightsPoint)));
      const products = f.int(i32.add(a.products, i32.mul(item, a.productsPoint)));
      const blockBytes = f.int(i32.shl(a.channels, 4));
      f.times(a.blocks, (block) => {
        const x = f.int(tiles);
        const y = f.int(i32.add(products, i32.mul(block, 32 * TOGETHER)));
        f.times(a.pairs, () => {
          const sums = Array.from({ length: TOGETHER }, () => [
            f.local('v128', v.zero),
            f.local('v128', v.zero),
          ]);
          const w = f.int(weights);
          const end = f.int(i32.add(w, blockBytes));
          const factor = f.local('v128');
          const [low, high] = [f.local('v128'), f.local('v128')];
          f.for(w, end, 32, () => {
            f.keepLoopSmall(x);
            for (const channel of [0, 1]) {
              f.set(low, load.v128(x, 32 * channel));
              f.set(high, load.v128(x, 32 * channel + 16));
              sums.forEach(([first, second], line) => {
                f.set(factor, v.loadSplat(w, 16 * channel + 4 * line));
                f.set(first, v.multiplyAdd(low, factor, first));
                f.set(second, v.multiplyAdd(high, factor, second));
              });
            }
            f.advance(x, 64);
          });
          sums.forEach(([first, second], line) => {
            f.store('v128', y, first, 32 * line);
            f.store('v128', y, second, 32 * line + 16);
          });
          f.advance(y, a.productsPair);
        });
        f.advance(weights, blockBytes);
      });
    });
  });
}

export const CORRELATION_ARGUMENTS = [
  'tiles', // Bᵀx
  'tilesPoint',
  'tilesPair',
  'gradients', // A·gy
  'gradientsPoint',
  'gradientsPair',
  'sums', // as the weights of a product
  'sumsPoint',
  'pairs',
  'blocks',
  'channels', // of the input, even
] as const;

export type CorrelationArguments = Record<(typeof CORRELATION_ARGUMENTS)[number], number>;

/** Adds sums over tiles to what is there; an item is a point. */
export function correlationKernel(engine: Engine): Kernel {
  return kernelOf(engine, 'winograd correlation', (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, CORRELATION_ARGUMENTS);
    forItems(builder, (item) => {
      const tiles = f.int(i32.add(a.tiles, i32.mul(item, a.tilesPoint)));
      const gradients = f.int(i32.add(a.gradients, i32.mul(item, a.gradientsPoint)));
      const sums = f.int(i32.add(a.sums, i32.mul(item, a.sumsPoint)));
      const channel = f.int();
      f.times(a.blocks, () => {
        f.setInt(channel, 0);
        f.for(channel, a.channels, 2, () => {
          const totals = Array.from({ length: TOGETHER }, () => [
            f.local('v128', v.zero),
            f.local('v128', v.zero),
          ]);
          const x = f.int(i32.add(tiles, i32.shl(channel, 5)));
          const end = f.int(i32.add(x, i32.mul(a.pairs, a.tilesPair)));
          const g = f.int(gradients);
          const factor = f.local('v128');
          const [first, second] = [f.local('v128'), f.local('v128')];
          f.for(x, end, a.tilesPair, () => {
            f.keepLoopSmall(g);
            for (const unit of [0, 16]) {
              f.set(first, load.v128(x, unit));
              f.set(second, load.v128(x, 32 + unit));
              totals.forEach(([one, two], line) => {
                f.set(factor, load.v128(g, 32 * line + unit));
                f.set(one, v.multiplyAdd(first, factor, one));
                f.set(two, v.multiplyAdd(second, factor, two));
              });
            }
            f.advance(g, a.gradientsPair);
          });
          for (const side of [0, 1]) {
            const columns = transpose(
              f,
              totals.map((line) => line[side]),
            );
            const sum = columns.reduce((left, right) => f.local('v128', v.add(left, right)));
            f.store('v128', sums, v.add(load.v128(sums, 16 * side), sum), 16 * side);
          }
          f.advance(sums, 32);
        });
        f.advance(gradients, 32 * TOGETHER);
      });
    });
  });
}

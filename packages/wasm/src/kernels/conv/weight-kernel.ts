import { i32, type Local, load } from '../../emit/code.js';
import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Kernel } from '../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../arguments.js';
import { type Engine, kernelOf } from '../engine.js';

export interface WeightShape {
  readonly dtype: FloatDType;
  /** Output channels and taps that are summed together. */
  readonly channels: number;
  readonly taps: number;
}

export const WEIGHT_ARGUMENTS = [
  'slab',
  'gradient',
  'table', // byte offsets in the slab; a multiple of `taps` of them
  'totals', // a vector for each channel and tap
  'slabGroup',
  'gradientGroup',
  'totalsGroup',
  'depths',
  'slabDepth',
  'gradientDepth',
  'rows',
  'slabRow',
  'gradientRow',
  'rowBytes', // of the gradient, whole vectors
  'gradientChannel',
  'channelBlocks',
  'chunks', // of taps
  'chunksPerItem',
  'itemsPerBlock',
  'depthsPerSum',
] as const;

/**
 * The weight gradient: each tap of each channel pair is a dot product over all outputs. Sums of a
 * few planes are kept in registers and then added to totals in memory, which keeps float32 sums
 * short and planes in the nearest cache. An item is a run of taps of one block of channels; its
 * order of summation is its own, so threads do not change it.
 */
export function weightKernel(engine: Engine, { dtype, channels, taps }: WeightShape): Kernel {
  return kernelOf(engine, `conv weight ${dtype} ${channels}x${taps}`, (builder) => {
    const v = lanes(dtype, engine.fma);
    const { f } = builder;
    const a = words(builder, WEIGHT_ARGUMENTS);
    const chunkBytes = channels * taps * 16;
    forItems(builder, (item) => {
      const [group, block, part] = unravel(f, item, [0, a.channelBlocks, a.itemsPerBlock]);
      const firstChunk = f.int(i32.mul(part, a.chunksPerItem));
      const chunks = f.int(i32.min(a.chunksPerItem, i32.sub(a.chunks, firstChunk)));
      const slab = f.int(i32.add(a.slab, i32.mul(group, a.slabGroup)));
      const gradient = f.int(
        i32.add(
          i32.add(a.gradient, i32.mul(group, a.gradientGroup)),
          i32.mul(block, i32.mul(a.gradientChannel, channels)),
        ),
      );
      const totals = f.int(
        i32.add(
          i32.add(a.totals, i32.mul(group, a.totalsGroup)),
          i32.mul(i32.add(i32.mul(block, a.chunks), firstChunk), chunkBytes),
        ),
      );
      const depth = f.int(0);
      f.for(depth, a.depths, a.depthsPerSum, () => {
        const lastDepth = f.int(i32.min(a.depths, i32.add(depth, a.depthsPerSum)));
        const entry = f.int(i32.add(a.table, i32.mul(firstChunk, 4 * taps)));
        const total = f.int(totals);
        f.times(chunks, () => {
          const offsets = Array.from({ length: taps }, (_, t) => f.int(load.i32(entry, 4 * t)));
          const sums = Array.from({ length: channels }, () =>
            Array.from({ length: taps }, () => f.local('v128', v.zero)),
          );
          const gradients = sums.map(() => f.local('v128'));
          const z = f.int(depth);
          f.for(z, lastDepth, 1, () => {
            const x = f.int(i32.add(slab, i32.mul(z, a.slabDepth)));
            const g = f.int(i32.add(gradient, i32.mul(z, a.gradientDepth)));
            f.times(a.rows, () => {
              const pointers = offsets.map((offset) => f.int(i32.add(x, offset)));
              const at = gradients.map((_, c) => f.int(i32.add(g, i32.mul(a.gradientChannel, c))));
              const w = f.int(0);
              f.for(w, a.rowBytes, 16, () => {
                gradients.forEach((value, c) => {
                  f.set(value, load.v128(i32.add(at[c], w)));
                });
                pointers.forEach((pointer, t) => {
                  const input = load.v128(i32.add(pointer, w));
                  multiplyIn(input, t);
                });
              });
              f.advance(x, a.slabRow);
              f.advance(g, a.gradientRow);
            });
          });
          sums.forEach((row, c) => {
            row.forEach((sum, t) => {
              const offset = (c * taps + t) * 16;
              f.store('v128', total, v.add(load.v128(total, offset), sum), offset);
            });
          });
          f.advance(total, chunkBytes);
          f.advance(entry, 4 * taps);

          function multiplyIn(input: ReturnType<typeof load.v128>, t: number) {
            let x = input;
            if (channels > 1) {
              const held: Local<'v128'> = f.local('v128', input);
              x = held;
            }
            sums.forEach((row, c) => {
              f.set(row[t], v.multiplyAdd(x, gradients[c], row[t]));
            });
          }
        });
      });
    });
  });
}

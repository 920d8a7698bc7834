// A slab is the input of a convolution as its kernel likes it: padded with zeros, rows a multiple of
// vectors long, and for a stride along W split into phases, so that neighbours in the output read
// neighbours in memory.

import { i32, load } from '../../emit/code.js';
import { type FloatDType, lanes } from '../../emit/lanes.js';
import type { Kernel } from '../../threads/kernel-cache.js';
import { forItems, unravel, words } from '../arguments.js';
import { type Engine, kernelOf } from '../engine.js';

export interface SlabShape {
  readonly dtype: FloatDType;
  /** Source positions along W, and zeros before them (negative: positions left out). */
  readonly width: number;
  readonly before: number;
  /** The stride along W. */
  readonly phases: number;
  /** Numbers of one phase in a row. */
  readonly segment: number;
}

export const slabRowBytes = ({ dtype, phases, segment }: SlabShape): number =>
  phases * segment * (dtype === 'float32' ? 4 : 8);

/** Where padded position `at` of a row is, in numbers. */
export const slabPosition = ({ phases, segment }: SlabShape, at: number): number =>
  (at % phases) * segment + Math.floor(at / phases);

export const SLAB_ARGUMENTS = [
  'source',
  'slab',
  'channels', // of a group
  'depths', // of the slab
  'rows',
  'slabGroup',
  'slabChannel',
  'slabDepth',
  'slabRow',
  'firstDepth', // source position of the slab's first depth, may be negative
  'firstRow',
  'sourceDepths',
  'sourceRows',
  'sourceChannel',
  'sourceDepth',
  'sourceRow',
] as const;

/** An item is one depth of one channel of one group. */
export function slabKernel(engine: Engine, shape: SlabShape): Kernel {
  const { dtype, width, before, phases, segment } = shape;
  const key = `slab ${dtype} ${width} ${before} ${phases} ${segment}`;
  return kernelOf(engine, key, (builder) => {
    const v = lanes(dtype);
    const { f } = builder;
    const a = words(builder, SLAB_ARGUMENTS);
    const rowBytes = slabRowBytes(shape);
    forItems(builder, (item) => {
      const [group, channel, depth] = unravel(f, item, [0, a.channels, a.depths]);
      const to = f.int(
        i32.add(
          i32.add(a.slab, i32.mul(group, a.slabGroup)),
          i32.add(i32.mul(channel, a.slabChannel), i32.mul(depth, a.slabDepth)),
        ),
      );
      const sourceChannel = i32.add(i32.mul(group, a.channels), channel);
      const sourceDepth = f.int(i32.add(depth, a.firstDepth));
      const plane = f.int(
        i32.add(
          a.source,
          i32.add(i32.mul(sourceChannel, a.sourceChannel), i32.mul(sourceDepth, a.sourceDepth)),
        ),
      );
      // Unsigned comparison: a negative position is a very large one.
      const inside = f.int(i32.ltU(sourceDepth, a.sourceDepths));
      f.times(a.rows, (row) => {
        const zero = f.int(to);
        f.for(zero, i32.add(to, rowBytes), 16, () => f.store('v128', zero, v.zero));
        const sourceRow = f.int(i32.add(row, a.firstRow));
        f.if(i32.and(inside, i32.ltU(sourceRow, a.sourceRows)), () => {
          const from = f.int(i32.add(plane, i32.mul(sourceRow, a.sourceRow)));
          copyRow();
          function copyRow() {
            const scalar = dtype === 'float32' ? 'f32' : 'f64';
            for (let phase = 0; phase < phases; phase++) {
              // Padded position p holds source position p − before.
              const firstPadded = firstOfPhase(Math.max(0, before), phase, phases);
              const first = firstPadded - before;
              // Positions past the segment are read by no output.
              const room = segment - Math.floor(firstPadded / phases);
              const count = Math.max(0, Math.min(room, Math.ceil((width - first) / phases)));
              if (count === 0) continue;
              const target = f.int(i32.add(to, slabPosition(shape, firstPadded) * v.bytes));
              const source = f.int(i32.add(from, first * v.bytes));
              const vectors = phases === 1 ? Math.floor(count / v.count) : 0;
              const end = f.int(i32.add(target, vectors * 16));
              f.for(target, end, 16, () => {
                f.store('v128', target, load.v128(source));
                f.advance(source, 16);
              });
              const rest = count - vectors * v.count;
              f.setInt(end, i32.add(target, rest * v.bytes));
              f.for(target, end, v.bytes, () => {
                f.store(scalar, target, load[scalar](source));
                f.advance(source, phases * v.bytes);
              });
            }
          }
        });
        f.advance(to, a.slabRow);
      });
    });
  });
}

/** The first padded position of `phase` that is not before `from`. */
const firstOfPhase = (from: number, phase: number, phases: number): number =>
  from + ((((phase - from) % phases) + phases) % phases);

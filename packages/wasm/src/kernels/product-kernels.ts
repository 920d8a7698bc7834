// Matrix products: both factors are packed into panels, a few rows or columns that lie together for
// every step along the depth, and tiles of the product are summed in registers over two panels.

import { type IntLike, i32, type Local, load, select } from '../emit/code.js';
import { type FloatDType, lanes, type Vector } from '../emit/lanes.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, unravel, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/** Vectors of a tile's rows. With four rows: eight sums, two factors and one number in every lane. */
const VECTORS = 2;

export const PANEL_COLUMNS = { float32: 4 * VECTORS, float64: 2 * VECTORS } as const;

/** Steps along the depth that are summed in registers; sums of longer products are put together. */
const DEPTH = 256;

/**
 * `[batch][panel][depth][line]` from a factor in any layout; lines past the last are zeros. Reads
 * along whichever axis is contiguous: the lines of a panel, or the depth.
 */
export function packKernel(
  engine: Engine,
  dtype: FloatDType,
  width: number,
  contiguous: 'lines' | 'depth',
): Kernel {
  return kernelOf(engine, `pack ${dtype} ${width} ${contiguous}`, (builder) => {
    const v = lanes(dtype);
    const scalar = dtype === 'float32' ? 'f32' : 'f64';
    const { f } = builder;
    const a = words(builder, [
      'source',
      'target',
      'panels',
      'count',
      'depth',
      'batchStep',
      'lineStep',
      'depthStep',
    ] as const);
    const row = width * v.bytes;
    forItems(builder, (item) => {
      const [batch, panel] = unravel(f, item, [0, a.panels]);
      const first = f.int(i32.mul(panel, width));
      const from = f.int(
        i32.add(a.source, i32.add(i32.mul(batch, a.batchStep), i32.mul(first, a.lineStep))),
      );
      const panelBytes = f.int(i32.mul(a.depth, row));
      const to = f.int(i32.add(a.target, i32.mul(item, panelBytes)));
      const end = f.int(i32.add(to, panelBytes));
      const left = f.int(i32.sub(a.count, first));
      const whole = i32.geS(left, width);
      const x = f.int();
      const y = f.int();
      if (contiguous === 'lines' && row % 16 === 0)
        f.if(whole, () => {
          f.set(x, from);
          f.set(y, to);
          f.for(y, end, row, () => {
            for (let at = 0; at < row; at += 16) f.store('v128', y, load.v128(x, at), at);
            f.advance(x, a.depthStep);
          });
        });
      const wanted = contiguous === 'lines' && row % 16 === 0 ? i32.eqz(whole) : i32.eq(0, 0);
      f.if(wanted, () => {
        for (let line = 0; line < width; line++) {
          f.set(x, i32.add(from, i32.mul(a.lineStep, line)));
          f.set(y, i32.add(to, line * v.bytes));
          const exists = i32.gtS(left, line);
          f.if(
            exists,
            () =>
              f.for(y, end, row, () => {
                f.store(scalar, y, load[scalar](x));
                f.advance(x, a.depthStep);
              }),
            () => f.for(y, end, row, () => v.storeLane(f, y, v.zero, 0)),
          );
        }
      });
    });
  });
}

export interface ProductShape {
  readonly dtype: FloatDType;
  /** Rows of a tile. */
  readonly lines: number;
  /** Columns of a tile are apart in the result. */
  readonly transposed: boolean;
}

export const PRODUCT_ARGUMENTS = [
  'rowFactor',
  'columnFactor',
  'out',
  'rows',
  'columns',
  'depth',
  'rowPanels',
  'columnPanels',
  'rowBlocks', // items along the rows
  'columnBlocks',
  'rowPanelsPerItem',
  'columnPanelsPerItem',
  'outBatch',
  'outRow',
  'outColumn',
] as const;

/** An item is a block of the product. */
export function productKernel(engine: Engine, shape: ProductShape): Kernel {
  const { dtype, lines, transposed } = shape;
  return kernelOf(engine, `product ${dtype} ${lines} ${transposed}`, (builder) => {
    const v = lanes(dtype, engine.fma);
    const { f } = builder;
    const a = words(builder, PRODUCT_ARGUMENTS);
    const width = PANEL_COLUMNS[dtype];
    const rowPanelBytes = f.int(i32.mul(a.depth, lines * v.bytes));
    const columnPanelBytes = f.int(i32.mul(a.depth, width * v.bytes));
    forItems(builder, (item) => {
      const [batch, rowBlock, columnBlock] = unravel(f, item, [0, a.rowBlocks, a.columnBlocks]);
      const firstRow = f.int(i32.mul(rowBlock, a.rowPanelsPerItem));
      const lastRow = f.int(i32.min(a.rowPanels, i32.add(firstRow, a.rowPanelsPerItem)));
      const firstColumn = f.int(i32.mul(columnBlock, a.columnPanelsPerItem));
      const lastColumn = f.int(
        i32.min(a.columnPanels, i32.add(firstColumn, a.columnPanelsPerItem)),
      );
      const out = f.int(i32.add(a.out, i32.mul(batch, a.outBatch)));
      const panel = (base: IntLike, panels: IntLike, index: IntLike, bytes: IntLike) =>
        i32.add(base, i32.mul(i32.add(i32.mul(batch, panels), index), bytes));
      const start = f.int(0);
      f.for(start, a.depth, DEPTH, () => {
        const steps = f.int(i32.min(DEPTH, i32.sub(a.depth, start)));
        const column = f.int(firstColumn);
        f.for(column, lastColumn, 1, () => {
          const right = f.int(
            i32.add(
              panel(a.columnFactor, a.columnPanels, column, columnPanelBytes),
              i32.mul(start, width * v.bytes),
            ),
          );
          const row = f.int(firstRow);
          f.for(row, lastRow, 1, () => {
            const x = f.int(
              i32.add(
                panel(a.rowFactor, a.rowPanels, row, rowPanelBytes),
                i32.mul(start, lines * v.bytes),
              ),
            );
            const y = f.int(right);
            const end = f.int(i32.add(y, i32.mul(steps, width * v.bytes)));
            const sums = Array.from({ length: lines }, () =>
              Array.from({ length: VECTORS }, () => f.local('v128', v.zero)),
            );
            const columns = sums[0].map(() => f.local('v128'));
            const factor = f.local('v128');
            f.for(y, end, width * v.bytes, () => {
              f.keepLoopSmall(end);
              columns.forEach((vector, i) => {
                f.set(vector, load.v128(y, 16 * i));
              });
              sums.forEach((line, i) => {
                f.set(factor, v.loadSplat(x, i * v.bytes));
                line.forEach((sum, c) => {
                  f.set(sum, v.multiplyAdd(columns[c], factor, sum));
                });
              });
              f.advance(x, lines * v.bytes);
            });
            const top = f.int(i32.mul(row, lines));
            const left = f.int(i32.mul(column, width));
            const rowsLeft = f.int(i32.sub(a.rows, top));
            const columnsLeft = f.int(i32.sub(a.columns, left));
            const at = f.int(
              i32.add(out, i32.add(i32.mul(top, a.outRow), i32.mul(left, a.outColumn))),
            );
            store(at, sums, rowsLeft, columnsLeft, start);
          });
        });
      });
    });

    /** Adds a tile to what earlier steps have summed, or writes it. */
    function store(
      at: Local<'i32'>,
      sums: Local<'v128'>[][],
      rowsLeft: Local<'i32'>,
      columnsLeft: Local<'i32'>,
      earlier: Local<'i32'>,
    ): void {
      const whole = i32.and(i32.geS(rowsLeft, lines), i32.geS(columnsLeft, width));
      const everyLane = () => {
        const place = f.int();
        const before = f.local('v128');
        sums.forEach((line, i) => {
          f.if(i32.gtS(rowsLeft, i), () => {
            line.forEach((sum, c) => {
              for (let lane = 0; lane < v.count; lane++) {
                const column = c * v.count + lane;
                f.if(i32.gtS(columnsLeft, column), () => {
                  const offset = i32.add(i32.mul(a.outRow, i), i32.mul(a.outColumn, column));
                  f.set(place, i32.add(at, offset));
                  f.set(before, select(earlier, v.loadSplat(place), v.zero));
                  v.storeLane(f, place, v.add(before, sum), lane);
                });
              }
            });
          });
        });
      };
      const vectors = () => {
        const place = f.int(at);
        const put = (x: (sum: Vector, offset: number) => Vector) =>
          sums.forEach((line, i) => {
            if (i > 0) f.advance(place, a.outRow);
            line.forEach((sum, c) => {
              f.store('v128', place, x(sum, 16 * c), 16 * c);
            });
          });
        f.if(
          earlier,
          () => put((sum, offset) => v.add(load.v128(place, offset), sum)),
          () => put((sum) => sum),
        );
      };
      if (transposed) everyLane();
      else f.if(whole, vectors, everyLane);
    }
  });
}

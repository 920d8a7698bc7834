import { bytesPerElement, type Kernels, numelOf, type Storage, type View } from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
import type { Call } from '../memory/call.js';
import { calling, type Engine } from './engine.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';
import {
  PANEL_COLUMNS,
  PRODUCT_ARGUMENTS,
  type ProductShape,
  packKernel,
  productKernel,
} from './product-kernels.js';

/** Panels of rows and of columns that an item computes: they stay in the second cache. */
const ROW_PANELS = 16;
const COLUMN_PANELS = 16;

/** A factor `[batch, lines, depth]`: where it is, and bytes from one element to the next. */
interface Factor {
  readonly pointer: number;
  readonly batch: number;
  readonly line: number;
  readonly depth: number;
}

/** Matrix products of floating dtypes, of operands in any layout. */
export function products(engine: Engine): Pick<Kernels, 'matmul'> {
  const host = hostKernels(engine);
  return {
    matmul(a: View, b: View): Storage {
      const floats = a.dtype === 'float32' || a.dtype === 'float64';
      const empty = numelOf(a.shape) === 0 || numelOf(b.shape) === 0;
      if (!floats || empty || (isSmall(engine, a) && isSmall(engine, b))) return host.matmul(a, b);
      return calling(engine, 'matmul', (call) => {
        const [batch, m] = a.shape;
        const n = b.shape[2];
        const out = call.output(a.dtype, batch * m * n);
        multiply(engine, call, a, b, out.pointer);
        return out.storage();
      });
    },
  };
}

function multiply(engine: Engine, call: Call, a: View, b: View, out: number): void {
  const dtype = a.dtype as FloatDType;
  const bytes = bytesPerElement(dtype);
  const [batch, m, depth] = a.shape;
  const n = b.shape[2];
  const left = factor(call, a, 1, 2);
  const right = factor(call, b, 2, 1);
  // Few columns are computed as the rows of the transposed product, since columns come in panels.
  const swap = n < PANEL_COLUMNS[dtype] / 2 && m > n;
  const [rows, columns] = swap ? [n, m] : [m, n];
  const [rowFactor, columnFactor] = swap ? [right, left] : [left, right];
  const lines = Math.min(4, rows);
  const width = PANEL_COLUMNS[dtype];
  const [rowPanels, columnPanels] = [Math.ceil(rows / lines), Math.ceil(columns / width)];
  const rowBlocks = Math.ceil(rowPanels / ROW_PANELS);
  const columnBlocks = Math.ceil(columnPanels / COLUMN_PANELS);
  const pack = (count: number, panelWidth: number, f: Factor): number => {
    const panels = Math.ceil(count / panelWidth);
    const target = call.workspace(batch * panels * panelWidth * depth * bytes);
    const kind = f.line === bytes ? 'lines' : 'depth';
    engine.team.run(packKernel(engine, dtype, panelWidth, kind), batch * panels, [
      ...[f.pointer, target, panels, count, depth, f.batch, f.line, f.depth],
    ]);
    return target;
  };
  const shape: ProductShape = { dtype, lines, transposed: swap };
  const args: Record<(typeof PRODUCT_ARGUMENTS)[number], number> = {
    rowFactor: pack(rows, lines, rowFactor),
    columnFactor: pack(columns, width, columnFactor),
    out,
    rows,
    columns,
    depth,
    rowPanels,
    columnPanels,
    rowBlocks,
    columnBlocks,
    rowPanelsPerItem: ROW_PANELS,
    columnPanelsPerItem: COLUMN_PANELS,
    outBatch: m * n * bytes,
    outRow: swap ? bytes : n * bytes,
    outColumn: swap ? n * bytes : bytes,
  };
  engine.team.run(
    productKernel(engine, shape),
    batch * rowBlocks * columnBlocks,
    PRODUCT_ARGUMENTS.map((name) => args[name]),
  );
}

function factor(call: Call, view: View, line: 1 | 2, depth: 1 | 2): Factor {
  const bytes = bytesPerElement(view.dtype);
  const steps = view.strides.map((s) => s * bytes);
  return {
    pointer: call.readView(view),
    batch: steps[0],
    line: steps[line],
    depth: steps[depth],
  };
}

import type { PoolGeometry } from '../device/device.js';
import { volume } from '../ops/conv/geometry.js';
import { allocateHost } from '../tensor/dtype.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

/**
 * Calls `visit(window, element)` for each element of each window, with positions in the pooled and
 * in the unpooled array. Windows, and the elements of one window, come in row-major order.
 */
function forEachTap(
  outer: number,
  { input: [D, H, W], output: [oD, oH, oW], windows: [deep, high, wide] }: PoolGeometry,
  visit: (window: number, element: number) => void,
): void {
  let window = 0;
  for (let p = 0; p < outer; p++)
    for (let od = 0; od < oD; od++)
      for (let oh = 0; oh < oH; oh++)
        for (let ow = 0; ow < oW; ow++, window++)
          for (let d = deep.starts[od]; d < deep.ends[od]; d += deep.step)
            for (let h = high.starts[oh]; h < high.ends[oh]; h += high.step) {
              const row = ((p * D + d) * H + h) * W;
              for (let w = wide.starts[ow]; w < wide.ends[ow]; w += wide.step)
                visit(window, row + w);
            }
}

/** The first maximum of each window wins, and the last NaN beats everything, as in PyTorch. */
export function maxPoolIndices(view: View, g: PoolGeometry): Storage {
  const outer = view.shape[0];
  const x = rowMajor(view);
  const best = new Float64Array(outer * volume(g.output)).fill(-1);
  forEachTap(outer, g, (window, element) => {
    const at = best[window];
    if (at < 0 || x[element] > x[at] || Number.isNaN(x[element])) best[window] = element;
  });
  const [size, positions] = [volume(g.input), volume(g.output)];
  const out = new BigInt64Array(best.length);
  for (let window = 0; window < out.length; window++)
    out[window] = BigInt(best[window] - Math.floor(window / positions) * size);
  return new Storage('int64', out);
}

/** An array to add up in: wider than float32, so that only the last rounding counts. */
const accumulator = ({ dtype }: View, length: number) =>
  allocateHost(dtype === 'int64' ? dtype : 'float64', length) as Float64Array<ArrayBuffer>;

function rounded({ dtype }: View, sums: Float64Array<ArrayBuffer>): Storage {
  const out = allocateHost(dtype, sums.length) as Float64Array<ArrayBuffer>;
  out.set(sums);
  return new Storage(dtype, out);
}

export function sumPool(view: View, g: PoolGeometry): Storage {
  const outer = view.shape[0];
  const x = rowMajor<Float64Array<ArrayBuffer>>(view);
  const sums = accumulator(view, outer * volume(g.output));
  forEachTap(outer, g, (window, element) => {
    sums[window] += x[element];
  });
  return rounded(view, sums);
}

export function spreadPool(view: View, g: PoolGeometry): Storage {
  const outer = view.shape[0];
  const x = rowMajor<Float64Array<ArrayBuffer>>(view);
  const sums = accumulator(view, outer * volume(g.input));
  forEachTap(outer, g, (window, element) => {
    sums[element] += x[window];
  });
  return rounded(view, sums);
}

import type { PoolGeometry } from '../device/device.js';
import { Storage, type View } from '../tensor/storage.js';
import { rowMajor } from './rows.js';

/** The first maximum of each window wins and NaN beats everything, as in PyTorch. */
export function maxPoolIndices(view: View, g: PoolGeometry): Storage {
  const outer = view.shape[0];
  const x = rowMajor(view);
  const [D, H, W] = g.input;
  const [oD, oH, oW] = g.output;
  const out = new BigInt64Array(outer * oD * oH * oW);
  let at = 0;
  for (let p = 0; p < outer; p++) {
    const base = p * D * H * W;
    for (let od = 0; od < oD; od++)
      for (let oh = 0; oh < oH; oh++)
        for (let ow = 0; ow < oW; ow++) {
          let best = -1;
          for (let kd = 0; kd < g.kernel[0]; kd++) {
            const d = od * g.stride[0] - g.padding[0] + kd * g.dilation[0];
            if (d < 0 || d >= D) continue;
            for (let kh = 0; kh < g.kernel[1]; kh++) {
              const h = oh * g.stride[1] - g.padding[1] + kh * g.dilation[1];
              if (h < 0 || h >= H) continue;
              for (let kw = 0; kw < g.kernel[2]; kw++) {
                const w = ow * g.stride[2] - g.padding[2] + kw * g.dilation[2];
                if (w < 0 || w >= W) continue;
                const i = (d * H + h) * W + w;
                const value = x[base + i];
                if (best < 0 || value > x[base + best] || Number.isNaN(value)) best = i;
              }
            }
          }
          out[at++] = BigInt(best);
        }
  }
  return new Storage('int64', out);
}

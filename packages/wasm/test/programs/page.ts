// What the browser test runs, in a page and in Node alike: a convolution and its gradients.

import { fromHost, type Tensor } from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import { createWasmDevice } from '@voxgrad/wasm';

export interface PageResult {
  readonly isolated: boolean;
  readonly early: number;
  readonly threads: number;
  readonly values: number[];
}

const SHAPES = { x: [2, 4, 7, 8, 19], weight: [6, 4, 3, 3, 3] } as const;

/** Numbers without chance whose float32 products do round. */
const waves = (shape: readonly number[], device: Tensor['device']): Tensor => {
  const length = shape.reduce((a, b) => a * b);
  const values = Float32Array.from({ length }, (_, i) => ((i * 7919) % 1009) / 1009 - 0.4);
  const x = fromHost(values, 'float32', shape, { device });
  x.requiresGrad = true;
  return x;
};

export async function computeOnPage(threads: number): Promise<PageResult> {
  const device = createWasmDevice({ threads, smallBytes: 0 });
  const early = device.threads;
  await device.ready();
  const [x, weight] = [waves(SHAPES.x, device), waves(SHAPES.weight, device)];
  const y = F.conv3d(x, weight, undefined, { padding: 1 });
  y.mul(y).sum().backward();
  const values = [y, x.grad, weight.grad].flatMap((t) => [
    ...((t?.dataSync() ?? []) as Float32Array),
  ]);
  const result = {
    isolated: globalThis.crossOriginIsolated === true,
    early,
    threads: device.threads,
    values,
  };
  device.stop();
  return result;
}

// A small program of the parts: three steps of a convolutional network on numbers without chance.

import { fromHost, manualSeed, tensor } from '@voxgrad/core';
import { Conv3d, Flatten, Linear, MaxPool3d, ReLU, Sequential } from '@voxgrad/nn';
import { crossEntropy } from '@voxgrad/nn/functional';
import { Adam } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';

export async function train(steps, afterStep) {
  const device = createWasmDevice({ threads: 2 });
  await device.ready();
  manualSeed(1);
  const model = new Sequential(
    new Conv3d(1, 4, 3, { padding: 1, device }),
    new ReLU(),
    new MaxPool3d(2),
    new Flatten(),
    new Linear(4 * 8 ** 3, 3, { device }),
  );
  const optimizer = new Adam(model.parameters(), { lr: 0.001 });
  const values = Float32Array.from({ length: 2 * 16 ** 3 }, (_, i) => ((i * 37) % 101) / 101);
  const x = fromHost(values, 'float32', [2, 1, 16, 16, 16], { device });
  const labels = tensor([0n, 2n], { device });
  const losses = [];
  for (let step = 0; step < steps; step++) {
    optimizer.zeroGrad();
    const loss = crossEntropy(model.call(x), labels);
    loss.backward();
    optimizer.step();
    losses.push(loss.item());
    await afterStep?.(step);
  }
  return { losses, threads: device.threads, layer: new Conv3d(1, 1, 1, { device }).toString() };
}

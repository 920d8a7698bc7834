// One network, three devices: which backward runs for each of its convolutions, and why. Then a map of
// where the native backward of an Ascend NPU ends. No NPU is needed: its limits are a profile.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import {
  certify,
  createTfjsDevice,
  getDevice,
  nn,
  npu,
  randn,
  strategies,
  type Tensor,
  tensor,
} from 'voxgrad';
import { figure, picture } from './lib/figure.js';
import { shade } from './lib/pixels.js';

/** `width` is the largest of the map, in steps of 4 · `coarse` voxels. */
export const options = { width: 512, coarse: 2 };

const build = () =>
  new nn.Sequential(
    new nn.Conv3d(1, 4, 3, { padding: 1 }),
    new nn.ReLU(),
    new nn.Conv3d(4, 4, 9, { padding: 4, groups: 4 }), // depthwise, large
    new nn.ReLU(),
    new nn.Conv3d(4, 8, 3, { stride: 2, padding: 2, dilation: 2 }),
  );

export default async function run({ width, coarse }: typeof options, folder: string) {
  tf.env().set('IS_TEST', true); // keeps tfjs from advertising its native backend
  await tf.ready();
  const ascend = npu('Ascend910B1', { cann: '8.2.RC1' });
  const tfjs = createTfjsDevice(tf);
  await certify(tfjs); // its kernels run where they agree with the reference

  // What ran: the same training step on each device, traced.
  const volume = randn([1, 1, 4, 10, 380]);
  const gradients: Tensor[] = [];
  const state = build().stateDict();
  const ran: Record<string, string[]> = {};
  for (const device of [getDevice('wasm'), ascend, tfjs]) {
    const model = build();
    model.loadStateDict(state);
    model.to(device);
    const trace = strategies.trace(() => model.call(volume.to(device)).square().mean().backward());
    const backward = trace.filter(({ op }) => op === 'conv3d');
    console.log(`\n${device.name}\n${strategies.table(backward)}`);
    ran[device.name] = backward.map(({ strategy }) => strategy);
    gradients.push(
      nn.utils.parametersToVector(
        model
          .parameters()
          .map((p) => p.grad ?? tensor(0))
          .map((g) => g.to('cpu')),
      ),
    );
  }
  const apart = gradients.map((g) => Number(g.sub(gradients[0]).abs().max().item()));
  console.log(`\nlargest difference of a gradient: ${Math.max(...apart).toExponential(1)}`);

  // What would run, for each width of the volume and size of the kernel; and the reason in one place.
  const kernels = Array.from({ length: 10 }, (_, i) => 2 * i + 1).reverse();
  const step = 4 * coarse;
  const widths = Array.from({ length: Math.floor(width / step) }, (_, i) => (i + 1) * step);
  const ask = (kernel: number, wide: number, device = ascend) =>
    strategies.explain(
      'conv3d',
      {
        input: [1, 7, 64, 64, wide],
        weight: [7, 1, kernel, kernel, kernel],
        padding: (kernel - 1) / 2,
        groups: 7,
      },
      device,
    );
  const map = kernels.map((kernel) =>
    widths.map((wide) => ['fused', 'tiled', 'composite'].indexOf(ask(kernel, wide).chosen ?? '')),
  );
  const [refused] = ask(9, 168).considered.filter(({ ok }) => !ok);
  console.log(
    `a kernel of 9³ at width 168: ${refused?.name} is refused: ${refused?.reasons.join('; ')}`,
  );

  const square = Math.ceil(widths.length / map.length); // rows for each kernel
  const stretched = tensor(map.flatMap((row) => new Array(square).fill(row)));
  const file = join(folder, 'strategies.svg');
  const panel = picture(
    `Kernels 1³ to 19³ (up), widths ${step} to ${width}`,
    shade(stretched, { palette: 'viridis', range: [0, 2] }),
    'purple: native backward; green: tiled; yellow: composite',
  );
  await writeFile(file, figure([panel]));
  return { picture: file, ran, map, apart };
}

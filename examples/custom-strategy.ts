// A backward strategy of one's own for convolutions, in thirty lines: both gradients tap by tap, each a
// matrix product with a shifted window. It is checked, compared and timed like those that come along.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ConvBackwardStrategy,
  conv3d,
  einsum,
  grad,
  gradcheck,
  gradgradcheck,
  manualSeed,
  pad,
  randn,
  stack,
  strategies,
  type Tensor,
  zeros,
} from 'voxgrad';
import { bars, figure } from './lib/figure.js';

export const options = { edge: 32, channels: 4, repeats: 5 };

const AXES = [0, 1, 2] as const;

const taps: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'taps',
  kind: 'custom',
  supports({ geometry: { stride, groups } }) {
    const ok = groups === 1 && stride.every((step) => step === 1);
    return { ok, reasons: [ok ? 'dense, of stride 1' : 'takes only groups 1 and stride 1'] };
  },
  cost: () => Number.POSITIVE_INFINITY, // runs only where it is asked for by name
  run({ geometry }, { gradOutput, input, weight }, needs) {
    const { kernel, dilation, padding, output } = geometry;
    const { dtype, device } = gradOutput;
    const sizes = AXES.map((a) => geometry.input[a] + padding[a][0] + padding[a][1]);
    const x = input && pad(input, [...padding[2], ...padding[1], ...padding[0]]);
    const dx = zeros([geometry.batch, geometry.inChannels, ...sizes], { dtype, device });
    const weightTaps: Tensor[] = [];
    for (let k = 0; k < kernel[0] * kernel[1] * kernel[2]; k++) {
      const tap = [
        Math.floor(k / kernel[2] / kernel[1]),
        Math.floor(k / kernel[2]) % kernel[1],
        k % kernel[2],
      ];
      /** What this tap reads, of the size of the output. */
      const window = (t: Tensor) =>
        AXES.reduce((part, a) => part.narrow(a + 2, tap[a] * dilation[a], output[a]), t);
      if (needs[1] && x) weightTaps.push(einsum('nodhw,ncdhw->oc', gradOutput, window(x)));
      if (needs[0] && weight)
        window(dx).add_(einsum('nodhw,oc->ncdhw', gradOutput, weight.flatten(2).select(2, k)));
    }
    const inner = AXES.reduce((t, a) => t.narrow(a + 2, padding[a][0], geometry.input[a]), dx);
    const dw = needs[1] ? stack(weightTaps, 2).unflatten(2, kernel) : null;
    return [needs[0] ? inner : null, dw, needs[2] ? gradOutput.sum([0, 2, 3, 4]) : null];
  },
};

export default async function run({ edge, channels, repeats }: typeof options, folder: string) {
  if (!strategies.list('conv3d').some(({ name }) => name === taps.name)) strategies.register(taps);
  manualSeed(1);

  // Right to the first and the second derivative, by differences in float64.
  const layer = (x: Tensor, w: Tensor) =>
    conv3d(x, w, null, { padding: 1, dilation: 2, backward: 'taps' });
  const small = [randn([1, 2, 4, 5, 4]), randn([2, 2, 2, 2, 2])].map((t) =>
    t.double().requiresGrad_(),
  );
  const checked = gradcheck(layer, small) && gradgradcheck(layer, small);

  // Refused with the reason where it does not apply.
  const call = { input: [1, 4, 8, 8, 8], weight: [4, 1, 3, 3, 3], groups: 4 };
  const asked = strategies.explain('conv3d', call).considered.find(({ name }) => name === 'taps');
  console.log(`checked: ${checked}; for groups: ${asked?.reasons.join()}`);

  // As quick as the others?
  const x = randn([1, channels, edge, edge, edge]).requiresGrad_();
  const w = randn([channels, channels, 3, 3, 3]).requiresGrad_();
  const y = conv3d(x, w, null, { padding: 1 });
  const times: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let reference: Tensor | undefined;
  const dense = { input: [...x.shape], weight: [...w.shape], padding: 1 };
  for (const { name, ok } of strategies.explain('conv3d', dense).considered) {
    if (!ok) continue; // transforms, for kernels as small as this
    const backward = () =>
      strategies.with({ conv3d: name }, () =>
        grad(y.square().sum(), [x, w], { retainGraph: true }),
      );
    const samples = Array.from({ length: repeats }, () => {
      const start = performance.now();
      backward()[1]?.dataSync();
      return performance.now() - start;
    });
    times[name] = Math.min(...samples);
    const dw = backward()[1] as Tensor;
    reference ??= dw;
    errors[name] = Number(dw.sub(reference).abs().max().div(reference.abs().max()).item());
    console.log(
      `${name}: ${times[name].toFixed(1)} ms, ${errors[name].toExponential(1)} from the first`,
    );
  }
  const file = join(folder, 'custom-strategy.svg');
  await writeFile(file, figure([bars(`Backward of a convolution, ${edge}³`, times, 'ms')]));
  return { picture: file, checked, errors, reasons: asked?.reasons };
}

// Augmentation and sliding windows on every device, also one that cannot be read synchronously.

import { cpu, cpuKernels, Device, Generator, rand, randint, type Tensor } from '@voxgrad/core';
import {
  Compose,
  Normalize,
  RandomAffine,
  RandomCrop,
  RandomElastic,
  RandomFlip,
  RandomIntensity,
  RandomRotate90,
  slidingWindowInference,
} from '@voxgrad/data';
import { describe, expect, it } from 'vitest';
import { PLACES, tolerance } from '../devices/devices.js';

const capabilities = { ...cpu.capabilities, synchronous: false };
const device = new Device('asynchronous', 'asynchronous', capabilities, cpuKernels);
const places = [...PLACES, { device, dtype: 'float32' as const, name: 'asynchronous float32' }];

const image = rand([2, 5, 6, 4], { dtype: 'float64', generator: new Generator(1) });
const label = randint(0, 9, [5, 6, 4], { dtype: 'uint8', generator: new Generator(2) });

function pipeline(): Compose {
  const generator = new Generator(3);
  return new Compose([
    new RandomFlip({ generator }),
    new RandomRotate90({ generator }),
    new RandomAffine({ rotation: 20, scale: 0.1, shear: 0.1, translation: 1, generator }),
    new RandomElastic({ maxDisplacement: 1, generator }),
    new RandomCrop([5, 4, 4], { padIfNeeded: true, labelValue: 9, generator }),
    new RandomIntensity({ gamma: 0.2, gain: 0.1, bias: 0.1, generator }),
    new Normalize(),
  ]);
}

const numbers = async (x: Tensor) => Array.from(await x.contiguous().data(), Number);

describe.each(places)('$name', ({ device, dtype }) => {
  it('gives the samples of the reference', async () => {
    const right = pipeline().call({ image, label });
    const made = pipeline().call({ image: image.to(dtype).to(device), label: label.to(device) });
    expect([made.image.device, made.label.device]).toEqual([device, device]);
    const [expected, got] = [await numbers(right.image), await numbers(made.image)];
    const error = Math.max(...got.map((value, i) => Math.abs(value - expected[i])));
    expect(error).toBeLessThan(10 * tolerance(dtype, 0));
    expect(await numbers(made.label)).toEqual(await numbers(right.label));
  });

  it('slides windows over its own tensors', async () => {
    const input = image.to(dtype).to(device).unsqueeze(0);
    const predictor = async (window: Tensor) => window.mul(2);
    const output = await slidingWindowInference(input, {
      windowSize: [3, 7, 2],
      blend: 'gaussian',
      predictor,
    });
    expect(output.device).toBe(device);
    expect(await numbers(output)).toEqual(await numbers(input.mul(2)));
  });
});

// A device without any convolution kernel: the composites must run everything out of the primitives.

import { type Capabilities, cpu, cpuKernels, Device, missingKernel } from '@voxgrad/core';

const { convForward: _f, convWeight: _w, convBackward: _b, ...primitives } = cpuKernels;

const capabilities: Capabilities = {
  ...cpu.capabilities,
  checkConv: (kernel) => [missingKernel(kernel)],
};

export const bare = new Device('bare', 'bare', capabilities, primitives);

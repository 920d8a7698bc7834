// certify finds by itself which kernels of TensorFlow.js are wrong: on the wasm backend of 4.22 the
// input gradient of a 3D convolution, and at stride 2 its weight gradient too; the cpu backend is right.

import {
  certify,
  conv3d,
  cpu,
  type Device,
  grad,
  type KernelReport,
  strategies,
  type Tensor,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, filled } from '../../core/test/support/numbers.js';
import { BACKENDS, deviceOn } from './support.js';

const quarantineOf = ({ quarantine }: KernelReport) =>
  quarantine.map(({ result, features }) => ({ result, features }));

async function reportOf(backend: string, kernel: string): Promise<KernelReport> {
  const { kernels } = await certify(await deviceOn(backend));
  return defined(kernels.find((report) => report.kernel === kernel));
}

const gradients = (device: Device, stride: number): Tensor[] => {
  const [x, w] = [filled([1, 2, 5, 7, 7]), filled([2, 2, 3, 3, 3])].map((t) =>
    t.to('float32').to(device).requiresGrad_(),
  );
  return grad(conv3d(x, w, null, { stride }).square().sum(), [x, w]).map((g) => defined(g));
};

describe('certify and the kernels of tfjs', () => {
  it('trusts all of those of the cpu backend', async () => {
    const report = await certify(await deviceOn('cpu'));
    expect(report.ok, String(report)).toBe(true);
    for (const kernel of ['convForward', 'convWeight', 'convBackward'])
      expect(report.kernels.find((k) => k.kernel === kernel)).toMatchObject({ verdict: 'trusted' });
  });

  it('trusts the forward of the wasm backend', async () => {
    expect(await reportOf('wasm', 'convForward')).toMatchObject({ verdict: 'trusted', failed: 0 });
  });

  it('finds that the backward of the wasm backend is wrong, and where', async () => {
    const report = await reportOf('wasm', 'convBackward');
    expect(report.verdict).toBe('quarantined');
    expect(quarantineOf(report)).toEqual([
      { result: 'input', features: [] },
      { result: 'weight', features: ['stride over 1'] },
    ]);
    for (const { evidence } of report.quarantine) expect(evidence.error).toBeGreaterThan(0.1);
    const alone = await reportOf('wasm', 'convWeight');
    expect(quarantineOf(alone)).toEqual([{ result: null, features: ['stride over 1'] }]);
  });

  it.each(BACKENDS)('gradients on %s are right, asked or not', async (backend) => {
    const device = await deviceOn(backend);
    for (const stride of [1, 2])
      gradients(device, stride).forEach((g, i) => {
        expectClose(g, gradients(cpu, stride)[i], 1e-5);
      });
    const call = { input: [1, 2, 5, 7, 7], weight: [2, 2, 3, 3, 3] };
    const { chosen } = strategies.explain('conv3d', call, device);
    expect(chosen).toBe(backend === 'wasm' ? 'composite' : 'fused');
  });
});

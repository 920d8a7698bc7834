// Trust is earned: kernels of foreign devices are compared with the reference before they run, and
// what errs is kept away from exactly the calls that it gets wrong, with the numbers.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { defined, expectClose, filled } from './support/numbers.js';

const { strategies } = vg;

const reference = {
  convForward: defined(vg.cpuKernels.convForward),
  convBackward: defined(vg.cpuKernels.convBackward),
};

/** The reference's kernels as somebody else's: other functions that compute the same. */
const copied: Partial<vg.Kernels> = {
  convForward: (...args) => reference.convForward(...args),
  convBackward: (...args) => reference.convBackward(...args),
  convWeight: (x, g, geometry) =>
    defined(reference.convBackward(g, x, null, geometry, [false, true, false])[1]),
  reluBackward: (g, y) => vg.cpuKernels.reluBackward(g, y),
  maxPoolIndices: (x, geometry) => vg.cpuKernels.maxPoolIndices(x, geometry),
  sumPool: (x, geometry) => vg.cpuKernels.sumPool(x, geometry),
  spreadPool: (x, geometry) => vg.cpuKernels.spreadPool(x, geometry),
};

let count = 0;
const foreign = (
  kernels: Partial<vg.Kernels> = {},
  capabilities: Partial<vg.Capabilities> = {},
): vg.Device =>
  new vg.Device(
    `foreign${count++}`,
    'foreign',
    { ...vg.cpu.capabilities, checkConv: () => [], foreign: true, ...capabilities },
    { ...vg.cpuKernels, ...copied, ...kernels },
  );

const negated = (storage: vg.Storage | null): vg.Storage | null =>
  storage &&
  new vg.Storage(
    storage.dtype,
    Float64Array.from(storage.array as Float64Array, (n) => -n),
  );

/** Gradients of a convolution that nothing has forced. */
function backward(device: vg.Device, options: vg.ConvCallOptions = {}): vg.Tensor[] {
  const [x, w] = [filled([1, 2, 7, 8, 9]), filled([2, 2, 3, 3, 3])].map((t) =>
    t.to(device).requiresGrad_(),
  );
  const y = vg.conv3d(x, w, null, options);
  return vg.grad(y.square().sum(), [x, w]).map((g) => defined(g));
}

const ran = (fn: () => unknown) => strategies.trace(fn).map((e) => `${e.op} ${e.strategy}`);

const right = (device: vg.Device, options: vg.ConvCallOptions = {}) => {
  const expected = backward(vg.cpu, options);
  backward(device, options).forEach((g, i) => {
    expectClose(g, expected[i], 1e-12);
  });
};

const kernelOf = (report: vg.CertifyReport, kernel: string, dtype = 'float64') =>
  defined(report.kernels.find((k) => k.kernel === kernel && k.dtype === dtype));

describe('certify', () => {
  it('trusts what agrees with the reference, in every float dtype that the device computes', async () => {
    const report = await vg.certify(foreign());
    expect(report.ok).toBe(true);
    for (const kernel of ['convForward', 'convWeight', 'convBackward', 'sumPool'])
      for (const dtype of ['float32', 'float64'])
        expect(kernelOf(report, kernel, dtype)).toMatchObject({ verdict: 'trusted', failed: 0 });
    expect(kernelOf(report, 'batchNorm').verdict).toBe('absent');
    expect(kernelOf(report, 'convBackward').cases).toBeGreaterThan(40);
  });

  it('tells kernels that are the reference itself, and refused calls, from trusted ones', async () => {
    const device = foreign(vg.cpuKernels, {
      checkConv: (kernel) => (kernel === 'convForward' ? [vg.missingKernel(kernel)] : []),
    });
    const report = await vg.certify(device);
    expect(kernelOf(report, 'sumPool').verdict).toBe('shared');
  });

  it('certifies the reference and the default device', async () => {
    expect((await vg.certify('cpu')).ok).toBe(true);
  });

  it('reports as plain data and as a table', async () => {
    const report = await vg.certify(
      foreign({ convForward: (x, w, g) => defined(negated(reference.convForward(x, w, g))) }),
    );
    const table = String(report);
    expect(table).toContain('kernels in quarantine');
    expect(table).toMatch(/convForward +float64 +1\/\d+ +\S+ +1e-12 +quarantined/);
    expect(table).toMatch(
      /convForward float64: the result is wrong; case 'plain', output: .* instead of/,
    );
    expect(JSON.parse(JSON.stringify(report))).toEqual({ ...report });
  });

  it('refuses unknown options and time-outs', async () => {
    await expect(vg.certify('cpu', { timeoutMs: -1 })).rejects.toThrow('timeoutMs');
    await expect(vg.certify('cpu', { timeout: 1 } as never)).rejects.toThrow('timeout');
  });
});

describe('a broken device', () => {
  const breakers: [string, Partial<vg.Kernels>, RegExp][] = [
    [
      'a wrong sign',
      {
        convBackward(...args) {
          const [dx, dw, db] = reference.convBackward(...args);
          return [negated(dx), dw, db];
        },
      },
      /the input gradient wrong; case 'plain', input: \S+ instead of \S+ at \[[\d, ]+\] \(relative error/,
    ],
    [
      'NaN',
      {
        convBackward(...args) {
          const [dx, dw, db] = reference.convBackward(...args);
          if (dw) (dw.array as Float64Array)[1] = Number.NaN;
          return [dx, dw, db];
        },
      },
      /the weight gradient wrong; .* NaN instead of/,
    ],
    [
      'a wrong size',
      {
        convBackward(...args) {
          const [dx, dw] = reference.convBackward(...args);
          return [dx, dw, dx];
        },
      },
      /the bias gradient wrong; .* elements instead of the 3 of \[3\]/,
    ],
    [
      'a throw',
      {
        convBackward() {
          throw new Error('no such shader');
        },
      },
      /it threw: no such shader/,
    ],
    ['no result', { convBackward: () => [null, null, null] }, /nothing was returned/],
  ];

  it.each(breakers)('%s is found at the first selection, with the numbers', (_, kernels, text) => {
    const device = foreign(kernels);
    const strategiesRun = ran(() => right(device));
    expect(strategiesRun).toContain('conv3d.forward fused');
    const { considered } = strategies.explain(
      'conv3d',
      { input: [1, 2, 7, 8, 9], weight: [2, 2, 3, 3, 3], dtype: 'float64', bias: true },
      device,
    );
    const fused = defined(considered.find((s) => s.name === 'fused'));
    expect(fused.ok).toBe(false);
    expect(fused.reasons.join()).toMatch(text);
  });

  it('wrong at stride 2 only is kept from strided calls only', async () => {
    const device = foreign({
      convBackward(g, x, w, geometry, needs) {
        const [dx, dw, db] = reference.convBackward(g, x, w, geometry, needs);
        return [dx, geometry.stride.some((s) => s > 1) ? negated(dw) : dw, db];
      },
    });
    const report = kernelOf(await vg.certify(device), 'convBackward');
    expect(report.quarantine.map(({ result, features }) => ({ result, features }))).toEqual([
      { result: 'weight', features: ['stride over 1'] },
    ]);
    expect(ran(() => right(device)).at(-1)).toBe('conv3d fused');
    expect(ran(() => right(device, { stride: 2 })).at(-1)).not.toBe('conv3d fused');
    expect(ran(() => right(device, { padding: 1, dilation: 2 })).at(-1)).toBe('conv3d fused');
  });

  it('wrong for a combination only is kept from that combination', async () => {
    const device = foreign({
      convForward(x, w, g) {
        const y = reference.convForward(x, w, g);
        const both = g.stride.some((s) => s > 1) && g.dilation.some((d) => d > 1);
        return both ? defined(negated(y)) : y;
      },
    });
    const { quarantine } = kernelOf(await vg.certify(device), 'convForward');
    expect(quarantine.map((q) => q.features)).toEqual([['stride over 1', 'dilation over 1']]);
  });

  it('wrong in one dtype is kept from that dtype', async () => {
    const device = foreign({
      convForward(x, w, g) {
        const y = reference.convForward(x, w, g);
        return x.dtype === 'float32' ? new vg.Storage('float32', new Float32Array(y.length)) : y;
      },
    });
    const report = await vg.certify(device);
    expect(kernelOf(report, 'convForward', 'float32').verdict).toBe('quarantined');
    expect(kernelOf(report, 'convForward', 'float64').verdict).toBe('trusted');
  });

  it('the composite does not use a convicted kernel either', () => {
    const device = foreign(
      {
        convForward: (x, w, g) => defined(negated(reference.convForward(x, w, g))),
        convBackward: undefined,
        convWeight: undefined,
      },
      { checkConv: (kernel) => (kernel === 'convForward' ? [] : [vg.missingKernel(kernel)]) },
    );
    right(device);
  });

  it('fused kernels beside the convolutions give way to compositions, and the trace has the evidence', () => {
    const zero = (like: vg.View) => new vg.Storage(like.dtype, new Float64Array(2 * 27));
    const device = foreign({
      reluBackward: zero,
      sumPool: () => zero(filled([1])),
      spreadPool: () => zero(filled([1])),
      maxPoolIndices: (x, geometry) => {
        const indices = vg.cpuKernels.maxPoolIndices(x, geometry);
        (indices.array as BigInt64Array).fill(0n);
        return indices;
      },
    });
    const x = filled([1, 2, 3, 3, 3]).to(device).requiresGrad_();
    const [slope] = vg.grad(vg.relu(x).sum(), x);
    expectClose(defined(slope), x.detach().gt(0).to('float64'), 0);
    const pool = (on: vg.Device) => {
      const leaf = filled([1, 2, 3, 4, 5]).to(on).requiresGrad_();
      const y = vg.avgPool3d(leaf, 2, { stride: 1, padding: 1, countIncludePad: false });
      return [y, ...vg.grad(y.mul(y).sum(), leaf).map((g) => defined(g))];
    };
    let pooled: vg.Tensor[] = [];
    const entries = strategies.trace(() => {
      pooled = pool(device);
    });
    pool(vg.cpu).forEach((right, i) => {
      expectClose(pooled[i], right, 1e-12, `pool ${i}`);
    });
    for (const op of ['sumPool.forward', 'spreadPool.forward']) {
      const entry = entries.find((e) => e.op === op);
      expect(entry?.strategy).toBe('composite');
      expect(entry?.reasons.join()).toMatch(/fused refused: (sum|spread)Pool of foreign/);
    }
    const plane = x.detach().narrow(1, 0, 1);
    expect(vg.maxPool3d(plane, 3).item()).toBe(Math.max(...(plane.flatten().tolist() as number[])));
  });
});

describe('an asynchronous device', () => {
  const slow = (kernels: Partial<vg.Kernels> = {}) => foreign(kernels, { synchronous: false });

  it('composes until certify was awaited, and then runs its kernels', async () => {
    const device = slow();
    const before = strategies.trace(() => backward(device));
    expect(before.map((e) => e.strategy)).not.toContain('fused');
    expect(before[0].reasons.join()).toContain('await certify(device) once, before the first use');
    expect((await vg.certify(device)).ok).toBe(true);
    expect(ran(() => backward(device))).toEqual(['conv3d.forward fused', 'conv3d fused']);
  });

  it('keeps composing where a kernel errs', async () => {
    const device = slow({
      convForward: (x, w, g) => defined(negated(reference.convForward(x, w, g))),
    });
    expect((await vg.certify(device)).ok).toBe(false);
    expect(ran(() => backward(device))).not.toContain('conv3d.forward fused');
  });
});

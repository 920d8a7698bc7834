// Every row of the table of operations, its gradients and its second-order products: on every
// device and dtype as on the cpu in float64.

import { cpu, type Device, type DType, grad, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectReadClose, filled } from '../../packages/core/test/support/numbers.js';
import { inputsOf, operationRows, type Row } from '../../packages/core/test/support/operations.js';
import { PLACES, tolerance, unlessItMustRead } from './devices.js';

const listOf = (result: Tensor | Tensor[]) => (Array.isArray(result) ? result : [result]);

/** Outputs, gradients along fixed directions, and gradients of those along others. */
function derive(r: Row, device: Device, dtype: DType) {
  const place = (x: Tensor) => x.to(dtype).to(device);
  const inputs = inputsOf(r).map((x) => place(x).requiresGrad_());
  const outputs = listOf(r.run(...inputs));
  const along = (x: Tensor) => place(filled(x.shape, 0.5, 1.5));
  const options = { createGraph: true, allowUnused: true };
  const first = grad(outputs, inputs, { gradOutputs: outputs.map(along), ...options });
  const directional = first.flatMap((g) => (g ? [g.mul(along(g)).sum()] : []));
  const total = directional.reduce((a, b) => a.add(b));
  const second = total.requiresGrad ? grad(total, inputs, { allowUnused: true }) : [];
  return { outputs, first, second };
}

describe.each(PLACES)('$name: operations', ({ device, dtype }) => {
  it.each(operationRows.map((r) => [r.title, r] as const))('%s', async (_, r) => {
    const got = unlessItMustRead(device, () => derive(r, device, dtype));
    if (!got) return;
    const right = derive(r, cpu, 'float64');
    for (const y of got.outputs) expect([y.device, y.dtype]).toEqual([device, dtype]);
    const compare = async (order: 0 | 1 | 2, a: (Tensor | null)[], b: (Tensor | null)[]) => {
      expect(a.map((x) => x === null)).toEqual(b.map((x) => x === null));
      for (const [i, x] of a.entries()) {
        const what = `order ${order}, number ${i}`;
        if (x) await expectReadClose(x, defined(b[i]), tolerance(dtype, order), what);
      }
    };
    await compare(0, got.outputs, right.outputs);
    await compare(1, got.first, right.first);
    await compare(2, got.second, right.second);
  });
});

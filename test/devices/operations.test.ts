// Every row of the table of operations, its gradients and its second-order products: on every
// device and dtype as on the cpu in float64.

import { cpu, type Device, type DType, grad, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, filled } from '../../packages/core/test/support/numbers.js';
import { inputsOf, operationRows, type Row } from '../../packages/core/test/support/operations.js';
import { PLACES, tolerance } from './devices.js';

const listOf = (result: Tensor | Tensor[]) => (Array.isArray(result) ? result : [result]);

/** Outputs, gradients along fixed directions, and gradients of those along others. */
function derive(r: Row, device: Device, dtype: DType) {
  const place = (x: Tensor) => x.to(dtype).to(device);
  const inputs = inputsOf(r).map((x) => place(x).requiresGrad_());
  const outputs = listOf(r.run(...inputs));
  const along = (x: Tensor) => place(filled(x.shape, 0.5, 1.5));
  const first = grad(outputs, inputs, { gradOutputs: outputs.map(along), createGraph: true });
  const directional = first.map((g) =>
    defined(g)
      .mul(along(defined(g)))
      .sum(),
  );
  const total = directional.reduce((a, b) => a.add(b));
  const second = total.requiresGrad ? grad(total, inputs, { allowUnused: true }) : [];
  return { outputs, first: first.map((g) => defined(g)), second };
}

describe.each(PLACES)('$name: operations', ({ device, dtype }) => {
  it.each(operationRows.map((r) => [r.title, r] as const))('%s', (_, r) => {
    const got = derive(r, device, dtype);
    const right = derive(r, cpu, 'float64');
    got.outputs.forEach((y, i) => {
      expect([y.device, y.dtype]).toEqual([device, dtype]);
      expectClose(y, right.outputs[i], tolerance(dtype, 0), `output ${i}`);
    });
    got.first.forEach((g, i) => {
      expectClose(g, right.first[i], tolerance(dtype, 1), `gradient ${i}`);
    });
    got.second.forEach((g, i) => {
      const expected = right.second[i];
      if (expected === null) expect(g).toBeNull();
      else expectClose(defined(g), expected, tolerance(dtype, 2), `second-order product ${i}`);
    });
  });
});

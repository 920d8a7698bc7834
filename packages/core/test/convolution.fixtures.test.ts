// Convolutions against real PyTorch (test/fixtures/convolution.*, made by test/oracle): output, the
// three gradients and the second-order products, in float64, for every strategy of the reference
// device. All devices: test/devices.

import { describe, it } from 'vitest';
import { strategies } from '../src/index.js';
import { CaseTensors, computeCase, convolutionCases } from './support/convolution-fixtures.js';
import { expectClose } from './support/numbers.js';

const FIRST_ORDER = 1e-13;
const SECOND_ORDER = 1e-12;

describe.each(['fused', 'composite'])('convolution fixtures, strategy %s', (strategy) => {
  it.each(convolutionCases.map((c) => [c.name, c] as const))('%s', (name, c) => {
    const { output, first, second } = strategies.with({ 'conv3d.forward': strategy }, () =>
      computeCase(c, undefined, strategy),
    );
    const from = new CaseTensors(name);
    expectClose(output, from.expected('output'), FIRST_ORDER, 'output');
    for (const [key, got] of first) expectClose(got, from.expected(key), FIRST_ORDER, key);
    for (const [key, got] of second) expectClose(got, from.expected(key), SECOND_ORDER, key);
  });
});

// The convolutions of real PyTorch on every device, dtype and strategy: output, gradients, second
// order. Where the device's capabilities refuse the strategy, forcing it must throw what they say.

import { type ConvCallLike, type Device, strategies, VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import {
  CaseTensors,
  type ConvolutionCase,
  computeCase,
  convolutionCases,
} from '../../packages/core/test/support/convolution-fixtures.js';
import { expectReadClose, thrownBy } from '../../packages/core/test/support/numbers.js';
import { PLACES, STRATEGIES, tolerance } from './devices.js';

/** What the registry was asked while the reference ran a case, second order included. */
const callsOf = new Map(
  convolutionCases.map((c) => [c.name, strategies.trace(() => computeCase(c))]),
);

/** Why `strategy` does not run on `device` for some call of the case; empty if it does. */
function refusals(c: ConvolutionCase, strategy: string, { device, dtype }: (typeof PLACES)[0]) {
  return (callsOf.get(c.name) ?? []).flatMap(({ op, call }) => {
    const asked = { ...(call as ConvCallLike), dtype };
    const { considered } = strategies.explain(op, asked, device);
    return considered.filter((s) => s.name === strategy && !s.ok).flatMap((s) => s.reasons);
  });
}

const OPS = ['conv3d', 'conv3d.forward', 'convTranspose3d.forward'];

/** Forces `strategy` wherever a convolution or one of its adjoints has one of that name. */
function forcing<T>(strategy: string, fn: () => T): T {
  const known = OPS.filter((op) => strategies.list(op).some(({ name }) => name === strategy));
  return strategies.with(Object.fromEntries(known.map((op) => [op, strategy])), fn);
}

describe.each(PLACES)('$name', (place) => {
  describe.each(STRATEGIES)('convolutions, strategy %s', (strategy) => {
    it.each(convolutionCases.map((c) => [c.name, c] as const))('%s', async (name, c) => {
      const compute = () => forcing(strategy, () => computeCase(c, place, strategy));
      const reasons = refusals(c, strategy, place);
      if (reasons.length > 0) {
        const error = thrownBy(compute);
        expect(error).toBeInstanceOf(VoxgradError);
        expect(reasons.some((reason) => error.message.includes(reason))).toBe(true);
        return;
      }
      await expectCase(name, place.device, place.dtype, compute());
    });
  });

  it.each(convolutionCases.map((c) => [c.name, c] as const))(
    'unforced, something always runs: %s',
    (name, c) => expectCase(name, place.device, place.dtype, computeCase(c, place)),
  );
});

async function expectCase(
  name: string,
  device: Device,
  dtype: (typeof PLACES)[0]['dtype'],
  { output, first, second }: ReturnType<typeof computeCase>,
): Promise<void> {
  const from = new CaseTensors(name);
  const compare = async (key: string, got: typeof output, order: 0 | 1 | 2) => {
    expect([got.device, got.dtype]).toEqual([device, dtype]);
    await expectReadClose(got, from.expected(key), tolerance(dtype, order), key);
  };
  await compare('output', output, 0);
  for (const [key, got] of first) await compare(key, got, 1);
  for (const [key, got] of second) await compare(key, got, 2);
}

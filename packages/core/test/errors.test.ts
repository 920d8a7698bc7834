// What wrong calls say. The rows of test/fixtures/convolution_errors.json were thrown by real
// PyTorch; those of modules are checked in packages/nn/test.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { readJson } from './fixtures.js';
import { thrownBy } from './support/numbers.js';

interface ErrorRow {
  readonly op: string;
  readonly input: number[];
  readonly weight?: number[];
  readonly bias?: number[] | null;
  readonly options: vg.ConvCallOptions & vg.ConvTransposeCallOptions;
  readonly message: string;
}

const FUNCTIONS: Readonly<Record<string, typeof vg.conv3d>> = {
  conv1d: vg.conv1d,
  conv2d: vg.conv2d,
  conv3d: vg.conv3d,
  convTranspose1d: vg.convTranspose1d as typeof vg.conv3d,
  convTranspose2d: vg.convTranspose2d as typeof vg.conv3d,
  convTranspose3d: vg.convTranspose3d as typeof vg.conv3d,
};

const rows = readJson<{ errors: ErrorRow[] }>('convolution_errors').errors.filter(
  (r) => r.op in FUNCTIONS,
);

const zeros = (shape: readonly number[]) => vg.zeros(shape, { dtype: 'float64' });

const call = (r: ErrorRow) =>
  FUNCTIONS[r.op](
    zeros(r.input),
    zeros(r.weight ?? []),
    r.bias ? zeros(r.bias) : null,
    r.options,
  );

/** Where we say it more clearly than PyTorch: its text, ours, and why. */
const CLEARER: readonly { torch: string; ours: string; why: string }[] = [
  {
    torch:
      'expected stride to be a single integer value or a list of 2 values to match the convolution dimensions, but got stride=[1, 1, 1]',
    ours: 'expected 5-dimensional weight for conv3d, but got weight of size [2, 2, 3, 3]',
    why: 'the weight of conv3d is 4-dimensional; the user gave no stride at all',
  },
  {
    torch: "Calculated padded input size per channel: (4 x 4 x 4). Kernel size: (3 x 1 x 5). Kernel size can't be greater than actual input size",
    ours: 'dilation should be greater than zero, but got [1, 0, 2]',
    why: 'the dilation of 0 is the mistake; a kernel size of 1 comes from it',
  },
];

describe('convolutions in the words of PyTorch', () => {
  it.each(rows.map((r) => [`${r.op} ${JSON.stringify({ ...r, message: undefined })}`, r] as const))(
    '%s',
    (_, r) => {
      const clearer = CLEARER.find(({ torch }) => torch === r.message);
      const error = thrownBy(() => call(r));
      expect(error).toBeInstanceOf(vg.VoxgradError);
      expect(error.message).toContain(clearer?.ours ?? r.message);
    },
  );

  it('each clearer text stands for a text that PyTorch gives', () => {
    for (const { torch } of CLEARER) expect(rows.map((r) => r.message)).toContain(torch);
  });
});

// What constructors and modules say to wrong arguments: the rows of
// test/fixtures/convolution_errors.json that real PyTorch's modules threw.

import { VoxgradError, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../core/test/fixtures.js';
import { thrownBy } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';
import { build } from './build.js';

interface ErrorRow {
  readonly op: string;
  readonly args?: unknown[];
  readonly options: Record<string, unknown>;
  readonly message: string;
  readonly input?: number[];
  readonly outputSize?: number[];
}

const rows = readJson<{ errors: ErrorRow[] }>('convolution_errors').errors.filter((r) => r.args);

describe('modules in the words of PyTorch', () => {
  it.each(rows.map((r) => [`${r.op} ${JSON.stringify({ ...r, message: undefined })}`, r] as const))(
    '%s',
    (_, { op, args = [], options, input, outputSize, message }) => {
      const error = thrownBy(() => {
        const module = build({ module: op, args, options });
        if (input === undefined) return;
        if (module instanceof nn.ConvTranspose3d) module.call(zeros(input), outputSize);
        else if (module instanceof nn.Conv3d) module.call(zeros(input));
      });
      expect(error).toBeInstanceOf(VoxgradError);
      expect(error.message).toContain(message);
    },
  );

  it.each([
    ['fractional channels', () => new nn.Conv3d(1.5, 2, 3), 'inChannels must be a non-negative'],
    ['a string kernel', () => new nn.Conv3d(1, 2, '3' as never), "argument 'kernel_size' must be"],
    ['a fractional kernel', () => new nn.Conv3d(1, 2, 1.5), 'kernel_size must be integers'],
    ['a negative kernel', () => new nn.Conv3d(1, 2, -3), 'negative dimension -3'],
    [
      'two of three strides',
      () => new nn.Conv3d(1, 2, 3, { stride: [1, 2] }),
      'a list of 3 values',
    ],
    [
      'no module in Sequential',
      () => new nn.Sequential(3 as never),
      'expected a Module, but got 3',
    ],
    [
      'a dot in the name of a buffer',
      () => new nn.ReLU().registerBuffer('a.b', zeros([1])),
      'must not be empty or hold a dot',
    ],
    [
      'a buffer in the place of a child', // PyTorch: attribute 'training' already exists
      () => new nn.ReLU().registerBuffer('training', zeros([1])),
      "attribute 'training' already exists",
    ],
    ['Module.to an integer dtype', () => new nn.ReLU().to('int64'), 'only accepts floating point'],
  ])('refuses %s', (_, make, text) => {
    const error = thrownBy(make);
    expect(error).toBeInstanceOf(VoxgradError);
    expect(error.message).toContain(text);
  });
});

// What real PyTorch wrote, read back (test/oracle/checkpoints.py makes the files).

import { StateDict, type Tensor } from '@voxgrad/core';
import { describe, expect, test } from 'vitest';
import { load, loadStateDict } from '../src/index.js';
import { fixture, fixturePath, mapIn, tensorIn } from './support.js';

interface ExpectedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly (number | string | boolean)[];
  /** The elements in row-major order, little-endian, in hexadecimal digits. */
  readonly bytes: string;
}

const expectedDtypes = (): ExpectedTensor[] =>
  JSON.parse(new TextDecoder().decode(fixture('dtypes.json'))).tensors;

/** Elements in the form of dtypes.json: numbers, int64 as text. */
const valuesOf = (tensor: Tensor): (number | bigint | boolean)[] => {
  const nested: unknown[] = [tensor.tolist()];
  return nested.flat(Number.POSITIVE_INFINITY) as (number | bigint | boolean)[];
};

const KEYS = [
  'conv.weight',
  'conv.bias',
  'norm.weight',
  'norm.bias',
  'norm.running_mean',
  'norm.running_var',
  'norm.num_batches_tracked',
  'up.weight',
  'classify.weight',
  'classify.bias',
];

test.each(['checkpoint.pt', 'checkpoint_legacy.pt'])('%s is a StateDict', async (name) => {
  const dict = await load(fixturePath(name));
  expect(dict).toBeInstanceOf(StateDict);
  expect([...mapIn(dict).keys()]).toEqual(KEYS);
  expect((dict as StateDict).metadata).toEqual(
    new Map([
      ['', { version: 1 }],
      ['conv', { version: 1 }],
      ['norm', { version: 2 }],
      ['up', { version: 1 }],
      ['classify', { version: 1 }],
    ]),
  );
});

test('the three forms of one state dict hold the same numbers', async () => {
  const zip = await loadStateDict(fixture('checkpoint.pt'));
  const legacy = await loadStateDict(fixture('checkpoint_legacy.pt'));
  const safetensors = await loadStateDict(fixture('checkpoint.safetensors'));
  expect(safetensors.metadata).toBeUndefined();
  for (const key of KEYS) {
    const tensors = [zip, legacy, safetensors].map((dict) => tensorIn(dict.get(key)));
    for (const tensor of tensors) {
      expect(tensor.shape).toEqual(tensors[0].shape);
      expect(tensor.dtype).toBe(tensors[0].dtype);
      expect(tensor.dataSync()).toEqual(tensors[0].dataSync());
    }
  }
});

describe.each(['dtypes.pt', 'dtypes_legacy.pt'])('%s', (file) => {
  test.each(expectedDtypes())('$name', async ({ name, dtype, shape, values, bytes }) => {
    const tensor = tensorIn(mapIn(await load(fixturePath(file))).get(name));
    const { buffer, byteOffset, byteLength } = tensor.dataSync();
    expect(Buffer.from(buffer, byteOffset, byteLength).toString('hex')).toBe(bytes);
    expect(tensor.dtype).toBe(dtype);
    expect(tensor.shape).toEqual(shape);
    const expected = values.map((value) => {
      if (typeof value === 'boolean') return value;
      return dtype === 'int64' ? BigInt(value) : Number(value);
    });
    expect(valuesOf(tensor)).toEqual(expected);
  });

  test('layouts are kept, not copied', async () => {
    const all = mapIn(await load(fixturePath(file)));
    expect(tensorIn(all.get('transposed')).strides).toEqual([1, 3]);
    expect(tensorIn(all.get('channels_last_3d')).strides).toEqual([12, 1, 6, 6, 3]);
    expect(tensorIn(all.get('expanded')).strides).toEqual([1, 0]);
    expect(tensorIn(all.get('parameter')).requiresGrad).toBe(true);
    expect(tensorIn(all.get('float32')).requiresGrad).toBe(false);
  });

  test('tensors that shared a storage still do', async () => {
    const all = mapIn(await load(fixturePath(file)));
    const first = tensorIn(all.get('shared_first'));
    const second = tensorIn(all.get('shared_second'));
    expect(second.storage).toBe(first.storage);
    first.storage.array[3] = -7;
    expect(first.tolist()).toEqual([1, 2, -7, 4]);
    expect(second.tolist()).toEqual([[-7], [5], [7]]);
  });
});

describe('training_checkpoint.pt', () => {
  test('holds plain values and nested dicts', async () => {
    const all = mapIn(await load(fixturePath('training_checkpoint.pt')));
    expect(all.get('epoch')).toBe(3);
    expect(all.get('note')).toBe('text');
    expect(all.get('history')).toEqual([0.5, 0.25]);
    expect(all.get('shape')).toEqual([1, 2, 3]);
    expect(all.get('model')).toBeInstanceOf(StateDict);
    const optimizer = mapIn(all.get('optimizer'));
    const state = mapIn(optimizer.get('state'));
    expect([...state.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const first = mapIn(state.get(0));
    expect(tensorIn(first.get('exp_avg')).shape).toEqual([2, 1, 3, 3, 3]);
    const [group] = optimizer.get('param_groups') as unknown[];
    expect(mapIn(group).get('betas')).toEqual([0.9, 0.999]);
    expect(mapIn(group).get('lr')).toBe(0.01);
    expect(mapIn(group).get('foreach')).toBe(null);
  });

  test('loadStateDict finds the model in it', async () => {
    const dict = await loadStateDict(fixturePath('training_checkpoint.pt'));
    expect([...dict.keys()]).toEqual(KEYS);
    expect(dict.metadata?.get('norm')).toEqual({ version: 2 });
  });
});

test.each(['training.pt', 'training_classifier.pt'])('%s loads in float64', async (name) => {
  const dict = await loadStateDict(fixturePath(name));
  expect(tensorIn(dict.get('0.weight')).dtype).toBe('float64');
});

test('large safetensors fixtures load', async () => {
  const dict = await loadStateDict(fixturePath('convolution.safetensors'));
  expect(dict.size).toBeGreaterThan(100);
});

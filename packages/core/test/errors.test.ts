// What wrong calls say. The rows of test/fixtures/convolution_errors.json were thrown by real
// PyTorch; those of modules are checked in packages/nn/test.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { readJson } from './fixtures.js';
import { defined, expectClose, filled, thrownBy } from './support/numbers.js';

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
  FUNCTIONS[r.op](zeros(r.input), zeros(r.weight ?? []), r.bias ? zeros(r.bias) : null, r.options);

/** Where we say it more clearly than PyTorch: its text, ours, and why. */
const CLEARER: readonly { torch: string; ours: string; why: string }[] = [
  {
    torch:
      'expected stride to be a single integer value or a list of 2 values to match the convolution dimensions, but got stride=[1, 1, 1]',
    ours: 'expected 5-dimensional weight for conv3d, but got weight of size [2, 2, 3, 3]',
    why: 'the weight of conv3d is 4-dimensional; the user gave no stride at all',
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

// ---- calls that PyTorch's Python signature does not let through, or that it gets wrong ----

const x = zeros([1, 2, 4, 4, 4]);
const w = zeros([2, 2, 3, 3, 3]);
const conv = (options: object) => vg.conv3d(x, w, null, options);
const transposed = (options: object) => vg.convTranspose3d(x, w, null, options);

type Refused = readonly [call: () => unknown, code: string, text: string];

function refuses(title: string, table: Readonly<Record<string, Refused>>): void {
  it.each(Object.entries(table))(`${title}: %s`, (_, [fn, code, text]) => {
    const error = thrownBy(fn);
    expect(error).toBeInstanceOf(vg.VoxgradError);
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(text);
  });
}

describe('bad arguments of convolutions', () => {
  refuses('stride', {
    "'2'": [() => conv({ stride: '2' }), 'ARGUMENT', "argument 'stride' must be a number"],
    NaN: [() => conv({ stride: Number.NaN }), 'ARGUMENT', 'stride must be integers, but got [NaN]'],
    fraction: [() => conv({ stride: 1.5 }), 'ARGUMENT', 'stride must be integers, but got [1.5]'],
    object: [() => conv({ stride: {} }), 'ARGUMENT', "argument 'stride' must be a number"],
    'list of strings': [() => conv({ stride: ['1', 1, 1] }), 'ARGUMENT', "['1', 1, 1]"],
    '0, transposed': [() => transposed({ stride: 0 }), 'ARGUMENT', 'non-positive stride'],
  });
  refuses('padding', {
    NaN: [() => conv({ padding: Number.NaN }), 'ARGUMENT', 'padding must be integers'],
    infinite: [() => conv({ padding: Number.POSITIVE_INFINITY }), 'ARGUMENT', 'integers'],
    'a pair too short': [() => conv({ padding: [[1, 2], [1], [0, 0]] }), 'ARGUMENT', '3 axes'],
    'pairs too few': [() => conv({ padding: [[1, 2]] }), 'ARGUMENT', '[[low, high], …] for 3 axes'],
    'a negative side': [
      () =>
        conv({
          padding: [
            [1, 1],
            [0, -1],
            [0, 0],
          ],
        }),
      'ARGUMENT',
      'negative padding is not supported',
    ],
    "'same', transposed": [() => transposed({ padding: 'same' }), 'ARGUMENT', "but got 'same'"],
    // pytorch#174653: the output size overflowed.
    '2**53': [() => conv({ padding: 2 ** 53 }), 'ARGUMENT', 'is too large'],
    '2**31': [() => conv({ padding: 2 ** 31 }), 'SHAPE', 'more elements than can be counted'],
    '2**31 on one axis': [() => conv({ padding: [0, 0, 2 ** 31] }), 'MEMORY', 'cannot allocate'],
  });
  refuses('other options', {
    'fractional groups': [() => conv({ groups: 1.5 }), 'ARGUMENT', 'groups must be an integer'],
    "groups '2'": [
      () => conv({ groups: '2' }),
      'ARGUMENT',
      "groups must be an integer, but got '2'",
    ],
    'dilation NaN': [() => conv({ dilation: Number.NaN }), 'ARGUMENT', 'dilation must be integers'],
    'dilation 2**53': [() => conv({ dilation: 2 ** 53 }), 'SHAPE', "Kernel size can't be greater"],
    'dilation -1, transposed': [
      () => transposed({ dilation: -1 }),
      'ARGUMENT',
      'dilation should be greater than zero, but got [-1, -1, -1]',
    ],
    'an unknown strategy': [
      () => vg.conv3d(x.clone().requiresGrad_(), w, null, { backward: 'fastest' }).sum().backward(),
      'STRATEGY',
      "no strategy called 'fastest'; known: fused, fused:direct, fused:winograd, fused:fft, composite",
    ],
  });
  refuses('sizes', {
    'a negative kernel': [() => zeros([2, 2, -3, 3, 3]), 'SHAPE', 'negative dimension -3'],
    'an empty kernel': [
      () => vg.conv3d(x, zeros([2, 2, 0, 3, 3])),
      'SHAPE',
      'weight must not have a size of 0, but got [2, 2, 0, 3, 3]',
    ],
  });
  refuses('tensors', {
    'no weight': [() => vg.conv3d(x, undefined as never), 'ARGUMENT', "argument 'weight' must be"],
    'an array': [() => vg.conv3d([1] as never, w), 'ARGUMENT', "argument 'input' must be Tensor"],
    'a number as bias': [() => vg.conv3d(x, w, 3 as never), 'ARGUMENT', "argument 'bias' must be"],
    'float32 weight for a float64 input': [
      () => vg.conv3d(x, w.to('float32')),
      'DTYPE',
      'expected scalar type Double but found Float', // PyTorch's words
    ],
    'float32 bias': [() => vg.conv3d(x, w, vg.zeros([2])), 'DTYPE', 'bias is float32'],
    int64: [() => vg.conv3d(x.to('int64'), w.to('int64')), 'DTYPE', "not implemented for 'Long'"],
    bool: [() => vg.conv3d(x.bool(), w.bool()), 'DTYPE', "not implemented for 'Bool'"],
    float16: [() => vg.conv3d(x.to('float16'), w.to('float16')), 'DTYPE', "for 'float16' on cpu"],
  });

  it('a stride of 2**53 leaves one window (pytorch#147362: division by zero)', () => {
    for (const backward of vg.strategies.list('conv3d').map((s) => s.name)) {
      const leaf = filled([1, 1, 4, 4, 4]).requiresGrad_();
      const kernel = filled([1, 1, 3, 3, 3]);
      const y = vg.conv3d(leaf, kernel, null, { stride: 2 ** 53, backward });
      expect(y.shape).toEqual([1, 1, 1, 1, 1]);
      const window = leaf.slice(2, 0, 3).slice(3, 0, 3).slice(4, 0, 3);
      expectClose(y.reshape([]), window.mul(kernel).sum(), 1e-14);
      y.sum().backward();
      expectClose(defined(leaf.grad), vg.pad(kernel, [0, 1, 0, 1, 0, 1]), 1e-15);
    }
  });

  it('more than 2**31 elements are counted exactly (pytorch#84488, #87354)', () => {
    const call = { input: [1, 28, 514, 514, 256], weight: [28, 28, 1, 1, 1] };
    const plane = 28 * 514 * 514 * 256;
    expect(vg.numelOf(call.input)).toBe(plane);
    expect(vg.numelOf([3, ...call.input])).toBe(3 * plane);
    expect(vg.contiguousStrides([4, ...call.input])[0]).toBe(plane);
    expect(vg.strategies.explain('conv3d', call).chosen).toBe('fused');
  });
});

describe('bad arguments elsewhere, in the words of PyTorch 1.13', () => {
  const m = zeros([2, 3]);
  const ints = vg.zeros([2], { dtype: 'int64' });
  refuses('sizes', {
    add: [
      () => zeros([3]).add(zeros([4])),
      'SHAPE',
      'The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0',
    ],
    matmul: [
      () => m.matmul(zeros([4, 2])),
      'SHAPE',
      'mat1 and mat2 shapes cannot be multiplied (2x3 and 4x2)',
    ],
    'matmul of a number': [
      () => zeros([]).matmul(m),
      'SHAPE',
      'both arguments to matmul need to be at least 1D, but they are 0D and 2D',
    ],
    bmm: [
      () => zeros([2, 3, 1]).bmm(zeros([2, 4, 2])),
      'SHAPE',
      'Expected size for first two dimensions of batch2 tensor to be: [2, 1] but got: [2, 4].',
    ],
    linear: [() => vg.linear(m, zeros([4, 2])), 'SHAPE', 'cannot be multiplied (2x3 and 2x4)'],
    reshape: [() => m.reshape(4, -1), 'SHAPE', "shape '[4, -1]' is invalid for input of size 6"],
    'reshape, two -1': [() => m.reshape(-1, -1), 'ARGUMENT', 'only one dimension can be inferred'],
    view: [() => m.t().view(6), 'SHAPE', 'Use .reshape(...) instead.'],
    expand: [
      () => m.expand(2, 4),
      'SHAPE',
      'The expanded size of the tensor (4) must match the existing size (3) at non-singleton ' +
        'dimension 1.  Target sizes: [2, 4].  Tensor sizes: [2, 3]',
    ],
    'expand to -3': [() => m.expand(-3, 2, 3), 'SHAPE', 'negative dimension -3'],
    cat: [
      () => vg.cat([m, zeros([3, 3])], 1),
      'SHAPE',
      'Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for ' +
        'tensor number 1 in the list',
    ],
    'cat of numbers': [
      () => vg.cat([zeros([])]),
      'SHAPE',
      '(at position 0) cannot be concatenated',
    ],
    'cat of nothing': [() => vg.cat([]), 'ARGUMENT', 'expected a non-empty list of Tensors'],
    t: [() => zeros([1, 2, 3]).t(), 'SHAPE', 'a tensor with <= 2 dimensions, but self is 3D'],
    item: [() => m.item(), 'SHAPE', '6 elements cannot be converted to Scalar'],
    'amax of nothing': [() => zeros([0, 2]).amax(0), 'SHAPE', 'to have non-zero size'],
    'in place': [
      () => zeros([2]).add_(zeros([3, 2])),
      'SHAPE',
      "output with shape [2] doesn't match the broadcast shape [3, 2]",
    ],
    'ragged lists': [() => vg.tensor([[1, 2], [3]]), 'SHAPE', 'sequences of equal length'],
    'more than memory holds': [() => vg.zeros([2 ** 40]), 'MEMORY', 'cannot allocate'],
  });
  refuses('positions', {
    narrow: [
      () => m.narrow(1, 2, 2),
      'ARGUMENT',
      'start (2) + length (2) exceeds dimension size (3)',
    ],
    'narrow by a fraction': [() => m.narrow(1, 0, 1.5), 'ARGUMENT', 'must be integers'],
    'slice by a fraction': [() => m.slice(1, 0.5), 'ARGUMENT', 'must be integers'],
    select: [
      () => m.select(1, 3),
      'ARGUMENT',
      'select(): index 3 out of range for tensor of size [2, 3] at dimension 1',
    ],
    gather: [() => m.gather(1, vg.tensor([[3n], [0n]])), 'ARGUMENT', 'index 3 is out of bounds'],
    'gather at -1': [() => m.gather(1, vg.tensor([[-1n], [0n]])), 'ARGUMENT', 'index -1 is out of'],
    'gather by floats': [() => m.gather(1, m), 'DTYPE', 'gather(): Expected dtype int64 for index'],
    dim: [
      () => m.sum(2),
      'ARGUMENT',
      'Dimension out of range (expected to be in range of [-2, 1], but got 2)',
    ],
    'dim twice': [() => m.sum([0, -2]), 'ARGUMENT', 'dim 0 appears multiple times in the list of'],
    permute: [() => m.permute(0, 0), 'ARGUMENT', 'each of the 2 dims once'],
  });
  refuses('dtypes', {
    'mean of integers': [() => ints.mean(), 'DTYPE', 'mean(): could not infer output dtype'],
    'negative power': [
      () => ints.pow(-1),
      'DTYPE',
      'Integers to negative integer powers are not allowed.',
    ],
    'bool minus bool': [
      () => ints.bool().sub(true),
      'DTYPE',
      'Subtraction, the `-` operator, with two bool tensors is not supported.',
    ],
    'requiresGrad of integers': [
      () => ints.requiresGrad_(),
      'DTYPE',
      'only Tensors of floating point dtype can require gradients',
    ],
    'float into integers': [
      () => ints.add_(1.5),
      'DTYPE',
      "can't be cast to the desired output type",
    ],
    where: [() => vg.where(m, 1, 2), 'DTYPE', 'where expected condition to be a boolean tensor'],
    'a string': [() => m.add('1' as never), 'DTYPE', "expected a Tensor or a number, but got '1'"],
    'an unknown dtype': [() => m.to('float8'), 'DEVICE', "no device is called 'float8'"],
  });
  refuses('padding and pooling', {
    reflect: [
      () => vg.pad(zeros([1, 2, 4]), [4, 0], { mode: 'reflect' }),
      'SHAPE',
      'Argument #4: Padding size should be less than the corresponding input dimension, but got: ' +
        'padding (4, 0) at dimension 2 of input [1, 2, 4]',
    ],
    circular: [
      () => vg.pad(zeros([1, 2, 4]), [5, 0], { mode: 'circular' }),
      'SHAPE',
      'Padding value causes wrapping around more than once.',
    ],
    'odd list': [() => vg.pad(m, [1]), 'ARGUMENT', 'Padding length must be divisible by 2'],
    NaN: [() => vg.pad(m, [Number.NaN, 1]), 'ARGUMENT', 'expected a list of integers'],
    'pooling padding': [
      () => vg.maxPool3d(x, 2, { padding: 2 }),
      'ARGUMENT',
      'pad should be at most half of kernel size, but got pad=2 and kernel_size=2',
    ],
    'pooling window': [
      () => vg.maxPool3d(zeros([1, 1, 1, 1, 1]), 2),
      'SHAPE',
      'Given input size: (1x1x1x1). Calculated output size: (1x0x0x0). Output size is too small',
    ],
  });
});

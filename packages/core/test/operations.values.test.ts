// Values, dtypes and shapes in PyTorch's unusual cases: integers, bool, NaN, 0 dims, no elements.
// Every row was printed by PyTorch 1.13; what is usual stands in test/parity.

import { expect, it } from 'vitest';
import * as vg from '../src/index.js';

const int64 = { dtype: 'int64' } as const;
const i = vg.tensor([-3, 0, 5], int64);
const i32 = i.int();
const f = vg.tensor([NaN, -1, 0.5, 2, Infinity]);
const b = vg.tensor([true, false]);
const u = vg.tensor([1, 2], { dtype: 'uint8' });
const e = vg.zeros([0]);
const e2 = vg.zeros([0, 3]);
const s0 = vg.tensor(2);
const ties = vg.tensor([1, 3, 3, 2]);
const m = vg.tensor([
  [1, 3, 3],
  [2, 2, 0],
]);

type Printed = [dtype: string, shape: number[], values: (number | boolean)[]];
type Result = vg.Tensor | readonly vg.Tensor[] | vg.ValuesIndices;

const ROWS: [title: string, run: () => Result, printed: Printed[]][] = [
  [
    'i.clamp(min=tensor([0.5,1,9]))',
    () => i.clamp({ min: vg.tensor([0.5, 1, 9]) }),
    [['float32', [3], [0.5, 1, 9]]],
  ],
  ['f.clamp(2,1)', () => f.clamp(2, 1), [['float32', [5], [NaN, 1, 1, 1, 1]]]],
  ['addcmul(i,i,i,value=0.5)', () => i.addcmul(i, i, { value: 0.5 }), [['int64', [3], [-3, 0, 5]]]],
  ['remainder(u,3)', () => u.remainder(3), [['uint8', [2], [1, 2]]]],
  ['remainder(i32,-3)', () => i32.remainder(-3), [['int32', [3], [0, 0, -1]]]],
  [
    'remainder(f,inf)',
    () => f.remainder(Infinity),
    [['float32', [5], [NaN, Infinity, 0.5, 2, NaN]]],
  ],
  ['floor_divide(i32,-3)', () => i32.floorDivide(-3), [['int32', [3], [1, 0, -2]]]],
  ['floor_divide(f,-.3)', () => f.floorDivide(-0.3), [['float32', [5], [NaN, 3, -2, -7, NaN]]]],
  [
    'div(i,-2,rounding_mode="trunc")',
    () => i.div(-2, { roundingMode: 'trunc' }),
    [['int64', [3], [1, 0, -2]]],
  ],
  [
    'div(tensor([.3]),.1,rounding_mode="trunc")',
    () => vg.tensor([0.3]).div(0.1, { roundingMode: 'trunc' }),
    [['float32', [1], [3]]],
  ],
  [
    'div(tensor([.3]),.1,rounding_mode="floor")',
    () => vg.tensor([0.3]).div(0.1, { roundingMode: 'floor' }),
    [['float32', [1], [3]]],
  ],
  ['bitwise_not(u)', () => u.bitwiseNot(), [['uint8', [2], [254, 253]]]],
  ['bitwise_right_shift(i32,1)', () => i32.bitwiseRightShift(1), [['int32', [3], [-2, 0, 2]]]],
  ['bitwise_left_shift(u,7)', () => u.bitwiseLeftShift(7), [['uint8', [2], [128, 0]]]],
  ['copysign(i,-1)', () => i.copysign(-1), [['float32', [3], [-3, -0, -5]]]],
  [
    'signbit(tensor([-0.,0,nan,-1]))',
    () => vg.tensor([-0, 0, NaN, -1]).signbit(),
    [['bool', [4], [true, false, false, true]]],
  ],
  [
    'm.mode(0)',
    () => m.mode(0),
    [
      ['float32', [3], [1, 2, 0]],
      ['int64', [3], [0, 1, 1]],
    ],
  ],
  [
    'e2.max(1)',
    () => e2.max(1),
    [
      ['float32', [0], []],
      ['int64', [0], []],
    ],
  ],
  [
    'tensor([1.,nan,3,nan]).cummax(0)',
    () => vg.tensor([1, NaN, 3, NaN]).cummax(0),
    [
      ['float32', [4], [1, NaN, NaN, NaN]],
      ['int64', [4], [0, 1, 1, 3]],
    ],
  ],
  [
    'tensor([-inf,-inf,1,inf,2]).logcumsumexp(0)',
    () => vg.tensor([-Infinity, -Infinity, 1, Infinity, 2]).logcumsumexp(0),
    [['float32', [5], [-Infinity, -Infinity, 1, Infinity, Infinity]]],
  ],
  [
    'f.sort(descending=True)',
    () => f.sort({ descending: true }),
    [
      ['float32', [5], [NaN, Infinity, 2, 0.5, -1]],
      ['int64', [5], [0, 4, 3, 2, 1]],
    ],
  ],
  [
    'e2.sort(0)',
    () => e2.sort(0),
    [
      ['float32', [0, 3], []],
      ['int64', [0, 3], []],
    ],
  ],
  [
    'unique(m,return_inverse=True)',
    () => vg.unique(m, { returnInverse: true }),
    [
      ['float32', [4], [0, 1, 2, 3]],
      ['int64', [2, 3], [1, 3, 3, 2, 2, 0]],
    ],
  ],
  [
    'unique(e,return_inverse=True,return_counts=True)',
    () => vg.unique(e, { returnInverse: true, returnCounts: true }),
    [
      ['float32', [0], []],
      ['int64', [0], []],
      ['int64', [0], []],
    ],
  ],
  [
    'unique_consecutive(ties,return_counts=True)',
    () => vg.uniqueConsecutive(ties, { returnCounts: true }),
    [
      ['float32', [3], [1, 3, 2]],
      ['int64', [3], [1, 2, 1]],
    ],
  ],
  [
    'searchsorted(tensor([1.,3,5]),tensor([nan,inf]))',
    () => vg.searchsorted(vg.tensor([1, 3, 5]), vg.tensor([NaN, Infinity])),
    [['int64', [2], [3, 3]]],
  ],
  ['histc(m,3)', () => m.histc(3), [['float32', [3], [1, 1, 4]]]],
  ['histc(ones(3),2)', () => vg.ones([3]).histc(2), [['float32', [2], [0, 3]]]],
  ['bincount(zeros(0,dtype=int64))', () => vg.zeros([0], int64).bincount(), [['int64', [0], []]]],
  [
    'quantile(tensor([0.,1,2,3]),tensor([.5,1/6,.8333334]),interpolation="nearest")',
    () => vg.tensor([0, 1, 2, 3]).quantile([0.5, 1 / 6, 0.8333334], { interpolation: 'nearest' }),
    [['float32', [3], [2, 0, 2]]],
  ],
  [
    'm.repeat_interleave(tensor([1,2,0]),-1)',
    () => m.repeatInterleave(vg.tensor([1, 2, 0], int64), -1),
    [['float32', [2, 3], [1, 3, 3, 2, 2, 2]]],
  ],
  [
    'zeros(7).chunk(4)',
    () => vg.zeros([7]).chunk(4),
    [
      ['float32', [2], [0, 0]],
      ['float32', [2], [0, 0]],
      ['float32', [2], [0, 0]],
      ['float32', [1], [0]],
    ],
  ],
  [
    'tensor_split(m,(5,-1),1)',
    () => m.tensorSplit([5, -1], 1),
    [
      ['float32', [2, 3], [1, 3, 3, 2, 2, 0]],
      ['float32', [2, 0], []],
      ['float32', [2, 1], [3, 0]],
    ],
  ],
  [
    'm[0].diag(-1)',
    () => m.select(0, 0).diag(-1),
    [['float32', [4, 4], [0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0]]],
  ],
  [
    'diag_embed(m,1,-1,0)',
    () => m.diagEmbed(1, -1, 0),
    [
      [
        'float32',
        [4, 2, 4],
        [
          0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0,
          0, 0,
        ],
      ],
    ],
  ],
  ['b[None].triu()', () => b.unsqueeze(0).triu(), [['bool', [1, 2], [true, false]]]],
  [
    'm.index_add(0,tensor(0),ones(1,3))',
    () => m.indexAdd(0, vg.tensor(0, int64), vg.ones([1, 3])),
    [['float32', [2, 3], [2, 4, 4, 2, 2, 0]]],
  ],
  [
    'm.index_fill(1,tensor([-1]),9)',
    () => m.indexFill(1, vg.tensor([-1], int64), 9),
    [['float32', [2, 3], [1, 3, 9, 2, 2, 9]]],
  ],
  [
    'i.scatter_reduce(0,tensor([0,0,1]),i,"mean")',
    () => i.scatterReduce(0, vg.tensor([0, 0, 1], int64), i, 'mean'),
    [['int64', [3], [-2, 2, 5]]],
  ],
  [
    'i.scatter_reduce(0,tensor([0,0,1]),-i,"amin",include_self=False)',
    () => i.scatterReduce(0, vg.tensor([0, 0, 1], int64), i.neg(), 'amin', { includeSelf: false }),
    [['int64', [3], [0, -5, 5]]],
  ],
  [
    's0.scatter_add(0,tensor([0,0]),ones(2))',
    () => s0.scatterAdd(0, vg.tensor([0, 0], int64), vg.ones([2])),
    [['float32', [], [4]]],
  ],
  [
    'm.scatter(1,zeros(0,dtype=int64),m)',
    () => m.scatter(1, vg.zeros([0], int64), m),
    [['float32', [2, 3], [1, 3, 3, 2, 2, 0]]],
  ],
  ['i.masked_fill(i>0,1.5)', () => i.maskedFill(i.gt(0), 1.5), [['int64', [3], [-3, 0, 1]]]],
  [
    'm[0].masked_select(m>0)',
    () => m.select(0, 0).maskedSelect(m.gt(0)),
    [['float32', [5], [1, 3, 3, 1, 3]]],
  ],
  [
    'm.nonzero(as_tuple=True)',
    () => m.nonzero({ asTuple: true }),
    [
      ['int64', [5], [0, 0, 0, 1, 1]],
      ['int64', [5], [0, 1, 2, 0, 1]],
    ],
  ],
  ['tensor(0).nonzero()', () => vg.tensor(0).nonzero(), [['int64', [0, 0], []]]],
  [
    'meshgrid(arange(2),tensor(3),indexing="xy")',
    () => vg.meshgrid([vg.arange(2), vg.tensor(3, int64)], { indexing: 'xy' }),
    [
      ['int64', [1, 2], [0, 1]],
      ['int64', [1, 2], [3, 3]],
    ],
  ],
  [
    'column_stack([m[0],m.T])',
    () => vg.columnStack([m.select(0, 0), m.t()]),
    [['float32', [3, 3], [1, 1, 2, 3, 3, 2, 3, 3, 0]]],
  ],
  [
    'block_diag(i,m)',
    () => vg.blockDiag(i, m),
    [['float32', [3, 6], [-3, 0, 5, 0, 0, 0, 0, 0, 0, 1, 3, 3, 0, 0, 0, 2, 2, 0]]],
  ],
  [
    'addmm(full((1,),nan),m,m.T,beta=0)',
    () => vg.full([1], NaN).addmm(m, m.t(), { beta: 0 }),
    [['float32', [2, 2], [19, 8, 8, 8]]],
  ],
  ['inner(m,s0)', () => m.inner(s0), [['float32', [2, 3], [2, 6, 6, 4, 4, 0]]]],
  [
    'einsum("bA,Cb",m.T,m)',
    () => vg.einsum('bA,Cb', m.t(), m),
    [['float32', [2, 2], [19, 8, 8, 8]]],
  ],
  [
    'einsum("ij,ij->j",ones(1,3),m)',
    () => vg.einsum('ij,ij->j', vg.ones([1, 3]), m),
    [['float32', [3], [3, 5, 3]]],
  ],
  [
    'einsum("i,i->",zeros(0),ones(1))',
    () => vg.einsum('i,i->', vg.zeros([0]), vg.ones([1])),
    [['float32', [], [0]]],
  ],
  [
    'einsum("a...,b...->...ab",m,m)',
    () => vg.einsum('a...,b...->...ab', m, m),
    [['float32', [3, 2, 2], [1, 2, 2, 4, 9, 6, 6, 4, 9, 0, 0, 0]]],
  ],
  [
    'logspace(0,2,3,base=2)',
    () => vg.logspace(0, 2, 3, { base: 2 }),
    [['float32', [3], [1, 2, 4]]],
  ],
  [
    'm.index_put((tensor([[0],[1]]),tensor([0,2])),zeros(2))',
    () => m.indexPut([vg.tensor([[0], [1]], int64), vg.tensor([0, 2], int64)], vg.zeros([2])),
    [['float32', [2, 3], [0, 3, 0, 0, 2, 0]]],
  ],
  [
    'm[tensor([[0],[1]]),tensor([0,-1])]',
    () => m.index([vg.tensor([[0], [1]], int64), vg.tensor([0, -1], int64)]),
    [['float32', [2, 2], [1, 3, 2, 0]]],
  ],
  [
    'm[tensor([True,False])]',
    () => m.index([vg.tensor([true, false])]),
    [['float32', [1, 3], [1, 3, 3]]],
  ],
  ['b.diff()', () => b.diff(), [['bool', [1], [true]]]],
  [
    'round(tensor([1234.567,-.05]),decimals=2)',
    () => vg.tensor([1234.567, -0.05]).round({ decimals: 2 }),
    [['float32', [2], [1234.5699462890625, -0.05000000074505806]]],
  ],
  ['cdist(m,m,0)', () => vg.cdist(m, m, 0), [['float32', [2, 2], [0, 3, 3, 0]]]],
  ['u.clone().add_(i[:2])', () => u.clone().add_(i.narrow(0, 0, 2)), [['uint8', [2], [254, 2]]]],
  ['full((2,),nan)', () => vg.full([2], NaN), [['float32', [2], [NaN, NaN]]]],
  ['full((2,),-0.)', () => vg.full([2], -0), [['float32', [2], [-0, -0]]]],
];

/** int64 as numbers: they are small. */
const plain = (x: number | bigint | boolean) => (typeof x === 'bigint' ? Number(x) : x);

const printed = (x: vg.Tensor): Printed => {
  const values = x.reshape(x.numel).tolist() as (number | bigint | boolean)[];
  return [x.dtype, [...x.shape], values.map(plain)];
};

it.each(ROWS)('%s', (_, run, expected) => {
  const result = run();
  const tensors = result instanceof vg.Tensor ? [result] : Object.values(result);
  expect(tensors.map(printed)).toEqual(expected);
});

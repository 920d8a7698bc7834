import { Device, type Kernels, missingKernel } from '../device/device.js';
import { shared } from '../shared.js';
import { allocateHost, DTYPES, type DType } from '../tensor/dtype.js';
import { Storage, type View } from '../tensor/storage.js';
import { bitwise } from './bitwise.js';
import { convBackward, convForward } from './conv.js';
import { convert } from './convert.js';
import { binary, compare, reluBackward, unary, where } from './elementwise.js';
import { gather, nonzero, scatter, scatterAdd } from './indexing.js';
import { matmul } from './linear.js';
import { maxPoolIndices, spreadPool, sumPool } from './pool.js';
import { argReduce, reduce } from './reduce.js';
import { forEachRow, rowMajor } from './rows.js';
import { argScan, recurrence } from './scan.js';
import { argSort, searchSorted } from './sort.js';

function fill(dtype: DType, length: number, value: number | bigint): Storage {
  const array = allocateHost(dtype, length);
  const [element] =
    typeof value === 'bigint'
      ? convert(BigInt64Array.of(value), 'int64', dtype)
      : convert(Float64Array.of(value), 'float64', dtype);
  if (!Object.is(element, 0) && element !== 0n) (array as Float64Array).fill(element as number);
  return new Storage(dtype, array);
}

const copy = (x: View, dtype: DType) => new Storage(dtype, convert(rowMajor(x), x.dtype, dtype));

function assign(target: View, source: View): void {
  // The source is copied first, so that it may overlap the target.
  const values = convert(rowMajor(source), source.dtype, target.dtype);
  const out = target.storage.writableArray;
  let from = 0;
  forEachRow(target, (start, count, step) => {
    for (let i = 0, at = start; i < count; i++, at += step) out[at] = values[from++];
  });
}

/** The reference kernels: plain loops over host memory. Other devices may borrow them. */
export const cpuKernels: Kernels & Required<Pick<Kernels, 'reluBackward'>> = {
  fill,
  copy,
  assign,
  unary,
  binary,
  bitwise,
  compare,
  where,
  reduce,
  argReduce,
  recurrence,
  argScan,
  argSort,
  searchSorted,
  matmul,
  gather,
  scatterAdd,
  scatter,
  nonzero,
  maxPoolIndices,
  sumPool,
  spreadPool,
  convForward,
  convBackward,
  reluBackward,
};

const COMPUTES = new Set<DType>(DTYPES.filter((d) => d !== 'float16' && d !== 'bfloat16'));

/** The reference device: obvious loops in TypeScript, the oracle for every other device. */
export const cpu: Device = shared(
  'device.cpu',
  () =>
    new Device(
      'cpu',
      'cpu',
      {
        computes: COMPUTES,
        synchronous: true,
        profile: null,
        rates: { perCall: 2000, perElement: 2, perRemainder: 0 },
        checkConv: (kernel) => (cpuKernels[kernel] ? [] : [missingKernel(kernel)]),
      },
      cpuKernels,
    ),
);

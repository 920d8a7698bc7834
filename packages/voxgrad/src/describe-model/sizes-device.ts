// A device that computes the sizes of results and nothing else, as PyTorch's `meta` does: a network
// over any volume runs through it in milliseconds, without memory.

import {
  type ConvGeometry,
  Device,
  DTYPES,
  type DType,
  inputShape,
  type Kernels,
  numelOf,
  outputShape,
  type Residence,
  Storage,
  type View,
  VoxgradError,
  volume,
  weightShape,
} from '@voxgrad/core';

function noValues(): never {
  throw new VoxgradError(
    'ARGUMENT',
    'describeModel(): only sizes are computed, but the model reads the values of a tensor; ' +
      'what it decides by values cannot be described',
  );
}

/** Elements that are nowhere. */
const NOWHERE: Residence = { onHost: false, read: noValues, write: noValues, release: () => {} };

const storage = (dtype: DType, length: number): Storage =>
  new Storage(dtype, { length, residence: NOWHERE });

const like = ({ shape, dtype }: View, as: DType = dtype): Storage => storage(as, numelOf(shape));
const outer = (x: View, count: number): number => numelOf(x.shape.slice(0, x.shape.length - count));

const KERNELS: Kernels = {
  fill: storage,
  copy: (x, dtype) => like(x, dtype),
  assign: () => {},
  unary: (_, x) => like(x),
  binary: (_, a) => like(a),
  bitwise: (_, a) => like(a),
  compare: (_, a) => like(a, 'bool'),
  where: (_, a) => like(a),
  reduce: (_, x, count) => storage(x.dtype, outer(x, count)),
  argReduce: (_, x) => storage('int64', outer(x, 1)),
  recurrence: (a) => like(a),
  argScan: (_, x) => like(x, 'int64'),
  argSort: (x) => like(x, 'int64'),
  searchSorted: (_, values) => like(values, 'int64'),
  matmul: (a, b) => storage(a.dtype, a.shape[0] * a.shape[1] * b.shape[2]),
  gather: (x, index) => storage(x.dtype, numelOf(index.shape)),
  scatterAdd: (x, _, size) => storage(x.dtype, x.shape[0] * size * x.shape[2]),
  scatter: (_, base) => like(base),
  nonzero: noValues,
  maxPoolIndices: (x, { output }) => storage('int64', x.shape[0] * volume(output)),
  sumPool: (x, { output }) => storage(x.dtype, x.shape[0] * volume(output)),
  spreadPool: (x, { input }) => storage(x.dtype, x.shape[0] * volume(input)),
  convForward: (x, _, g) => storage(x.dtype, numelOf(outputShape(g))),
  convBackward: (gradOutput, _x, _w, g, needs) => {
    const [dx, dw, db] = sizes(g).map((size, i) =>
      needs[i] ? storage(gradOutput.dtype, size) : null,
    );
    return [dx, dw, db];
  },
};

const sizes = (g: ConvGeometry): number[] => [
  numelOf(inputShape(g)),
  numelOf(weightShape(g)),
  g.outChannels,
];

/** Not registered: nobody but describeModel uses it. */
export const sizesDevice = new Device(
  'sizes',
  'sizes',
  {
    computes: new Set(DTYPES),
    synchronous: true,
    profile: null,
    checkConv: () => [],
  },
  KERNELS,
);

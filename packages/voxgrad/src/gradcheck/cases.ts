// Calls whose derivatives `voxgrad gradcheck` checks: of every family of operations one or more, with odd
// sizes, broadcasting and tails, small enough for whole Jacobians. The tests check every operation; this
// is what a device, a strategy or an installation is asked about.

import * as vg from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';

type Shape = readonly number[];
type Run = (...inputs: vg.Tensor[]) => vg.Tensor;

export interface GradcheckCase {
  /** The family, such as `pooling`. */
  readonly group: string;
  readonly name: string;
  readonly run: Run;
  readonly inputs: readonly Shape[];
  /** Values of the inputs are spread over this range. */
  readonly range: readonly [number, number];
  /** For a convolution: the operation whose strategies are checked one by one. */
  readonly strategiesOf?: string;
}

const cases: GradcheckCase[] = [];
const REAL = [-2, 2] as const;
const POSITIVE = [0.3, 2.5] as const;

const inGroup =
  (group: string) =>
  (name: string, run: Run, inputs: readonly Shape[], range: readonly [number, number] = REAL) => {
    cases.push({ group, name, run, inputs, range });
  };

type Add = ReturnType<typeof inGroup>;
type Range = readonly [number, number];

/** A case for each function of one tensor. */
function unary(
  add: Add,
  functions: Readonly<Record<string, (x: vg.Tensor) => vg.Tensor>>,
  input: Shape,
  range?: Range,
): void {
  for (const [name, run] of Object.entries(functions)) add(name, (x) => run(x), [input], range);
}

/** A case for each function of two. */
function binary(
  add: Add,
  functions: Readonly<Record<string, (x: vg.Tensor, y: vg.Tensor) => vg.Tensor>>,
  inputs: readonly Shape[],
  range?: Range,
): void {
  for (const [name, run] of Object.entries(functions))
    add(name, (x, y) => run(x, y), inputs, range);
}

/** Class numbers or indices beside `x`. */
const whole = (x: vg.Tensor, values: number[] | number[][]): vg.Tensor =>
  vg.tensor(values, { dtype: 'int64', device: x.device });

// ---- convolutions ----

const strategic = (op: string, name: string, inputs: readonly Shape[], run: Run) => {
  const range = [-1, 1] as const;
  cases.push({
    group: 'convolution',
    name: `${op}: ${name}`,
    run,
    inputs,
    range,
    strategiesOf: op,
  });
};
const convolution = (name: string, input: Shape, weight: Shape, options: vg.ConvCallOptions = {}) =>
  strategic('conv3d', name, [input, weight, [weight[0]]], (x, w, b) => vg.conv3d(x, w, b, options));
const transposed = (
  name: string,
  input: Shape,
  weight: Shape,
  options: vg.ConvTransposeCallOptions,
) =>
  strategic(
    'convTranspose3d',
    name,
    [input, weight, [weight[1] * (options.groups ?? 1)]],
    (x, w, b) => vg.convTranspose3d(x, w, b, options),
  );

convolution('odd sizes', [1, 1, 3, 4, 5], [2, 1, 2, 3, 2]);
convolution('3×3×3, padding 1', [1, 2, 3, 4, 3], [2, 2, 3, 3, 3], { padding: 1 });
convolution('stride 2', [2, 1, 4, 5, 3], [2, 1, 2, 2, 2], { stride: 2, padding: 1 });
convolution('stride that leaves tails', [1, 1, 5, 5, 5], [1, 1, 2, 2, 2], {
  stride: [3, 2, 3],
});
convolution('dilation 1, 2, 3', [1, 1, 3, 5, 7], [1, 1, 2, 2, 3], {
  dilation: [1, 2, 3],
});
convolution('groups', [2, 4, 3, 3, 3], [4, 2, 2, 2, 2], { groups: 2 });
convolution('depthwise', [1, 3, 4, 3, 4], [3, 1, 3, 3, 3], { groups: 3, padding: 1 });
convolution('depthwise, large kernel', [1, 2, 5, 5, 5], [2, 1, 5, 5, 5], {
  groups: 2,
  padding: 2,
});
convolution('padding in pairs', [1, 2, 3, 4, 3], [2, 1, 2, 3, 2], {
  groups: 2,
  stride: [1, 2, 3],
  padding: [
    [1, 0],
    [0, 2],
    [2, 1],
  ],
});
convolution('empty batch', [0, 2, 3, 3, 3], [2, 2, 2, 2, 2]);
transposed('stride 2', [1, 1, 2, 3, 2], [1, 2, 2, 2, 2], { stride: 2 });
transposed('everything', [1, 2, 2, 3, 2], [2, 1, 2, 2, 2], {
  stride: 2,
  padding: 1,
  outputPadding: 1,
  groups: 2,
  dilation: 2,
});

const other = inGroup('convolution');
other('conv1d', (x, w) => vg.conv1d(x, w, null, { stride: 3 }), [
  [2, 2, 8],
  [3, 2, 3],
]);
other('conv2d', (x, w) => vg.conv2d(x, w, null, { groups: 2, padding: 1 }), [
  [1, 2, 4, 3],
  [4, 1, 2, 2],
]);
other('convTranspose2d', (x, w) => vg.convTranspose2d(x, w, null, { stride: 2 }), [
  [1, 2, 2, 3],
  [2, 1, 3, 2],
]);

// ---- one element at a time ----

const SHAPE: Shape = [3, 1, 5];
const curve = inGroup('elementwise');
unary(
  curve,
  {
    exp: vg.exp,
    sin: vg.sin,
    cos: vg.cos,
    tanh: vg.tanh,
    sigmoid: vg.sigmoid,
    abs: vg.abs,
    relu: vg.relu,
    erf: vg.erf,
    neg: vg.neg,
    square: vg.square,
    atan: vg.atan,
    sinh: vg.sinh,
    cosh: vg.cosh,
    expm1: vg.expm1,
  },
  SHAPE,
);
unary(
  curve,
  {
    log: vg.log,
    log1p: vg.log1p,
    log2: vg.log2,
    sqrt: vg.sqrt,
    rsqrt: vg.rsqrt,
    reciprocal: vg.reciprocal,
    lgamma: vg.lgamma,
    digamma: vg.digamma,
  },
  SHAPE,
  POSITIVE,
);
unary(
  curve,
  { asin: vg.asin, acos: vg.acos, atanh: vg.atanh, erfinv: vg.erfinv },
  SHAPE,
  [-0.8, 0.8],
);
curve('clamp', (x) => x.clamp({ min: -0.71, max: 1.13 }), [SHAPE]);
curve('pow 3', (x) => x.pow(3), [SHAPE]);

const PAIR: readonly Shape[] = [
  [3, 1, 5],
  [2, 5],
];
const pair = inGroup('two arguments');
binary(
  pair,
  { add: vg.add, sub: vg.sub, mul: vg.mul, maximum: vg.maximum, minimum: vg.minimum },
  PAIR,
);
binary(
  pair,
  { div: vg.div, pow: vg.pow, atan2: vg.atan2, hypot: vg.hypot, logaddexp: vg.logaddexp },
  PAIR,
  POSITIVE,
);
pair('where', (x, y) => vg.where(x.detach().gt(0.1), x, y), PAIR);
pair('lerp', (x, y) => vg.lerp(x, y, 0.3), [[3, 2], [2]]);

const activation = inGroup('activations');
unary(
  activation,
  {
    gelu: F.gelu,
    silu: F.silu,
    mish: F.mish,
    elu: F.elu,
    selu: F.selu,
    celu: F.celu,
    softplus: F.softplus,
    softsign: F.softsign,
    logsigmoid: F.logsigmoid,
    hardswish: F.hardswish,
    leakyRelu: F.leakyRelu,
  },
  SHAPE,
);
activation('glu', (x) => F.glu(x, 1), [[2, 4]]);
activation('prelu', (x, w) => F.prelu(x, w), [[2, 3, 2], [3]]);
activation('softmax', (x) => vg.softmax(x, 1), [[2, 3, 2]]);
activation('logSoftmax', (x) => vg.logSoftmax(x, 1), [[2, 3, 2]]);

// ---- over axes ----

const reduction = inGroup('reductions');
unary(
  reduction,
  {
    sum: (x) => vg.sum(x, 1),
    mean: (x) => vg.mean(x, 1),
    amax: (x) => vg.amax(x, 1),
    amin: (x) => vg.amin(x, 1),
    prod: (x) => vg.prod(x, 1),
    logsumexp: (x) => vg.logsumexp(x, 1),
  },
  [2, 3, 2],
);
reduction('var', (x) => vg.variance(x, [0, 2]), [[2, 3, 2]]);
reduction('std', (x) => vg.std(x, 1), [[2, 3]]);
reduction('norm', (x) => vg.norm(x, 2, [1]), [[2, 3]], POSITIVE);
reduction('max', (x) => x.max(), [[2, 3]]);
reduction('cumsum', (x) => vg.cumsum(x, 1), [[2, 3]]);
reduction('cumprod', (x) => vg.cumprod(x, 1), [[2, 3]], POSITIVE);
reduction('sort', (x) => vg.sort(x, 1).values, [[2, 4]]);
reduction('topk', (x) => vg.topk(x, 2, 1).values, [[2, 4]]);

const product = inGroup('products');
product('matmul', (a, b) => a.matmul(b), [
  [3, 2],
  [2, 4],
]);
product('matmul, broadcast', (a, b) => a.matmul(b), [
  [2, 1, 3, 2],
  [3, 2, 2],
]);
product('linear', (x, w, b) => F.linear(x, w, b), [[2, 3], [4, 3], [4]]);
product('einsum', (a, b) => vg.einsum('bij,bjk->ik', a, b), [
  [2, 2, 3],
  [2, 3, 2],
]);
product('attention', (q, k, v) => F.scaledDotProductAttention(q, k, v), [
  [1, 2, 3],
  [1, 4, 3],
  [1, 4, 2],
]);
product(
  'inverse',
  (x) => vg.inverse(x.add(vg.eye(3, { dtype: x.dtype, device: x.device }).mul(3))),
  [[3, 3]],
  [-1, 1],
);

// ---- shapes and indices ----

const shape = inGroup('shapes and indices');
shape('reshape of permute', (x) => x.permute(2, 0, 1).reshape([4, 3]), [[2, 3, 2]]);
shape('cat', (x, y) => vg.cat([x, y], 1), [
  [2, 1],
  [2, 3],
]);
shape('stack', (x, y) => vg.stack([x, y]), [
  [2, 3],
  [2, 3],
]);
shape(
  'narrow, flip, expand',
  (x) =>
    vg
      .flip(x.narrow(1, 1, 2), [1])
      .unsqueeze(0)
      .expand(2, -1, -1),
  [[2, 3]],
);
shape('gather', (x) => x.gather(1, whole(x, [[2, 0, 2, 1]])), [[1, 3]]);
shape('indexSelect', (x) => x.indexSelect(1, whole(x, [2, 0, 2])), [[2, 3]]);
shape(
  'scatterAdd',
  (x, y) =>
    vg.scatterAdd(
      x,
      1,
      whole(x, [
        [0, 2],
        [1, 1],
      ]),
      y,
    ),
  [
    [2, 3],
    [2, 2],
  ],
);
shape('maskedFill', (x) => vg.maskedFill(x, x.detach().gt(0.2), 3), [[2, 3]]);
shape(
  'embedding',
  (w) =>
    F.embedding(
      whole(w, [
        [1, 0],
        [1, 2],
      ]),
      w,
    ),
  [[3, 2]],
);
for (const mode of ['constant', 'reflect', 'replicate', 'circular'] as const)
  shape(`pad, ${mode}`, (x) => vg.pad(x, [1, 1, 0, 1, 1, 0], { mode }), [[1, 1, 2, 3, 3]]);

// ---- volumes ----

const pooling = inGroup('pooling');
pooling('maxPool3d', (x) => vg.maxPool3d(x, 2, { stride: 1, padding: 1 }), [[1, 1, 3, 2, 3]]);
pooling('avgPool3d', (x) => vg.avgPool3d(x, 2, { padding: 1, countIncludePad: false }), [
  [1, 1, 3, 2, 3],
]);
pooling('adaptiveAvgPool3d', (x) => vg.adaptiveAvgPool3d(x, 2), [[1, 1, 3, 4, 5]]);
pooling('adaptiveMaxPool3d', (x) => vg.adaptiveMaxPool3d(x, 2), [[1, 1, 3, 4, 5]]);

const resizing = inGroup('resizing');
resizing('interpolate, nearest', (x) => vg.interpolate(x, { scaleFactor: 2 }), [[1, 1, 2, 2, 3]]);
resizing(
  'interpolate, trilinear',
  (x) => vg.interpolate(x, { size: [3, 4, 2], mode: 'trilinear' }),
  [[1, 1, 2, 3, 2]],
);
resizing('gridSample', (x, g) => vg.gridSample(x, g.mul(0.31), { alignCorners: false }), [
  [1, 1, 2, 3, 2],
  [1, 1, 2, 2, 3],
]);

const norms = inGroup('norms');
norms(
  'batchNorm, training',
  (x, w, b) => F.batchNorm(x, null, null, { weight: w, bias: b, training: true }),
  [[3, 2, 2, 1, 2], [2], [2]],
);
norms('instanceNorm', (x) => F.instanceNorm(x), [[2, 2, 2, 1, 3]]);
norms('groupNorm', (x, w, b) => F.groupNorm(x, 2, { weight: w, bias: b }), [[2, 4, 3], [4], [4]]);
norms('layerNorm', (x, w, b) => F.layerNorm(x, [4], { weight: w, bias: b }), [[3, 4], [4], [4]]);

const loss = inGroup('losses');
loss(
  'crossEntropy',
  (x) =>
    F.crossEntropy(
      x,
      whole(x, [
        [1, 0],
        [2, 2],
      ]),
      { labelSmoothing: 0.1 },
    ),
  [[2, 3, 2]],
);
loss('nllLoss', (x) => F.nllLoss(vg.logSoftmax(x, 1), whole(x, [1, 2])), [[2, 3]]);
binary(
  loss,
  { mseLoss: F.mseLoss, l1Loss: F.l1Loss, smoothL1Loss: F.smoothL1Loss, huberLoss: F.huberLoss },
  [
    [2, 3],
    [2, 3],
  ],
);
loss('binaryCrossEntropyWithLogits', (x, y) => F.binaryCrossEntropyWithLogits(x, y.sigmoid()), [
  [2, 3],
  [2, 3],
]);
loss(
  'klDiv',
  (x, y) => F.klDiv(vg.logSoftmax(x, 1), vg.softmax(y, 1), { reduction: 'batchmean' }),
  [
    [2, 3],
    [2, 3],
  ],
);

export const gradcheckCases: readonly GradcheckCase[] = cases;

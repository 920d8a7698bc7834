// Layers of `nn` as calls of the functions that they stand for: layers reach those by ways inside the
// library, where a recorder sees only the operations that they are made of.

import {
  BatchNorm1d,
  GELU,
  GroupNorm,
  Hardsigmoid,
  Hardtanh,
  InstanceNorm1d,
  LayerNorm,
  LeakyReLU,
  type Module,
  PReLU,
  ReLU6,
  RReLU,
} from '@voxgrad/nn';

/** A function of `F`, and its arguments. */
export type LayerCall = readonly [name: string, args: readonly unknown[]];

type Row = (layer: Module, x: unknown) => LayerCall | undefined;

/** The row of a class and of those that inherit its `forward`, which are told apart by that alone. */
const row = <M extends Module>(
  type: { readonly prototype: M },
  call: (layer: M, x: unknown) => LayerCall | undefined,
): [unknown, Row] => [type.prototype.forward, (layer, x) => call(layer as M, x)];

const batchNorm = (layer: BatchNorm1d, x: unknown): LayerCall => {
  const { runningMean, runningVar, weight, bias, eps, training } = layer;
  const options = { runningMean, runningVar, weight, bias, eps };
  return ['batchNorm', [x, { ...options, training: training || runningMean === null }]];
};

const instanceNorm = (layer: InstanceNorm1d, x: unknown): LayerCall => {
  const { runningMean, runningVar, weight, bias, eps, training } = layer;
  const options = { runningMean, runningVar, weight, bias, eps };
  return ['instanceNorm', [x, { ...options, useInputStats: training || runningMean === null }]];
};

const ROWS: ReadonlyMap<unknown, Row> = new Map([
  // Those of other ranks have the same `forward`.
  row(BatchNorm1d, batchNorm),
  row(InstanceNorm1d, instanceNorm),
  row(GroupNorm, ({ numGroups, weight, bias, eps }, x) => [
    'groupNorm',
    [x, numGroups, { weight, bias, eps }],
  ]),
  row(LayerNorm, ({ normalizedShape, weight, bias, eps }, x) => [
    'layerNorm',
    [x, normalizedShape, { weight, bias, eps }],
  ]),
  row(LeakyReLU, ({ negativeSlope }, x) => ['leakyRelu', [x, { negativeSlope }]]),
  row(RReLU, ({ lower, upper, training }, x) =>
    training ? undefined : ['leakyRelu', [x, (lower + upper) / 2]],
  ),
  row(PReLU, ({ weight }, x) => ['prelu', [x, weight]]),
  row(Hardtanh, ({ minVal, maxVal }, x) => ['hardtanh', [x, { minVal, maxVal }]]),
  row(ReLU6, (_, x) => ['relu6', [x]]),
  row(Hardsigmoid, (_, x) => ['hardsigmoid', [x]]),
  row(GELU, ({ approximate }, x) => ['gelu', [x, { approximate }]]),
]);

/** The call that `layer`, which has this `forward`, stands for, if it is known. */
export const layerCall = (
  layer: Module,
  forward: unknown,
  inputs: readonly unknown[],
): LayerCall | undefined =>
  inputs.length === 1 ? ROWS.get(forward)?.(layer, inputs[0]) : undefined;

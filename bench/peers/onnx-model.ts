// A model of one convolution in ONNX's protobuf format
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto); numbers are its field numbers.

import type { ConvGeometry } from '@voxgrad/core';
import { unsigned } from '../../packages/wasm/src/emit/bytes.js';

type Bytes = readonly number[];

const integer = (field: number, value: number): Bytes => [
  ...unsigned(field * 8),
  ...unsigned(value),
];

const message = (field: number, ...parts: Bytes[]): Bytes => {
  const body = parts.flat();
  return [...unsigned(field * 8 + 2), ...unsigned(body.length), ...body];
};

const text = (field: number, value: string): Bytes => message(field, [...Buffer.from(value)]);

const [INT, INTS] = [2, 7];

const intAttribute = (name: string, value: number): Bytes =>
  message(5, text(1, name), integer(3, value), integer(20, INT));

const intsAttribute = (name: string, values: readonly number[]): Bytes =>
  message(5, text(1, name), ...values.map((value) => integer(8, value)), integer(20, INTS));

/** A float32 tensor among the inputs (11) or outputs (12) of the graph. */
const valueInfo = (field: number, name: string, shape: readonly number[]): Bytes => {
  const dims = shape.map((size) => message(1, integer(1, size)));
  return message(field, text(1, name), message(2, message(1, integer(1, 1), message(2, ...dims))));
};

interface Shapes {
  readonly x: readonly number[];
  readonly weight: readonly number[];
  readonly out: readonly number[];
}

/** `y = Conv(x, w)` */
export function convModel(g: ConvGeometry, shapes: Shapes): Uint8Array {
  const node = message(
    1,
    text(1, 'x'),
    text(1, 'w'),
    text(2, 'y'),
    text(4, 'Conv'),
    intAttribute('group', g.groups),
    intsAttribute('kernel_shape', g.kernel),
    intsAttribute('strides', g.stride),
    intsAttribute('dilations', g.dilation),
    intsAttribute('pads', [...g.padding.map(([lo]) => lo), ...g.padding.map(([, hi]) => hi)]),
  );
  const graph = message(
    7,
    node,
    text(2, 'convolution'),
    valueInfo(11, 'x', shapes.x),
    valueInfo(11, 'w', shapes.weight),
    valueInfo(12, 'y', shapes.out),
  );
  const opset = message(8, text(1, ''), integer(2, 13));
  return Uint8Array.from([...integer(1, 8), ...graph, ...opset]);
}

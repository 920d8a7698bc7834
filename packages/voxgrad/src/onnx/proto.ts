// The parts of ONNX's protobuf messages that a model needs, field by field.
// Source: onnx/onnx.proto3 (field numbers, element types, attribute types)

import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { DType } from '@voxgrad/core';

/** TensorProto.DataType. */
export const ELEMENT_TYPE: Readonly<Record<DType, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int16: 5,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  bfloat16: 16,
};

export type Attribute =
  | { readonly type: 'int'; readonly value: number }
  | { readonly type: 'ints'; readonly value: readonly number[] }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'string'; readonly value: string };

export const int = (value: number): Attribute => ({ type: 'int', value });
export const ints = (value: readonly number[]): Attribute => ({ type: 'ints', value });
export const float = (value: number): Attribute => ({ type: 'float', value });
export const text = (value: string): Attribute => ({ type: 'string', value });

export interface OnnxNode {
  readonly name: string;
  readonly type: string;
  /** An empty name is an optional input that is left out. */
  inputs: string[];
  outputs: string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface OnnxTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Elements in row-major order, little-endian. */
  readonly bytes: Uint8Array;
}

/** An input or output; a size is a number, or a name where it may differ from call to call. */
export interface OnnxPort {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly (number | string)[];
}

export interface OnnxModel {
  readonly name: string;
  readonly opset: number;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
}

/** The version of the file format that came with an opset. Source: onnx/docs/Versioning.md */
const irVersion = (opset: number): number => (opset <= 18 ? 8 : opset <= 20 ? 9 : 10);

type Fill = (message: BinaryWriter) => BinaryWriter;

const { LengthDelimited, Varint, Bit32 } = WireType;

function message(writer: BinaryWriter, field: number, fill: Fill): BinaryWriter {
  return fill(writer.tag(field, LengthDelimited).fork()).join();
}
const string = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, LengthDelimited).string(value);
const int64 = (writer: BinaryWriter, field: number, value: number): BinaryWriter =>
  writer.tag(field, Varint).int64(value);

const strings = (writer: BinaryWriter, field: number, values: readonly string[]): BinaryWriter =>
  values.reduce((w, value) => string(w, field, value), writer);
const int64s = (writer: BinaryWriter, field: number, values: readonly number[]): BinaryWriter =>
  values.reduce((w, value) => int64(w, field, value), writer);

/** AttributeProto: name 1, f 2, i 3, s 4, ints 8, type 20 (FLOAT 1, INT 2, STRING 3, INTS 7). */
function attribute(writer: BinaryWriter, name: string, given: Attribute): BinaryWriter {
  string(writer, 1, name);
  if (given.type === 'float') writer.tag(2, Bit32).float(given.value).tag(20, Varint).int32(1);
  if (given.type === 'int') int64(writer, 3, given.value).tag(20, Varint).int32(2);
  if (given.type === 'string') string(writer, 4, given.value).tag(20, Varint).int32(3);
  if (given.type === 'ints') int64s(writer, 8, given.value).tag(20, Varint).int32(7);
  return writer;
}

/** NodeProto: input 1, output 2, name 3, op_type 4, attribute 5. */
function node(writer: BinaryWriter, { name, type, inputs, outputs, attributes }: OnnxNode) {
  strings(writer, 1, inputs);
  strings(writer, 2, outputs);
  string(string(writer, 3, name), 4, type);
  for (const [key, value] of Object.entries(attributes))
    message(writer, 5, (w) => attribute(w, key, value));
  return writer;
}

/** TensorProto: dims 1, data_type 2, name 8, raw_data 9. */
function tensor(writer: BinaryWriter, { name, dtype, shape, bytes }: OnnxTensor) {
  int64s(writer, 1, shape).tag(2, Varint).int32(ELEMENT_TYPE[dtype]);
  return string(writer, 8, name).tag(9, LengthDelimited).bytes(bytes);
}

/**
 * ValueInfoProto: name 1, type 2 { tensor_type 1 { elem_type 1, shape 2 { dim 1 { dim_value 1,
 * dim_param 2 } } } }.
 */
function port(writer: BinaryWriter, { name, dtype, shape }: OnnxPort): BinaryWriter {
  const sizes: Fill = (w) =>
    shape.reduce(
      (list: BinaryWriter, size) =>
        message(list, 1, (dim) =>
          typeof size === 'number' ? int64(dim, 1, size) : string(dim, 2, size),
        ),
      w,
    );
  const tensorType: Fill = (w) => message(w.tag(1, Varint).int32(ELEMENT_TYPE[dtype]), 2, sizes);
  return message(string(writer, 1, name), 2, (w) => message(w, 1, tensorType));
}

/** GraphProto: node 1, name 2, initializer 5, input 11, output 12. */
function graph(writer: BinaryWriter, model: OnnxModel): BinaryWriter {
  for (const item of model.nodes) message(writer, 1, (w) => node(w, item));
  string(writer, 2, model.name);
  for (const item of model.initializers) message(writer, 5, (w) => tensor(w, item));
  for (const item of model.inputs) message(writer, 11, (w) => port(w, item));
  for (const item of model.outputs) message(writer, 12, (w) => port(w, item));
  return writer;
}

/** ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8 { domain 1, version 2 }. */
export function encodeModel(model: OnnxModel): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  string(int64(writer, 1, irVersion(model.opset)), 2, 'voxgrad');
  message(writer, 7, (w) => graph(w, model));
  message(writer, 8, (w) => int64(string(w, 1, ''), 2, model.opset));
  return writer.finish();
}

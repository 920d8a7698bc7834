// What the operator library of CANN 8.1.RC1 takes: for each operator its tensors, each with the dtypes
// and storage formats of its alternatives, column by column. Source: opsinfo.

import type { SourceKey } from '../profile/sources.js';

export const OPERATOR_TABLE_SOURCE: SourceKey = 'opsinfo';
/** The version whose operators these are. Source: opsinfo. */
export const OPERATOR_TABLE_CANN = '8.1.RC1';

export interface OperatorTensor {
  readonly name: string;
  readonly dtypes: readonly string[];
  readonly formats: readonly string[];
}

/** Operator name to its tensors, the last of which is the output. */
export type OperatorTable = Readonly<Record<string, readonly OperatorTensor[]>>;

/** Name, dtypes, and a format for each dtype or one for all. */
type Row = readonly [name: string, dtypes: string, formats: string];

const operators = (rows: Readonly<Record<string, readonly Row[]>>): OperatorTable =>
  Object.fromEntries(
    Object.entries(rows).map(([operator, tensors]) => [
      operator,
      tensors.map(([name, dtypes, formats]) => {
        const all = dtypes.split(' ');
        const own = formats.split(' ');
        return { name, dtypes: all, formats: own.length === 1 ? all.map(() => own[0]) : own };
      }),
    ]),
  );

const ASCEND910 = operators({
  Conv3D: [
    ['x', 'float16 float16 int8', 'NDC1HWC0'],
    ['filter', 'float16 float16 int8', 'FRACTAL_Z_3D'],
    ['bias', 'float16 float32 int32', 'ND'],
    ['offset_w', 'int8 int8 int8', 'ND'],
    ['y', 'float16 float32 int32', 'NDC1HWC0'],
  ],
  Conv3DBackpropFilter: [
    ['x', 'float16', 'NDC1HWC0'],
    ['filter_size', 'int32', 'ND'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropFilterD: [
    ['x', 'float16', 'NDC1HWC0'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropInput: [
    ['input_size', 'int32 int32 int64 int64', 'ND'],
    ['filter', 'float16 float16 float16 float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 float16 float16 float16', 'NDC1HWC0'],
    ['y', 'float16 float32 float16 float32', 'NDC1HWC0'],
  ],
  Conv3DBackpropInputD: [
    ['filter', 'float16 float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 float16', 'NDC1HWC0'],
    ['y', 'float16 float32', 'NDC1HWC0'],
  ],
});

const ASCEND310P = operators({
  Conv3D: [
    ['x', 'float16 float16 int8', 'NDC1HWC0'],
    ['filter', 'float16 float16 int8', 'FRACTAL_Z_3D'],
    ['bias', 'float16 float32 int32', 'ND'],
    ['offset_w', 'int8 int8 int8', 'ND'],
    ['y', 'float16 float32 int32', 'NDC1HWC0'],
  ],
  Conv3DBackpropFilter: [
    ['x', 'float16', 'NDC1HWC0'],
    ['filter_size', 'int32', 'ND'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropFilterD: [
    ['x', 'float16', 'NDC1HWC0'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropInput: [
    ['input_size', 'int32 int32', 'ND'],
    ['filter', 'float16 float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 float16', 'NDC1HWC0'],
    ['y', 'float16 float32', 'NDC1HWC0'],
  ],
  Conv3DBackpropInputD: [
    ['filter', 'float16 float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 float16', 'NDC1HWC0'],
    ['y', 'float16 float32', 'NDC1HWC0'],
  ],
});

const ASCEND310B = operators({
  Conv3D: [
    ['x', 'float16 int8', 'NDC1HWC0'],
    ['filter', 'float16 int8', 'FRACTAL_Z_3D'],
    ['bias', 'float16 int32', 'ND'],
    ['offset_w', 'int8 int8', 'ND'],
    ['y', 'float16 int32', 'NDC1HWC0'],
  ],
  Conv3DBackpropFilter: [
    ['x', 'float16', 'NDC1HWC0'],
    ['filter_size', 'int32', 'ND'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropFilterD: [
    ['x', 'float16', 'NDC1HWC0'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropInput: [
    ['input_size', 'int32', 'ND'],
    ['filter', 'float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float16', 'NDC1HWC0'],
  ],
  Conv3DBackpropInputD: [
    ['filter', 'float16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16', 'NDC1HWC0'],
    ['y', 'float16', 'NDC1HWC0'],
  ],
});

const ASCEND910B = operators({
  Conv3D: [
    ['x', 'float16 int8 bfloat16 float32', 'NDC1HWC0'],
    ['filter', 'float16 int8 bfloat16 float32', 'FRACTAL_Z_3D'],
    ['bias', 'float16 int32 float32 float32', 'ND'],
    ['offset_w', 'int8 int8 int8 int8', 'ND'],
    ['y', 'float16 int32 bfloat16 float32', 'NDC1HWC0'],
  ],
  Conv3DV2: [
    [
      'x',
      'bfloat16 float32 float16 bfloat16 float32 float16',
      'NDC1HWC0 NDC1HWC0 NDC1HWC0 NCDHW NCDHW NCDHW',
    ],
    [
      'filter',
      'bfloat16 float32 float16 bfloat16 float32 float16',
      'FRACTAL_Z_3D FRACTAL_Z_3D FRACTAL_Z_3D NCDHW NCDHW NCDHW',
    ],
    ['bias', 'float32 float32 float16 float32 float32 float32', 'ND'],
    ['offset_w', 'int8 int8 int8 int8 int8 int8', 'ND'],
    [
      'y',
      'bfloat16 float32 float16 bfloat16 float32 float16',
      'NDC1HWC0 NDC1HWC0 NDC1HWC0 NCDHW NCDHW NCDHW',
    ],
  ],
  Conv3DBackpropFilter: [
    ['x', 'float16 bfloat16', 'NDC1HWC0'],
    ['filter_size', 'int32 int32', 'ND'],
    ['out_backprop', 'float16 bfloat16', 'NDC1HWC0'],
    ['y', 'float32 float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropFilterD: [
    ['x', 'float16 bfloat16', 'NDC1HWC0'],
    ['out_backprop', 'float16 bfloat16', 'NDC1HWC0'],
    ['y', 'float32 float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropFilterV2: [
    ['x', 'bfloat16 float32 float16 bfloat16 float16', 'NDC1HWC0 NDC1HWC0 NDC1HWC0 NCDHW NCDHW'],
    ['filter_size', 'int32 int32 int32 int32 int32', 'ND'],
    ['out_backprop', 'bfloat16 float32 float16 bfloat16 float16', 'NDC1HWC0'],
    ['y', 'float32 float32 float32 float32 float32', 'FRACTAL_Z_3D'],
  ],
  Conv3DBackpropInput: [
    ['input_size', 'int32 int64 int32 int64', 'ND'],
    ['filter', 'float16 float16 bfloat16 bfloat16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 float16 bfloat16 bfloat16', 'NDC1HWC0'],
    ['y', 'float16 float16 bfloat16 bfloat16', 'NDC1HWC0'],
  ],
  Conv3DBackpropInputD: [
    ['filter', 'float16 bfloat16', 'FRACTAL_Z_3D'],
    ['out_backprop', 'float16 bfloat16', 'NDC1HWC0'],
    ['y', 'float16 bfloat16', 'NDC1HWC0'],
  ],
  Conv3DBackpropInputV2: [
    ['input_size', 'int32 int32 int64 int64 int32 int32 int64 int64 int32 int64', 'ND'],
    [
      'filter',
      'float16 bfloat16 float16 bfloat16 float16 bfloat16 float16 bfloat16 float32 float32',
      'FRACTAL_Z_3D',
    ],
    [
      'out_backprop',
      'float16 bfloat16 float16 bfloat16 float16 bfloat16 float16 bfloat16 float32 float32',
      'NDC1HWC0',
    ],
    [
      'y',
      'float16 bfloat16 float16 bfloat16 float16 bfloat16 float16 bfloat16 float32 float32',
      'NCDHW NCDHW NCDHW NCDHW NDC1HWC0 NDC1HWC0 NDC1HWC0 NDC1HWC0 NDC1HWC0 NDC1HWC0',
    ],
  ],
});

/** Family of chips to its operators. Families that are missing here are in no source. */
export const OPERATOR_TABLES: Readonly<Record<string, OperatorTable>> = {
  Ascend910: ASCEND910,
  Ascend310P: ASCEND310P,
  Ascend310B: ASCEND310B,
  Ascend910B: ASCEND910B,
  Ascend910_93: ASCEND910B,
};

/** Dtypes that the tensor `name` of any of `operators` may have on the chips of `family`. */
export function operatorDTypes(
  family: string,
  operators: readonly string[],
  name: string,
): readonly string[] | null {
  const table = OPERATOR_TABLES[family];
  if (!table) return null;
  const tensors = operators.flatMap((operator) => table[operator] ?? []);
  return [...new Set(tensors.filter((t) => t.name === name).flatMap((t) => t.dtypes))];
}

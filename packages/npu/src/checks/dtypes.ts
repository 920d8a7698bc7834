// Which dtypes a convolution takes on a chip.

import type { ConvKernelName, DType, Refusal } from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import type { Soc } from '../profile/socs.js';
import { SOURCES } from '../profile/sources.js';
import { operatorDTypes } from './operator-table.js';

/** The dtypes of both interfaces. Source: opsinfo, doc_bwd. */
export const CONV_DTYPES: readonly DType[] = ['float32', 'float16', 'bfloat16'];

/** Operators of each pass, and their tensor whose dtype is the call's. Source: opsinfo. */
const OPERATORS: Record<ConvKernelName, { names: readonly string[]; tensor: string }> = {
  convForward: { names: ['Conv3D', 'Conv3DV2'], tensor: 'x' },
  convWeight: { names: ['Conv3DBackpropFilter', 'Conv3DBackpropFilterV2'], tensor: 'x' },
  convBackward: { names: ['Conv3DBackpropInput', 'Conv3DBackpropInputV2'], tensor: 'filter' },
};

/**
 * Families on which torch_npu lets a float32 convolution compute in float16, so that it runs although
 * no operator there takes float32. Source: hf32.
 */
const LOWERS_FLOAT32: readonly string[] = ['Ascend910', 'Ascend310P'];

/** Whether a float32 convolution of `soc` is computed in float16, as far as its defaults go. */
export const lowersFloat32 = ({ family }: Soc): boolean => LOWERS_FLOAT32.includes(family);

/** By kernel and family: every check asks. */
const known = new Map<string, readonly DType[]>();

/** The dtypes that `kernel` takes on `soc`: those of its operators, or of the interface's page. */
export function convDTypes(kernel: ConvKernelName, soc: Soc): readonly DType[] {
  const key = `${kernel} ${soc.family}`;
  const found = known.get(key) ?? tableDTypes(kernel, soc);
  known.set(key, found);
  return found;
}

function tableDTypes(kernel: ConvKernelName, soc: Soc): readonly DType[] {
  const { names, tensor } = OPERATORS[kernel];
  const listed = operatorDTypes(soc.family, names, tensor);
  if (listed === null) return CONV_DTYPES;
  return CONV_DTYPES.filter(
    (dtype) => listed.includes(dtype) || (dtype === 'float32' && lowersFloat32(soc)),
  );
}

/** Integers and float64 have no convolution; which floats have one, the chip's operators say. */
export function checkDType(kernel: ConvKernelName, dtype: DType, { soc }: NpuProfile): Refusal[] {
  const taken = convDTypes(kernel, soc);
  if (taken.includes(dtype)) return [];
  const what =
    dtype === 'float64' ? `${soc.name} has no float64` : `${soc.name} does not convolve ${dtype}`;
  return [
    {
      check: 'dtype',
      message: `${what}: a convolution takes ${taken.join(', ')}, but got ${dtype}`,
      code: 'EZ1001',
      source: SOURCES.opsinfo,
    },
  ];
}

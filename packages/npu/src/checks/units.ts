import { bytesPerElement, type DType } from '@voxgrad/core';

/** Side of the square blocks in which the cube unit multiplies. Source: dx_check, dw_check, fwd_check. */
export const BLOCK = 16;
/** Bytes of one channel block (C0) of the layout NDC1HWC0. Source: dx_check, dw_check, fwd_check. */
export const CHANNEL_BYTES = 32;
/** C0, also called k0: 8 channels of float32, 16 of float16 and bfloat16. */
export const channelBlock = (dtype: DType): number => CHANNEL_BYTES / bytesPerElement(dtype);

export type Axis = 0 | 1 | 2;
/** Depth, height, width as CANN's messages name them. */
export const AXIS_NAMES = ['d', 'h', 'w'] as const;
export const DHW: readonly Axis[] = [0, 1, 2];
export const HW: readonly Axis[] = [1, 2];

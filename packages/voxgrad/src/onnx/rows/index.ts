// What is known of ONNX, by the names of core's operations and of the functions above them.

import type { CallRow, Emit } from '../graph.js';
import { ACTIVATION_CALLS, ARITHMETIC } from './arithmetic.js';
import { CONVOLUTION_CALLS } from './convolution.js';
import { NORM_CALLS, NORMS } from './normalization.js';
import { POOLING, POOLING_CALLS } from './pooling.js';
import { REDUCTION_CALLS, REDUCTIONS } from './reductions.js';
import { RESAMPLING_CALLS } from './resampling.js';
import { PAD_CALLS, SHAPES } from './shapes.js';

export const OPERATIONS: ReadonlyMap<string, Emit> = new Map(
  [ARITHMETIC, SHAPES, REDUCTIONS, POOLING, NORMS].flatMap((rows) => Object.entries(rows)),
);

export const CALLS: ReadonlyMap<string, CallRow> = new Map(
  [
    ACTIVATION_CALLS,
    CONVOLUTION_CALLS,
    NORM_CALLS,
    POOLING_CALLS,
    REDUCTION_CALLS,
    RESAMPLING_CALLS,
    PAD_CALLS,
  ].flatMap((rows) => Object.entries(rows)),
);

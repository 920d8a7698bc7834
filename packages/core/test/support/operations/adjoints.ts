// The adjoints of convolutions as functions: input sizes of strided calls that leave a tail.

import * as vg from '../../../src/index.js';
import { row, wide } from './table.js';

const strided = { stride: 2, dilation: 2 };

row(
  'conv1dInput',
  (w, g) => vg.conv1dInput([1, 2, 8], w, g, strided),
  ...wide([3, 2, 2], [1, 3, 3]),
);
row(
  'conv1dWeight',
  (x, g) => vg.conv1dWeight(x, [3, 2, 2], g, strided),
  ...wide([1, 2, 8], [1, 3, 3]),
);
row(
  'conv2dInput',
  (w, g) => vg.conv2dInput([2, 4, 5], w, g, { groups: 2, padding: 1 }),
  ...wide([2, 1, 3, 2], [2, 4, 6]),
);
row(
  'conv2dWeight',
  (x, g) => vg.conv2dWeight(x, [2, 1, 3, 2], g, { groups: 2, padding: 1 }),
  ...wide([2, 4, 5], [2, 4, 6]),
);
row(
  'conv3dInput',
  (w, g) => vg.conv3dInput([1, 1, 3, 4, 3], w, g, { stride: [1, 2, 1] }),
  ...wide([2, 1, 2, 2, 2], [1, 2, 2, 2, 2]),
);
row(
  'conv3dWeight',
  (x, g) => vg.conv3dWeight(x, [2, 1, 2, 2, 2], g, { stride: [1, 2, 1] }),
  ...wide([1, 1, 3, 4, 3], [1, 2, 2, 2, 2]),
);

// Windows: pooling and resampling.

import * as vg from '../../../src/index.js';
import { at, positive, row, wide } from './table.js';

row('maxPool1d', (x) => vg.maxPool1d(x, 3, { stride: 2, padding: 1 }), ...wide([2, 1, 7]));
row('maxPool1d', (x) => vg.maxPool1d(x, 2, { ceilMode: true }), ...wide([2, 5]));
row('maxPool2d', (x) => vg.maxPool2d(x, [2, 3], { stride: [2, 1] }), ...wide([1, 2, 5, 4]));
row('maxPool2d', (x) => vg.maxPool2d(x, 2, { dilation: 2 }), ...wide([0, 2, 4, 4]));
row('maxPool3d', (x) => vg.maxPool3d(x, 2), ...wide([1, 2, 4, 3, 5]));
row('maxPool3d', (x) => vg.maxPool3d(x, 2, { stride: 1, padding: 1 }), ...wide([1, 2, 3, 2]));
row('maxPool3dWithIndices', (x) => vg.maxPool3dWithIndices(x, 2).output, ...wide([1, 1, 2, 3, 4]));
row('maxPool1dWithIndices', (x) => vg.maxPool1dWithIndices(x, 2).output, ...wide([2, 5]));
row('maxPool2dWithIndices', (x) => vg.maxPool2dWithIndices(x, [1, 2]).output, ...wide([1, 2, 5]));
row('avgPool1d', (x) => vg.avgPool1d(x, 3, { stride: 2, padding: 1 }), ...wide([2, 1, 7]));
row('avgPool1d', (x) => vg.avgPool1d(x, 2, { stride: 3, ceilMode: true }), ...wide([2, 7]));
row(
  'avgPool2d',
  (x) => vg.avgPool2d(x, [2, 3], { stride: 1, padding: 1, countIncludePad: false }),
  ...wide([1, 2, 3, 4]),
);
row('avgPool2d', (x) => vg.avgPool2d(x, 2, { divisorOverride: -3 }), ...wide([0, 2, 4, 4]));
row(
  'avgPool3d',
  (x) => vg.avgPool3d(x, [2, 2, 3], { stride: 2, padding: [1, 0, 1], ceilMode: true }),
  ...wide([1, 2, 3, 2, 5]),
);
row('avgPool3d', (x) => vg.avgPool3d(x, 2), ...wide([2, 2, 3, 4]));
row('adaptiveAvgPool1d', (x) => vg.adaptiveAvgPool1d(x, 3), ...wide([2, 1, 5]));
row('adaptiveAvgPool2d', (x) => vg.adaptiveAvgPool2d(x, [null, 5]), ...wide([1, 2, 3, 4]));
row('adaptiveAvgPool3d', (x) => vg.adaptiveAvgPool3d(x, 1), ...wide([2, 1, 2, 1, 3]));
row('adaptiveAvgPool3d', (x) => vg.adaptiveAvgPool3d(x, [2, null, 3]), ...wide([1, 3, 2, 4]));
row('adaptiveMaxPool1d', (x) => vg.adaptiveMaxPool1d(x, 3), ...wide([2, 1, 5]));
row('adaptiveMaxPool2d', (x) => vg.adaptiveMaxPool2d(x, [2, null]), ...wide([1, 2, 3, 2]));
row('adaptiveMaxPool3d', (x) => vg.adaptiveMaxPool3d(x, [2, 1, 4]), ...wide([1, 1, 3, 2, 3]));
row(
  'adaptiveMaxPool1dWithIndices',
  (x) => vg.adaptiveMaxPool1dWithIndices(x, 2).output,
  ...wide([2, 3]),
);
row(
  'adaptiveMaxPool2dWithIndices',
  (x) => vg.adaptiveMaxPool2dWithIndices(x, 2).output,
  ...wide([0, 1, 3, 3]),
);
row(
  'adaptiveMaxPool3dWithIndices',
  (x) => vg.adaptiveMaxPool3dWithIndices(x, 2).output,
  ...wide([1, 2, 3, 2]),
);
row('lpPool1d', (x) => vg.lpPool1d(x, 3, 2, { stride: 1 }), ...positive([2, 1, 4]));
row('lpPool2d', (x) => vg.lpPool2d(x, 1.5, [2, 3], { ceilMode: true }), ...positive([2, 3, 5]));
row('maxUnpool1d', (x) => vg.maxUnpool1d(x, at(x, [[3, 0]]), 2), ...wide([1, 2]));
row(
  'maxUnpool2d',
  (x) => vg.maxUnpool2d(x, at(x, [[[[0, 9]]]]), [2, 3], { outputSize: [3, 7] }),
  ...wide([1, 1, 1, 2]),
);
row(
  'maxUnpool3d',
  (x) => vg.maxUnpool3d(x, at(x, [[[[[7, 15]]]]]), 2, { stride: [1, 2, 2] }),
  ...wide([1, 1, 1, 1, 2]),
);

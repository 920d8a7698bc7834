// Windows taken apart, resizing and sampling.

import * as vg from '../../../src/index.js';
import { range, row, wide } from './table.js';

row('unfold', (x) => vg.unfold(x, [2, 3], { padding: 1, stride: [1, 2] }), ...wide([2, 1, 3, 4]));
row('unfold', (x) => vg.unfold(x, 2, { dilation: 2 }), ...wide([1, 3, 4]));
row('fold', (x) => vg.fold(x, [3, 4], 2), ...wide([2, 4, 6]));
row('fold', (x) => vg.fold(x, 4, [2, 3], { padding: 1, stride: 2 }), ...wide([6, 6]));
row('unfoldDim', (x) => x.unfold(1, 3, 2), ...wide([2, 6]));
row('unfoldDim', (x) => x.unfold(0, 1, 1), ...wide([]));

for (const mode of ['linear', 'nearest', 'nearest-exact', 'area'] as const)
  row('interpolate', (x) => vg.interpolate(x, { size: 5, mode }), ...wide([2, 1, 3]));
for (const alignCorners of [true, false]) {
  row(
    'interpolate',
    (x) => vg.interpolate(x, { size: [5, 2], mode: 'bilinear', alignCorners }),
    ...wide([1, 2, 3, 4]),
  );
  row(
    'interpolate',
    (x) => vg.interpolate(x, { scaleFactor: [1.5, 2], mode: 'bicubic', alignCorners }),
    ...wide([1, 1, 4, 3]),
  );
  row(
    'interpolate',
    (x) => vg.interpolate(x, { scaleFactor: 2, mode: 'trilinear', alignCorners }),
    ...wide([1, 1, 2, 1, 3]),
  );
}
for (const mode of ['bilinear', 'bicubic'] as const)
  row(
    'interpolate',
    (x) => vg.interpolate(x, { size: [3, 5], mode, antialias: true }),
    ...wide([1, 2, 5, 4]),
  );
row('interpolate', (x) => vg.interpolate(x, { scaleFactor: 2 }), ...wide([0, 2, 1, 3, 2]));
row('upsample', (x) => vg.upsample(x, { scaleFactor: 2 }), ...wide([1, 2, 3]));
row('upsampleNearest', (x) => vg.upsampleNearest(x, { scaleFactor: 2 }), ...wide([1, 1, 2, 3]));
row('upsampleBilinear', (x) => vg.upsampleBilinear(x, { size: [3, 5] }), ...wide([1, 1, 2, 3]));

row('pixelShuffle', (x) => vg.pixelShuffle(x, 2), ...wide([1, 8, 2, 3]));
row('pixelUnshuffle', (x) => vg.pixelUnshuffle(x, 2), ...wide([2, 1, 4, 2]));
row('channelShuffle', (x) => vg.channelShuffle(x, 3), ...wide([1, 6, 2]));

row('affineGrid', (x) => vg.affineGrid(x, [2, 1, 2, 3]), ...wide([2, 2, 3]));
row(
  'affineGrid',
  (x) => vg.affineGrid(x, [1, 1, 2, 1, 3], { alignCorners: true }),
  ...wide([1, 3, 4]),
);

// Places inside and outside of the input, none on the corners of its cells.
for (const paddingMode of ['zeros', 'border', 'reflection'] as const)
  for (const alignCorners of [false, true]) {
    for (const mode of ['bilinear', 'nearest', 'bicubic'] as const)
      row(
        'gridSample',
        (x, grid) => vg.gridSample(x, grid, { mode, paddingMode, alignCorners }),
        ...wide([1, 2, 3, 4]),
        ...range(-1.31, 1.27, [1, 2, 3, 2]),
      );
    for (const mode of ['bilinear', 'nearest'] as const)
      row(
        'gridSample',
        (x, grid) => vg.gridSample(x, grid, { mode, paddingMode, alignCorners }),
        ...wide([1, 1, 3, 2, 4]),
        ...range(-1.2, 1.1, [1, 1, 2, 2, 3]),
      );
  }
row('gridSample', (x, grid) => vg.gridSample(x, grid), ...wide([0, 1, 2, 2], [0, 1, 2, 2]));

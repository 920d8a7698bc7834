// Elements picked and put by position.

import type { Tensor } from '../../../src/index.js';
import * as vg from '../../../src/index.js';
import { at, positive, range, row, wide } from './table.js';

row('gather', (x) => x.gather(1, at(x, [[2, 0, 2, 1, 1]])), ...wide([1, 3]));
row('gather', (x) => x.gather(0, at(x, [[1], [1], [0]])), ...wide([2, 3]));
row('indexSelect', (x) => x.indexSelect(1, at(x, [2, 0, 2])), ...wide([2, 3, 2]));
row('indexSelect', (x) => x.indexSelect(0, at(x, [])), ...wide([2, 3]));
row('takeAlongDim', (x) => vg.takeAlongDim(x, at(x, [[1], [0]]), 1), ...wide([2, 3]));
row(
  'take',
  (x) =>
    vg.take(
      x,
      at(x, [
        [5, 0],
        [2, 2],
      ]),
    ),
  ...wide([2, 3]),
);
row('maskedFill', (x) => vg.maskedFill(x, x.detach().gt(0.2), 3), ...wide([2, 3]));
row('maskedFill', (x, v) => vg.maskedFill(x, x.detach().gt(0.2), v), ...wide([2, 3], []));
row('maskedSelect', (x) => vg.maskedSelect(x, x.detach().gt(0.2)), ...wide([2, 3]));
row(
  'maskedScatter',
  (x, source) => vg.maskedScatter(x, x.detach().gt(0.2), source),
  ...wide([2, 3], [7]),
);

const cells = (x: Tensor) =>
  at(x, [
    [0, 2, 0],
    [1, 1, 2],
  ]);
row(
  'scatter',
  (x, y) =>
    vg.scatter(
      x,
      0,
      at(x, [
        [2, 0],
        [1, 1],
      ]),
      y,
    ),
  ...wide([3, 2], [2, 2]),
);
row('scatter', (x) => vg.scatter(x, 1, at(x, [[2], [0]]), 1.5), ...wide([2, 3]));
row('scatterAdd', (x, y) => vg.scatterAdd(x, 1, cells(x), y), ...wide([2, 3], [2, 3]));
for (const reduce of ['sum', 'mean', 'prod', 'amax', 'amin'] as const)
  for (const includeSelf of [true, false])
    row(
      'scatterReduce',
      (x, y) => vg.scatterReduce(x, 1, cells(x), y, reduce, { includeSelf }),
      ...wide([2, 3]),
      ...range(-1.9, 2.1, [2, 3]),
    );
row(
  'indexAdd',
  (x, y) => vg.indexAdd(x, 1, at(x, [2, 0, 2]), y, { alpha: 2 }),
  ...wide([2, 3], [2, 3]),
);
row('indexCopy', (x, y) => vg.indexCopy(x, 0, at(x, [2, 0]), y), ...wide([3, 2], [2, 2]));
row('indexFill', (x) => vg.indexFill(x, 1, at(x, [0, 2]), 3), ...wide([2, 3]));
row('indexFill', (x, v) => vg.indexFill(x, 1, at(x, [0, 2]), v), ...wide([2, 3], []));
row('index', (x) => vg.index(x, [at(x, [1, 0, 1]), at(x, [2, 2, 0])]), ...wide([2, 3, 2]));
row('indexPut', (x, y) => vg.indexPut(x, [at(x, [2, 0])], y), ...wide([3, 2], [2, 2]));
row(
  'indexPut',
  (x, y) => vg.indexPut(x, [at(x, [2, 2, 0])], y, { accumulate: true }),
  ...wide([3, 2], [3, 2]),
);
row('put', (x, y) => vg.put(x, at(x, [[4, -1]]), y), ...wide([2, 3], [1, 2]));
row('put', (x, y) => vg.put(x, at(x, [4, 4]), y, { accumulate: true }), ...wide([2, 3], [2]));
row(
  'indexReduce',
  (x, y) => vg.indexReduce(x, 0, at(x, [2, 2]), y, 'prod'),
  ...positive([3, 2], [2, 2]),
);
row(
  'indexReduce',
  (x, y) => vg.indexReduce(x, 1, at(x, [1, 0]), y, 'mean', { includeSelf: false }),
  ...wide([2, 3], [2, 2]),
);

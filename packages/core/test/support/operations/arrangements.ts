// Shapes and orders beyond the primitive movements.

import * as vg from '../../../src/index.js';
import { row, wide } from './table.js';

row('roll', (x) => vg.roll(x, 2), ...wide([3, 1, 5]));
row('roll', (x) => vg.roll(x, [1, -2], [0, 2]), ...wide([3, 1, 5]));
row('repeat', (x) => vg.repeat(x, 2, 1, 3), ...wide([3, 2]));
row('tile', (x) => vg.tile(x, 2), ...wide([2, 3]));
row('repeatInterleave', (x) => vg.repeatInterleave(x, 2, 1), ...wide([2, 3]));
row('repeatInterleave', (x) => vg.repeatInterleave(x, 3), ...wide([2, 1]));
row('unflatten', (x) => vg.unflatten(x, 1, [2, -1]), ...wide([2, 6]));
row('movedim', (x) => vg.movedim(x, [0, 1], [-1, 0]), ...wide([3, 1, 5]));
row('moveaxis', (x) => vg.moveaxis(x, 0, 1), ...wide([3, 1, 5]));
row('swapaxes', (x) => vg.swapaxes(x, 0, 2), ...wide([3, 1, 5]));
row('swapdims', (x) => vg.swapdims(x, 0, -1), ...wide([3, 1, 5]));
row('rot90', (x) => vg.rot90(x, 3, [0, 2]), ...wide([3, 1, 5]));
row('fliplr', (x) => vg.fliplr(x), ...wide([3, 2]));
row('flipud', (x) => vg.flipud(x), ...wide([3]));
row('diff', (x) => vg.diff(x, { n: 2 }), ...wide([2, 5]));
row('diff', (x) => vg.diff(x, { dim: 0 }), ...wide([3, 2]));
row('viewAs', (x, y) => vg.viewAs(x.contiguous(), y), ...wide([3, 2], [6]));
row('reshapeAs', (x, y) => vg.reshapeAs(x, y), ...wide([3, 2], [2, 3]));
row('broadcastTo', (x) => vg.broadcastTo(x, [2, 3, 2]), ...wide([3, 1]));
row('broadcastTensors', (x, y) => vg.broadcastTensors(x, y), ...wide([3, 1], [2]));
row('atleast1d', (x) => vg.atleast1d(x), ...wide([]));
row('atleast2d', (x) => vg.atleast2d(x), ...wide([3]));
row('atleast3d', (x) => vg.atleast3d(x), ...wide([3, 2]));
row('hstack', (x, y) => vg.hstack([x, y]), ...wide([2, 1], [2, 3]));
row('vstack', (x, y) => vg.vstack([x, y]), ...wide([3], [2, 3]));
row('dstack', (x, y) => vg.dstack([x, y]), ...wide([2, 3], [2, 3]));
row('columnStack', (x, y) => vg.columnStack([x, y]), ...wide([2], [2, 3]));
row('meshgrid', (x, y) => vg.meshgrid([x, y], { indexing: 'xy' }), ...wide([2], [3]));
row('blockDiag', (x, y) => vg.blockDiag(x, y), ...wide([2, 1], [3]));
row('split', (x) => vg.split(x, 2, 1), ...wide([2, 5]));
row('split', (x) => vg.split(x, [1, 0, 2]), ...wide([3, 2]));
row('chunk', (x) => vg.chunk(x, 3, -1), ...wide([2, 5]));
row('tensorSplit', (x) => vg.tensorSplit(x, [1, 3], 1), ...wide([2, 5]));
row('unbind', (x) => vg.unbind(x, 1), ...wide([2, 3]));

row('diagonal', (x) => vg.diagonal(x, 1, 0, 2), ...wide([3, 2, 4]));
row('diagEmbed', (x) => vg.diagEmbed(x, -1), ...wide([2, 3]));
row('diag', (x) => vg.diag(x, 1), ...wide([3]));
row('diag', (x) => vg.diag(x, -1), ...wide([3, 4]));
row('trace', (x) => vg.trace(x), ...wide([3, 4]));
row('tril', (x) => vg.tril(x, 1), ...wide([2, 3, 4]));
row('triu', (x) => vg.triu(x), ...wide([3, 2]));

row('ravel', (x) => vg.ravel(x), ...wide([3, 2]));
row('hsplit', (x) => vg.hsplit(x, [1, 3]), ...wide([2, 5]));
row('vsplit', (x) => vg.vsplit(x, 2), ...wide([4, 2]));
row('dsplit', (x) => vg.dsplit(x, 2), ...wide([1, 2, 4]));
row('splitWithSizes', (x) => vg.splitWithSizes(x, [1, 2], 1), ...wide([2, 3]));
row('narrowCopy', (x) => vg.narrowCopy(x, 1, 1, 2), ...wide([2, 4]));
row('diagflat', (x) => vg.diagflat(x, 1), ...wide([2, 2]));
row('sliceScatter', (x, y) => vg.sliceScatter(x, y, 1, 1, 5, 2), ...wide([2, 5], [2, 2]));
row('selectScatter', (x, y) => vg.selectScatter(x, y, 0, -1), ...wide([2, 3], [3]));
row('diagonalScatter', (x, y) => vg.diagonalScatter(x, y, -1), ...wide([3, 4], [2]));
row('cartesianProd', (x, y) => vg.cartesianProd(x, y), ...wide([2], [3]));
row('combinations', (x) => vg.combinations(x, 2, { withReplacement: true }), ...wide([3]));
row('vander', (x) => vg.vander(x, 4), ...wide([3]));
// Overlapping windows of a copy: the layout of x itself is the caller's.
row('asStrided', (x) => vg.asStrided(x.clone(), [3, 2], [1, 2], 1), ...wide([2, 4]));
row('asStrided', (x) => vg.asStrided(x.clone().expand(2, 4), [3], [1]), ...wide([1, 4]));

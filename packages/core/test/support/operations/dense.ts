// Square matrices, kept away from singular ones by their diagonal.

import * as vg from '../../../src/index.js';
import { range, row, wide } from './table.js';

const regular = (x: vg.Tensor): vg.Tensor =>
  x.add(vg.eye(x.size(-1), { dtype: x.dtype, device: x.device }).mul(3));

row('inverse', (x) => vg.inverse(regular(x)), ...wide([2, 3, 3]));
row('inverse', (x) => regular(x).inverse(), ...wide([4, 4]));
for (const n of [1, 2, 3, 4]) row('det', (x) => vg.det(regular(x)), ...wide([2, n, n]));
// All rows alike: singular.
row('det', (x) => vg.det(x.expand(3, 3)), ...wide([1, 3]));
row('slogdet', (x) => vg.slogdet(regular(x)).logabsdet, ...wide([4, 4]));
row('logdet', (x) => vg.logdet(regular(x)), ...wide([2, 2, 2]));
row('matrixPower', (x) => vg.matrixPower(x, 5), ...wide([3, 3]));
row('matrixPower', (x) => vg.matrixPower(regular(x), -2), ...wide([2, 2]));
row('matrixPower', (x) => vg.matrixPower(x, 0).add(x), ...wide([2, 2]));
row('chainMatmul', (a, b, c) => vg.chainMatmul(a, b, c), ...wide([2, 3], [3, 1], [1, 2]));
// Factors that broadcasting made, of an odd inner size.
row('matmul', (x, y) => x.sub(y).matmul(x.add(y).t()), ...wide([3, 5], [3, 1]));
row('matmul', (x, y) => x.sub(y).t().matmul(x.add(y)), ...wide([3, 5], [3, 1]));
row('cov', (x) => vg.cov(x), ...wide([2, 5]));
row(
  'cov',
  (x, w) => vg.cov(x, { aweights: w, correction: 0.5 }),
  ...wide([2, 4]),
  ...range(0.4, 2, [4]),
);
row('corrcoef', (x) => vg.corrcoef(x).triu(1), ...wide([3, 4]));
row('renorm', (x) => vg.renorm(x, 2, 0, 1.5), ...wide([3, 2, 2]));
row('renorm', (x) => vg.renorm(x, 1, -1, 1.5), ...wide([2, 3]));

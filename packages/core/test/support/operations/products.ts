// Matrix products and their relatives.

import * as vg from '../../../src/index.js';
import { row, wide } from './table.js';

row('bmm', (a, b) => a.bmm(b), ...wide([2, 3, 1], [2, 1, 4]));
row('bmm', (a, b) => a.bmm(b), ...wide([2, 3, 0], [2, 0, 2]));
row('mm', (a, b) => a.mm(b), ...wide([3, 2], [2, 5]));
for (const [a, b] of [
  [[3], [3]],
  [[3], [3, 2]],
  [[2, 3], [3]],
  [
    [2, 3],
    [3, 1],
  ],
  [
    [2, 1, 3, 2],
    [3, 2, 3],
  ],
  [[2], [3, 2, 4]],
  [[3, 2, 4], [4]],
  [
    [0, 2, 3],
    [3, 2],
  ],
])
  row('matmul', (x, y) => x.matmul(y), ...wide(a, b));
row('linear', (x, w, b) => vg.linear(x, w, b), ...wide([2, 1, 3], [4, 3], [4]));
row('linear', (x, w) => vg.linear(x, w), ...wide([3], [2, 3]));

const scales = { beta: 0.5, alpha: -2 };
row('dot', (a, b) => vg.dot(a, b), ...wide([3], [3]));
row('vdot', (a, b) => vg.vdot(a, b), ...wide([3], [3]));
row('mv', (a, b) => vg.mv(a, b), ...wide([2, 3], [3]));
row('outer', (a, b) => vg.outer(a, b), ...wide([2], [3]));
row('ger', (a, b) => vg.ger(a, b), ...wide([2], [3]));
row('inner', (a, b) => vg.inner(a, b), ...wide([2, 3], [4, 3]));
row('addmm', (x, a, b) => vg.addmm(x, a, b, scales), ...wide([4], [2, 3], [3, 4]));
row('addmv', (x, a, b) => vg.addmv(x, a, b, scales), ...wide([2], [2, 3], [3]));
row('addr', (x, a, b) => vg.addr(x, a, b, scales), ...wide([2, 3], [2], [3]));
row('baddbmm', (x, a, b) => vg.baddbmm(x, a, b, scales), ...wide([2, 2, 2], [2, 2, 1], [2, 1, 2]));
row('addbmm', (x, a, b) => vg.addbmm(x, a, b, scales), ...wide([2, 2], [3, 2, 1], [3, 1, 2]));
row('tensordot', (a, b) => vg.tensordot(a, b), ...wide([2, 3, 2], [3, 2, 2]));
row('tensordot', (a, b) => vg.tensordot(a, b, [[0], [1]]), ...wide([2, 3], [2, 2]));
row('kron', (a, b) => vg.kron(a, b), ...wide([2, 1], [3]));
row('cross', (a, b) => vg.cross(a, b, 0), ...wide([3, 2], [3, 2]));
row('einsum', (a, b) => vg.einsum('bij,jk->bik', a, b), ...wide([2, 2, 3], [3, 2]));
row('einsum', (a) => vg.einsum('iij->j', a), ...wide([2, 2, 3]));
row('einsum', (a, b) => vg.einsum('...i,i->...', a, b), ...wide([2, 1, 3], [3]));
row('einsum', (a, b, c) => vg.einsum('ab,bc,cd', a, b, c), ...wide([2, 3], [3, 1], [1, 2]));
row('einsum', (a, b) => vg.einsum('ij,kj', a, b), ...wide([2, 3], [2, 1]));
row('einsum', (a, b) => vg.einsum('...i,...j->...ji', a, b), ...wide([2, 1, 3], [4, 2]));
row('einsum', (a) => vg.einsum('a...b->b...', a), ...wide([2, 3, 2]));

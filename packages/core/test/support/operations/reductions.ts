// Sums, extremes and what is made of them.

import type { Tensor } from '../../../src/index.js';
import * as vg from '../../../src/index.js';
import { range, row, wide } from './table.js';

for (const [name, reduce] of [
  ['sum', (x: Tensor, ...a: Parameters<Tensor['sum']>) => x.sum(...a)],
  ['mean', (x: Tensor, ...a: Parameters<Tensor['mean']>) => x.mean(...a)],
  ['amax', (x: Tensor, ...a: Parameters<Tensor['amax']>) => x.amax(...a)],
  ['amin', (x: Tensor, ...a: Parameters<Tensor['amin']>) => x.amin(...a)],
  ['var', (x: Tensor, ...a: Parameters<Tensor['var']>) => x.var(...a)],
  ['std', (x: Tensor, ...a: Parameters<Tensor['std']>) => x.std(...a)],
] as const) {
  row(name, (x) => reduce(x), ...wide([3, 1, 5]));
  row(name, (x) => reduce(x, 0), ...wide([3, 1, 5]));
  row(name, (x) => reduce(x, [0, -1]), ...wide([3, 2, 5]));
  row(name, (x) => reduce(x, [2, 0], { keepdim: true }), ...wide([3, 2, 5]));
  row(name, (x) => reduce(x, 1), ...wide([0, 3]));
}
for (const input of wide([], [1])) {
  row('sum', (x) => x.sum(), input);
  row('mean', (x) => x.mean(0), input);
  row('amax', (x) => x.amax(), input);
  row('amin', (x) => x.amin(-1), input);
}
row('sum', (x) => x.sum(0), ...wide([0, 3]));
row('var', (x) => x.var(1, { correction: 0 }), ...wide([2, 3]));
row('std', (x) => x.std(1, { correction: 0, keepdim: true }), ...wide([2, 3]));
row('amax', (x) => vg.cat([x, x]).amax(0), ...wide([2, 3])); // ties share the gradient
row('logsumexp', (x) => x.logsumexp(1), ...wide([3, 2, 5]));
row('logsumexp', (x) => x.logsumexp([0, -1], { keepdim: true }), ...wide([3, 2, 5]));
for (const input of wide([3, 1, 5], [], [0, 3])) {
  row('softmax', (x) => x.softmax(-1), input);
  row('logSoftmax', (x) => x.logSoftmax(0), input);
}
row('softmax', (x) => x.softmax(1), ...wide([2, 3, 2]));
row('logSoftmax', (x) => x.logSoftmax(1), ...wide([2, 3, 2]));

// ---- products, norms, running results, orders ----

for (const dim of [0, 2]) {
  row('prod', (x) => vg.prod(x, dim), ...wide([3, 1, 5]));
  row('cumsum', (x) => vg.cumsum(x, dim), ...wide([3, 1, 5]));
  row('cumprod', (x) => vg.cumprod(x, dim), ...wide([3, 1, 5]));
  row('logcumsumexp', (x) => vg.logcumsumexp(x, dim), ...wide([3, 1, 5]));
  row('cummax', (x) => vg.cummax(x, dim).values, ...wide([3, 1, 5]));
  row('cummin', (x) => vg.cummin(x, dim).values, ...wide([3, 1, 5]));
  row('max', (x) => vg.max(x, dim).values, ...wide([3, 1, 5]));
  row('min', (x) => vg.min(x, dim, { keepdim: true }).values, ...wide([3, 1, 5]));
  row('median', (x) => vg.median(x, dim).values, ...wide([3, 2, 5]));
  row('kthvalue', (x) => vg.kthvalue(x, 2, dim).values, ...wide([3, 2, 5]));
  row('mode', (x) => vg.mode(x, dim).values, ...wide([3, 1, 5]));
  row('sort', (x) => vg.sort(x, dim).values, ...wide([3, 1, 5]));
  row('topk', (x) => vg.topk(x, 2, dim).values, ...wide([3, 1, 5]));
  row('quantile', (x) => vg.quantile(x, [0.2, 0.75], dim), ...wide([3, 1, 5]));
}
row('prod', (x) => vg.prod(x), ...wide([3, 2]));
row('max', (x) => vg.max(x), ...wide([3, 2]));
row('max', (a, b) => vg.max(a, b), ...wide([3, 1]), ...range(-1.9, 2.1, [2]));
row('min', (x) => vg.min(x), ...wide([3, 2]));
row('aminmax', (x) => Object.values(vg.aminmax(x, { dim: 0 })), ...wide([3, 2]));
row('median', (x) => vg.median(x), ...wide([3, 2]));
row('nanmedian', (x) => vg.nanmedian(x), ...wide([3, 2]));
row('nanmedian', (x) => vg.nanmedian(x, 1).values, ...wide([3, 4]));
row('msort', (x) => vg.msort(x), ...wide([3, 2]));
row('varMean', (x) => vg.varMean(x, 1), ...wide([3, 2]));
row('stdMean', (x) => vg.stdMean(x, [0, 1], { correction: 0 }), ...wide([3, 2]));
row('nansum', (x) => vg.nansum(x, 1), ...wide([3, 2]));
row('nanmean', (x) => vg.nanmean(x), ...wide([3, 2]));
for (const p of [1, 2, 3, 0.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
  row('norm', (x) => vg.norm(x, p, 1), ...wide([3, 4]));
  row('dist', (a, b) => vg.dist(a, b, p), ...wide([3, 2]), ...range(-1.71, 2.37, [2]));
}
row('norm', (x) => vg.norm(x), ...wide([3, 1, 2]));
row('norm', (x) => vg.norm(x, 'fro', [0, 2], { keepdim: true }), ...wide([3, 1, 2]));
for (const p of [1, 2, 3])
  row('cdist', (a, b) => vg.cdist(a, b, p), ...wide([2, 3, 2]), ...range(-1.7, 2.3, [4, 2]));

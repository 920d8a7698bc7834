// Integrals and slopes along a dim.

import * as vg from '../../../src/index.js';
import { row, wide } from './table.js';

row('trapezoid', (y) => vg.trapezoid(y, { dx: 0.5, dim: 0 }), ...wide([3, 2]));
row('trapezoid', (y, x) => vg.trapezoid(y, x), ...wide([2, 4], [4]));
row('cumulativeTrapezoid', (y, x) => vg.cumulativeTrapezoid(y, x), ...wide([2, 4], [2, 4]));
row('gradient', (x) => vg.gradient(x, { spacing: 0.5 }), ...wide([3, 4]));
row('gradient', (x) => vg.gradient(x, { dim: 1, edgeOrder: 2 }), ...wide([2, 3]));
row('gradient', (x, at) => vg.gradient(x, { dim: 0, spacing: [at] }), ...wide([4, 2], [4]));

// Movements of elements, copies and padding.

import * as vg from '../../../src/index.js';
import { row, wide } from './table.js';

row('reshape', (x) => x.reshape(5, -1), ...wide([3, 1, 5]));
row('reshape', (x) => x.reshape(1, 1), ...wide([]));
row('reshape', (x) => x.permute(2, 1, 0).reshape([15]), ...wide([3, 1, 5]));
row('view', (x) => x.contiguous().view([15, 1]), ...wide([3, 1, 5]));
row('permute', (x) => x.permute(2, 0, 1), ...wide([3, 1, 5]));
row('transpose', (x) => x.transpose(0, -1), ...wide([3, 1, 5]));
row('t', (x) => x.t(), ...wide([3, 2]));
row('adjoint', (x) => x.adjoint(), ...wide([2, 3, 1]));
row('expand', (x) => x.expand(2, 3, 4, -1), ...wide([3, 1, 5]));
row('expand', (x) => x.expand(2, 3), ...wide([]));
row('expandAs', (x) => x.expandAs(vg.zeros([2, 3], { device: 'cpu' })), ...wide([2, 1]));
row('sumToSize', (x) => x.sumToSize([1, 5]), ...wide([3, 2, 5]));
row('sumToSize', (x) => x.sumToSize([]), ...wide([3, 2]));
row('unsqueeze', (x) => x.unsqueeze(-1), ...wide([3, 2]));
row('squeeze', (x) => x.squeeze(), ...wide([3, 1, 5, 1]));
row('squeeze', (x) => x.squeeze(1), ...wide([3, 1, 5]));
row('flatten', (x) => x.flatten(1), ...wide([3, 1, 5]));
row('narrow', (x) => x.narrow(2, 1, 3), ...wide([3, 1, 5]));
row('narrow', (x) => x.narrow(0, -2, 0), ...wide([3, 2]));
row('slice', (x) => x.slice(1, 1, undefined, 3), ...wide([2, 6]));
row('slice', (x) => x.slice(0, -2, 3), ...wide([3, 2]));
row('select', (x) => x.select(1, -1), ...wide([2, 3, 2]));
row('flip', (x) => x.flip([0, 2]), ...wide([3, 1, 5]));
row('embed', (x) => vg.embed(x, [4, 9], [1, 2], { steps: [1, 3], value: 0.5 }), ...wide([2, 3]));
row('cat', (a, b) => vg.cat([a, b], 1), ...wide([2, 1, 3], [2, 4, 3]));
row('cat', (a, b) => vg.cat([a, b, a], -1), ...wide([3], [0]));
row('stack', (a, b) => vg.stack([a, b], 1), ...wide([2, 3], [2, 3]));
row('stack', (a, b) => vg.stack([b, a]), ...wide([], []));

const PAIRS = [2, 1, 0, 2];
for (const mode of ['constant', 'reflect', 'replicate', 'circular'] as const) {
  row('pad', (x) => vg.pad(x, PAIRS, { mode }), ...wide([2, 4, 3]));
  row('pad', (x) => vg.pad(x, [-1, 2], { mode }), ...wide([2, 4]));
}
row('pad', (x) => vg.pad(x, [1, 0, 2, 3], { value: 1.5 }), ...wide([0, 2]));

row('clone', (x) => x.clone(), ...wide([3, 1, 5]));
row('contiguous', (x) => x.transpose(0, 2).contiguous(), ...wide([3, 1, 5]));

// One row per differentiable operation and kind of call. Derivatives are checked on every row
// (derivatives.test.ts), and every device computes every row as the reference does (test/devices).

import './operations/adjoints.js';
import './operations/arrangements.js';
import './operations/elementwise.js';
import './operations/dense.js';
import './operations/indexing.js';
import './operations/inplace.js';
import './operations/inplace-functions.js';
import './operations/integration.js';
import './operations/pooling.js';
import './operations/products.js';
import './operations/reductions.js';
import './operations/resizing.js';
import './operations/shapes.js';
import './operations/special.js';
import { type Row, rows } from './operations/table.js';

export { inputsOf, type Row } from './operations/table.js';
export const operationRows: readonly Row[] = rows;

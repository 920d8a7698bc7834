// `tiled` joins the strategies of a convolution. It is for devices that refuse large calls, so a page that
// has none does without; `@voxgrad/core/methods` brings it, and so do `voxgrad` and `@voxgrad/npu`.

import { registerBuiltin } from '../catalogue.js';
import { convTransposeOperation } from '../conv-operation.js';
import '../index.js';
import { tiledBackward } from './backward.js';
import { tiledForward } from './forward.js';

registerBuiltin(tiledBackward);
registerBuiltin({ ...tiledBackward, op: convTransposeOperation.op });
registerBuiltin(tiledForward);

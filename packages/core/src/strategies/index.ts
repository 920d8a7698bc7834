import { compositeBackward } from './composite-backward.js';
import { compositeForward } from './composite-forward.js';
import { fusedBackward, fusedForward } from './fused.js';
import { registerBuiltin } from './registry.js';

for (const strategy of [fusedBackward, compositeBackward]) registerBuiltin(strategy);
// The forward of a transposed convolution is the input gradient of a convolution.
for (const strategy of [fusedBackward, compositeBackward])
  registerBuiltin({ ...strategy, op: 'convTranspose3d.forward' });
for (const strategy of [fusedForward, compositeForward]) registerBuiltin(strategy);

export {
  checkStrategyName as checkName,
  explain,
  list,
  register,
  trace,
  unregister,
  use,
  with,
} from './registry.js';

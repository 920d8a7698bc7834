import { adamStepOperation, adamStepStrategies } from './adam-step.js';
import { batchNormOperations, batchNormStrategies } from './batch-norm.js';
import { defineBuiltin, registerBuiltin } from './catalogue.js';
import { channelAffineOperation, channelAffineStrategies } from './channel-affine.js';
import { compositeBackward } from './composite-backward.js';
import { compositeForward } from './composite-forward.js';
import {
  convBackwardOperation,
  convForwardOperation,
  convTransposeOperation,
} from './conv-operation.js';
import { fusedBackward, fusedBackwardBy, fusedForward, fusedForwardBy } from './fused.js';
import { maxPoolOperation, maxPoolStrategies } from './max-pool.js';
import { checkpointOperation, checkpointStrategies } from './recompute.js';
import { reluBackwardOperation, reluBackwardStrategies } from './relu-backward.js';
import { sumPoolOperations, sumPoolStrategies } from './sum-pool.js';
import { tiledBackward } from './tiled/backward.js';
import { tiledForward } from './tiled/forward.js';

defineBuiltin(convBackwardOperation);
defineBuiltin(convForwardOperation);
defineBuiltin(convTransposeOperation);
for (const strategy of [fusedBackward, ...fusedBackwardBy, compositeBackward, tiledBackward]) {
  registerBuiltin(strategy);
  // The forward of a transposed convolution is the input gradient of a convolution.
  registerBuiltin({ ...strategy, op: convTransposeOperation.op });
}
for (const strategy of [fusedForward, ...fusedForwardBy, compositeForward, tiledForward])
  registerBuiltin(strategy);

for (const operation of batchNormOperations.forward) defineBuiltin(operation);
for (const operation of batchNormOperations.backward) defineBuiltin(operation);
for (const strategy of batchNormStrategies.forward) registerBuiltin(strategy);
for (const strategy of batchNormStrategies.backward) registerBuiltin(strategy);
defineBuiltin(channelAffineOperation);
for (const strategy of channelAffineStrategies) registerBuiltin(strategy);
defineBuiltin(maxPoolOperation);
for (const strategy of maxPoolStrategies) registerBuiltin(strategy);
for (const operation of sumPoolOperations) defineBuiltin(operation);
for (const strategy of sumPoolStrategies) registerBuiltin(strategy);
defineBuiltin(reluBackwardOperation);
for (const strategy of reluBackwardStrategies) registerBuiltin(strategy);
defineBuiltin(checkpointOperation);
for (const strategy of checkpointStrategies) registerBuiltin(strategy);
defineBuiltin(adamStepOperation);
for (const strategy of adamStepStrategies) registerBuiltin(strategy);

export { calibrate } from './calibrate.js';
export { calibrationOf, useCalibration } from './calibration.js';
export { checkStrategyName as checkName, define } from './catalogue.js';
export { use, with } from './choices.js';
export { list } from './list.js';
export { memoryBudget, recomputable } from './memory-budget.js';
export { explain, register, trace, unregister } from './registry.js';
export { run } from './run-operation.js';
export { table } from './table.js';

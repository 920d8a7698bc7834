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
import { reluBackwardOperation, reluBackwardStrategies } from './relu-backward.js';

defineBuiltin(convBackwardOperation);
defineBuiltin(convForwardOperation);
defineBuiltin(convTransposeOperation);
for (const strategy of [fusedBackward, ...fusedBackwardBy, compositeBackward]) {
  registerBuiltin(strategy);
  // The forward of a transposed convolution is the input gradient of a convolution.
  registerBuiltin({ ...strategy, op: convTransposeOperation.op });
}
for (const strategy of [fusedForward, ...fusedForwardBy, compositeForward])
  registerBuiltin(strategy);

for (const operation of batchNormOperations.forward) defineBuiltin(operation);
for (const operation of batchNormOperations.backward) defineBuiltin(operation);
for (const strategy of batchNormStrategies.forward) registerBuiltin(strategy);
for (const strategy of batchNormStrategies.backward) registerBuiltin(strategy);
defineBuiltin(channelAffineOperation);
for (const strategy of channelAffineStrategies) registerBuiltin(strategy);
defineBuiltin(reluBackwardOperation);
for (const strategy of reluBackwardStrategies) registerBuiltin(strategy);
defineBuiltin(adamStepOperation);
for (const strategy of adamStepStrategies) registerBuiltin(strategy);

export { memoryBudget } from './budget-scope.js';
export { calibrate } from './calibrate.js';
export { calibrationOf, useCalibration } from './calibration.js';
export { checkStrategyName as checkName, define } from './catalogue.js';
export { use, with } from './choices.js';
export { list } from './list.js';
export { recomputable } from './memory-budget.js';
export { explain, register, trace, unregister } from './registry.js';
export { run } from './run-operation.js';
export { table } from './table.js';

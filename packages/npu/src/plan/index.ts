export { formatConv, parseConv } from './conv-text.js';
export type { ConvDescription, PlanLayer } from './layer.js';
export {
  checkModel,
  LAYER_TYPES,
  layersOf,
  type ModelDescription,
  type ModelLayer,
} from './model.js';
export type { Pass, PlanCheck } from './native.js';
export {
  type Chosen,
  type LayerPlan,
  type Plan,
  type PlanOptions,
  type PlanStep,
  plan,
} from './plan.js';
export type { Remedies } from './remedies.js';
export { planLines, planTable } from './table.js';

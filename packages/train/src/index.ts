export type { Checkpointing } from './checkpoint.js';
export type { EarlyStoppingOptions } from './early-stopping.js';
export { type Ending, type FitResult, fit } from './fit.js';
export { type EpochRecord, History, type StepRecord } from './history.js';
export { NonFiniteError, type Origin } from './non-finite/error.js';
export type { Callback, FitOptions, Metrics, Position, Stateful, Training } from './options.js';
export type { Batches } from './order.js';
export { type LayerProfile, type LayerRow, profileLayers } from './profile.js';
export {
  type ClassScores,
  type ConfusionMatrix,
  classScores,
  confusionMatrix,
} from './report/confusion.js';
export { type LineChart, lineChart, type Series } from './report/line-chart.js';
export { html, Markup } from './report/markup.js';
export {
  type Cell,
  type ReportColumn,
  type ReportPage,
  type ReportSection,
  reportPage,
  reportTable,
} from './report/page.js';
export type { ReportVolume } from './report/slices.js';
export { type TrainingReport, trainingReport } from './report/training.js';

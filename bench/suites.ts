// The suites by name, each loaded where it runs.

export const SUITES: Record<string, () => Promise<() => Promise<void>>> = {
  peak: async () => (await import('./suites/peak.js')).peak,
  direct: async () => (await import('./suites/direct.js')).direct,
  elementwise: async () => (await import('./suites/elementwise.js')).elementwise,
  unet: async () => (await import('./suites/unet.js')).unet,
  memory: async () => (await import('./suites/memory.js')).memory,
  patterns: async () => (await import('./suites/patterns.js')).patterns,
  selection: async () => (await import('./suites/selection.js')).selection,
  plan: async () => (await import('./suites/plan.js')).planSuite,
  torch: async () => (await import('./suites/torch.js')).torch,
  checkpoint: async () => (await import('./suites/checkpoint.js')).checkpoint,
  tfjs: async () => (await import('./suites/tfjs.js')).tfjs,
  dense: async () => (await import('./suites/dense.js')).dense,
  model: async () => (await import('./suites/model.js')).model,
  brain: async () => (await import('./suites/brain.js')).brain,
};
